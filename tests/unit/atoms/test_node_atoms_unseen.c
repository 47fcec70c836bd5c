/*
 * test_node_atoms_unseen.c - atoms whose definition was not captured: their number, estimated from
 * unknown slots, and what it means for other slots.
 */
#include "atoms/atom_verdicts.h"
#include "node_atoms_world.h"

static const struct atom_role to = {.fine = "to", .coarse = "~to"},
                              tag = {.fine = "N0{@ai", .coarse = "~0{3.0"},
                              listed = {.fine = "P1[@", .coarse = "~+["},
                              key = {.fine = "P1#k", .coarse = "~+#k"},
                              argument = {.fine = "S0[r@al", .coarse = "~0["},
                              item = {.fine = "P0[@", .coarse = "~0["},
                              second = {.fine = "N1{2.1{a@i", .coarse = "~+{2.1"},
                              node = {.fine = ATOM_ROLE_NODE, .coarse = "~@"};

struct books {
    struct all_node_atoms *all;
    struct node_atoms *book;
};

static struct books open_book(void)
{
    struct books books = {.all = all_node_atoms_new(4)};
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    books.book = all_node_atoms_find(books.all, &env, &end, NULL);
    return books;
}

static void close_book(struct books books)
{
    node_atoms_release(books.book);
    all_node_atoms_free(books.all);
}

/* A slot keeps its captured definition, unless many slots have atoms whose definition was not
 * captured. */
static void counts_what_is_unseen(void **state)
{
    enum { ENOUGH = 18 };
    struct books books = open_book();
    (void)state;
    node_atoms_define(books.book, &env, 1600, text_of("my_server"), 3, ATOM_BOOK_USED);
    node_atoms_request(books.book, &env, 1600);
    assert_non_null(atom_infer(books.book, 1600, 1).data);
    for (uint16_t slot = 1; slot <= ENOUGH; slot++) {
        node_atoms_request(books.book, &env, slot);
        node_atoms_request(books.book, &env, slot); /* is counted once */
        node_atoms_see(books.book, &env, 1600, slot, &tag); /* is judged again */
        atom_verdicts_forget(books.book, 1600);
        books.book->slots[1600].num_seen = 0;
        assert_int_equal(atom_infer(books.book, 1600, 1).data != NULL, slot < ENOUGH);
    }
    assert_int_equal(books.book->num_seen_other, ENOUGH);
    /* The definition of one of them is captured after all. */
    node_atoms_define(books.book, &env, ENOUGH, text_of("late"), 3, ATOM_BOOK_USED);
    node_atoms_define(books.book, &env, ENOUGH, text_of("later"), 3, ATOM_BOOK_USED);
    assert_int_equal(books.book->num_seen_other, ENOUGH - 1);
    assert_int_equal(books.book->num_seen_learned, 2);
    assert_int_equal(books.book->num_slots_learned, 2);
    atom_verdicts_forget(books.book, 1600);
    assert_non_null(atom_infer(books.book, 1600, 1).data);
    node_atoms_request(books.book, &env, 2048); /* no slot */
    assert_int_equal(books.book->num_seen_other, ENOUGH - 1);
    close_book(books);
}

/* The name of a pid's node contains @. */
static void tells_nodes(void **state)
{
    struct books books = open_book();
    (void)state;
    node_atoms_define(books.book, &env, 1600, text_of("plain"), 3, ATOM_BOOK_USED);
    node_atoms_define(books.book, &env, 1601, text_of("n@h"), 3, ATOM_BOOK_USED);
    node_atoms_define(books.book, &env, 1602, text_of(""), 3, ATOM_BOOK_USED);
    for (uint16_t slot = 1600; slot <= 1602; slot++) {
        node_atoms_request(books.book, &env, slot);
        assert_non_null(atom_infer(books.book, slot, 1).data);
        node_atoms_see(books.book, &env, slot, 1, &node);
        assert_int_equal(atom_infer(books.book, slot, 1).data != NULL, slot == 1601);
    }
    close_book(books);
    books = open_book();
    fit(books.book); /* nor is an atom of OTP the name of a node */
    assert_true(judges(books.book, "alias"));
    node_atoms_see(books.book, &env, slot_in(0, "alias"), 1, &node);
    assert_null(atom_infer(books.book, slot_in(0, "alias"), 1).data);
    close_book(books);
}

/* is_held returns whether a slot likely keeps its atom, which had one role and now has another;
 * NULL: its role is not known. */
static bool is_held(struct node_atoms *book, const char *text, const struct atom_role *was,
                    const struct atom_role *is, double changed)
{
    struct atom_held held = {.text = text_of(text), .changed = changed, .lost = 0.1};
    struct ds_text found;
    node_atoms_define(book, &env, 1700, held.text, 3, ATOM_BOOK_USED);
    if (was != NULL)
        node_atoms_see_known(book, 1700, held.text, 3, false, was);
    if (is != NULL) {
        held.roles[0] = atom_role_seen(is);
        held.num_roles = held.num_new = 1;
    }
    (void)atom_infer_held(book, 1700, 1, &held, &found);
    return found.data != NULL;
}

