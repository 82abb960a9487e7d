/* SPDX-License-Identifier: MIT */
#include "presets.h"

#include <algorithm>

namespace weft
{

const char *const default_preset = "default";

/* Each one says how often and how long, so that an environment variable of Google Benchmark's does
 * not change what a preset's name means. */
const std::vector<Preset> presets = {
    {
        "quick",
        "a first table within a minute",
        {
            "--weft_size=8MiB,512MiB",
            "--weft_group=1,8,16,32,64",
            "--weft_hint=t0",
            "--weft_distance=32",
            "--weft_pages=thp",
            "--weft_lookups=200000",
            /* the same on every machine; 512 MiB would take minutes */
            "--weft_stream_array=32MiB",
            "--weft_stream_rate=100,50,0",
            "--benchmark_repetitions=3",
            "--benchmark_min_time=0.05",
        },
    },
    {
        "default",
        "the defaults above",
        {
            "--benchmark_repetitions=1",
            "--benchmark_min_time=0.1",
        },
    },
    {
        "full",
        "every hint, 4 KiB and huge pages, up to 4 GiB: hours",
        {
            "--weft_size=1MiB,8MiB,32MiB,128MiB,512MiB,2GiB,4GiB,4xLLC",
            "--weft_group=1,2,4,6,8,12,16,24,32,48,64,96,128,192,256",
            "--weft_hint=t0,t1,t2,nta",
            "--weft_pages=4k,thp",
            "--weft_lookups=500000",
            "--weft_stream_sweep=1.2",
            "--benchmark_repetitions=5",
            "--benchmark_min_time=0.1",
        },
    },
    {
        "amaco2",
        "the grid of amaco2's evaluation: five runs of one batch each",
        {
            "--weft_size=8MiB,32MiB,128MiB,512MiB,2GiB,4GiB",
            "--weft_group=1,2,4,6,8,12,16,24,32,48,64,96,128,192,256",
            "--weft_hint=t0",
            "--weft_pages=4k",
            "--weft_lookups=500000",
            "--weft_warmup=2",
            "--benchmark_repetitions=5",
            /* shorter than any batch: the first iteration suffices */
            "--benchmark_min_time=0.000000001",
        },
    },
};

const Preset *find_preset(const std::string &name)
{
    const auto preset = std::find_if(presets.begin(), presets.end(),
                                     [&](const Preset &row) { return name == row.name; });
    return preset == presets.end() ? nullptr : &*preset;
}

} // namespace weft
