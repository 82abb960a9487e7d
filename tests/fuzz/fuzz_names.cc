/* SPDX-License-Identifier: MIT */
/* libFuzzer on the making of names: whatever the parts, a name that is made can be taken apart
 * again. A short run is a test; a long one by hand, in a build by clang:
 * tests/fuzz/fuzz-names -max_total_time=3600 -max_len=256 */
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "case_name.h"

namespace
{

void require(bool condition)
{
    if (!condition)
        std::abort();
}

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts(1);

    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

} // namespace

/* The parts are what stands between line ends: family, variant, key, value, key, value. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::vector<std::string> parts =
        split(std::string(reinterpret_cast<const char *>(data), size), '\n');

    if (parts.size() < 2)
        return 0;
    parts.resize(parts.size() / 2 * 2);
    try {
        weft::CaseName name(parts[0], parts[1]);

        for (std::size_t i = 2; i < parts.size(); i += 2)
            name.key(parts[i], parts[i + 1]);

        const std::vector<std::string> words = split(name.text(), '/');
        require(words.size() == 1 + parts.size() / 2);
        require(words[0] == parts[0] && words[1] == parts[1]);
        for (std::size_t i = 2; i < words.size(); ++i) {
            const std::vector<std::string> pair = split(words[i], ':');
            require(pair.size() == 2);
            require(pair[0] == parts[2 * i - 2] && pair[1] == parts[2 * i - 1]);
        }
    } catch (const std::invalid_argument &) {
        /* a part that is no word */
    }
    return 0;
}
