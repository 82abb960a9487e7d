/* SPDX-License-Identifier: MIT */
/* Presets: argument lists that are put before the user's own. */
#ifndef WEFT_BENCHMARKS_PRESETS_H
#define WEFT_BENCHMARKS_PRESETS_H

#include <string>
#include <vector>

namespace weft
{

struct Preset {
    const char *name;
    const char *help;
    std::vector<std::string> arguments; /* weft's and Google Benchmark's; no --weft_preset */
};

extern const std::vector<Preset> presets;

/* NULL when there is no preset of that name. */
const Preset *find_preset(const std::string &name);

/* The preset that is used when none is named. */
extern const char *const default_preset;

} // namespace weft

#endif
