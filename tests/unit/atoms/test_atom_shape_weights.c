/*
 * test_atom_shape_weights.c - how much the contexts of a slot say for an atom: contexts of one atom and of
 * several, roles, counts, rare atoms, and slots that are nodes.
 */
#include "shape_fit_world.h"

static bool is_judged(struct node_atoms *book, uint16_t slot, unsigned text)
{
    const struct ds_text found = atom_infer(book, slot, 1), want = atom_table_text(text);
    return found.data != NULL && found.len == want.len && memcmp(found.data, want.data, want.len) == 0;
}

/* A slot in a context that has one atom is that atom, unless another slot has it. */
static void contexts_tell_atoms(void **state)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    unsigned text;
    const uint32_t key = sure_context(&text);
    (void)state;
    fit(book);
    node_atoms_see(book, &env, 2001, 1, &to);
    node_atoms_see(book, &env, 2002, 1, &to);
    see_in(book, 2001, 1, &key, 1);
    assert_null(atom_infer(book, 2001, 1).data); /* the application is not known */
    see_wholes(book, 20);
    for (int i = 0; i < 64; i++)
        see_in(book, 2001, 1, &key, 1);
    assert_true(is_judged(book, 2001, text));
    assert_false(is_judged(book, 2001, text + 1));
    for (int i = 0; i < 64; i++)
        see_in(book, 2002, 1, &key, 1);
    assert_null(atom_infer(book, 2002, 1).data); /* an atom has only one slot */
    assert_true(is_judged(book, 2001, text));
    node_atoms_release(book);

    const struct ds_endpoint other = end_of("b@h", 2, 7);
    book = all_node_atoms_find(books, &env, &other, NULL);
    fit(book);
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to);
    for (int i = 0; i < 64; i++)
        see_in(book, 2001, 1, &key, 1);
    assert_true(is_judged(book, 2001, text));
    node_atoms_define(book, &env, 77, atom_table_text(text), 1, ATOM_BOOK_USED);
    assert_null(atom_infer(book, 2001, 1).data);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* A map may have keys that were never counted: if another slot already has one atom of a context,
 * the remaining atom is not assigned to a slot that was only seen as a key. */
static void keys_are_not_what_is_left(void **state)
{
    static const struct atom_role roles[] = {{.fine = "to", .coarse = "~to"}, {.fine = "N0#k", .coarse = "~0#k"}};
    const struct shape_table *table = &shape_tables[RABBIT];
    uint32_t c = 0;
    (void)state;
    while (table->starts[c + 1] != table->starts[c] + 2 || table->novelty[c] < 32 ||
           user_atoms_is_static(NULL, table->fillers[table->starts[c]]) ||
           user_atoms_is_static(NULL, table->fillers[table->starts[c] + 1]))
        assert_in_range(++c, 0, table->num - 1);
    const unsigned left = table->fillers[table->starts[c]], other = table->fillers[table->starts[c] + 1];
    for (int i = 0; i < 2; i++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        struct node_atoms *book = meet(books, "a@h", 1, 7);
        fit(book);
        see_wholes(book, 20);
        node_atoms_see(book, &env, 2001, 1, &roles[i]);
        node_atoms_define(book, &env, 77, atom_table_text(other), 1, ATOM_BOOK_USED);
        for (int again = 0; again < 64; again++)
            see_in(book, 2001, 1, &table->keys[c], 1);
        assert_int_equal(is_judged(book, 2001, left), i == 0);
        all_node_atoms_free(books);
    }
}

/* context_of returns a context that has only that atom. */
static uint32_t context_of(const char *text)
{
    const struct shape_table *table = &shape_tables[RABBIT];
    const unsigned number = atom_table_find(text_of(text));
    uint32_t at = 0;
    while (table->starts[at + 1] != table->starts[at] + 1 ||
           table->fillers[table->starts[at]] != number || table->novelty[at] < 32)
        assert_in_range(++at, 0, table->num - 1);
    return table->keys[at];
}

