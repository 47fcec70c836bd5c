/*
 * test_atom_book_unseen.c - atoms of which no definition was seen: how many there are, by the slots of
 * which nothing is known, and what that says of the others.
 */
#include "atom_book_world.h"

static const struct atom_role to = {.fine = "to", .coarse = "~to"},
                              tag = {.fine = "N0{@ai", .coarse = "~0{3.0"},
                              listed = {.fine = "P1[@", .coarse = "~+["},
                              key = {.fine = "P1#k", .coarse = "~+#k"},
                              node = {.fine = ATOM_ROLE_NODE, .coarse = "~@"};

struct books {
    struct atom_books *all;
    struct atom_book *book;
};

static struct books open_book(void)
{
    struct books books = {.all = atom_books_new(4)};
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    books.book = atom_books_find(books.all, &env, &end);
    return books;
}

static void close_book(struct books books)
{
    atom_book_release(books.book);
    atom_books_free(books.all);
}

/* What a slot got before somebody's eyes it has, unless many slots have what nobody saw them get. */
static void counts_what_is_unseen(void **state)
{
    enum { ENOUGH = 18 };
    struct books books = open_book();
    (void)state;
    atom_book_define(books.book, &env, 1600, text_of("my_server"), 3, ATOM_BOOK_USED);
    atom_book_want(books.book, &env, 1600);
    assert_non_null(atom_book_judge(books.book, 1600, 1).data);
    for (uint16_t slot = 1; slot <= ENOUGH; slot++) {
        atom_book_want(books.book, &env, slot);
        atom_book_want(books.book, &env, slot); /* is counted once */
        atom_book_see(books.book, &env, 1600, slot, &tag); /* is judged anew */
        books.book->slots[1600].is_judged = false;
        books.book->slots[1600].num_seen = 0;
        assert_int_equal(atom_book_judge(books.book, 1600, 1).data != NULL, slot < ENOUGH);
    }
    assert_int_equal(books.book->num_seen_other, ENOUGH);
    /* One of them was seen, after all. */
    atom_book_define(books.book, &env, ENOUGH, text_of("late"), 3, ATOM_BOOK_USED);
    atom_book_define(books.book, &env, ENOUGH, text_of("later"), 3, ATOM_BOOK_USED);
    assert_int_equal(books.book->num_seen_other, ENOUGH - 1);
    assert_int_equal(books.book->num_seen_learned, 2);
    assert_int_equal(books.book->num_slots_learned, 2);
    books.book->slots[1600].is_judged = false;
    assert_non_null(atom_book_judge(books.book, 1600, 1).data);
    atom_book_want(books.book, &env, 2048); /* no slot */
    assert_int_equal(books.book->num_seen_other, ENOUGH - 1);
    close_book(books);
}

/* The node of a pid has an @ in its name. */
static void tells_nodes(void **state)
{
    struct books books = open_book();
    (void)state;
    atom_book_define(books.book, &env, 1600, text_of("plain"), 3, ATOM_BOOK_USED);
    atom_book_define(books.book, &env, 1601, text_of("n@h"), 3, ATOM_BOOK_USED);
    atom_book_define(books.book, &env, 1602, text_of(""), 3, ATOM_BOOK_USED);
    for (uint16_t slot = 1600; slot <= 1602; slot++) {
        atom_book_want(books.book, &env, slot);
        assert_non_null(atom_book_judge(books.book, slot, 1).data);
        atom_book_see(books.book, &env, slot, 1, &node);
        assert_int_equal(atom_book_judge(books.book, slot, 1).data != NULL, slot == 1601);
    }
    close_book(books);
    books = open_book();
    fit(books.book); /* nor is an atom of OTP a node */
    assert_true(judges(books.book, "alias"));
    atom_book_see(books.book, &env, slot_in(0, "alias"), 1, &node);
    assert_null(atom_book_judge(books.book, slot_in(0, "alias"), 1).data);
    close_book(books);
}

/* is_held says whether a slot likely holds what it held, which stood in one role and now does in another;
 * NULL: nothing is told of where it stands. */
static bool is_held(struct atom_book *book, const char *text, const struct atom_role *was,
                    const struct atom_role *is, double changed)
{
    struct atom_held held = {.text = text_of(text), .changed = changed, .lost = 0.1};
    struct ds_text found;
    atom_book_define(book, &env, 1700, held.text, 3, ATOM_BOOK_USED);
    if (was != NULL)
        atom_book_see_known(book, 1700, held.text, 3, false, was);
    if (is != NULL) {
        held.roles[0] = atom_role_seen(is);
        held.num_roles = held.num_new = 1;
    }
    (void)atom_book_judge_held(book, 1700, 1, &held, &found);
    return found.data != NULL;
}

/* A slot is given another atom only where that is one that nobody was seen to define: each of the others
 * has a slot of its own. What is a field of something hardly is a tag as well. */
static void knows_who_can_have_come(void **state)
{
    static const struct {
        const char *text;
        const struct atom_role *was, *is;
        double changed;
        bool is_likely, is_likely_among_many;
    } cases[] = {
        {"tagged", &tag, &tag, 0.05, true, true},
        {"tagged", &tag, NULL, 0.05, false, true},
        {"tagged", &tag, NULL, 0.3, false, false}, /* that is little to go by */
        {"tagged", &tag, &listed, 0.05, false, true},
        {"tagged", &tag, &to, 0.05, false, true},
        {"item", &listed, &tag, 0.05, false, false},
        {"item", &listed, &listed, 0.05, true, true},
        {"field", &key, &tag, 0.05, false, false},
        {"field", &key, &to, 0.05, false, true},
        {"n@h", &listed, &tag, 0.05, false, true}, /* nodes are listed, and more */
        {"item", &listed, &tag, 0.02, false, true},
    };
    char text[16];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int many = 0; many <= 1; many++) {
            struct books books = open_book();
            for (uint16_t slot = 0; many && slot < 200; slot++) {
                snprintf(text, sizeof text, "a%u", (unsigned)slot);
                atom_book_define(books.book, &env, slot, text_of(text), 3, ATOM_BOOK_USED);
            }
            const bool likely = is_held(books.book, cases[i].text, cases[i].was, cases[i].is,
                                        cases[i].changed);
            if (likely != (many ? cases[i].is_likely_among_many : cases[i].is_likely))
                fail_msg("case %zu, many %d: %d", i, many, likely);
            close_book(books);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_unseen),
        cmocka_unit_test(tells_nodes),
        cmocka_unit_test(knows_who_can_have_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
