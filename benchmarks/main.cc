/* SPDX-License-Identifier: MIT */
#include "bench.h"

int main(int argc, char **argv)
{
    return weft::run_bench({argv, argv + argc});
}
