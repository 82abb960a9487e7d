/* SPDX-License-Identifier: MIT */
/* weft's own flags, one row each. */
#ifndef WEFT_BENCHMARKS_FLAG_TABLE_H
#define WEFT_BENCHMARKS_FLAG_TABLE_H

#include <string>
#include <vector>

#include "flags.h"

namespace weft
{

/* What parsing one value can look at and change. */
struct Setting {
    Flags &flags;
    const FlagMachine &machine;
    bool of_preset; /* or a default: not what the user asked for */
    std::vector<std::string> notes = {};
};

struct FlagRow {
    const char *name;
    const char *initial; /* NULL: none, or what the help line says */
    const char *allowed;
    const char *help;
    void (*parse)(const std::string &value, Setting &setting); /* throws ValueFault */
    const char *alone = nullptr; /* the value of the bare name, where that is allowed */
};

/* THE table: a flag is a row. Its help, its errors and its parsing follow. */
extern const std::vector<FlagRow> flag_rows;

} // namespace weft

#endif
