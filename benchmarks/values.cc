/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include <fcntl.h>
#include <regex.h>
#include <unistd.h>

namespace weft
{

const std::vector<SizeUnit> size_units = {
    {"GiB", std::uint64_t{1} << 30},
    {"MiB", std::uint64_t{1} << 20},
    {"KiB", std::uint64_t{1} << 10},
    {"B", 1},
};

const std::vector<HintName> hint_names = {
    {"t0", WEFT_HINT_T0},        {"t1", WEFT_HINT_T1},         {"t2", WEFT_HINT_T2},
    {"nta", WEFT_HINT_NTA},      {"pldl1keep", WEFT_HINT_T0},  {"pldl2keep", WEFT_HINT_T1},
    {"pldl3keep", WEFT_HINT_T2}, {"pldl1strm", WEFT_HINT_NTA},
};

namespace
{

constexpr std::uint64_t node_bytes = 64;

/* In the order of FlagMachine::cache_bytes. */
constexpr std::array<const char *, 4> cache_names = {"LLC", "L1", "L2", "L3"};

bool are_digits(const std::string &text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, const std::string &text)
{
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a)
        throw ValueFault{text + " is out of range: it does not fit 64 bits"};
    return a * b;
}

/* `number`, digits with or without decimals, times `bytes`, rounded down. */
std::uint64_t multiple_of(const std::string &number, std::uint64_t bytes, const std::string &text)
{
    const std::size_t point = number.find('.');
    const std::string whole = number.substr(0, point);
    const std::string decimals = point == std::string::npos ? "0" : number.substr(point + 1);

    if (!are_digits(whole) || !are_digits(decimals))
        throw ValueFault{text + " is not a size"};

    /* From the last decimal on: rounding down at each gives the same as once at the end. */
    std::uint64_t part = 0;
    for (auto digit = decimals.rbegin(); digit != decimals.rend(); ++digit)
        part = (static_cast<std::uint64_t>(*digit - '0') * bytes + part) / 10;
    const std::uint64_t product = checked_product(
        parse_number(whole, 0, std::numeric_limits<std::uint64_t>::max()), bytes, text);
    if (part > std::numeric_limits<std::uint64_t>::max() - product)
        throw ValueFault{text + " is out of range: it does not fit 64 bits"};
    return product + part;
}

std::uint64_t cache_multiple(const std::string &text, std::size_t times, const FlagMachine &machine)
{
    const std::string cache = text.substr(times + 1);
    const auto name = std::find(cache_names.begin(), cache_names.end(), cache);

    if (name == cache_names.end())
        throw ValueFault{text + " is not a size: there is no cache " + cache};
    const std::uint64_t bytes =
        machine.cache_bytes[static_cast<std::size_t>(name - cache_names.begin())];
    if (bytes == 0)
        throw UnknownCache{{text + ": this machine does not tell the size of its " + cache,
                            "sizes in B, KiB, MiB or GiB"}};
    const std::uint64_t size = multiple_of(text.substr(0, times), bytes, text);
    return size - size % node_bytes;
}

std::uint64_t plain_size(const std::string &text)
{
    const std::size_t unit_at = text.find_first_not_of("0123456789");

    if (unit_at == std::string::npos)
        throw ValueFault{text + " has no unit"};
    const std::string unit_name = text.substr(unit_at);
    const auto unit = std::find_if(size_units.begin(), size_units.end(),
                                   [&](const SizeUnit &u) { return unit_name == u.name; });
    if (unit_at == 0 || unit == size_units.end())
        throw ValueFault{text + " is not a size"};
    const std::uint64_t count =
        parse_number(text.substr(0, unit_at), 0, std::numeric_limits<std::uint64_t>::max());
    return checked_product(count, unit->bytes, text);
}

/* 0-3,8 */
std::string ranges_text(const std::vector<int> &numbers)
{
    std::string text;

    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (last > i)
            text += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

} // namespace

std::vector<std::string> split_list(const std::string &value)
{
    std::vector<std::string> items;

    if (value.empty())
        throw ValueFault{"the list is empty"};
    if (value.front() == ',')
        throw ValueFault{"the list begins with a comma"};
    if (value.back() == ',')
        throw ValueFault{"the list ends with a comma"};
    for (std::size_t begin = 0; begin <= value.size();) {
        const std::size_t end = std::min(value.find(',', begin), value.size());
        if (end == begin)
            throw ValueFault{"the list has a doubled comma"};
        items.push_back(value.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

std::uint64_t parse_number(const std::string &text, std::uint64_t low, std::uint64_t high)
{
    std::uint64_t number = 0;

    if (text.empty())
        throw ValueFault{"the value is empty"};
    if (text[0] == '-' && are_digits(text.substr(1)))
        throw ValueFault{text + " is negative"};
    if (!are_digits(text))
        throw ValueFault{text + " is not a whole number"};
    const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
    if (result.ec != std::errc{} || number < low || number > high)
        throw ValueFault{text + " is out of range"};
    return number;
}

double parse_decimal(const std::string &text, double low, double high)
{
    if (text.empty())
        throw ValueFault{"the value is empty"};
    if (text[0] == '-')
        throw ValueFault{text + " is negative"};
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string decimals = point == text.size() ? "0" : text.substr(point + 1);
    if (!are_digits(text.substr(0, point)) || !are_digits(decimals))
        throw ValueFault{text + " is not a decimal number"};
    const double number = std::strtod(text.c_str(), nullptr);
    if (number < low || number > high)
        throw ValueFault{text + " is out of range"};
    return number;
}

std::uint64_t parse_size(const std::string &text, const FlagMachine &machine)
{
    if (text.empty())
        throw ValueFault{"the value is empty"};
    if (text[0] == '-')
        throw ValueFault{text + " is negative"};
    const std::size_t times = text.find('x');
    const std::uint64_t size =
        times == std::string::npos ? plain_size(text) : cache_multiple(text, times, machine);
    if (size < node_bytes)
        throw ValueFault{text + " is less than one node of 64 B"};
    if (size % node_bytes != 0)
        throw ValueFault{text + " is not a multiple of a node's 64 B"};
    return size;
}

weft_hint parse_hint(const std::string &text)
{
    for (const HintName &row : hint_names)
        if (text == row.name)
            return row.hint;
    throw ValueFault{text + " is not a hint"};
}

weft_pages parse_pages(const std::string &text)
{
    for (int pages = 0; pages < WEFT_PAGES_COUNT; ++pages)
        if (text == weft_pages_name(static_cast<weft_pages>(pages)))
            return static_cast<weft_pages>(pages);
    throw ValueFault{text + " is not a page policy"};
}

bool parse_truth(const std::string &text)
{
    if (text != "true" && text != "false")
        throw ValueFault{text.empty() ? "the value is empty" : text + " is neither true nor false"};
    return text == "true";
}

bool parse_switch(const std::string &text)
{
    if (text != "on" && text != "off")
        throw ValueFault{text.empty() ? "the value is empty" : text + " is neither on nor off"};
    return text == "on";
}

CpuSetting parse_cpu(const std::string &text, const FlagMachine &machine)
{
    if (text == "auto")
        return {CpuSetting::Kind::automatic, 0};
    if (text == "none")
        return {CpuSetting::Kind::none, 0};

    const int cpu = static_cast<int>(
        parse_number(text, 0, static_cast<std::uint64_t>(std::numeric_limits<int>::max())));
    const std::vector<int> &mask = machine.allowed_cpus;
    if (!mask.empty() && std::find(mask.begin(), mask.end(), cpu) == mask.end())
        throw ValueFault{"processor " + text + " is outside the allowed mask",
                         "auto, none and the processors " + ranges_text(mask)};
    return {CpuSetting::Kind::number, cpu};
}

std::string parse_output_path(const std::string &path)
{
    namespace fs = std::filesystem;
    const auto refuse = [&](int error) {
        throw ValueFault{path + " cannot be written: " + std::strerror(error)};
    };
    std::error_code ignored;

    if (path.empty())
        throw ValueFault{"the value is empty"};
    if (fs::is_directory(path, ignored))
        refuse(EISDIR);
    /* Opening a pipe would wait for its reader. */
    if (fs::exists(path, ignored)) {
        if (access(path.c_str(), W_OK) != 0)
            refuse(errno);
        return path;
    }
    /* Only trying tells: root passes access() on file systems that take no files. */
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        refuse(errno);
    close(file);
    unlink(path.c_str());
    return path;
}

std::string parse_seconds(const std::string &text)
{
    if (text.empty())
        throw ValueFault{"the value is empty"};
    char *end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    const bool number = end != text.c_str() && *end == '\0';
    if (number && !std::isfinite(seconds))
        throw ValueFault{text + " is not finite"};
    if (number && std::signbit(seconds))
        throw ValueFault{text + " is negative"};
    if (!number || text.find_first_not_of("0123456789.eE+-") != std::string::npos || text[0] == '+')
        throw ValueFault{text + " is not a number of seconds"};
    return text;
}

std::string parse_min_time(const std::string &text, bool has_unit)
{
    if (!text.empty() && text.back() == 'x') {
        const std::string iterations = text.substr(0, text.size() - 1);
        if (!has_unit)
            throw ValueFault{text +
                                 " counts iterations, which needs Google Benchmark 1.8.0 or later",
                             "seconds (0.1 or 0.1s)"};
        parse_number(iterations, 1, 1000000000);
        return text;
    }
    const bool with_s = !text.empty() && text.back() == 's';
    return parse_seconds(text.substr(0, text.size() - with_s)) + (has_unit ? "s" : "");
}

std::string parse_filter(const std::string &text)
{
    const bool negated = !text.empty() && text.front() == '-';
    regex_t compiled;
    char why[128];

    if (const int code = regcomp(&compiled, text.c_str() + negated, REG_EXTENDED | REG_NOSUB)) {
        regerror(code, &compiled, why, sizeof(why));
        throw ValueFault{std::string("the regular expression does not compile: ") + why};
    }
    regfree(&compiled);
    return text;
}

} // namespace weft
