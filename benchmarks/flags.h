/* SPDX-License-Identifier: MIT */
/* weft's own command-line flags and presets. */
#ifndef WEFT_BENCHMARKS_FLAGS_H
#define WEFT_BENCHMARKS_FLAGS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

extern "C" {
#include "memory/arena.h"
#include "weft/prefetch.h"
}

namespace weft
{

/* One setting of --weft_cpu: where the threads of a cell are pinned. */
struct CpuSetting {
    enum class Kind { automatic, none, number };
    Kind kind = Kind::automatic;
    int cpu =
        0; /* Kind::number: the first thread's; further threads take the allowed ones after it */
    bool operator==(const CpuSetting &) const = default;
};

struct Flags {
    std::string preset;
    std::vector<std::uint64_t> sizes; /* bytes, each a multiple of 64 */
    std::vector<std::size_t> depths;
    std::vector<std::size_t> chains; /* mean lengths of a hash table's; none: no probes */
    std::vector<bool> branches;
    std::vector<std::size_t> payloads; /* bytes of a node, each a multiple of 64 */
    std::vector<std::size_t> groups;
    std::vector<std::size_t> fibers;
    std::vector<weft_hint> hints;
    std::vector<unsigned> distances; /* of limit/random-read, in lines */
    std::vector<weft_pages> pages;
    std::size_t lookups = 0;
    std::size_t warmup_batches = 0;
    std::vector<unsigned> threads;
    std::vector<CpuSetting> cpus;
    std::vector<unsigned> loads; /* threads that stream beside a lookup cell's own */
    bool oversubscribe = false;  /* more threads than allowed processors are not refused */
    std::vector<std::uint64_t> stream_arrays; /* bytes of one whole array */
    std::uint64_t stream_array_clamped = 0;   /* the one that memory made smaller; 0: none */
    std::vector<std::uint64_t> stream_slices; /* bytes per thread and array */
    std::vector<unsigned> stream_threads;     /* of the bandwidth cells */
    std::vector<unsigned> stream_rates;       /* of the loaded latency, per cent */
    double stream_sweep = 0;                  /* factor from size to size; 0: no sweep */
    double vendor_gbs = 0;                    /* 0: not told */
    std::uint64_t seed = 0;
    std::uint64_t memory_bytes = 0; /* budget of the fixture cache */
    bool limits = true;             /* lookup cells are compared with their limits */
    std::string csv_path;           /* empty: none */
    bool progress = false;          /* one line per cell on stdout instead of Google Benchmark's */
    bool help = false;
};

/* What is wrong with a command line, as one line for stderr: the flag, the fault, what is allowed.
 */
struct FlagError {
    std::string message;
};

/* What of the machine the flags depend on. */
struct FlagMachine {
    std::array<std::uint64_t, 4> cache_bytes = {}; /* last level, L1, L2, L3; 0: not told */
    std::vector<int> allowed_cpus;                 /* ascending; empty: not told, all are taken */
    bool thp_available = false;
    std::uint64_t memory_available_bytes = 0;
};

/* The machine that this process runs on. */
FlagMachine this_machine();

/* Takes weft's flags, those of the chosen preset first, out of `arguments` (program name first),
 * and leaves Google Benchmark's, those of the preset first, for benchmark::Initialize(). Throws
 * FlagError. What a user should know but is no error (a value named twice, a preset's page policy
 * or cache that this machine lacks) is appended to `notes`. With --help, nothing else is looked at.
 */
Flags parse_flags(std::vector<std::string> &arguments, std::vector<std::string> &notes,
                  const FlagMachine &machine = this_machine());

/* The text of --help: weft's flags, presets and variants, then Google Benchmark's flags. */
std::string help_text();

} // namespace weft

#endif
