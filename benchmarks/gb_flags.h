/* SPDX-License-Identifier: MIT */
/* Google Benchmark's flags: what --help says of them, and which of their values are refused before
 * Google Benchmark would accept, misread or ignore them. */
#ifndef WEFT_BENCHMARKS_GB_FLAGS_H
#define WEFT_BENCHMARKS_GB_FLAGS_H

#include <string>
#include <vector>

namespace weft
{

struct GbFlag {
    const char *name;
    const char *allowed;
    const char *help;
    /* The value as Google Benchmark's version takes it; throws ValueFault. NULL: any value. */
    std::string (*check)(const std::string &value);
    const char *alone = nullptr; /* what the flag without a value means; NULL: it must have one */
};

extern const std::vector<GbFlag> gb_flags;

/* The variable of the environment that gives a flag's value where no argument does. */
std::string environment_variable(const std::string &flag);

} // namespace weft

#endif
