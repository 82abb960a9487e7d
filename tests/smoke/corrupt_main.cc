/* SPDX-License-Identifier: MIT */
/* weft-bench on a chain in which one value is wrong. */
#include "bench.h"

int main(int argc, char **argv)
{
    return weft::run_bench({argv, argv + argc}, [](weft::Session &session) {
        session.fixtures.after_build = [](weft_chain &chain) { chain.nodes[0].value += 1; };
    });
}