/* If a well known atom never has a role, that role is evidence against it. */
static void roles_speak_against(void **state)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    static const struct atom_role others[] = {{.fine = "N0{@iii", .coarse = "~0{4.0"},
                                              {.fine = "N0{@iiii", .coarse = "~0{5.0"},
                                              {.fine = "X1{3.2#k", .coarse = "~+#k"}};
    const unsigned text = atom_table_find(text_of("mnesia_tm"));
    const uint32_t key = context_of("mnesia_tm");
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    (void)state;
    fit(book);
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to);
    for (int i = 0; i < 4; i++)
        see_in(book, 2001, 1, &key, 1);
    assert_true(is_judged(book, 2001, text));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        node_atoms_see(book, &env, 2001, 1, &others[i]);
    assert_null(atom_infer(book, 2001, 1).data);
    all_node_atoms_free(books);
}

/* In places of users' own names, one context implies others: further ones add little. */
static void free_places_say_it_once(void **state)
{
    const struct shape_table *table = &shape_tables[RABBIT];
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    double before = 0;
    unsigned num = 0, text = ATOM_TABLE_NONE;
    (void)state;
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to); /* from now on the direction is distinguished */
    for (uint32_t i = 0; i < table->num && num < 3; i++) {
        if (table->novelty[i] > 4 || (num != 0 && table->fillers[table->starts[i]] != text))
            continue;
        text = table->fillers[table->starts[i]];
        num++;
        see_in(book, 2001, 1, &table->keys[i], 1);
        const double bits = weigh_in(book, 2001, text, node_atoms_bit_of(book, 1)).here;
        assert_true(num == 1 ? bits > 6 : bits > before && bits < before + 2);
        before = bits;
    }
    assert_int_equal(num, 3);
    all_node_atoms_free(books);
}

static bool is_text(struct ds_text found, const char *want)
{
    return found.data != NULL && found.len == strlen(want) && memcmp(found.data, want, found.len) == 0;
}

/* is_named returns whether a slot that is the node of pids with creation 9 has that name; NULL: the
 * name is not known. */
static bool is_named(struct node_atoms *book, const char *want)
{
    static const struct atom_role node = {.fine = "@", .coarse = "~@", .creation = 9};
    node_atoms_see(book, &env, 1700, 1, &node);
    const struct ds_text name = node_atoms_name_of(book, 1700);
    return want == NULL ? name.data == NULL : is_text(name, want);
}

/* A slot that is the node of pids with a creation is the node with that creation, if no other node
 * can have it. Creations are seconds: another node of the same host, or one whose name is not
 * known, may have the same. */
static void creations_tell_nodes(void **state)
{
    static const struct atom_role node = {.fine = "@", .coarse = "~@", .creation = 9};
    struct all_node_atoms *books = all_node_atoms_new(8);
    struct node_atoms *a = meet(books, "a@h", 1, 7);
    (void)state;
    assert_true(is_named(a, NULL));
    struct node_atoms *b = meet(books, "b@i", 2, 9);
    assert_true(is_named(a, "b@i"));
    node_atoms_see(a, &env, 1700, 2, &node);
    const struct ds_text judged = atom_infer(a, 1700, 2);
    assert_true(is_text(judged, "b@i"));
    assert_true(is_named(b, NULL)); /* the sender itself, or another node */
    meet(books, NULL, 2, 9); /* the same node, or another one without a known name */
    assert_true(is_named(a, "b@i"));

    /* The same for the end of a connection. */
    struct ds_endpoint unnamed = end_of(NULL, 2, 9);
    const struct ds_endpoint ends[] = {end_of("a@h", 1, 7), end_of("b@i", 2, 9)};
    unnamed.port = 41000;
    assert_true(is_text(all_node_atoms_name(books, &unnamed, &ends[0]), "b@i"));
    assert_null(all_node_atoms_name(books, &unnamed, &ends[1]).data); /* on that host, too */
    meet(books, "e@i", 2, 9);
    assert_null(all_node_atoms_name(books, &unnamed, &ends[0]).data);
    assert_true(is_named(a, NULL));
    all_node_atoms_free(books);

    static const struct {
        const char *name;
        uint8_t host;
    } others[] = {{"c@j", 3}, {"d@h", 1}, {NULL, 3}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        books = all_node_atoms_new(8);
        a = meet(books, "a@h", 1, 7);
        b = meet(books, "b@i", 2, 9);
        assert_true(is_named(a, "b@i"));
        meet(books, others[i].name, others[i].host, 9);
        assert_true(is_named(a, NULL));
        assert_true(is_named(b, NULL));
        all_node_atoms_free(books);
    }
}

