/*
 * test_atom_shape_claims.c - an atom that is inferred from contexts alone has one slot.
 */
#include "atoms/atom_shape_claims.h"
#include "atoms/atom_verdicts.h"
#include "atoms/shape_contexts.h"
#include "node_atoms_world.h"

enum { TEXT = 3, OTHER = 5 }; /* any two atoms from the tables */

static struct all_node_atoms *books;

/* meet returns a node with some unknown slots. */
static struct node_atoms *meet(void)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    books = all_node_atoms_new(4);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    node_atoms_release(book);
    assert_true(node_atoms_has_shapes(book, &env));
    for (uint16_t slot = 2001; slot <= 2003; slot++) {
        node_atoms_see(book, &env, slot, 1, &to);
        atom_verdicts_keep(book, slot, 1, text_of("likely"));
    }
    return book;
}

static bool is_judged(const struct node_atoms *book, uint16_t slot)
{
    return atom_verdicts_find(book, slot, 1) != NULL;
}

/* Neither of two slots is the atom, unless one is more likely by eight bits. */
static void neither_of_two(void **state)
{
    struct node_atoms *book = meet();
    (void)state;
    assert_true(shape_claims_add(book, 2001, TEXT, 20));
    assert_true(shape_claims_add(book, 2001, TEXT, 21)); /* its own */
    assert_false(shape_claims_add(book, 2002, TEXT, 13));
    assert_true(is_judged(book, 2001)); /* that slot keeps it */
    assert_true(shape_claims_against(book, 2002, TEXT) > 0);
    assert_false(shape_claims_add(book, 2002, TEXT, 28));
    assert_false(is_judged(book, 2001)); /* it is not likely any more, */
    assert_false(shape_claims_add(book, 2001, TEXT, 35)); /* and remains so */
    assert_true(shape_claims_against(book, 2003, TEXT) == 0);
    assert_true(shape_claims_add(book, 2003, TEXT, 36));
    assert_true(shape_claims_add(book, 2002, OTHER, 9));
    all_node_atoms_free(books);
}

/* A clearly more likely slot takes the atom over; evidence against other slots is bounded. */
static void the_better_one_takes_it(void **state)
{
    struct node_atoms *book = meet();
    (void)state;
    assert_true(shape_claims_add(book, 2001, TEXT, 9));
    assert_true(shape_claims_add(book, 2002, TEXT, 17));
    assert_false(is_judged(book, 2001));
    assert_true(shape_claims_against(book, 2001, TEXT) == 8);
    assert_true(shape_claims_against(book, 2002, TEXT) == 0);
    shape_claims_leave(book, 2002);
    assert_true(shape_claims_against(book, 2001, TEXT) == 0);
    assert_true(shape_claims_add(book, 2001, TEXT, 5));
    assert_true(shape_claims_against(book, 2002, TEXT) == 5);
    assert_false(shape_claims_add(book, 2002, shape_contexts_num_atoms(), 30));
    all_node_atoms_free(books);
}

/* An atom that is found in another slot is not claimed any more. */
static void what_is_known_ends_it(void **state)
{
    struct node_atoms *book = meet();
    (void)state;
    assert_true(shape_claims_add(book, 2001, TEXT, 20));
    shape_claims_define(book, 2001, TEXT);
    assert_true(is_judged(book, 2001));
    shape_claims_define(book, 2002, TEXT);
    assert_false(is_judged(book, 2001));
    assert_true(shape_claims_against(book, 2003, TEXT) == 0);
    all_node_atoms_free(books);
}

/* A slot without any evidence is judged again when a quarter more of the others were seen. */
static void others_that_are_told_are_news(void **state)
{
    struct node_atoms *book = meet();
    (void)state;
    book->shapes.slots[2003].num = 1;
    assert_true(shape_claims_have_news(book, 2003));
    assert_false(shape_claims_have_news(book, 2003));
    for (unsigned i = 1; i <= 8; i++)
        assert_true(shape_claims_add(book, (uint16_t)(100 + i), 10 + i, 20));
    assert_true(shape_claims_have_news(book, 2003));
    for (unsigned i = 9; i <= 10; i++) {
        assert_true(shape_claims_add(book, (uint16_t)(100 + i), 10 + i, 20));
        assert_false(shape_claims_have_news(book, 2003));
    }
    assert_true(shape_claims_add(book, 111, 21, 20));
    assert_true(shape_claims_have_news(book, 2003));
    all_node_atoms_free(books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_of_two),
        cmocka_unit_test(the_better_one_takes_it),
        cmocka_unit_test(what_is_known_ends_it),
        cmocka_unit_test(others_that_are_told_are_news),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
