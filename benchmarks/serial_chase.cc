/* SPDX-License-Identifier: MIT */
#include "serial_chase.h"

#include <cstring>

extern "C" {
#include "lookup/variant.h"
}

namespace weft
{
namespace
{

constexpr std::size_t lookups = 64;

const weft_variant *serial_variant()
{
    for (std::size_t i = 0; i < weft_variant_count; ++i)
        if (!std::strcmp(weft_variants[i].workload->name, "chase") && weft_variants[i].serial)
            return &weft_variants[i];
    throw CellError{"there is no serial chase"};
}

LoadedCell serial_cell(Fixtures &fixtures, const ChainFixture &fixture, std::size_t hops)
{
    LoadedCell loaded;
    weft_cell &cell = loaded.cell;

    check_residency(fixture.residency, "the data", fixture.pages);
    cell.variant = serial_variant();
    cell.data = &fixture.chain;
    cell.batch = &fixtures.batch(lookups, weft_cell_frames_bytes(cell.variant, 1, 1));
    cell.threads = 1;
    cell.depth = hops / lookups;
    cell.group = 1;
    cell.hint = WEFT_HINT_NONE;
    return loaded;
}

} // namespace

SerialChase::SerialChase(Fixtures &fixtures, std::uint64_t size_bytes, weft_pages pages,
                         const CpuSetting &cpu, std::size_t hops)
    : fixture_((fixtures.team(1, cpu), fixtures.chain(size_bytes, pages))),
      loaded_(serial_cell(fixtures, fixture_, hops)),
      batches_(loaded_cell_measured, &loaded_, fixtures.team(1, cpu))
{
}

weft_span SerialChase::batch()
{
    weft_span span = {};

    check(batches_.run(&span), "the serial chase");
    return span;
}

void SerialChase::load(const Load &load)
{
    loaded_.load = load.get();
    loaded_.moved = {};
}

double SerialChase::load_gbs() const
{
    return loaded_.gbs();
}

const weft_residency &SerialChase::residency() const
{
    return fixture_.residency;
}

} // namespace weft