/* A slot is redefined only with an atom whose definition was not captured: each of the others has a
 * slot of its own. And a field is hardly ever a tag. */
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
        {"item", &item, &tag, 0.05, false, false},
        {"argument", &argument, &tag, 0.05, false, true}, /* arguments are of all kinds */
        {"field", &key, &second, 0.05, false, true},      /* second is not a tag */
    };
    char text[16];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int many = 0; many <= 1; many++) {
            struct books books = open_book();
            for (uint16_t slot = 0; many && slot < 200; slot++) {
                snprintf(text, sizeof text, "a%u", (unsigned)slot);
                node_atoms_define(books.book, &env, slot, text_of(text), 3, ATOM_BOOK_USED);
            }
            const bool likely = is_held(books.book, cases[i].text, cases[i].was, cases[i].is,
                                        cases[i].changed);
            if (likely != (many ? cases[i].is_likely_among_many : cases[i].is_likely))
                fail_msg("case %zu, many %d: %d", i, many, likely);
            close_book(books);
        }
    }
}

/* A further role of a kind that the slot has is hardly evidence; a further kind is weaker evidence
 * than the first. */
static void is_told_once(void **state)
{
    struct books books = open_book();
    struct atom_held held = {.text = text_of("held"), .changed = 0.001, .lost = 0.1};
    struct ds_text found;
    (void)state;
    node_atoms_define(books.book, &env, 1700, held.text, 3, ATOM_BOOK_USED);
    node_atoms_see_known(books.book, 1700, held.text, 3, false, &tag);
    held.num_roles = held.num_new = 1;
    held.roles[0] = atom_role_seen(&to);
    (void)atom_infer_held(books.book, 1700, 1, &held, &found);
    const double first = held.weight;
    assert_true(first < -1.5);
    held.num_before = 1;
    held.roles[0].fine++;
    (void)atom_infer_held(books.book, 1700, 1, &held, &found);
    const double other = held.weight - first;
    assert_true(other < first * 0.4 && other > first * 0.6);
    held.alike = 1;
    held.roles[0].fine++;
    (void)atom_infer_held(books.book, 1700, 1, &held, &found);
    assert_true(held.weight - first - other > first * 0.1);
    close_book(books);
}

/* Of two captured definitions of a slot with the same role, neither is likely only because the slot
 * had other roles before. */
static void knows_two_of_a_slot(void **state)
{
    (void)state;
    for (int num = 1; num <= 2; num++) {
        struct books books = open_book();
        struct atom_held held = {.text = text_of("held"), .changed = 0.01, .lost = 0.1, .weight = 9};
        struct ds_text found;
        node_atoms_define(books.book, &env, 1700, held.text, 3, ATOM_BOOK_USED);
        node_atoms_see_known(books.book, 1700, held.text, 3, false, &tag);
        if (num == 2) {
            node_atoms_define(books.book, &env, 1700, text_of("other"), 3, ATOM_BOOK_USED);
            node_atoms_see_known(books.book, 1700, text_of("other"), 3, false, &tag);
        }
        held.num_roles = held.num_new = 1;
        held.roles[0] = atom_role_seen(&tag);
        (void)atom_infer_held(books.book, 1700, 1, &held, &found);
        assert_int_equal(found.data != NULL, num == 1);
        close_book(books);
    }
}

/* That roles resemble one of an atom's roles counts once, however many they are. */
static void is_not_sure_of_many_alike(void **state)
{
    (void)state;
    for (int same = 0; same <= 1; same++) {
        struct books books = open_book();
        struct atom_role role = {.coarse = "~0{3.0"};
        node_atoms_set_time(books.book, 10);
        node_atoms_define(books.book, &env, 1700, text_of("tag"), 1, ATOM_BOOK_USED);
        node_atoms_see_known(books.book, 1700, text_of("tag"), 1, false, &tag);
        node_atoms_set_time(books.book, 5); /* before that */
        for (int i = 0; i < 6; i++) {
            snprintf(role.fine, sizeof role.fine, "N0{@x%d", i);
            node_atoms_see(books.book, &env, 1700, 1, &role);
            if (same)
                node_atoms_see_known(books.book, 1700, text_of("tag"), 1, false, &role);
        }
        assert_int_equal(atom_infer(books.book, 1700, 1).data != NULL, same);
        close_book(books);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_unseen),
        cmocka_unit_test(tells_nodes),
        cmocka_unit_test(knows_who_can_have_come),
        cmocka_unit_test(is_told_once),
        cmocka_unit_test(knows_two_of_a_slot),
        cmocka_unit_test(is_not_sure_of_many_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
