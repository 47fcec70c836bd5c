/*
 * test_atom_shape_fit.c - which table of an application fits a node, by the shapes of its messages: how many prove
 * it, what refutes it, and which messages are looked at.
 */
#include "shape_fit_world.h"

/* fitting returns the table that is known to fit a node. */
static int fitting(const struct node_atoms *book)
{
    return shape_fit_is_sure(book) ? book->shapes.table : SHAPE_TABLE_COMMON;
}

/* A table is known to fit only after five of its shapes; it fits if most shapes are in it. */
static void application_is_found_out(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    see_wholes(book, 4);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    see_wholes(book, 4); /* the same shape again */
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    see_wholes(book, 5);
    assert_int_equal(fitting(book), RABBIT);
    for (uint32_t i = 1; i <= 7; i++)
        shape_fit_see_whole(book, 2 * i); /* no hash is even */
    assert_int_equal(fitting(book), RABBIT);
    shape_fit_see_whole(book, 16);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    node_atoms_release(book);

    const struct ds_endpoint other = end_of("b@h", 2, 8);
    book = all_node_atoms_find(books, &env, &other, NULL);
    see_wholes(book, 8);
    for (uint32_t i = 1; i <= 12; i++)
        shape_fit_see_whole(book, 2 * i);
    assert_int_equal(fitting(book), RABBIT); /* four of ten are enough */
    shape_fit_see_whole(book, 26);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* Each application is recognised by its own shapes: those of one do not prove another. */
static void applications_are_told_apart(void **state)
{
    static const char *const names[] = {"otp", "rabbit310", "mnesia", "ejabberd",
                                        "erlang", "elixir", "rabbit4"};
    (void)state;
    for (int t = 0; t < SHAPE_TABLES_NUM; t++)
        assert_string_equal(shape_tables[t].name, names[t]);
    for (int t = SHAPE_TABLE_COMMON + 1; t < SHAPE_TABLES_NUM; t++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        for (uint32_t i = 0; i < shape_tables[t].num_wholes; i++)
            shape_fit_see_whole(book, shape_tables[t].wholes[i]);
        assert_int_equal(fitting(book), t);
        node_atoms_release(book);
        all_node_atoms_free(books);
    }
}

/* If no application fits, the shapes that applications share are used, unless they are a small part
 * of what a node sends, or are refuted. */
static void common_shapes_hold_for_others(void **state)
{
    const struct shape_table *common = &shape_tables[SHAPE_TABLE_COMMON];
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    uint32_t num = 0;
    (void)state;
    for (; num < 7; num++)
        shape_fit_see_whole(book, common->wholes[num]);
    assert_false(book->shapes.is_common);
    shape_fit_see_whole(book, common->wholes[num]);
    assert_true(book->shapes.is_common);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    for (uint32_t i = 1; i <= 18; i++)
        shape_fit_see_whole(book, 2 * i); /* no hash is even */
    assert_true(book->shapes.is_common);
    shape_fit_see_whole(book, 100);
    assert_false(book->shapes.is_common);
    for (num = 8; num < 12; num++)
        shape_fit_see_whole(book, common->wholes[num]);
    assert_true(book->shapes.is_common);
    unsigned num_contexts = 0;
    for (uint32_t i = 0; i < common->num && num_contexts < 3; i++) {
        if (common->novelty[i] < 24)
            continue;
        assert_true(book->shapes.is_common);
        see_known_in(book, text_of("something_else"), &common->keys[i], 1);
        num_contexts++;
    }
    assert_int_equal(num_contexts, 3);
    assert_false(book->shapes.is_common);
    for (num = 12; num < 30; num++)
        shape_fit_see_whole(book, common->wholes[num]);
    assert_false(book->shapes.is_common); /* for good */
    all_node_atoms_free(books);
}

/* Known atoms in places where the table has others refute it, in three contexts. In one context
 * this may happen many times. */
static void known_atoms_refute_it(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    unsigned text;
    uint32_t at = 0, key = 0;
    (void)state;
    see_wholes(book, 20);
    for (int i = 0; i < 2; i++) {
        key = sure_context_from(&at, &text);
        for (int again = 0; again < 100; again++)
            see_known_in(book, text_of("something_else"), &key, 1);
    }
    see_known_in(book, atom_table_text(text), &key, 1);
    assert_int_equal(fitting(book), RABBIT);
    key = sure_context_from(&at, &text);
    see_known_in(book, text_of("something_else"), &key, 1);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    see_wholes(book, 40);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON); /* for good */
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* If most atoms are in their places, one exception in eight refutes nothing. */
static void few_others_refute_nothing(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    unsigned text;
    uint32_t at = 0;
    (void)state;
    see_wholes(book, 20);
    for (int i = 0; i < 32; i++) {
        const uint32_t key = sure_context_from(&at, &text);
        see_known_in(book, atom_table_text(text), &key, 1);
    }
    const uint32_t num = book->shapes.proof.num_hits; /* some numbers may be equal modulo TOLD */
    for (uint32_t i = 0; i < num / 8; i++) {
        const uint32_t key = sure_context_from(&at, &text);
        see_known_in(book, text_of("something_else"), &key, 1);
    }
    assert_int_equal(fitting(book), RABBIT);
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t key = sure_context_from(&at, &text);
        see_known_in(book, text_of("something_else"), &key, 1);
    }
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    all_node_atoms_free(books);
}