static struct atom_role role_of(const char *fine, const char *coarse, const char *close)
{
    struct atom_role role = {.num_close = close != NULL};
    snprintf(role.fine, sizeof role.fine, "%s", fine);
    snprintf(role.coarse, sizeof role.coarse, "%s", coarse);
    snprintf(role.close[0], sizeof role.close[0], "%s", close != NULL ? close : "");
    return role;
}

/* The count of a slot in a context is bounded; at the cap it counts for no atom. */
static void times_are_bounded(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    unsigned text;
    const uint32_t key = sure_context(&text);
    (void)state;
    see_wholes(book, 20);
    for (uint32_t i = 0; i < UINT16_MAX; i++)
        see_in(book, 2001, 1, &key, 1);
    assert_int_equal(book->shapes.slots[2001].times[0], UINT16_MAX);
    see_in(book, 2001, 1, &key, 1);
    see_in(book, 2002, 1, &key, 1);
    assert_int_equal(book->shapes.slots[2001].times[0], UINT16_MAX);
    assert_int_equal(book->shapes.slots[2002].times[0], 0);
    all_node_atoms_free(books);
}

/* A slot in a context of one atom and in a context of another atom is neither. */
static void rivals_are_weighed(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    const struct atom_role to = role_of("to", "~to", NULL),
                           one = role_of("P0{@at", "~0{3.0", "*P0{@a{at"),
                           other = role_of("P0{@aa", "~0{3.0", "*P0{@aa");
    (void)state;
    node_atoms_see(book, &env, 2001, 1, &to);
    node_atoms_see(book, &env, 2001, 1, &one);
    assert_true(is_text(atom_infer(book, 2001, 1), "mnesia_tm"));
    node_atoms_see(book, &env, 2001, 1, &other);
    assert_null(atom_infer(book, 2001, 1).data);
    all_node_atoms_free(books);
}

/* A slot that is often seen in a context is an atom that is common there, and not one that is rare.
 * This is weaker evidence if something around it is new. */
static void how_often_it_stands_there_tells(void **state)
{
    const struct shape_table *table = &shape_tables[RABBIT];
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    uint32_t c = 0, keys[2] = {0, 0};
    unsigned often, rare;
    (void)state;
    while (table->starts[c + 1] != table->starts[c] + 2 || table->shares[table->starts[c]] > 1 ||
           table->shares[table->starts[c] + 1] < 16)
        assert_in_range(++c, 0, table->num - 1);
    keys[0] = table->keys[c];
    often = table->fillers[table->starts[c]];
    rare = table->fillers[table->starts[c] + 1];
    see_wholes(book, 20);
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    node_atoms_see(book, &env, 2001, 1, &to); /* from now on the direction is distinguished */
    for (int i = 0; i < 64; i++)
        see_in(book, 2001, 1, keys, 2);
    const uint16_t bit = node_atoms_bit_of(book, 1);
    const double least = shape_fit_most_surprise(book, 2001);
    assert_true(weigh_in(book, 2001, often, bit).surprise + 8 <
                weigh_in(book, 2001, rare, bit).surprise);
    see_in(book, 2002, 1, keys, 1);
    assert_true(weigh_in(book, 2002, rare, bit).surprise + 4 <
                weigh_in(book, 2002, often, bit).surprise);
    assert_true(shape_fit_most_surprise(book, 2002) > least);
    all_node_atoms_free(books);
}

/* An uncommon atom may be all that one cluster sends: while only one slot occurs there, many
 * occurrences are no more evidence than one. */
