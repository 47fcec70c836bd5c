/*
 * test_atom_cache.c - the probability that a slot was redefined in messages that were not captured.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "atoms/atom_cache.h"

#include <string.h>

static struct dissect_ctx env;

/* define defines an atom in each of num slots, from the first on. */
static void define(struct atom_cache *cache, uint16_t first, uint16_t num)
{
    for (uint16_t i = 0; i < num; i++)
        atoms_set(cache, &env, (uint16_t)(first + i), (struct ds_text){"ok", 2}, false, DS_ATOM_KNOWN);
}

static double changed(const struct atom_cache *cache, uint16_t slot)
{
    double lost;
    return atoms_changed(cache, atoms_doubt_of(cache, slot), &lost);
}

/* The definitions at the beginning of a connection say little about its later rate of definitions. */
static void goes_by_the_latter_half(void **state)
{
    struct atom_cache steady = {0}, early = {0};
    (void)state;
    env.memcap.max = UINT64_MAX;
    define(&early, 0, 500);
    for (int i = 1; i <= 10; i++) {
        const uint64_t seen = 1000u << i; /* each time as much more as there was */
        define(&steady, (uint16_t)(50 * (i - 1)), 50);
        atoms_doubt(&steady, &env, ATOM_ALL_SEGMENTS);
        atoms_doubt(&early, &env, ATOM_ALL_SEGMENTS);
        atoms_on_loss(&steady, seen / 10, seen);
        atoms_on_loss(&early, seen / 10, seen);
    }
    assert_int_equal(steady.num_defined, early.num_defined);
    assert_true(early.num_lost < steady.num_lost);
    const double before = early.num_lost;
    atoms_on_loss(&early, 102400, 1024000);
    assert_true(early.num_lost - before < 1);
    assert_true(changed(&early, 7) < changed(&steady, 7));
    /* New definitions of the same slots count again. */
    define(&early, 500, 400);
    const double quiet = early.num_lost;
    atoms_on_loss(&early, 102400, 1100000);
    assert_true(early.num_lost - quiet > 30);
    atoms_free(&steady, &env);
    atoms_free(&early, &env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_by_the_latter_half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