/* If another node is known to be that application, fewer shapes are enough, unless that node was
 * recognised by as few. */
static void neighbours_are_alike(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *first = meet(books, "a@h", 1, 7), *book = meet(books, "b@h", 2, 8);
    (void)state;
    see_wholes(first, 4);
    see_wholes(book, 4);
    assert_int_equal(fitting(book), SHAPE_TABLE_COMMON);
    see_wholes(first, 5);
    assert_int_equal(fitting(first), RABBIT);
    assert_int_equal(fitting(book), RABBIT); /* that it sends nothing new does not matter */
    struct node_atoms *third = meet(books, "c@h", 3, 9);
    see_wholes(third, 1);
    assert_int_equal(fitting(third), SHAPE_TABLE_COMMON);
    see_wholes(third, 2);
    assert_int_equal(fitting(third), RABBIT);
    first->is_liar = true;
    third->is_liar = true;
    struct node_atoms *fourth = meet(books, "d@h", 4, 9);
    see_wholes(fourth, 4);
    assert_int_equal(fitting(fourth), SHAPE_TABLE_COMMON);
    all_node_atoms_free(books);
}

/* Of messages with the same atoms, the first ones are processed, and later one of several, which
 * stands for them. All are processed again when another table fits, as that forgets contexts. */
static void what_is_often_said_is_rarely_looked_at(void **state)
{
    enum { FIRST = 64, MANY = 80000 };
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    unsigned num = 0, looked_at = 0;
    (void)state;
    for (int i = 0; i < FIRST; i++)
        assert_int_equal(shape_fit_wants(book, 77), 1);
    assert_int_equal(shape_fit_wants(book, 77), 0);
    for (int i = 0; i < MANY; i++) {
        const unsigned stands_for = shape_fit_wants(book, 77);
        looked_at += stands_for != 0;
        num += stands_for;
    }
    assert_in_range(looked_at, MANY / 9, MANY / 7);
    assert_in_range(num, MANY - MANY / 8, MANY + MANY / 8);
    assert_int_equal(shape_fit_wants(book, 78), 1);
    while (shape_fit_wants(book, 77) != 0)
        ;
    see_wholes(book, 20); /* they show which table fits */
    for (int i = 0; i < FIRST; i++)
        assert_int_equal(shape_fit_wants(book, 77), 1);
    while (shape_fit_wants(book, 77) != 0)
        ;
    assert_int_equal(shape_fit_wants(book, 77 + SHAPE_ALIKE), 1); /* takes its place */
    assert_int_equal(shape_fit_wants(book, 77), 1);
    all_node_atoms_free(books);
}

/* A message that stands for several counts as that many, but no context counts beyond its cap. */
static void one_stands_for_several(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    unsigned text;
    const uint32_t key = sure_context(&text);
    const struct atom_contexts contexts = small_contexts(&key, 1);
    (void)state;
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to);
    shape_fit_see(book, &env, 2001, 1, &contexts, 1);
    shape_fit_see(book, &env, 2001, 1, &contexts, 8);
    const struct slot_shapes *slot = &book->shapes.slots[2001];
    assert_int_equal(slot->times[0], 9);
    assert_int_equal(book->shapes.times[slot->context[0]], 9);
    /* A count is news when it reaches or passes a power of two, and otherwise not. */
    uint64_t before = book->slots[2001].changes;
    shape_fit_see(book, &env, 2001, 1, &contexts, 6);
    assert_int_equal(book->slots[2001].changes, before);
    shape_fit_see(book, &env, 2001, 1, &contexts, 8);
    assert_int_equal(book->slots[2001].changes, before + 1);
    for (unsigned i = 0; i < UINT16_MAX / 8 + 2; i++)
        shape_fit_see(book, &env, 2001, 1, &contexts, 8);
    assert_int_equal(slot->times[0], UINT16_MAX);
    assert_int_equal(book->shapes.times[slot->context[0]], UINT16_MAX);
    all_node_atoms_free(books);
}

