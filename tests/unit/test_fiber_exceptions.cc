// SPDX-License-Identifier: MIT
// C++ exceptions and fibers.
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <cmocka.h>
}

#include "fiber_kinds.h"

namespace
{

weft_fiber_pool *pool;

int make_pool(void **)
{
    return weft_fiber_pool_create(&pool, 65536, 8) != WEFT_OK;
}

int drop_pool(void **)
{
    return weft_fiber_pool_destroy(pool) != WEFT_OK;
}

weft_fiber *new_fiber(weft_fiber_function *const function, void *const argument)
{
    weft_fiber *fiber = nullptr;

    assert_int_equal(weft_fiber_create(&fiber, pool, function, argument, WEFT_FIBER_FPU_SHARED),
                     WEFT_OK);
    return fiber;
}

void end(weft_fiber *const fiber)
{
    assert_int_equal(weft_fiber_state(fiber), WEFT_FIBER_FINISHED);
    assert_int_equal(weft_fiber_destroy(fiber), WEFT_OK);
}

struct task {
    int kind;
    std::string name;
    std::string log;
};

// Counts down in its destructor, and yields there if asked to.
struct guard {
    task &owner;
    bool yields;

    ~guard()
    {
        owner.log += 'd';
        if (yields)
            yield_of[owner.kind]();
    }
};

[[noreturn]] void throw_deep(task &owner, const int depth, const bool yields)
{
    const guard local{owner, yields};

    if (depth == 0)
        throw std::runtime_error(owner.name);
    throw_deep(owner, depth - 1, yields);
}

void catch_own(void *const argument)
{
    task &self = *static_cast<task *>(argument);

    for (int round = 0; round < 2; ++round) {
        try {
            throw_deep(self, 2, false);
        } catch (const std::exception &error) {
            self.log += error.what();
        }
        yield_of[self.kind]();
    }
}

void an_exception_is_caught_inside_its_fiber(void **)
{
    for (int kind = 0; kind < kinds; ++kind) {
        task self{kind, "x", ""};
        weft_fiber *const fiber = new_fiber(catch_own, &self);

        for (int i = 0; i < 3; ++i)
            assert_int_equal(resume_of[kind](fiber), WEFT_OK);
        assert_string_equal(self.log.c_str(), "dddxdddx");
        end(fiber);
    }
}

void yield_in_handler(void *const argument)
{
    task &self = *static_cast<task *>(argument);

    try {
        try {
            throw std::runtime_error(self.name);
        } catch (...) {
            yield_of[self.kind]();
            throw; // whatever was thrown last in this fiber
        }
    } catch (const std::exception &error) {
        self.log += error.what();
        yield_of[self.kind]();
        self.log += std::to_string(std::current_exception() != nullptr);
    }
    self.log += std::to_string(std::current_exception() != nullptr);
}

void handlers_of_several_fibers_may_overlap(void **)
{
    for (int kind = 0; kind < kinds; ++kind) {
        task tasks[3] = {{kind, "a", ""}, {kind, "b", ""}, {kind, "c", ""}};
        weft_fiber *fibers[3];
        static const int order[] = {0, 1, 2, 0, 2, 1, 1, 0, 2};

        for (int i = 0; i < 3; ++i)
            fibers[i] = new_fiber(yield_in_handler, &tasks[i]);
        for (const int i : order) {
            assert_int_equal(resume_of[kind](fibers[i]), WEFT_OK);
            assert_true(std::current_exception() == nullptr);
        }
        for (int i = 0; i < 3; ++i) {
            assert_string_equal(tasks[i].log.c_str(), (tasks[i].name + "10").c_str());
            end(fibers[i]);
        }
    }
}

void yield_in_destructor(void *const argument)
{
    task &self = *static_cast<task *>(argument);

    self.log += std::to_string(std::uncaught_exceptions());
    try {
        throw_deep(self, 1, true);
    } catch (const std::exception &error) {
        self.log += error.what();
    }
}

struct resume_in_destructor {
    weft_fiber *fiber;
    int kind;
    int &uncaught_after;

    ~resume_in_destructor()
    {
        resume_of[kind](fiber);
        uncaught_after = std::uncaught_exceptions();
    }
};

void unwinding_may_be_suspended(void **)
{
    for (int kind = 0; kind < kinds; ++kind) {
        task self{kind, "u", ""};
        int uncaught_after = -1;
        weft_fiber *const fiber = new_fiber(yield_in_destructor, &self);

        try {
            const resume_in_destructor resume{fiber, kind, uncaught_after};
            throw std::logic_error("mine");
        } catch (const std::logic_error &error) {
            // The fiber is in the middle of its own unwinding now, this side in a handler.
            resume_of[kind](fiber);
            assert_string_equal(error.what(), "mine");
            resume_of[kind](fiber);
            assert_true(std::current_exception() != nullptr);
        }
        assert_int_equal(uncaught_after, 1);
        assert_int_equal(std::uncaught_exceptions(), 0);
        assert_string_equal(self.log.c_str(), "0ddu");
        end(fiber);
    }
}

struct handover {
    int kind;
    const char *name;
    weft_fiber *next; // whom the first yield goes to; none: the resumer
    std::string log;
};

void switch_in_handler(void *const argument)
{
    handover &self = *static_cast<handover *>(argument);

    self.log += std::to_string(std::current_exception() != nullptr);
    self.log += std::to_string(std::uncaught_exceptions());
    try {
        throw std::runtime_error(self.name);
    } catch (...) {
        if (self.next)
            yield_to_of[self.kind](self.next);
        else
            yield_of[self.kind]();
        try {
            throw;
        } catch (const std::exception &error) {
            self.log += error.what();
        }
    }
}

void a_handler_may_switch_to_another_fiber(void **)
{
    for (int kind = 0; kind < kinds; ++kind) {
        handover second{kind, "two", nullptr, ""};
        weft_fiber *const second_fiber = new_fiber(switch_in_handler, &second);
        handover first{kind, "one", second_fiber, ""};
        weft_fiber *const first_fiber = new_fiber(switch_in_handler, &first);

        assert_int_equal(resume_of[kind](first_fiber), WEFT_OK);
        assert_true(std::current_exception() == nullptr);
        assert_int_equal(resume_of[kind](first_fiber), WEFT_OK);
        assert_int_equal(resume_of[kind](second_fiber), WEFT_OK);
        assert_string_equal(first.log.c_str(), "00one");
        assert_string_equal(second.log.c_str(), "00two");
        end(first_fiber);
        end(second_fiber);
    }
}

void throw_out(void *const argument)
{
    throw_deep(*static_cast<task *>(argument), 0, false);
}

void an_exception_that_leaves_the_fiber_terminates(void **)
{
    task self{kind_inline, "lost", ""};
    int status = 0;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        std::set_terminate([] { _exit(42); });
        try {
            weft_fiber_resume_inline(new_fiber(throw_out, &self));
        } catch (...) {
            _exit(1); // it must not get here either
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(an_exception_is_caught_inside_its_fiber),
        cmocka_unit_test(handlers_of_several_fibers_may_overlap),
        cmocka_unit_test(unwinding_may_be_suspended),
        cmocka_unit_test(a_handler_may_switch_to_another_fiber),
        cmocka_unit_test(an_exception_that_leaves_the_fiber_terminates),
    };

    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
