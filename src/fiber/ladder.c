/* SPDX-License-Identifier: MIT */
#include "fiber/ladder.h"

#include <stdlib.h>

/* Usable bytes of a stack: enough for any lookup, and what libaco's benchmark would call small. */
#define STACK_BYTES 16384

/* A fiber's memory that making and resuming it touches: the page of its control block. */
#define TOUCHED_BYTES 4096

/* Batches last some milliseconds. */
#define SWITCHES ((size_t)1000000)
#define HAND_OVERS ((size_t)2000)

size_t weft_rung_operations(const struct weft_rung *const rung, const size_t fibers)
{
    if (!rung->takes_fibers)
        return rung->operations;
    return fibers > rung->operations ? fibers : rung->operations / fibers * fibers;
}

uint64_t weft_rung_cost_bytes(const struct weft_rung *const rung, const size_t fibers)
{
    return rung->takes_fibers ? (uint64_t)fibers * (TOUCHED_BYTES + sizeof(void *)) : 0;
}

enum weft_status weft_rung_cell_init(struct weft_rung_cell *const cell,
                                     const struct weft_rung *const rung, const size_t fibers)
{
    *cell = (struct weft_rung_cell){
        .rung = rung,
        .fibers = fibers,
        .operations = weft_rung_operations(rung, fibers),
        .fiber = calloc(fibers, sizeof(*cell->fiber)),
    };
    return cell->fiber ? WEFT_OK : WEFT_E_NOMEM;
}

static void destroy_fibers(struct weft_rung_cell *const cell)
{
    for (size_t i = 0; i < cell->fibers; ++i) {
        weft_fiber_destroy(cell->fiber[i]);
        cell->fiber[i] = NULL;
    }
}

void weft_rung_cell_destroy(struct weft_rung_cell *const cell)
{
    if (cell->fiber)
        destroy_fibers(cell);
    weft_fiber_pool_destroy(cell->pool);
    weft_hand_over_destroy(cell->pair);
    free(cell->fiber);
    *cell = (struct weft_rung_cell){0};
}

/* The bodies: each turn is one operation done. */
static void turn_inline(void *const argument)
{
    struct weft_rung_cell *const cell = argument;

    for (;;) {
        cell->done++;
        weft_fiber_yield_inline();
    }
}

static void turn_outline(void *const argument)
{
    struct weft_rung_cell *const cell = argument;

    for (;;) {
        cell->done++;
        weft_fiber_yield();
    }
}

/* Round over all fibers without coming back in between. Each starts when it is its turn for the
 * first time, so the operations done so far tell it which one it is. */
static void turn_and_pass_on(void *const argument)
{
    struct weft_rung_cell *const cell = argument;
    struct weft_fiber *const next = cell->fiber[(cell->done + 1) % cell->fibers];

    for (;;) {
        if (++cell->done < cell->operations)
            weft_fiber_yield_to_inline(next);
        else
            weft_fiber_yield_inline();
    }
}

static enum weft_status make_pool(struct weft_rung_cell *const cell)
{
    return cell->pool ? WEFT_OK : weft_fiber_pool_create(&cell->pool, STACK_BYTES, cell->fibers);
}

static enum weft_status make_fibers(struct weft_rung_cell *const cell,
                                    weft_fiber_function *const body, const enum weft_fiber_fpu fpu)
{
    enum weft_status status = make_pool(cell);

    for (size_t i = 0; i < cell->fibers && status == WEFT_OK; ++i)
        if (!cell->fiber[i])
            status = weft_fiber_create(&cell->fiber[i], cell->pool, body, cell, fpu);
    return status;
}

static enum weft_status prepare_inline_shared(struct weft_rung_cell *const cell)
{
    return make_fibers(cell, turn_inline, WEFT_FIBER_FPU_SHARED);
}

static enum weft_status prepare_inline_private(struct weft_rung_cell *const cell)
{
    return make_fibers(cell, turn_inline, WEFT_FIBER_FPU_PRIVATE);
}

static enum weft_status prepare_outline_shared(struct weft_rung_cell *const cell)
{
    return make_fibers(cell, turn_outline, WEFT_FIBER_FPU_SHARED);
}