static void one_cluster_may_have_its_own(void **state)
{
    const struct shape_table *table = &shape_tables[RABBIT];
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    uint32_t c = 0, keys[2] = {0, 0};
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    (void)state;
    while (table->starts[c + 1] != table->starts[c] + 2 || table->shares[table->starts[c]] > 1 ||
           table->shares[table->starts[c] + 1] < 10 || table->shares[table->starts[c] + 1] >= 14)
        assert_in_range(++c, 0, table->num - 1);
    keys[0] = table->keys[c];
    const unsigned often = table->fillers[table->starts[c]], uncommon = table->fillers[table->starts[c] + 1];
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to);
    for (int i = 0; i < 64; i++)
        see_in(book, 2001, 1, keys, 2);
    const uint16_t bit = node_atoms_bit_of(book, 1);
    assert_true(weigh_in(book, 2001, uncommon, bit).surprise <
                weigh_in(book, 2001, often, bit).surprise + 4);
    see_in(book, 2002, 1, keys, 1);
    assert_true(weigh_in(book, 2001, uncommon, bit).surprise >
                weigh_in(book, 2001, often, bit).surprise + 8);
    all_node_atoms_free(books);
}

/* If a slot turns out to be a node, earlier evidence is dropped, in all books of the sender: it has
 * one for each port until its name is known. */
static void nodes_are_noted(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, NULL, 1, 7);
    struct node_atoms *same = meet(books, NULL, 2, 7), *other = meet(books, NULL, 3, 8);
    unsigned text;
    const uint32_t key = sure_context(&text);
    (void)state;
    see_wholes(book, 20);
    see_wholes(other, 20);
    see_in(book, 2001, 1, &key, 1);
    see_in(other, 2001, 1, &key, 1);
    assert_int_equal(book->shapes.slots[2001].num, 1);
    assert_false(node_slot_names_is_node(book, 814));
    assert_true(node_slot_names_add(same, 814));
    assert_false(node_slot_names_add(book, 814)); /* known */
    assert_true(node_slot_names_is_node(book, 814));
    assert_false(node_slot_names_is_node(book, 813));
    assert_false(node_slot_names_is_node(other, 814));
    shape_fit_forget(same);
    assert_int_equal(book->shapes.slots[2001].num, 0);
    assert_int_equal(other->shapes.slots[2001].num, 1);
    node_atoms_define(other, &env, 600, (struct ds_text){"c@h", 3}, 1, ATOM_BOOK_USED);
    node_atoms_define(other, &env, 601, (struct ds_text){"c", 1}, 1, ATOM_BOOK_USED);
    assert_true(node_slot_names_is_node(other, 600));
    assert_false(node_slot_names_is_node(other, 601));
    assert_false(node_slot_names_add(other, 600));
    for (uint16_t slot = ATOM_BOOK_MODULUS; slot < ATOM_BOOK_MODULUS + 2; slot++) {
        assert_false(node_slot_names_add(other, slot));
        assert_false(node_slot_names_is_node(other, slot));
    }
    all_node_atoms_free(books);
}

/* Rarity in other directions is no evidence in this one. */
static void rarity_is_of_a_direction(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = meet(books, "a@h", 1, 7);
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    unsigned text;
    const uint32_t key = sure_context(&text);
    (void)state;
    see_wholes(book, 20);
    node_atoms_see(book, &env, 2001, 1, &to);
    node_atoms_see(book, &env, 2001, 2, &to);
    see_in(book, 2001, 1, &key, 1);
    const uint16_t bits[] = {node_atoms_bit_of(book, 1), node_atoms_bit_of(book, 2)};
    const struct shape_weight here = weigh_in(book, 2001, ATOM_TABLE_NONE, bits[0]);
    assert_true(here.surprise > 0);
    assert_true(weigh_in(book, 2001, text, bits[0]).here > 0);
    assert_true(weigh_in(book, 2001, ATOM_TABLE_NONE, bits[1]).surprise == 0);
    assert_true(weigh_in(book, 2001, text, bits[1]).here == 0);
    assert_true(weigh_in(book, 2001, text, bits[1]).there > 0);
    all_node_atoms_free(books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cluster_may_have_its_own), cmocka_unit_test(nodes_are_noted),
        cmocka_unit_test(keys_are_not_what_is_left), cmocka_unit_test(times_are_bounded),
        cmocka_unit_test(how_often_it_stands_there_tells), cmocka_unit_test(contexts_tell_atoms),
        cmocka_unit_test(roles_speak_against), cmocka_unit_test(free_places_say_it_once),
        cmocka_unit_test(creations_tell_nodes), cmocka_unit_test(rivals_are_weighed),
        cmocka_unit_test(rarity_is_of_a_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
