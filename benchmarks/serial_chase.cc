/* SPDX-License-Identifier: MIT */
#include "serial_chase.h"

#include <cstring>

#include "interrupt.h"

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

} // namespace

void check_residency(const weft_residency &residency, const std::string &what, weft_pages pages)
{
    if (!residency.known || residency.share >= WEFT_RESIDENCY_SHARE_MIN)
        return;
    throw CellError{"only " + std::to_string(residency.share) + " of " + what + " lies in " +
                    weft_pages_name(pages) + " pages; a cell needs " +
                    std::to_string(WEFT_RESIDENCY_SHARE_MIN)};
}

SerialChase::SerialChase(Fixtures &fixtures, std::uint64_t size_bytes, weft_pages pages,
                         const CpuSetting &cpu, std::size_t hops)
    : fixture_((fixtures.team(1, cpu), fixtures.chain(size_bytes, pages)))
{
    weft_cell &cell = loaded_.cell;

    check_residency(fixture_.residency, "the data", pages);
    cell.variant = serial_variant();
    cell.data = &fixture_.chain;
    cell.batch = &fixtures.batch(lookups, weft_cell_frames_bytes(cell.variant, 1, 1));
    cell.threads = 1;
    cell.depth = hops / lookups;
    cell.group = 1;
    cell.hint = WEFT_HINT_NONE;
    if (weft_measure_init(&measure_, &loaded_cell_measured, &loaded_, fixtures.team(1, cpu)) !=
        WEFT_OK)
        throw CellError{weft_status_str(WEFT_E_NOMEM)};
}

SerialChase::~SerialChase()
{
    weft_measure_destroy(&measure_);
}

weft_span SerialChase::batch()
{
    weft_span span = {};

    if (interrupted())
        throw CellError{weft_status_str(WEFT_E_INTERRUPTED)};
    const weft_status status = weft_measure_batch(&measure_, &span);
    if (status != WEFT_OK)
        throw CellError{std::string("the serial chase: ") + weft_status_str(status)};
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