static enum weft_status prepare_outline_private(struct weft_rung_cell *const cell)
{
    return make_fibers(cell, turn_outline, WEFT_FIBER_FPU_PRIVATE);
}

static void switch_inline(struct weft_rung_cell *const cell)
{
    struct weft_fiber *const fiber = cell->fiber[0];

    WEFT_NO_UNROLL
    for (size_t i = cell->operations; i > 0; --i)
        weft_fiber_resume_inline(fiber);
}

static void switch_outline(struct weft_rung_cell *const cell)
{
    struct weft_fiber *const fiber = cell->fiber[0];

    WEFT_NO_UNROLL
    for (size_t i = cell->operations; i > 0; --i)
        weft_fiber_resume(fiber);
}

/* Rounds over all fibers: beyond some thousands, their stacks are what has to come from memory. */
static void resume_inline(struct weft_rung_cell *const cell)
{
    for (size_t round = cell->operations / cell->fibers; round > 0; --round) {
        WEFT_NO_UNROLL
        for (size_t i = 0; i < cell->fibers; ++i)
            weft_fiber_resume_inline(cell->fiber[i]);
    }
}

static enum weft_status prepare_passing_on(struct weft_rung_cell *const cell)
{
    return make_fibers(cell, turn_and_pass_on, WEFT_FIBER_FPU_SHARED);
}

static void pass_on(struct weft_rung_cell *const cell)
{
    weft_fiber_resume(cell->fiber[0]);
}

static void create(struct weft_rung_cell *const cell)
{
    for (size_t i = 0; i < cell->fibers; ++i)
        weft_fiber_create(&cell->fiber[i], cell->pool, turn_inline, cell, WEFT_FIBER_FPU_SHARED);
    cell->done = weft_fiber_pool_count(cell->pool);
}

static enum weft_status prepare_create_first(struct weft_rung_cell *const cell)
{
    destroy_fibers(cell);
    weft_fiber_pool_destroy(cell->pool);
    cell->pool = NULL;
    return make_pool(cell);
}

static enum weft_status prepare_create_warm(struct weft_rung_cell *const cell)
{
    const enum weft_status status = prepare_inline_shared(cell);

    destroy_fibers(cell);
    return status;
}

static void destroy(struct weft_rung_cell *const cell)
{
    for (size_t i = 0; i < cell->fibers; ++i)
        weft_fiber_destroy(cell->fiber[i]);
    cell->done = cell->fibers - weft_fiber_pool_count(cell->pool);
    for (size_t i = 0; i < cell->fibers; ++i)
        cell->fiber[i] = NULL;
}

__attribute__((noinline)) static void callee(struct weft_rung_cell *const cell)
{
    cell->done++;
    __asm__ volatile("" ::: "memory"); /* a call that no compiler takes for another */
}

static void call(struct weft_rung_cell *const cell)
{
    WEFT_NO_UNROLL
    for (size_t i = cell->operations; i > 0; --i)
        callee(cell);
}

__attribute__((noinline)) static const void *step_once(struct weft_rung_cell *const cell)
{
    WEFT_CORO_BEGIN(&cell->coro);
    for (;;) {
        cell->done++;
        WEFT_AWAIT(cell);
    }
    WEFT_CORO_END();
}

static void step(struct weft_rung_cell *const cell)
{
    WEFT_NO_UNROLL
    for (size_t i = cell->operations; i > 0; --i) {
        step_once(cell);
        __asm__ volatile("" ::: "memory");
    }
}

static enum weft_status prepare_thread(struct weft_rung_cell *const cell)
{
    return cell->pair ? WEFT_OK : weft_hand_over_create(&cell->pair);
}

static void hand_over(struct weft_rung_cell *const cell)
{
    const uint64_t before = weft_hand_over_run(cell->pair, 0);

    cell->done = weft_hand_over_run(cell->pair, cell->operations) - before;
}

