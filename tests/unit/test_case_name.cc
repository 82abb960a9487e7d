/* SPDX-License-Identifier: MIT */
#include "case_name.h"
#include "values.h"

#include <limits>
#include <stdexcept>

extern "C" {
#include "cmocka_main.h"
}

using namespace weft;

static void a_size_is_named_in_the_largest_unit_that_divides_it(void **)
{
    assert_string_equal(size_name(std::uint64_t{512} << 20).c_str(), "512MiB");
    assert_string_equal(size_name(std::uint64_t{1536} << 10).c_str(), "1536KiB");
    assert_string_equal(size_name(std::uint64_t{4} << 30).c_str(), "4GiB");
    assert_string_equal(size_name(1088).c_str(), "1088B");
    assert_string_equal(size_name(0).c_str(), "0B");
}

static void sizes_survive_being_named_and_parsed(void **)
{
    for (const std::uint64_t bytes :
         {std::uint64_t{64}, std::uint64_t{1} << 10, std::uint64_t{1} << 20, std::uint64_t{3} << 20,
          std::uint64_t{1} << 30, (std::uint64_t{1} << 30) + 64, std::uint64_t{1} << 63,
          std::numeric_limits<std::uint64_t>::max() - 63})
        assert_true(parse_size(size_name(bytes), {}) == bytes);
}

static void hints_pages_and_processors_survive_being_named_and_parsed(void **)
{
    for (const weft_hint hint : {WEFT_HINT_T0, WEFT_HINT_T1, WEFT_HINT_T2, WEFT_HINT_NTA})
        assert_int_equal(parse_hint(hint_name(hint)), hint);
    assert_string_equal(hint_name(parse_hint("pldl1strm")).c_str(), "nta");
    assert_string_equal(hint_name(WEFT_HINT_NONE).c_str(), "none");
    for (const weft_pages pages : {WEFT_PAGES_4K, WEFT_PAGES_THP, WEFT_PAGES_2M, WEFT_PAGES_1G})
        assert_int_equal(parse_pages(weft_pages_name(pages)), pages);
    for (const char *text : {"auto", "none", "0", "17"})
        assert_string_equal(cpu_name(parse_cpu(text, {})).c_str(), text);
}

static void a_name_is_its_keys_in_the_order_given(void **)
{
    CaseName name("chase", "async-prefetch");

    name.key("size", size_name(std::uint64_t{512} << 20)).key("depth", 12).key("hint", "t0");
    assert_string_equal(name.text().c_str(), "chase/async-prefetch/size:512MiB/depth:12/hint:t0");
}

static void what_would_break_the_grammar_cannot_enter_a_name(void **)
{
    for (const char *part : {"", "a b", "a/b", "a:b", "4,8", "0.5xL2", "caf\xc3\xa9"}) {
        bool refused = false;
        try {
            CaseName("chase", "serial").key("size", part);
        } catch (const std::invalid_argument &) {
            refused = true;
        }
        assert_true(refused);
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_is_named_in_the_largest_unit_that_divides_it),
        cmocka_unit_test(sizes_survive_being_named_and_parsed),
        cmocka_unit_test(hints_pages_and_processors_survive_being_named_and_parsed),
        cmocka_unit_test(a_name_is_its_keys_in_the_order_given),
        cmocka_unit_test(what_would_break_the_grammar_cannot_enter_a_name),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
