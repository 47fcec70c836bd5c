/* The helpers that other tests use, and the arena with failing allocations. */
#include "failing_alloc.h"
#include "guard_page.h"
#include "util/arena.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cmocka.h>

static void each_allocation_fails_once(void **test)
{
    (void)test;
    void *volatile memory;
    failing_alloc_at(2);
    memory = malloc(10);
    assert_non_null(memory);
    free(memory);
    memory = calloc(1, 10);
    assert_null(memory);
    memory = realloc(NULL, 10);
    assert_non_null(memory);
    free(memory);
    assert_int_equal(failing_alloc_count(), 3);
    assert_true(failing_alloc_failed());
    failing_alloc_at(0);
    assert_false(failing_alloc_failed());
}

static void use_arena(void *context)
{
    unsigned *refused = context;
    struct arena arena = {0};
    for (int i = 0; i < 4; i++) {
        unsigned char *piece = arena_alloc(&arena, 100000);
        if (piece != NULL)
            memset(piece, i, 100000);
        else
            ++*refused;
    }
    arena_reset(&arena);
    arena_free(&arena);
}

static void arena_survives_failing_allocations(void **test)
{
    (void)test;
    unsigned refused = 0;
    unsigned long num = failing_alloc_each(use_arena, &refused);
    assert_int_equal(num, 4);
    assert_int_equal(refused, 4 + (4 + 3 + 2 + 1)); /* each once, then all from the n-th on */
}

/* reads returns whether a child process can read that byte. */
static int reads(const volatile uint8_t *byte)
{
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGSEGV, SIG_DFL);
        _exit(*byte == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status);
}

static void guard_page_stands_behind_the_input(void **test)
{
    (void)test;
    static const size_t lens[] = {0, 1, 4095, 4096, 4097, 70000};
    static uint8_t bytes[70000];
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        struct guard_page guard = guard_page_copy(bytes, lens[i]);
        assert_non_null(guard.bytes);
        assert_false(reads(guard.bytes + lens[i]));
        if (lens[i] != 0)
            assert_true(reads(guard.bytes + lens[i] - 1));
        guard_page_free(&guard);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_once),
        cmocka_unit_test(arena_survives_failing_allocations),
        cmocka_unit_test(guard_page_stands_behind_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