const struct weft_rung weft_rungs[] = {
    {
        .name = "call",
        .unit = "call",
        .help = "a function call and its return",
        .units = 1,
        .operations = SWITCHES,
        .run = call,
    },
    {
        .name = "step",
        .unit = "step",
        .help = "a stackless coroutine, resumed to its next await",
        .units = 1,
        .operations = SWITCHES,
        .run = step,
    },
    {
        .name = "switch",
        .kind = "inline",
        .fpu = "shared",
        .unit = "switch",
        .help = "to a fiber or back, inlined",
        .units = 2,
        .operations = SWITCHES,
        .prepare = prepare_inline_shared,
        .run = switch_inline,
    },
    {
        .name = "switch",
        .kind = "inline",
        .fpu = "private",
        .unit = "switch",
        .help = "the same, each fiber with its own floating-point environment",
        .units = 2,
        .operations = SWITCHES,
        .prepare = prepare_inline_private,
        .run = switch_inline,
    },
    {
        .name = "switch",
        .kind = "outline",
        .fpu = "shared",
        .unit = "switch",
        .help = "to a fiber or back, out of line: all callee-saved registers",
        .units = 2,
        .operations = SWITCHES,
        .prepare = prepare_outline_shared,
        .run = switch_outline,
    },
    {
        .name = "switch",
        .kind = "outline",
        .fpu = "private",
        .unit = "switch",
        .help = "the same, each fiber with its own floating-point environment",
        .units = 2,
        .operations = SWITCHES,
        .prepare = prepare_outline_private,
        .run = switch_outline,
    },
    {
        .name = "thread-switch",
        .unit = "switch",
        .help = "from one kernel thread to another on the same processor, through a futex",
        .units = 2,
        .disturbs = true,
        .operations = HAND_OVERS,
        .prepare = prepare_thread,
        .run = hand_over,
    },
    {
        .name = "create",
        .kind = "first",
        .fpu = "shared",
        .unit = "create",
        .help = "a fiber on a stack that was never touched: guard page and page fault included",
        .units = 1,
        .takes_fibers = true,
        .disturbs = true,
        .prepare = prepare_create_first,
        .run = create,
    },
    {
        .name = "create",
        .kind = "warm",
        .fpu = "shared",
        .unit = "create",
        .help = "a fiber on a stack that was given back",
        .units = 1,
        .takes_fibers = true,
        .prepare = prepare_create_warm,
        .run = create,
    },
    {
        .name = "resume",
        .kind = "inline",
        .fpu = "shared",
        .unit = "resume",
        .help = "a resume and the yield back, round over all fibers",
        .units = 1,
        .takes_fibers = true,
        .operations = SWITCHES,
        .prepare = prepare_inline_shared,
        .run = resume_inline,
    },
    {
        .name = "yield-to",
        .kind = "inline",
        .fpu = "shared",
        .unit = "switch",
        .help = "from one fiber straight to the next, round over all fibers",
        .units = 1,
        .takes_fibers = true,
        .operations = SWITCHES,
        .prepare = prepare_passing_on,
        .run = pass_on,
    },
    {
        .name = "destroy",
        .fpu = "shared",
        .unit = "destroy",
        .help = "giving a stack back",
        .units = 1,
        .takes_fibers = true,
        .prepare = prepare_inline_shared,
        .run = destroy,
    },
};

const size_t weft_rung_count = sizeof(weft_rungs) / sizeof(weft_rungs[0]);

static enum weft_status prepare(void *const self, const uint64_t batch)
{
    struct weft_rung_cell *const cell = self;

    (void)batch;
    const enum weft_status status = cell->rung->prepare ? cell->rung->prepare(cell) : WEFT_OK;
    cell->done = 0;
    return status;
}

static enum weft_status run(void *const self, const unsigned worker)
{
    struct weft_rung_cell *const cell = self;

    (void)worker;
    cell->rung->run(cell);
    return WEFT_OK;
}

static enum weft_status verify(void *const self, const uint64_t batch)
{
    const struct weft_rung_cell *const cell = self;

    (void)batch;
    return cell->done == cell->operations ? WEFT_OK : WEFT_E_MISMATCH;
}

const struct weft_measured weft_rung_measured = {
    .prepare = prepare,
    .run = run,
    .verify = verify,
};
