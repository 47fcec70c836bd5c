/* test_table.c - the entries of a table by age; moving one to the newest end; which one is evicted,
 * at the cap and when memory runs out. */
#include "core/table.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

struct thing {
    struct table_entry entry;
    char name;
};

/* assert_order reads the entries from the oldest on, and from the newest back. */
static void assert_order(const struct table *table, const char *names)
{
    const size_t len = strlen(names);
    size_t i = 0;
    for (const struct thing *t = table_oldest(table); t != NULL; t = table_newer(table, t))
        assert_int_equal(t->name, i < len ? names[i++] : '?');
    assert_int_equal(i, len);
    for (const struct thing *t = table_get(table, table->newest); t != NULL;
         t = table_get(table, t->entry.older))
        assert_int_equal(t->name, i != 0 ? names[--i] : '?');
    assert_int_equal(i, 0);
}

static void an_entry_becomes_the_newest(void **state)
{
    struct table table;
    struct thing *thing[4];
    (void)state;
    table_init(&table, sizeof(struct thing), 4);
    for (uint32_t i = 0; i < 4; i++) {
        thing[i] = table_add(&table, i);
        thing[i]->name = (char)('a' + i);
        table_renew(&table, thing[0]);
    }
    assert_order(&table, "bcda");
    table_renew(&table, thing[2]);
    assert_order(&table, "bdac");
    table_renew(&table, thing[2]);
    assert_order(&table, "bdac");
    table_remove(&table, thing[2]);
    assert_order(&table, "bda");
    table_renew(&table, thing[1]);
    assert_order(&table, "dab");
    assert_ptr_equal(table_first(&table, 3), thing[3]);
    table_free(&table);
}

struct keyed_thing {
    struct table_entry entry;
    uint64_t number;
};
TABLE_KEYED(struct keyed_thing, number);

/* Two keys that differ in their upper halves have the same hash. */
static void an_entry_is_found_by_its_key(void **state)
{
    const uint64_t low = 7, high = UINT64_C(1) << 32 | 7;
    struct table table;
    (void)state;
    table_init(&table, sizeof(struct keyed_thing), 2);
    assert_null(table_find(&table, low));
    struct keyed_thing *first = table_put(&table, low);
    assert_int_equal(first->number, low);
    assert_null(table_find(&table, high));
    struct keyed_thing *second = table_find_or_put(&table, high);
    assert_int_equal(second->number, high);
    assert_ptr_equal(table_find(&table, low), first);
    assert_ptr_equal(table_find_or_put(&table, high), second);
    assert_null(table_put(&table, 9)); /* it is full */
    assert_non_null(table_find_or_put(&table, 9));
    assert_null(table_find(&table, low)); /* the oldest went */
    assert_ptr_equal(table_find(&table, high), second);
    table_free(&table);
}

static void the_oldest_of_a_full_table_goes(void **state)
{
    struct table table;
    (void)state;
    table_init(&table, sizeof(struct thing), 3);
    for (char name = 'a'; name <= 'c'; name++)
        ((struct thing *)table_add_forgetting(&table, (uint32_t)name))->name = name;
    assert_order(&table, "abc"); /* the cap is reached */
    assert_int_equal(table.num_forgotten, 0);
    table_renew(&table, table_first(&table, 'a'));
    struct thing *added = table_add_forgetting(&table, 'd');
    assert_int_equal(added->name, 0); /* the evicted entry left nothing behind */
    added->name = 'd';
    assert_order(&table, "cad");
    assert_null(table_first(&table, 'b'));
    assert_int_equal(table.num_forgotten, 1);
    table_remove(&table, added);
    ((struct thing *)table_add_forgetting(&table, 'e'))->name = 'e';
    assert_order(&table, "cae"); /* there was room */
    assert_int_equal(table.num_forgotten, 1);
    table_clear(&table);
    assert_order(&table, "");
    assert_null(table_first(&table, 'a'));
    assert_int_equal(table.num_forgotten, 1);
    ((struct thing *)table_add_forgetting(&table, 'f'))->name = 'f';
    assert_order(&table, "f");
    table_free(&table);
}

static void one_entry_makes_room_for_one(void **state)
{
    struct table table;
    (void)state;
    table_init(&table, sizeof(struct thing), 1);
    for (char name = 'a'; name <= 'c'; name++) {
        ((struct thing *)table_add_forgetting(&table, (uint32_t)name))->name = name;
        assert_order(&table, (char[]){name, '\0'});
    }
    assert_int_equal(table.num_forgotten, 2);
    table_free(&table);
}

static void where_none_may_be_none_goes(void **state)
{
    struct table table;
    (void)state;
    table_init(&table, sizeof(struct thing), 0);
    assert_null(table_add_forgetting(&table, 'a'));
    assert_int_equal(table.num_forgotten, 0);
    assert_order(&table, "");
    table_free(&table);
}

/* fill adds one entry more than allowed, and counts those that succeeded. */
static void fill(void *context)
{
    const uint32_t max = 2 * TABLE_CHUNK;
    struct table table;
    uint32_t num = 0;
    (void)context;
    table_init(&table, sizeof(struct thing), max);
    for (uint32_t i = 0; i <= max; i++) {
        const uint32_t before = table.num;
        const uint64_t forgotten = table.num_forgotten;
        const bool is_added = table_add_forgetting(&table, i) != NULL;
        num += is_added;
        assert_int_equal(table.num_forgotten - forgotten, before == max);
        assert_int_equal(table.num, before + (is_added && before != max));
        assert_true(is_added || before != max); /* the evicted one has freed its place */
    }
    assert_true(num == max + 1 || failing_alloc_failed());
    table_free(&table);
}

static void without_memory_none_goes(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(fill, NULL) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_becomes_the_newest),
        cmocka_unit_test(an_entry_is_found_by_its_key),
        cmocka_unit_test(the_oldest_of_a_full_table_goes),
        cmocka_unit_test(one_entry_makes_room_for_one),
        cmocka_unit_test(where_none_may_be_none_goes),
        cmocka_unit_test(without_memory_none_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
