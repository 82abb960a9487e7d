/* SPDX-License-Identifier: MIT */
/* From the text of a flag's value to the value; pure functions. */
#ifndef WEFT_BENCHMARKS_VALUES_H
#define WEFT_BENCHMARKS_VALUES_H

#include <cstdint>
#include <string>
#include <vector>

#include "flags.h"

namespace weft
{

/* Thrown by the parsers: what is wrong with a value, without the flag's name. */
struct ValueFault {
    std::string fault;
    std::string allowed = {}; /* empty: as the flag's own help says */
};

/* The value is a multiple of a cache that the machine does not tell. */
struct UnknownCache : ValueFault {
};

/* "KiB" and 1024; the largest first. */
struct SizeUnit {
    const char *name;
    std::uint64_t bytes;
};
extern const std::vector<SizeUnit> size_units;

/* "t0" and WEFT_HINT_T0; a hint's own name before its aliases. */
struct HintName {
    const char *name;
    weft_hint hint;
};
extern const std::vector<HintName> hint_names;

/* The items between commas; empty ones are a fault. */
std::vector<std::string> split_list(const std::string &value);

/* Decimal digits only, from `low` to `high`. */
std::uint64_t parse_number(const std::string &text, std::uint64_t low, std::uint64_t high);

/* A decimal number, without a sign or an exponent, from `low` to `high`. */
double parse_decimal(const std::string &text, double low, double high);

/* "512MiB", or "0.5xL2": a multiple of a cache, rounded down. Bytes: whole nodes of 64, at least
 * one. */
std::uint64_t parse_size(const std::string &text, const FlagMachine &machine);

weft_hint parse_hint(const std::string &text);
weft_pages parse_pages(const std::string &text);
bool parse_truth(const std::string &text);
bool parse_switch(const std::string &text); /* "on" or "off" */

/* A processor's number must be in the machine's mask. */
CpuSetting parse_cpu(const std::string &text, const FlagMachine &machine);

/* Checks that `path` can be written as a file and returns it. A file that exists is left as it is;
 * one that does not still does not afterwards. */
std::string parse_output_path(const std::string &path);

/* A finite decimal number that is not negative, returned as it was written. */
std::string parse_seconds(const std::string &text);

/* A value of --benchmark_min_time, in seconds with or without "s", or in iterations ("10x"), in the
 * spelling of a Google Benchmark whose flag has units or not. */
std::string parse_min_time(const std::string &text, bool has_unit);

/* A filter as Google Benchmark takes it: "all", or a POSIX extended regular expression, a leading
 * '-' negating it. */
std::string parse_filter(const std::string &text);

} // namespace weft

#endif
