/* test_heavy_hitters.c - the heaviest entries are never missing, and the error of a weight is
 * known; the error of the histogram; both when memory runs out. */
#include "core/hash.h"
#include "core/heavy_hitters.h"
#include "core/histogram.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct thing {
    struct hitters_entry head;
    uint64_t own;
    char *memory;
};

static unsigned num_forgotten;

static void forget(void *entry)
{
    struct thing *thing = entry;
    free(thing->memory);
    num_forgotten++;
}

static struct thing *add(struct heavy_hitters *hitters, uint64_t key, uint64_t weight)
{
    bool is_new;
    struct thing *thing = hitters_add(hitters, key, weight, &is_new);
    if (thing == NULL)
        return NULL;
    if (is_new) {
        assert_int_equal(thing->own, 0);
        assert_null(thing->memory);
        thing->memory = malloc(10);
    }
    thing->own += weight;
    return thing;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct thing *x = *(void *const *)a, *y = *(void *const *)b;
    return (x->head.weight < y->head.weight) - (x->head.weight > y->head.weight);
}

static void exact_up_to_the_cap(void **state)
{
    struct heavy_hitters hitters;
    (void)state;
    hitters_init(&hitters, sizeof(struct thing), 3, forget);
    for (uint64_t key = 1; key <= 3; key++)
        for (uint64_t i = 0; i < key; i++)
            assert_int_equal(add(&hitters, key, 10)->head.most_missing, 0);
    assert_int_equal(hitters_most_missing(&hitters), 0);
    assert_int_equal(hitters.num_forgotten, 0);
    void **list = hitters_list(&hitters, heaviest_first);
    for (uint64_t i = 0; i < 3; i++) {
        const struct thing *thing = list[i];
        assert_int_equal(thing->head.key, 3 - i);
        assert_int_equal(thing->head.weight, 10 * (3 - i));
    }
    free(list);
    hitters_free(&hitters);
}

static void the_lightest_gives_way(void **state)
{
    struct heavy_hitters hitters;
    (void)state;
    num_forgotten = 0;
    hitters_init(&hitters, sizeof(struct thing), 3, forget);
    add(&hitters, 1, 30);
    add(&hitters, 2, 20);
    add(&hitters, 3, 10);
    const struct thing *fourth = add(&hitters, 4, 5);
    assert_int_equal(num_forgotten, 1);
    assert_int_equal(hitters.num_forgotten, 1);
    assert_int_equal(fourth->head.weight, 15);
    assert_int_equal(fourth->head.most_missing, 10);
    assert_int_equal(fourth->own, 5);
    assert_int_equal(hitters_most_missing(&hitters), 15);
    add(&hitters, 4, 10); /* 25 now: the heap is not up to date */
    const struct thing *third = add(&hitters, 3, 1);
    assert_int_equal(third->head.weight, 21);
    assert_int_equal(third->head.most_missing, 20);
    assert_int_equal(add(&hitters, 1, 1)->head.weight, 31);
    assert_int_equal(add(&hitters, 4, 1)->head.weight, 26);
    hitters_clear(&hitters);
    assert_int_equal(hitters_most_missing(&hitters), 0);
    assert_null(hitters_list(&hitters, heaviest_first));
    assert_int_equal(add(&hitters, 9, 7)->head.weight, 7);
    hitters_free(&hitters);
    assert_int_equal(num_forgotten, 6);
}

/* A million entries, and among them some that are heavier: these are all there, and all bounds are
 * right. */
static void a_million_kinds(void **state)
{
    enum { MAX = 100, KINDS = 1000000, HEAVY = 20 };
    struct heavy_hitters hitters;
    uint64_t total = 0, heavy[HEAVY] = {0};
    (void)state;
    hitters_init(&hitters, sizeof(struct thing), MAX, forget);
    for (uint64_t i = 0; i < KINDS; i++) {
        const uint64_t which = i % (3 * HEAVY);
        const uint64_t kind = HEAVY + i;
        add(&hitters, hash_more(0, &kind, sizeof kind), 3);
        total += 3;
        if (which >= HEAVY)
            continue;
        add(&hitters, hash_more(0, &which, sizeof which), 60 + which);
        heavy[which] += 60 + which;
        total += 60 + which;
    }
    assert_int_equal(hitters.table.num, MAX);
    const uint64_t most_missing = hitters_most_missing(&hitters);
    assert_true(most_missing <= total / MAX);
    for (uint64_t which = 0; which < HEAVY; which++) {
        const struct thing *thing = add(&hitters, hash_more(0, &which, sizeof which), 0);
        assert_true(thing->head.weight >= heavy[which]);
        assert_true(thing->head.weight - thing->head.most_missing <= heavy[which]);
        assert_int_equal(thing->head.weight - thing->head.most_missing, thing->own);
        assert_true(thing->head.most_missing <= most_missing);
        assert_true(thing->own >= heavy[which] - thing->head.most_missing);
    }
    hitters_free(&hitters);
}

