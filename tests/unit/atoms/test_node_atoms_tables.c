/*
 * test_node_atoms_tables.c - tables of atoms: which release a sender has, by its slots; what a
 * user's own build has; and which senders are not believed.
 */
#include "node_atoms_world.h"

static void tables_are_whole(void **state)
{
    (void)state;
    for (int t = 0; t < ATOM_TABLES_NUM; t++) {
        const struct atom_table *table = &atom_tables[t];
        for (uint32_t i = 0; i < table->num; i++) {
            const struct ds_text text = atom_table_text(table->texts[i]);
            assert_int_equal(atom_table_find(text), table->texts[i]);
            assert_int_equal(atom_table_index(table, table->texts[i]), i);
        }
        assert_int_equal(atom_table_text(table->texts[5]).len, 0);
    }
    assert_int_equal(atom_table_find(text_of("no such atom, surely")), ATOM_TABLE_NONE);
    for (unsigned i = 0; i < atom_table_all_num; i++) {
        const uint32_t hash = atom_table_all[i].hash;
        const bool has_next = i + 1 < atom_table_all_num && atom_table_all[i + 1].hash == hash + 1;
        assert_int_equal(atom_table_count_all(hash), atom_table_all[i].num);
        assert_true(has_next || hash == UINT32_MAX || atom_table_count_all(hash + 1) == 0);
    }
}

/* Each entry is found by its hash, and a missing one is not found. */
static void indices_are_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < atom_table_roles_num; i++) {
        const struct atom_table_role *role = &atom_table_roles[i];
        unsigned num;
        const struct atom_table_role *range = atom_table_range(role->hash, &num);
        assert_true(range <= role && role < range + num);
        assert_int_equal(atom_table_count(role->hash, role->text), role->num);
        assert_int_equal(range->hash, range[num - 1].hash);
        assert_true(range == atom_table_roles || range[-1].hash < role->hash);
    }
    for (int t = 0; t < SHAPE_TABLES_NUM; t++) {
        const struct shape_table *table = &shape_tables[t];
        for (uint32_t i = 0; i < table->num; i++) {
            const uint32_t next = table->keys[i] + 1;
            const bool has_next = i + 1 < table->num && table->keys[i + 1] == next;
            assert_int_equal(shape_table_find(table, table->keys[i]), i);
            assert_true(has_next || next == 0 || shape_table_find(table, next) == SHAPE_NONE);
        }
    }
    for (uint32_t bits = 0; bits < 1u << ATOM_INDEX_BITS; bits++) {
        unsigned num;
        (void)atom_table_range(bits << (32 - ATOM_INDEX_BITS) | 0x3fffff, &num);
        assert_true(num <= atom_table_roles_num);
    }
}

static void knows_a_release(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    /* If no release is known to fit, a role that nearly all atoms have is weak evidence. */
    static const struct atom_role plain = {.fine = "N0{a@", .coarse = "~0{2.1"};
    node_atoms_see(book, &env, slot_in(0, "infinity"), 1, &plain);
    assert_null(atom_infer(book, slot_in(0, "infinity"), 1).data);
    node_atoms_see(book, &env, slot_in(0, "alias") + 1u, 1, &alias_role);
    assert_null(atom_infer(book, slot_in(0, "alias") + 1u, 1).data);
    assert_true(judges(book, "alias"));
    fit(book);
    assert_true(judges(book, "alias"));
    node_atoms_release(book);
    all_node_atoms_free(books);
}

static const char *release_of(int table)
{
    return atom_tables[table].release;
}

/* A difference in a patch release moves all later atoms: each patch release is recognised by its
 * own slots. */
static void knows_patch_releases(void **state)
{
    static const struct {
        const char *release, *text;
        unsigned index;
    } known[] = {{"25", "asynchronous", 59},        {"25.0.2", "asynchronous", 58},
                 {"25.3", "asynchronous", 60},      {"25.3.2.2", "list_to_integer", 1073},
                 {"26", "list_to_integer", 1080},   {"26.0", "list_to_integer", 761},
                 {"26", "binary_to_integer", 1079}, {"26.0", "binary_to_integer", 1015}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int t = 0;
        while (t < ATOM_TABLES_NUM && strcmp(release_of(t), known[i].release) != 0)
            t++;
        assert_int_not_equal(t, ATOM_TABLES_NUM);
        assert_int_equal(atom_table_index(&atom_tables[t], atom_table_find(text_of(known[i].text))),
                         known[i].index);
    }
    for (int t = 0; t < ATOM_TABLES_NUM; t++) {
        static const char *const atoms[] = {"error", "asynchronous", "erlang", "normal", "put"};
        struct all_node_atoms *books = all_node_atoms_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
            node_atoms_define(book, &env, slot_in(t, atoms[i]), text_of(atoms[i]), 1,
                              ATOM_BOOK_USED);
        node_atoms_see(book, &env, slot_in(t, "alias"), 1, &alias_role);
        assert_int_equal(atom_infer(book, slot_in(t, "alias"), 1).len, strlen("alias"));
        assert_int_not_equal(book->usable[t], 0);
        for (int other = 0; other < ATOM_TABLES_NUM; other++)
            assert_true(other == t || book->usable[other] == 0 ||
                        slot_in(other, "asynchronous") == slot_in(t, "asynchronous"));
        node_atoms_release(book);
        all_node_atoms_free(books);
    }
}

