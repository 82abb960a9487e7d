/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <algorithm>

extern "C" {
#include "machine/topology.h"
#include "stream/kernels.h"
}

namespace weft
{
namespace
{

/* Of all streams together: no cache holds three of them. */
std::uint64_t array_bytes()
{
    constexpr std::uint64_t least = std::uint64_t{32} << 20;

    return std::max(least, weft_last_level_cache_bytes());
}

weft_status prepare(void *self, std::uint64_t batch)
{
    LoadedCell *const loaded = static_cast<LoadedCell *>(self);
    const weft_status status = weft_cell_measured.prepare(&loaded->cell, batch);

    if (loaded->load)
        loaded->from = weft_load_read(loaded->load);
    return status;
}

weft_status run(void *self, unsigned worker)
{
    return weft_cell_measured.run(&static_cast<LoadedCell *>(self)->cell, worker);
}

weft_status verify(void *self, std::uint64_t batch)
{
    LoadedCell *const loaded = static_cast<LoadedCell *>(self);

    if (loaded->load) {
        const weft_load_sample to = weft_load_read(loaded->load);

        loaded->moved.bytes += to.bytes - loaded->from.bytes;
        loaded->moved.at_ns += to.at_ns - loaded->from.at_ns;
    }
    return weft_cell_measured.verify(&loaded->cell, batch);
}

weft_status enter(void *self, unsigned worker)
{
    return weft_cell_measured.enter(&static_cast<LoadedCell *>(self)->cell, worker);
}

void leave(void *self, unsigned worker)
{
    weft_cell_measured.leave(&static_cast<LoadedCell *>(self)->cell, worker);
}

} // namespace

const weft_measured loaded_cell_measured = {prepare, run, verify, enter, leave};

double LoadedCell::gbs() const
{
    return weft_load_gbs({}, moved);
}

Load::Load(const Fixtures &fixtures, const LoadAxes &axes, unsigned threads, const CpuSetting &cpu)
{
    if (axes.streams == 0)
        return;
    fixtures.oversubscribed(threads + axes.streams);
    std::vector<int> cpus = fixtures.cpus(threads + axes.streams, cpu);
    if (!cpus.empty()) /* the first is this thread's own */
        cpus.erase(cpus.begin() + 1, cpus.begin() + threads);

    weft_load_request request = {};
    request.streams = axes.streams;
    request.cpus = cpus.empty() ? nullptr : cpus.data();
    request.kernel = weft_stream_kernel_find("triad");
    request.store = WEFT_STREAM_PLAIN;
    request.array_bytes =
        array_bytes() / axes.streams / WEFT_STREAM_LINE_BYTES * WEFT_STREAM_LINE_BYTES;
    request.pages = axes.pages;
    request.rate_gbs = axes.rate_gbs;
    const weft_status status = weft_load_start(&load_, &request);
    if (status != WEFT_OK)
        throw CellError{"a load of " + std::to_string(axes.streams) +
                        " threads: " + weft_status_str(status)};
}

Load::~Load()
{
    weft_load_stop(load_);
}

const weft_load *Load::get() const
{
    return load_;
}

} // namespace weft
