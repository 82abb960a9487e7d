/* SPDX-License-Identifier: MIT */
#include "flag_table.h"

#include <algorithm>
#include <limits>

#include "presets.h"
#include "values.h"

extern "C" {
#include "limits/random_read.h"
}

namespace weft
{

namespace
{

/* The items in their order; of those with equal values the first is kept. A preset must run on
 * every machine: what is a multiple of an unknown cache is left out of it. */
template <typename T, typename Parse>
std::vector<T> parse_list(const std::string &value, Setting &setting, Parse parse)
{
    std::vector<T> items;
    std::string dropped;

    for (const std::string &text : split_list(value)) {
        T item = {};
        try {
            item = parse(text);
        } catch (const UnknownCache &unknown) {
            if (!setting.of_preset)
                throw;
            setting.notes.push_back(unknown.fault + ", so it is left out of the preset");
            continue;
        }
        if (std::find(items.begin(), items.end(), item) == items.end())
            items.push_back(item);
        else
            dropped += (dropped.empty() ? "" : ", ") + text;
    }
    if (!dropped.empty())
        setting.notes.push_back("named before, so dropped: " + dropped);
    return items;
}

template <typename T>
std::vector<T> parse_numbers(const std::string &value, Setting &setting, std::uint64_t high,
                             std::uint64_t low = 1)
{
    return parse_list<T>(value, setting, [&](const std::string &text) {
        return static_cast<T>(parse_number(text, low, high));
    });
}

/* Sizes, of which `auto`, 0, is found out when all flags are known. */
std::vector<std::uint64_t> parse_sizes_or_auto(const std::string &value, Setting &setting)
{
    return parse_list<std::uint64_t>(value, setting, [&](const std::string &text) {
        return text == "auto" ? 0 : parse_size(text, setting.machine);
    });
}

std::size_t parse_payload(const std::string &text)
{
    const std::uint64_t bytes = parse_number(text, 64, 4096);

    if (bytes % 64 != 0)
        throw ValueFault{text + " is not a multiple of a line's 64 B"};
    return static_cast<std::size_t>(bytes);
}

void parse_preset(const std::string &value, Setting &setting)
{
    if (!find_preset(value))
        throw ValueFault{value.empty() ? "the value is empty" : value + " is not a preset"};
    setting.flags.preset = value;
}

} // namespace

const std::vector<FlagRow> flag_rows = {
    {"--weft_preset", nullptr, "quick, default, full or amaco2",
     "arguments to put before the others; of two settings of one flag the last one wins",
     parse_preset},
    {"--weft_size", "8MiB,32MiB,128MiB,512MiB",
     "a comma-separated list of sizes: a whole number of B, KiB, MiB or GiB, a multiple of 64 B; "
     "or "
     "a multiple of a cache, such as 4xLLC or 0.5xL2",
     "working sets",
     [](const std::string &value, Setting &s) {
         s.flags.sizes = parse_list<std::uint64_t>(
             value, s, [&](const std::string &text) { return parse_size(text, s.machine); });
     }},
    {"--weft_depth", "12", "a comma-separated list of whole numbers from 1 to 1048576",
     "hops of a lookup",
     [](const std::string &value, Setting &s) {
         s.flags.depths = parse_numbers<std::size_t>(value, s, 1048576);
     }},
    {"--weft_chain", "none", "none, or a comma-separated list of whole numbers from 1 to 1024",
     "mean lengths of a hash table's chains: measures probes of tables with them",
     [](const std::string &value, Setting &s) {
         s.flags.chains = {};
         if (value != "none")
             s.flags.chains = parse_numbers<std::size_t>(value, s, 1024);
     }},
    {"--weft_branch", "0", "a comma-separated list of 0 and 1",
     "whether each hop takes a branch that depends on the data and cannot be predicted",
     [](const std::string &value, Setting &s) {
         s.flags.branches = parse_list<bool>(
             value, s, [](const std::string &text) { return parse_number(text, 0, 1) == 1; });
     }},
    {"--weft_payload", "64", "a comma-separated list of multiples of 64 from 64 to 4096",
     "bytes of a node: every hop reads all its lines",
     [](const std::string &value, Setting &s) {
         s.flags.payloads = parse_list<std::size_t>(value, s, parse_payload);
     }},
    {"--weft_group", "1,2,4,6,8,12,16,24,32,48,64,96,128",
     "a comma-separated list of whole numbers from 1 to 1024", "lookups in flight",
     [](const std::string &value, Setting &s) {
         s.flags.groups = parse_numbers<std::size_t>(value, s, 1024);
     }},
    {"--weft_fibers", "1000,100000", "a comma-separated list of whole numbers from 1 to 10000000",
     "fibers that are made, resumed in turn and ended",
     [](const std::string &value, Setting &s) {
         s.flags.fibers = parse_numbers<std::size_t>(value, s, 10000000);
     }},
    {"--weft_hint", "t0",
     "a comma-separated list of t0, t1, t2, nta, or of their aliases pldl1keep, pldl2keep, "
     "pldl3keep, pldl1strm",
     "where a prefetch puts the line",
     [](const std::string &value, Setting &s) {
         s.flags.hints = parse_list<weft_hint>(value, s, parse_hint);
     }},
    {"--weft_distance", "0,4,8,16,32,64,128,256",
     "a comma-separated list of whole numbers from 0 to 256",
     "how many lines ahead limit/random-read prefetches",
     [](const std::string &value, Setting &s) {
         s.flags.distances = parse_numbers<unsigned>(value, s, WEFT_READ_DISTANCE_MAX, 0);
     }},
    {"--weft_pages", "thp", "a comma-separated list of 4k, thp, 2m, 1g",
     "pages that the working set lies in",
     [](const std::string &value, Setting &s) {
         s.flags.pages = parse_list<weft_pages>(value, s, parse_pages);
     }},
    {"--weft_lookups", "500000", "a whole number from 1 to 4294967295",
     "lookups of a batch; one iteration is one batch",
     [](const std::string &value, Setting &s) {
         s.flags.lookups = static_cast<std::size_t>(
             parse_number(value, 1, std::numeric_limits<std::uint32_t>::max()));
     }},
    {"--weft_warmup", "1", "a whole number from 0 to 1000",
     "untimed batches when a cell is entered first",
     [](const std::string &value, Setting &s) {
         s.flags.warmup_batches = static_cast<std::size_t>(parse_number(value, 0, 1000));
     }},
    {"--weft_threads", "1", "a comma-separated list of whole numbers from 1 to 1024",
     "threads that chase the same chain, each with a group of its own; bandwidth cells take 1, 2, "
     "4 "
     "and so on up to the allowed processors unless it is given",
     [](const std::string &value, Setting &s) {
         s.flags.threads = parse_numbers<unsigned>(value, s, 1024);
     }},
    {"--weft_cpu", "auto",
     "a comma-separated list of auto, none and numbers of processors in the allowed mask",
     "where threads are pinned: auto chooses within the allowed mask, none leaves them alone",
     [](const std::string &value, Setting &s) {
         s.flags.cpus = parse_list<CpuSetting>(
             value, s, [&](const std::string &text) { return parse_cpu(text, s.machine); });
     }},
    {"--weft_oversubscribe", "false", "true or false; alone it means true",
     "run more threads than processors are allowed, and label the cell, instead of refusing it",
     [](const std::string &value, Setting &s) { s.flags.oversubscribe = parse_truth(value); },
     "true"},
    {"--weft_load", "0", "a comma-separated list of whole numbers from 0 to 1023",
     "further threads that stream (triad, plain stores) while lookups are measured",
     [](const std::string &value, Setting &s) {
         s.flags.loads = parse_numbers<unsigned>(value, s, 1023, 0);
     }},
    {"--weft_stream_array", "auto",
     "a comma-separated list of auto and sizes: a whole number of B, KiB, MiB or GiB, a multiple "
     "of 64 B; or a multiple of a cache, such as 2xLLC",
     "one of the three arrays of a bandwidth cell; auto: 512 MiB or twice the last-level cache, "
     "within half of the available memory",
     [](const std::string &value, Setting &s) {
         s.flags.stream_arrays = parse_sizes_or_auto(value, s);
     }},
    {"--weft_stream_slice", "auto",
     "a comma-separated list of auto and sizes, as for --weft_stream_array",
     "cache-resident working sets, per thread and array; auto: an eighth of the L2 cache",
     [](const std::string &value, Setting &s) {
         s.flags.stream_slices = parse_sizes_or_auto(value, s);
     }},
    {"--weft_stream_sweep", "none", "none, or a factor from 1.01 to 16; alone it means 2",
     "triad over slices from 4 KiB to the largest by this factor: every cache level is a step",
     [](const std::string &value, Setting &s) {
         s.flags.stream_sweep = value == "none" ? 0 : parse_decimal(value, 1.01, 16);
     },
     "2"},
    {"--weft_stream_rate", "100,90,75,50,25,10,0",
     "a comma-separated list of whole numbers from 0 to 100",
     "rates of the threads that stream (triad, plain stores) while one chases, in per cent of "
     "what they reach alone",
     [](const std::string &value, Setting &s) {
         s.flags.stream_rates = parse_numbers<unsigned>(value, s, 100, 0);
     }},
    {"--weft_vendor_gbs", "none", "none, or a decimal number of GB/s from 0.001 to 1000000",
     "the memory bandwidth that the machine's vendor gives; bandwidth cells in memory tell their "
     "share of it, what write-allocate moves included",
     [](const std::string &value, Setting &s) {
         s.flags.vendor_gbs = value == "none" ? 0 : parse_decimal(value, 0.001, 1e6);
     }},
    {"--weft_seed", "1", "a whole number from 0 to 18446744073709551615",
     "the same seed gives the same checksums on every machine",
     [](const std::string &value, Setting &s) {
         s.flags.seed = parse_number(value, 0, std::numeric_limits<std::uint64_t>::max());
     }},
    {"--weft_memory", nullptr,
     "a size: a whole number of B, KiB, MiB or GiB, a multiple of 64 B; or a multiple of a cache",
     "what the working sets that are kept may take together; half of the available memory unless "
     "it is given",
     [](const std::string &value, Setting &s) {
         s.flags.memory_bytes = parse_size(value, s.machine);
     }},
    {"--weft_limits", "on", "on or off",
     "compare lookups with the serial latency and the roofline of their memory",
     [](const std::string &value, Setting &s) { s.flags.limits = parse_switch(value); }},
    {"--weft_csv", nullptr, "a file that can be written",
     "write one row for each timed batch of the chase, as amaco2 does",
     [](const std::string &value, Setting &s) { s.flags.csv_path = parse_output_path(value); }},
    {"--weft_progress", "false", "true or false; alone it means true",
     "one line for each cell instead of Google Benchmark's table",
     [](const std::string &value, Setting &s) { s.flags.progress = parse_truth(value); }, "true"},
};

} // namespace weft