static void fill(void *context)
{
    struct heavy_hitters hitters;
    (void)context;
    hitters_init(&hitters, sizeof(struct thing), 4, forget);
    uint64_t counted = 0;
    for (uint64_t key = 1; key <= 12; key++) {
        struct thing *thing = add(&hitters, key, 1);
        counted += thing != NULL;
    }
    assert_int_equal(counted + hitters.no_memory, 12);
    free(hitters_list(&hitters, heaviest_first));
    hitters_free(&hitters);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(fill, NULL) > 4);
}

static void quantiles(void **state)
{
    struct histogram h = {0};
    (void)state;
    assert_int_equal(histogram_quantile(&h, 50), 0);
    for (uint64_t i = 1; i <= 50; i++)
        assert_true(histogram_add(&h, i));
    assert_int_equal(histogram_quantile(&h, 50), 25);
    assert_int_equal(histogram_quantile(&h, 90), 45);
    assert_int_equal(histogram_quantile(&h, 99), 50);
    assert_int_equal(histogram_quantile(&h, 100), 50);
    assert_int_equal(histogram_count(&h, 0, 10), 9);
    assert_int_equal(histogram_count(&h, 10, 51), 41);
    histogram_free(&h);
}

/* Each value alone comes back within 1/64, below 64 exactly; the greatest, too. */
static void error_of_quantiles(void **state)
{
    (void)state;
    uint64_t value = 0;
    for (int i = 0; i < 600; i++) {
        struct histogram h = {0};
        assert_true(histogram_add(&h, value));
        const uint64_t told = histogram_quantile(&h, 100);
        const uint64_t wrong = told > value ? told - value : value - told;
        assert_true(wrong <= value / 64);
        if (value < 64)
            assert_int_equal(told, value);
        assert_int_equal(h.num, 1);
        histogram_free(&h);
        value = i == 598 ? UINT64_MAX : i < 130 ? value + 1 : value + value / 11;
    }
}

/* Histograms of parts, added up, are equal to that of the whole. */
static void pieces(void **state)
{
    struct histogram h = {0}, again = {0};
    uint64_t value, num, sum = 0;
    (void)state;
    for (uint64_t i = 0; i < 5000; i++)
        assert_true(histogram_add(&h, i * i * i));
    assert_true(histogram_add_many(&h, 77, 1000));
    assert_true(histogram_add_many(&h, UINT64_MAX, 0)); /* none: no memory is allocated */
    for (uint32_t i = 0; i < h.num; i++) {
        histogram_piece(&h, i, &value, &num);
        assert_true(histogram_add_many(&again, value, num));
        sum += num;
    }
    assert_int_equal(sum, 6000);
    assert_int_equal(again.total, 6000);
    assert_int_equal(again.first, h.first);
    assert_int_equal(again.num, h.num);
    assert_memory_equal(again.counts, h.counts, h.num * sizeof *h.counts);
    histogram_free(&h);
    histogram_free(&again);
}

static void spread(void *context)
{
    static const uint64_t values[] = {1000, 1, 1u << 20, 77, UINT64_MAX, 0};
    struct histogram h = {0};
    uint64_t num = 0;
    (void)context;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        num += histogram_add(&h, values[i]);
    num += histogram_add_many(&h, 3, 10) ? 10 : 0;
    assert_int_equal(h.total, num);
    assert_int_equal(histogram_count(&h, 0, UINT64_MAX), num);
    assert_true(h.num <= 60 * 32);
    histogram_free(&h);
}

static void histogram_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(spread, NULL) >= 4);
}

/* The table keeps hashes and no names, so these must differ when names do: at each place of each
 * length, in length alone, in what came before, and in the order of two words. */
static void names_that_differ_hash_apart(void **state)
{
    enum { LONGEST = 40 };
    char text[LONGEST + 1];
    uint64_t seen[LONGEST * (LONGEST + 1) + 3];
    size_t num = 0;
    (void)state;
    for (size_t len = 0; len <= LONGEST; len++) {
        for (size_t at = 0; at < (len != 0 ? len : 1); at++) {
            memset(text, 'a', sizeof text);
            text[at] = at % 3 == 0 ? 'a' : '\xff';
            if (at % 3 == 0 && at != 0)
                text[at] = '\0';
            seen[num++] = hash_short(1, (struct ds_text){text, len});
        }
    }
    memset(text, 'a', sizeof text);
    seen[num++] = hash_short(2, (struct ds_text){text, 5});
    seen[num++] = hash_words(1, 5, 6);
    seen[num++] = hash_words(1, 6, 5);
    for (size_t i = 0; i < num; i++) {
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
    assert_true(hash_words(hash_words(3, 1, 2), 3, 4) != hash_words(hash_words(3, 3, 4), 1, 2));
    assert_true(hash_short(1, (struct ds_text){text, 5}) == hash_short(1, (struct ds_text){text + 9, 5}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_up_to_the_cap),
        cmocka_unit_test(the_lightest_gives_way),
        cmocka_unit_test(a_million_kinds),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(quantiles),
        cmocka_unit_test(error_of_quantiles),
        cmocka_unit_test(pieces),
        cmocka_unit_test(histogram_without_memory),
        cmocka_unit_test(names_that_differ_hash_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
