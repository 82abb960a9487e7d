/* SPDX-License-Identifier: MIT */
/* libFuzzer on the parser of lists, with the parsers of their items. A short run is a test; a long
 * one by hand, in a build by clang: tests/fuzz/fuzz-lists -max_total_time=3600 -max_len=256 */
#include <cstdlib>

#include "case_name.h"
#include "values.h"

namespace
{

void require(bool condition)
{
    if (!condition)
        std::abort();
}

template <typename Parse>
void try_item(const std::string &text, const Parse &parse)
{
    try {
        parse(text);
    } catch (const weft::ValueFault &fault) {
        require(!fault.fault.empty());
    }
}

void try_items(const std::string &text)
{
    try_item(text, [](const std::string &item) {
        const weft_hint hint = weft::parse_hint(item);
        require(weft::parse_hint(weft::hint_name(hint)) == hint);
    });
    try_item(text, [](const std::string &item) {
        require(item == weft_pages_name(weft::parse_pages(item)));
    });
    try_item(text, [](const std::string &item) {
        require(item == (weft::parse_truth(item) ? "true" : "false"));
    });
    try_item(text, [](const std::string &item) { require(weft::parse_seconds(item) == item); });
    for (const bool has_unit : {false, true})
        try_item(text, [&](const std::string &item) {
            const std::string spelt = weft::parse_min_time(item, has_unit);
            require(weft::parse_min_time(spelt, has_unit) == spelt);
        });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);

    try_items(text);
    try {
        std::string joined;

        for (const std::string &item : weft::split_list(text)) {
            require(!item.empty() && item.find(',') == std::string::npos);
            joined += (joined.empty() ? "" : ",") + item;
            try_items(item);
        }
        require(joined == text);
    } catch (const weft::ValueFault &fault) {
        require(!fault.fault.empty());
    }
    return 0;
}
