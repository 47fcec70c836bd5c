/*
 * test_atom_verdicts.c - the verdict on a slot is valid in each direction until there is new
 * evidence.
 */
#include "atoms/atom_verdicts.h"
#include "node_atoms_world.h"

static const struct atom_role tag = {.fine = "N0{@a", .coarse = "~0{2.0"};

static struct all_node_atoms *books;

static struct node_atoms *meet(void)
{
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    books = all_node_atoms_new(4);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    node_atoms_release(book);
    node_atoms_define(book, &env, 1600, text_of("my_server"), 3, ATOM_BOOK_USED);
    node_atoms_see(book, &env, 1600, 1, &tag);
    node_atoms_see(book, &env, 1600, 2, &tag);
    return book;
}

/* A node that talks to two others in turn is judged once for each. */
static void holds_in_each_direction(void **state)
{
    enum { MESSAGES = 1000 };
    struct node_atoms *book = meet();
    (void)state;
    for (unsigned i = 0; i < MESSAGES; i++)
        assert_non_null(atom_infer(book, 1600, 1 + i % 2).data);
    assert_int_equal(book->num_judged, 2);
    /* New evidence from one direction is news in the other one, */
    static const struct atom_role other = {.fine = "N0{a@", .coarse = "~0{2.1"};
    node_atoms_see(book, &env, 1600, 1, &other);
    for (unsigned i = 0; i < MESSAGES; i++)
        (void)atom_infer(book, 1600, 1 + i % 2);
    assert_in_range(book->num_judged, 4, 6);
    /* and so is evidence about all slots. */
    const uint64_t before = book->num_judged;
    book->generation++;
    (void)atom_infer(book, 1600, 1);
    assert_int_equal(book->num_judged, before + 1);
    all_node_atoms_free(books);
}

/* A slot without a likely atom is judged again, as other slots may have changed, but ever more
 * rarely. */
static void nothing_is_judged_again_but_rarely(void **state)
{
    enum { TIMES = 1 << 16 };
    struct node_atoms *book = meet();
    (void)state;
    node_atoms_see(book, &env, 1601, 1, &tag);
    for (unsigned i = 0; i < TIMES; i++)
        assert_null(atom_infer(book, 1601, 1).data);
    assert_in_range(book->num_judged, 16, 2 * 16 + 1);
    const uint64_t before = book->num_judged;
    for (unsigned i = 0; i < TIMES; i++)
        assert_null(atom_infer(book, 1601, 1).data);
    assert_int_equal(book->num_judged, before); /* the count ended */
    all_node_atoms_free(books);
}

/* The number of verdicts is capped; an evicted one is judged again, with the same result. */
static void makes_room(void **state)
{
    struct node_atoms *book = meet();
    const struct ds_text *kept;
    unsigned num = 0;
    (void)state;
    for (uint16_t slot = 0; slot < ATOM_BOOK_MODULUS; slot++)
        atom_verdicts_keep(book, slot, 1, text_of("x"));
    for (uint16_t slot = 0; slot < ATOM_BOOK_MODULUS; slot++) {
        kept = atom_verdicts_find(book, slot, 1);
        num += kept != NULL;
        assert_true(kept == NULL || kept->len == 1);
        assert_null(atom_verdicts_find(book, slot, 2));
        assert_null(atom_verdicts_find(book, slot, 1 + ATOM_BOOK_VERDICTS)); /* in the same place */
    }
    assert_int_equal(num, ATOM_BOOK_VERDICTS);
    atom_verdicts_forget(book, ATOM_BOOK_MODULUS - 1);
    assert_null(atom_verdicts_find(book, ATOM_BOOK_MODULUS - 1, 1));
    assert_non_null(atom_infer(book, 1600, 1).data);
    all_node_atoms_free(books);
}

/* Each verdict has two places: of two that collide both stay; of three, the least requested one goes. */
static void two_that_meet_stay(void **state)
{
    struct node_atoms *book = meet();
    const uint64_t other = 1 + ATOM_BOOK_VERDICTS;
    (void)state;
    atom_verdicts_keep(book, 5, 1, text_of("x"));
    for (int i = 0; i < 9; i++)
        assert_non_null(atom_verdicts_find(book, 5, 1));
    atom_verdicts_keep(book, 5, other, text_of("y"));
    assert_int_equal(atom_verdicts_find(book, 5, 1)->data[0], 'x');
    assert_int_equal(atom_verdicts_find(book, 5, other)->data[0], 'y');
    atom_verdicts_keep(book, 5, 1 + 2 * ATOM_BOOK_VERDICTS, text_of("z"));
    assert_int_equal(atom_verdicts_find(book, 5, 1)->data[0], 'x');
    all_node_atoms_free(books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_in_each_direction),
        cmocka_unit_test(nothing_is_judged_again_but_rarely),
        cmocka_unit_test(makes_room),
        cmocka_unit_test(two_that_meet_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