/* The first atoms of an unknown release may be those of a known one: this is believed as far as it
 * was seen to be right. */
static void believes_as_far_as_seen(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    for (unsigned i = 50; i < 60; i++)
        define_static(book, 1, (uint16_t)i);
    assert_true(slot_in(1, "alias") < 128);
    node_atoms_see(book, &env, slot_in(1, "alias"), 1, &alias_role);
    assert_int_equal(atom_infer(book, slot_in(1, "alias"), 1).len, strlen("alias"));
    assert_int_equal(book->usable[1], 128);
    define_static(book, 1, 600);
    node_atoms_see(book, &env, slot_in(1, "alias"), 1, &alias_role);
    assert_int_equal(atom_infer(book, slot_in(1, "alias"), 1).len, strlen("alias"));
    assert_int_equal(book->usable[1], 640);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* Atoms behind the proven part of a release are less likely, and so is the rest of a release if
 * another build differs there. */
static void doubts_what_was_not_seen(void **state)
{
    static const struct atom_role plain = {.fine = "N0{a@", .coarse = "~0{2.1"};
    enum { TABLE = 1, SLOT = 1599, SEEN = 1800, OTHER = 1600 };
    const struct ds_text text = atom_table_text(atom_tables[TABLE].texts[OTHER]);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    for (uint16_t i = 50; i < 60; i++)
        define_static(book, TABLE, i);
    for (int step = 0; step < 3; step++) {
        if (step == 1)
            define_static(book, TABLE, SEEN);
        if (step == 2)
            node_atoms_define(book, &env, SEEN - 100, text, 1, ATOM_BOOK_USED);
        for (uint16_t i = 0; i < 4; i++) /* so many definitions that the releases are tried again */
            node_atoms_see(book, &env, i < 2 ? SLOT : (uint16_t)(1900 + 10 * step + i), 1, &plain);
        const struct ds_text found = atom_infer(book, SLOT, 1);
        assert_int_equal(found.len, step == 1 ? strlen("keepalive") : 0);
    }
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* One atom in the place of a release does not prove it. */
static void takes_no_release_for_one_atom(void **state)
{
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    for (uint16_t num = 1; num <= 2; num++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        for (uint16_t i = 0; i < num; i++)
            define_static(book, 1, 50 + i);
        (void)judges(book, "alias");
        assert_int_equal(book->has_table, num == 2);
        assert_int_equal(book->usable[1], num == 2 ? 128 : 0);
        node_atoms_release(book);
        all_node_atoms_free(books);
    }
    (void)state;
}

/* If an atom occurs in lists, their lengths do not matter. */
static void lists_say_it_once(void **state)
{
    static const struct atom_role lists[] = {{.fine = "*N1[@i", .coarse = "~+["},
                                             {.fine = "*N2[@ii", .coarse = "~+["},
                                             {.fine = "*N3[@iii", .coarse = "~+["},
                                             {.fine = "*N2[@in<$gen_call", .coarse = "~+["}};
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct all_node_atoms *books = all_node_atoms_new(4);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    const uint16_t slot = slot_in(0, "port");
    (void)state;
    for (uint16_t i = 1; i < 10; i++)
        define_static(book, 0, slot + i);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        node_atoms_see(book, &env, slot, 1, &lists[i]);
    assert_null(atom_infer(book, slot, 1).data);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* No node, or no node of that release, does any of these. */
static void believes_no_liar(void **state)
{
    (void)state;
    for (int lie = 0; lie < 4; lie++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        fit(book);
        assert_true(judges(book, "alias"));
        switch (lie) {
        case 0: /* a slot that no node has */
            node_atoms_define(book, &env, 2039, text_of("hello"), 1, ATOM_BOOK_USED);
            break;
        case 1: /* the last one */
            node_atoms_define(book, &env, 2047, text_of("hello"), 1, ATOM_BOOK_LISTED);
            break;
        case 2: /* an atom of the table in another slot */
            node_atoms_define(book, &env, (uint16_t)(slot_in(0, "false") + 1), text_of("false"), 1,
                              ATOM_BOOK_USED);
            break;
        case 3: /* one atom in two slots */
            node_atoms_define(book, &env, 1500, text_of("hello"), 1, ATOM_BOOK_USED);
            assert_true(node_atoms_trusts(book));
            node_atoms_define(book, &env, 1501, text_of("hello"), 1, ATOM_BOOK_USED);
            break;
        }
        assert_false(judges(book, "alias"));
        assert_int_equal(node_atoms_trusts(book), lie == 2);
        node_atoms_release(book);
        all_node_atoms_free(books);
    }
}

enum { NUM_OWN = 1000 };

/* own_build makes a table with atoms of the first release in another order, and some that no
 * release has. */
static void own_build(struct ds_text atoms[NUM_OWN])
{
    static char names[NUM_OWN][16];
    for (unsigned i = 0; i < NUM_OWN; i++) {
        snprintf(names[i], sizeof names[i], "own_%u", i);
        atoms[i] = i % 2 == 0 ? text_of(names[i])
                              : atom_table_text(atom_tables[0].texts[NUM_OWN - i]);
    }
    atoms[7] = text_of("alias");
}

static bool tell_own(struct all_node_atoms *books)
{
    struct ds_text atoms[NUM_OWN];
    own_build(atoms);
    return all_node_atoms_add_static(books, atoms, NUM_OWN);
}

/* The user's table is used only for a node that it fits. */
static void knows_what_the_user_builds(void **state)
{
    struct ds_text atoms[NUM_OWN];
    const struct ds_endpoint a = end_of("a@h", 1, 7), b = end_of("b@h", 2, 7);
    (void)state;
    own_build(atoms);
    for (int has_table = 0; has_table < 2; has_table++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        assert_true(!has_table || tell_own(books));
        struct node_atoms *own = all_node_atoms_find(books, &env, &a, NULL);
        struct node_atoms *other = all_node_atoms_find(books, &env, &b, NULL);
        for (uint16_t i = 101; i < 121; i++)
            node_atoms_define(own, &env, i, atoms[i], 1, ATOM_BOOK_USED);
        fit(other);
        for (int i = 0; i < 2; i++)
            node_atoms_see(i == 0 ? own : other, &env, 7, 1, &alias_role);
        assert_int_equal(atom_infer(own, 7, 1).data != NULL, has_table);
        assert_null(atom_infer(other, 7, 1).data);
        assert_true(judges(other, "alias"));
        /* One of its atoms is in another slot: it is another build. */
        node_atoms_define(own, &env, 200, atoms[125], 1, ATOM_BOOK_USED);
        assert_null(atom_infer(own, 7, 1).data);
        assert_false(has_table && tell_own(books)); /* now it is too late */
        all_node_atoms_free(books);
    }
}

/* A table that is equal to a release's is evidence for that release, not against it. */
static void knows_what_is_known(void **state)
{
    struct ds_text atoms[NUM_OWN];
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    (void)state;
    for (unsigned i = 0; i < NUM_OWN; i++)
        atoms[i] = atom_table_text(atom_tables[0].texts[i]);
    assert_true(all_node_atoms_add_static(books, atoms, NUM_OWN));
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    fit(book);
    assert_true(judges(book, "alias"));
    all_node_atoms_free(books);
}

/* A table must have atoms, and nothing else. */
static void takes_atoms_alone_for_a_table(void **state)
{
    static char long_text[4 * 255 + 1];
    struct ds_text atoms[2] = {text_of("one"), {long_text, sizeof long_text}};
    struct ds_atom_memory *memory = ds_atom_memory_new(4);
    (void)state;
    assert_non_null(memory);
    memset(long_text, 'x', sizeof long_text);
    assert_false(ds_atom_memory_add_static(memory, atoms, 0));
    assert_false(ds_atom_memory_add_static(memory, atoms, 2));
    atoms[1].len--;
    assert_true(ds_atom_memory_add_static(memory, atoms, 2));
    ds_atom_memory_free(memory);
    memory = ds_atom_memory_new(4);
    atoms[0] = (struct ds_text){NULL, 0};
    assert_false(ds_atom_memory_add_static(memory, atoms, 2));
    ds_atom_memory_free(memory);
}

static void use_own(void *context)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    (void)context;
    if (books != NULL && !tell_own(books))
        assert_true(failing_alloc_failed());
    all_node_atoms_free(books);
}

static void survives_without_memory_for_a_table(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(use_own, NULL) > NUM_OWN / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_whole),
        cmocka_unit_test(indices_are_whole),
        cmocka_unit_test(knows_a_release),
        cmocka_unit_test(knows_patch_releases),
        cmocka_unit_test(believes_as_far_as_seen),
        cmocka_unit_test(doubts_what_was_not_seen),
        cmocka_unit_test(takes_no_release_for_one_atom),
        cmocka_unit_test(lists_say_it_once),
        cmocka_unit_test(believes_no_liar),
        cmocka_unit_test(knows_what_the_user_builds),
        cmocka_unit_test(knows_what_is_known),
        cmocka_unit_test(takes_atoms_alone_for_a_table),
        cmocka_unit_test(survives_without_memory_for_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
