/* SPDX-License-Identifier: MIT */
/* Flags parsed for a made-up machine. */
#ifndef WEFT_TESTS_UNIT_FLAGS_PARSED_H
#define WEFT_TESTS_UNIT_FLAGS_PARSED_H

#include <algorithm>
#include <string>
#include <vector>

#include "cmocka_main.h"
#include "flags.h"
#include "gb_compat.h"

namespace weft
{

inline constexpr std::uint64_t mib = std::uint64_t{1} << 20;

/* A last-level cache of 32 MiB, an L3 that divides no power of two, no L1 told; processors 1 to 3
 * and 6. */
inline const FlagMachine machine = {
    {32 * mib, 0, 512 * 1024, 24 * mib}, {1, 2, 3, 6}, true, 1024 * mib};

struct Parsed {
    Flags flags;
    std::vector<std::string> google;
    std::vector<std::string> notes;
    std::string error; /* empty: parsed */
};

inline Parsed parse(const std::vector<std::string> &own, const FlagMachine &on = machine)
{
    Parsed parsed;

    parsed.google = {"weft-bench"};
    parsed.google.insert(parsed.google.end(), own.begin(), own.end());
    try {
        parsed.flags = parse_flags(parsed.google, parsed.notes, on);
    } catch (const FlagError &error) {
        parsed.error = error.message;
    }
    return parsed;
}

inline bool contains(const std::vector<std::string> &texts, const std::string &text)
{
    return std::find(texts.begin(), texts.end(), text) != texts.end();
}

/* What Google Benchmark would go by: the last setting of `name`, "" when there is none. */
inline std::string last_google(const Parsed &parsed, const std::string &name)
{
    std::string value;

    for (const std::string &text : parsed.google)
        if (text.starts_with(name + "="))
            value = text.substr(name.size() + 1);
    return value;
}

inline std::string min_time(const std::string &seconds)
{
    return seconds + (gb_min_time_has_unit ? "s" : "");
}

inline void assert_refused(const Parsed &parsed, const std::string &argument,
                           const std::string &fragment)
{
    if (!parsed.error.starts_with(argument + ": ") ||
        parsed.error.find(fragment) == std::string::npos ||
        parsed.error.find("; allowed: ") == std::string::npos ||
        parsed.error.find('\n') != std::string::npos)
        fail_msg("%s, expected '%s', gave: %s", argument.c_str(), fragment.c_str(),
                 parsed.error.c_str());
}

} // namespace weft

#endif
