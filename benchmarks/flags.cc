/* SPDX-License-Identifier: MIT */
#include "flags.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>

#include "gb_flags.h"
#include "presets.h"
#include "values.h"

extern "C" {
#include "lookup/variant.h"
}

namespace weft
{

namespace
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
    void (*parse)(const std::string &value, Setting &setting);
    const char *alone = nullptr; /* the value of the bare name, where that is allowed */
};

const Preset *find_preset(const std::string &name)
{
    const auto preset = std::find_if(presets.begin(), presets.end(),
                                     [&](const Preset &row) { return name == row.name; });
    return preset == presets.end() ? nullptr : &*preset;
}

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
std::vector<T> parse_numbers(const std::string &value, Setting &setting, std::uint64_t high)
{
    return parse_list<T>(value, setting, [&](const std::string &text) {
        return static_cast<T>(parse_number(text, 1, high));
    });
}

void parse_preset(const std::string &value, Setting &setting)
{
    if (!find_preset(value))
        throw ValueFault{value.empty() ? "the value is empty" : value + " is not a preset"};
    setting.flags.preset = value;
}

/* THE table: one row is one flag. */
const std::vector<FlagRow> rows = {
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
    {"--weft_group", "1,2,4,6,8,12,16,24,32,48,64,96,128",
     "a comma-separated list of whole numbers from 1 to 1024", "lookups in flight",
     [](const std::string &value, Setting &s) {
         s.flags.groups = parse_numbers<std::size_t>(value, s, 1024);
     }},
    {"--weft_hint", "t0",
     "a comma-separated list of t0, t1, t2, nta, or of their aliases pldl1keep, pldl2keep, "
     "pldl3keep, pldl1strm",
     "where a prefetch puts the line",
     [](const std::string &value, Setting &s) {
         s.flags.hints = parse_list<weft_hint>(value, s, parse_hint);
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
     "threads that chase the same chain, each with a group of its own",
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
    {"--weft_csv", nullptr, "a file that can be written", "write one row for each timed batch",
     [](const std::string &value, Setting &s) { s.flags.csv_path = parse_output_path(value); }},
    {"--weft_progress", "false", "true or false; alone it means true",
     "one line for each cell instead of Google Benchmark's table",
     [](const std::string &value, Setting &s) { s.flags.progress = parse_truth(value); }, "true"},
};

template <typename Row>
const Row *find_row(const std::vector<Row> &table, const std::string &name)
{
    const auto row = std::find_if(table.begin(), table.end(),
                                  [&](const Row &candidate) { return name == candidate.name; });
    return row == table.end() ? nullptr : &*row;
}

[[noreturn]] void refuse(const std::string &argument, const std::string &fault,
                         const std::string &allowed)
{
    throw FlagError{argument + ": " + fault + "; allowed: " + allowed};
}

/* Edits (a character inserted, dropped or replaced) from one to the other. */
std::size_t distance(const std::string &from, const std::string &to)
{
    std::vector<std::size_t> costs(to.size() + 1);

    for (std::size_t j = 0; j <= to.size(); ++j)
        costs[j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = costs[0];
        costs[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = costs[j];
            costs[j] = std::min({replaced, costs[j] + 1, costs[j - 1] + 1});
        }
    }
    return costs.back();
}

[[noreturn]] void refuse_unknown(const std::string &argument, const std::string &name)
{
    constexpr std::size_t close = 3;
    const auto nearest =
        std::min_element(rows.begin(), rows.end(), [&](const FlagRow &a, const FlagRow &b) {
            return distance(name, a.name) < distance(name, b.name);
        });
    std::string known;

    for (const FlagRow &row : rows)
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    refuse(argument,
           distance(name, nearest->name) <= close
               ? "there is no such flag, did you mean " + std::string(nearest->name) + "?"
               : "there is no such flag",
           known);
}

struct Argument {
    std::string name;
    std::string value;
    bool has_value;

    explicit Argument(const std::string &text)
    {
        const std::size_t equals = text.find('=');
        has_value = equals != std::string::npos;
        name = text.substr(0, equals);
        value = has_value ? text.substr(equals + 1) : "";
    }
};

class Parser
{
  public:
    explicit Parser(const FlagMachine &machine) : machine_(machine)
    {
        flags_.memory_bytes = machine.memory_available_bytes / 2;
        for (const FlagRow &row : rows)
            if (row.initial)
                set(row, row.initial, true);
    }

    void take(const std::string &text, bool of_preset)
    {
        const Argument argument(text);

        if (argument.name.starts_with("--weft_"))
            take_own(text, argument, of_preset);
        else if (argument.name.starts_with("--benchmark_"))
            take_google(text, argument);
        else if (argument.name == "--v" && argument.has_value)
            google_.push_back(text);
        else
            refuse(text, "this is no flag", "--weft_*, --benchmark_*, --v=<number> and --help");
    }

    /* Google Benchmark reads a variable of the environment where it is given no argument. */
    void check_environment() const
    {
        for (const GbFlag &row : gb_flags) {
            const std::string variable = row.environment_variable();
            const char *const value = std::getenv(variable.c_str());
            if (value && row.check && !google_names_.contains(row.name))
                check_google(variable + "=" + value, value, row);
        }
    }

    /* A preset must run on every machine, but the user's own wish is not changed silently. */
    void fall_back_to_base_pages()
    {
        std::vector<weft_pages> &pages = flags_.pages;
        const auto thp = std::find(pages.begin(), pages.end(), WEFT_PAGES_THP);

        if (machine_.thp_available || !of_preset_.at("--weft_pages") || thp == pages.end())
            return;
        if (std::find(pages.begin(), pages.end(), WEFT_PAGES_4K) == pages.end())
            *thp = WEFT_PAGES_4K;
        else
            pages.erase(thp);
        notes_["--weft_pages"] = {
            "transparent huge pages are switched off, so the preset's thp becomes 4k"};
    }

    const Flags &flags() const
    {
        return flags_;
    }

    const std::vector<std::string> &google() const
    {
        return google_;
    }

    /* Of the values that count only: those of a flag that was set again are gone. */
    std::vector<std::string> notes() const
    {
        std::vector<std::string> all;

        for (const auto &[name, texts] : notes_)
            for (const std::string &text : texts)
                all.push_back(name + ": " + text);
        return all;
    }

  private:
    void set(const FlagRow &row, const std::string &value, bool of_preset)
    {
        Setting setting{flags_, machine_, of_preset};

        row.parse(value, setting);
        notes_[row.name] = setting.notes;
        of_preset_[row.name] = of_preset;
    }

    void take_own(const std::string &text, const Argument &argument, bool of_preset)
    {
        const FlagRow *const row = find_row(rows, argument.name);

        if (!row)
            refuse_unknown(text, argument.name);
        if (!argument.has_value && !row->alone)
            refuse(text, "there is no value, write " + text + "=<value>", row->allowed);
        try {
            set(*row, argument.has_value ? argument.value : row->alone, of_preset);
        } catch (const ValueFault &bad) {
            refuse(text, bad.fault, bad.allowed.empty() ? row->allowed : bad.allowed);
        }
    }

    static std::string check_google(const std::string &text, const std::string &value,
                                    const GbFlag &row)
    {
        try {
            return row.check(value);
        } catch (const ValueFault &bad) {
            refuse(text, bad.fault, bad.allowed.empty() ? row.allowed : bad.allowed);
        }
    }

    void take_google(const std::string &text, const Argument &argument)
    {
        const GbFlag *const row = find_row(gb_flags, argument.name);

        google_names_.insert(argument.name);
        if (!row || !row->check) {
            google_.push_back(text);
            return;
        }
        if (!argument.has_value)
            refuse(text, "there is no value, write " + text + "=<value>", row->allowed);
        google_.push_back(argument.name + "=" + check_google(text, argument.value, *row));
    }

    const FlagMachine &machine_;
    Flags flags_;
    std::vector<std::string> google_;
    std::set<std::string> google_names_;
    std::map<std::string, std::vector<std::string>> notes_;
    std::map<std::string, bool> of_preset_;
};

} // namespace

Flags parse_flags(std::vector<std::string> &arguments, std::vector<std::string> &notes,
                  const FlagMachine &machine)
{
    const std::string program = arguments.empty() ? "weft-bench" : arguments[0];
    const std::vector<std::string> own(arguments.begin() + !arguments.empty(), arguments.end());

    if (std::any_of(own.begin(), own.end(),
                    [](const std::string &text) { return text == "--help" || text == "-h"; })) {
        Flags flags;
        flags.help = true;
        arguments = {program};
        return flags;
    }

    std::string preset = default_preset;
    for (const std::string &text : own) {
        const Argument argument(text);
        if (argument.name == "--weft_preset" && find_preset(argument.value))
            preset = argument.value;
    }

    Parser parser(machine);
    parser.take("--weft_preset=" + preset, true);
    for (const std::string &text : find_preset(preset)->arguments)
        parser.take(text, true);
    for (const std::string &text : own)
        parser.take(text, false);
    parser.check_environment();
    parser.fall_back_to_base_pages();

    arguments = {program};
    arguments.insert(arguments.end(), parser.google().begin(), parser.google().end());
    const std::vector<std::string> said = parser.notes();
    notes.insert(notes.end(), said.begin(), said.end());
    return parser.flags();
}

std::string help_text()
{
    std::string text = "Usage: weft-bench [flags]\n\nweft's flags:\n";

    for (const FlagRow &row : rows) {
        text += std::string("  ") + row.name + "=<value>";
        if (row.initial)
            text += std::string(" (default ") + row.initial + ")";
        text += std::string("\n      ") + row.help + "\n      allowed: " + row.allowed + "\n";
    }
    text += "  --help, -h\n      this text\n\nPresets:\n";
    for (const Preset &preset : presets) {
        text += std::string("  ") + preset.name + ": " + preset.help +
                (std::string(preset.name) == default_preset ? " (used when none is named)" : "") +
                "\n";
        for (const std::string &argument : preset.arguments)
            text += "      " + argument + "\n";
    }
    text += "\nWhat is measured:\n";
    for (std::size_t i = 0; i < weft_variant_count; ++i)
        text += std::string("  ") + weft_variants[i].workload->name + "/" + weft_variants[i].name +
                "\n      " + weft_variants[i].help + "\n";
    text += "\nExit status:\n"
            "  0    every cell was measured\n"
            "  1    a cell failed\n"
            "  2    a flag is wrong or no cell matches; nothing was run\n"
            "  130  interrupted; what was measured is kept\n"
            "\nGoogle Benchmark's flags:\n";
    for (const GbFlag &row : gb_flags)
        text += std::string("  ") + row.name + "=<value>\n      " + row.help +
                "\n      allowed: " + row.allowed + "\n";
    return text + "  --v=<value>\n      how much Google Benchmark tells of its own work\n"
                  "      allowed: a whole number\n";
}

} // namespace weft
