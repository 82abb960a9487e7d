/* SPDX-License-Identifier: MIT */
/* libFuzzer on the parsers of single values: sizes and numbers. A short run is a test; a long one
 * by hand, in a build by clang: tests/fuzz/fuzz-sizes -max_total_time=3600 -max_len=64 */
#include <cstdlib>
#include <limits>

#include "case_name.h"
#include "values.h"

namespace
{

void require(bool condition)
{
    if (!condition)
        std::abort();
}

/* A machine that tells three caches, one of them absurd. */
weft::FlagMachine machine()
{
    weft::FlagMachine made;

    made.cache_bytes = {std::uint64_t{32} << 20, 32768, std::numeric_limits<std::uint64_t>::max(),
                        0};
    made.allowed_cpus = {0, 2, 3, 7};
    return made;
}

void try_size(const std::string &text)
{
    static const weft::FlagMachine told = machine();

    try {
        const std::uint64_t size = weft::parse_size(text, told);

        require(size >= 64 && size % 64 == 0);
        require(weft::parse_size(weft::size_name(size), told) == size);
    } catch (const weft::ValueFault &fault) {
        require(!fault.fault.empty());
    }
}

void try_number(const std::string &text)
{
    try {
        const std::uint64_t number = weft::parse_number(text, 3, 1000000);
        const std::size_t first = text.find_first_not_of('0');

        require(number >= 3 && number <= 1000000);
        require(std::to_string(number) == text.substr(first));
    } catch (const weft::ValueFault &fault) {
        require(!fault.fault.empty());
    }
}

void try_cpu(const std::string &text)
{
    static const weft::FlagMachine told = machine();

    try {
        const weft::CpuSetting cpu = weft::parse_cpu(text, told);

        require(weft::parse_cpu(weft::cpu_name(cpu), told) == cpu);
    } catch (const weft::ValueFault &fault) {
        require(!fault.fault.empty());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);

    try_size(text);
    try_number(text);
    try_cpu(text);
    return 0;
}