/* says returns the evidence in bits for that atom from a slot's context. */
static double says(struct node_atoms *book, uint16_t slot, const struct atom_contexts *contexts,
                   unsigned text)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    node_atoms_see(book, &env, slot, 1, &to); /* from now on the direction is distinguished */
    shape_fit_see(book, &env, slot, 1, contexts, 1);
    return book->shapes.slots != NULL ? weigh_in(book, slot, text, node_atoms_bit_of(book, 1)).here : 0;
}

/* Before a table is known to fit, it applies to messages with a known shape, and to the large
 * contexts of others: the table must have two of the shapes, and a fifth of all. */
static void a_part_is_enough_for_large_contexts(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    unsigned text;
    const uint32_t key = sure_context(&text);
    struct atom_contexts contexts = small_contexts(&key, 1), large = contexts, counted = contexts;
    (void)state;
    large.num_small = 0;
    counted.whole = shape_tables[RABBIT].wholes[30];
    see_wholes(book, 1);
    assert_true(says(book, 2001, &large, text) == 0);
    see_wholes(book, 2);
    assert_false(shape_fit_is_sure(book));
    assert_true(says(book, 2002, &contexts, text) == 0);
    assert_true(says(book, 2003, &large, text) > 0);
    assert_true(says(book, 2004, &counted, text) > 0);
    for (uint32_t i = 1; i <= 8; i++)
        shape_fit_see_whole(book, 2 * i); /* no hash is even */
    assert_true(says(book, 2005, &large, text) > 0);
    shape_fit_see_whole(book, 18); /* two of eleven */
    assert_true(says(book, 2006, &large, text) == 0);
    assert_true(says(book, 2007, &counted, text) == 0);
    see_wholes(book, 4);
    assert_true(says(book, 2008, &large, text) > 0);
    see_wholes(book, 20);
    assert_true(shape_fit_is_sure(book));
    assert_true(says(book, 2009, &contexts, text) > 0);
    all_node_atoms_free(books);
}

/* The same for the shapes that applications share, if no application has that part. */
static void common_shapes_hold_one_by_one(void **state)
{
    const struct shape_table *common = &shape_tables[SHAPE_TABLE_COMMON];
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    uint32_t at = 0;
    (void)state;
    while (common->novelty[at] < 32)
        at++;
    const unsigned text = common->fillers[common->starts[at]];
    struct atom_contexts contexts = small_contexts(&common->keys[at], 1), large = contexts, counted = contexts;
    large.num_small = 0;
    counted.whole = common->wholes[20];
    assert_true(says(book, 2001, &counted, text) > 0);
    assert_true(says(book, 2002, &contexts, text) == 0);
    shape_fit_see_whole(book, common->wholes[0]);
    assert_true(says(book, 2003, &large, text) == 0);
    shape_fit_see_whole(book, common->wholes[1]);
    assert_true(says(book, 2004, &large, text) > 0);
    assert_true(says(book, 2005, &contexts, text) == 0);
    book->shapes.is_refuted[SHAPE_TABLE_COMMON] = true;
    assert_true(says(book, 2006, &counted, text) == 0);
    all_node_atoms_free(books);
}

static void run_with_failures(void *context)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = books != NULL ? all_node_atoms_find(books, &env, &end, NULL) : NULL;
    unsigned text;
    const uint32_t key = sure_context(&text);
    (void)context;
    if (book != NULL) {
        see_wholes(book, 20);
        node_atoms_see(book, &env, 2001, 1, &to);
        for (int i = 0; i < 64; i++)
            see_in(book, 2001, 1, &key, 1);
        assert_true(atom_infer(book, 2001, 1).data != NULL || failing_alloc_failed());
        node_atoms_release(book);
    }
    all_node_atoms_free(books);
}

static void survives_without_memory(void **state)
{
    (void)state;
    assert_in_range(failing_alloc_each(run_with_failures, NULL), 5, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_alike),
        cmocka_unit_test(a_part_is_enough_for_large_contexts),
        cmocka_unit_test(common_shapes_hold_one_by_one), cmocka_unit_test(application_is_found_out),
        cmocka_unit_test(applications_are_told_apart),
        cmocka_unit_test(common_shapes_hold_for_others), cmocka_unit_test(known_atoms_refute_it),
        cmocka_unit_test(few_others_refute_nothing),
        cmocka_unit_test(what_is_often_said_is_rarely_looked_at),
        cmocka_unit_test(one_stands_for_several), cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
