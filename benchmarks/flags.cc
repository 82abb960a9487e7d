/* SPDX-License-Identifier: MIT */
#include "flags.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "flag_table.h"
#include "gb_flags.h"
#include "presets.h"
#include "values.h"

extern "C" {
#include "fiber/ladder.h"
#include "lookup/variant.h"
#include "stream/kernels.h"
#include "stream/shape.h"
}

namespace weft
{

namespace
{

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
    const auto nearest = std::min_element(
        flag_rows.begin(), flag_rows.end(), [&](const FlagRow &a, const FlagRow &b) {
            return distance(name, a.name) < distance(name, b.name);
        });
    std::string known;

    for (const FlagRow &row : flag_rows)
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
        for (const FlagRow &row : flag_rows)
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
            const std::string variable = environment_variable(row.name);
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

    /* The axes of the bandwidth cells that follow from the machine and from other flags. */
    void settle_stream()
    {
        const weft_stream_large large =
            weft_stream_large_default(machine_.cache_bytes[0], large_available_bytes());

        if (settle_auto(flags_.stream_arrays, large.array_bytes) && large.clamped)
            flags_.stream_array_clamped = large.array_bytes;
        settle_auto(flags_.stream_slices, weft_stream_slice_default(machine_.cache_bytes[2]));
        flags_.stream_threads = flags_.threads;
        if (of_preset_.at("--weft_threads")) {
            const unsigned allowed =
                std::max(1U, static_cast<unsigned>(machine_.allowed_cpus.size()));
            flags_.stream_threads.resize(weft_stream_thread_counts(allowed, nullptr, 0));
            weft_stream_thread_counts(allowed, flags_.stream_threads.data(),
                                      flags_.stream_threads.size());
        }
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
    /* What half of is the arrays' most: they are fixtures too. */
    std::uint64_t large_available_bytes() const
    {
        return flags_.memory_bytes < machine_.memory_available_bytes / 2
                   ? 2 * flags_.memory_bytes
                   : machine_.memory_available_bytes;
    }

    /* Puts `bytes` where `auto` stands; whether it stood there and named no size given beside it.
     */
    static bool settle_auto(std::vector<std::uint64_t> &sizes, std::uint64_t bytes)
    {
        const auto unsettled = std::find(sizes.begin(), sizes.end(), 0);

        if (unsettled == sizes.end())
            return false;
        if (std::find(sizes.begin(), sizes.end(), bytes) != sizes.end()) {
            sizes.erase(unsettled);
            return false;
        }
        *unsettled = bytes;
        return true;
    }

    void set(const FlagRow &row, const std::string &value, bool of_preset)
    {
        Setting setting{flags_, machine_, of_preset};

        row.parse(value, setting);
        notes_[row.name] = setting.notes;
        of_preset_[row.name] = of_preset;
    }

    void take_own(const std::string &text, const Argument &argument, bool of_preset)
    {
        const FlagRow *const row = find_row(flag_rows, argument.name);

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
        if (!argument.has_value && !row->alone)
            refuse(text, "there is no value, write " + text + "=<value>", row->allowed);
        google_.push_back(
            argument.name + "=" +
            check_google(text, argument.has_value ? argument.value : row->alone, *row));
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
    parser.settle_stream();

    arguments = {program};
    arguments.insert(arguments.end(), parser.google().begin(), parser.google().end());
    const std::vector<std::string> said = parser.notes();
    notes.insert(notes.end(), said.begin(), said.end());
    return parser.flags();
}

std::string help_text()
{
    std::string text = "Usage: weft-bench [flags]\n\nweft's flags:\n";

    for (const FlagRow &row : flag_rows) {
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
    for (std::size_t i = 0; i < weft_rung_count; ++i) {
        const weft_rung &rung = weft_rungs[i];

        text += std::string("  fiber/") + rung.name + (rung.kind ? "/kind:" : "") +
                (rung.kind ? rung.kind : "") + (rung.fpu ? "/fpu:" : "") +
                (rung.fpu ? rung.fpu : "") + "\n      " + rung.help + "\n";
    }
    for (const weft_stream_kernel &kernel : weft_stream_kernels)
        text +=
            std::string("  stream/") + kernel.name + "\n      bandwidth: " + kernel.formula + "\n";
    text += "  stream/loaded-latency\n      one thread chases while the others stream at a rate\n";
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
