/* SPDX-License-Identifier: MIT */
#include "limits/core_clock.h"

#include <math.h>

#include "base/clock.h"

/* Clocks change between the chains: a ratio within this share of the true one is possible. */
#define TOLERANCE 0.1

static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);

/* Keeps the compiler from joining two steps. */
static inline uint64_t opaque(uint64_t value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

static inline uint64_t multiply(const uint64_t value)
{
    return opaque(value * factor);
}

static inline uint64_t add(const uint64_t value)
{
    return opaque(value + 1);
}

/* Eight steps a turn: the loop's own work goes on beside the chain. */
static uint64_t multiplies(uint64_t value)
{
    for (size_t i = 0; i < WEFT_CORE_CLOCK_STEPS; i += 8)
        value =
            multiply(multiply(multiply(multiply(multiply(multiply(multiply(multiply(value))))))));
    return value;
}

static uint64_t adds(uint64_t value)
{
    for (size_t i = 0; i < WEFT_CORE_CLOCK_STEPS; i += 8)
        value = add(add(add(add(add(add(add(add(value))))))));
    return value;
}

static enum weft_status prepare(void *const self, const uint64_t number)
{
    (void)self;
    (void)number;
    return WEFT_OK;
}

static enum weft_status run(void *const self, const unsigned worker)
{
    struct weft_core_clock *const clock = self;
    const uint64_t begin_ns = weft_clock_ns();

    (void)worker;
    clock->product = multiplies(1);
    const uint64_t between_ns = weft_clock_ns();
    clock->sum = adds(1);
    clock->adds_ns = weft_clock_ns() - between_ns;
    clock->multiplies_ns = between_ns - begin_ns;
    return WEFT_OK;
}

static enum weft_status verify(void *const self, const uint64_t number)
{
    const struct weft_core_clock *const clock = self;
    uint64_t power = factor; /* factor^steps, the steps being a power of two */

    (void)number;
    for (size_t steps = 1; steps < WEFT_CORE_CLOCK_STEPS; steps *= 2)
        power *= power;
    return clock->product == power && clock->sum == 1 + (uint64_t)WEFT_CORE_CLOCK_STEPS
               ? WEFT_OK
               : WEFT_E_MISMATCH;
}

const struct weft_measured weft_core_clock_measured = {
    .prepare = prepare,
    .run = run,
    .verify = verify,
};

struct weft_core_clock_estimate weft_core_clock_from(const double multiplies_ns,
                                                     const double adds_ns, const double steps)
{
    const double ratio = multiplies_ns / adds_ns;

    return (struct weft_core_clock_estimate){
        .ghz = steps * WEFT_MULTIPLY_LATENCY / multiplies_ns,
        .ghz_by_adds = steps / adds_ns,
        .ratio = ratio,
        .possible = fabs(ratio / WEFT_MULTIPLY_LATENCY - 1) <= TOLERANCE,
    };
}
