/*
 * test_atom_book.c - what is learned of a sender, and from whom nothing is taken.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "atom_book_parts.h"
#include "atom_tables.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct env env;

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static struct ds_endpoint end_of(const char *name, uint8_t host, uint32_t creation)
{
    return (struct ds_endpoint){.addr = {4, {10, 0, 0, host}},
                                .port = 25672,
                                .node = name != NULL ? text_of(name) : (struct ds_text){NULL, 0},
                                .creation = creation};
}

static const struct atom_role alias_role = {.fine = "N2{2.1[@|r", .coarse = "~+["};

/* slot_in returns the slot of an atom in a release's table. */
static uint16_t slot_in(int table, const char *text)
{
    const unsigned number = atom_table_find(text_of(text));
    assert_int_not_equal(number, ATOM_TABLE_NONE);
    return (uint16_t)(atom_table_index(&atom_tables[table], number) % 2039);
}

/* define_static defines the atom of a release's table that has this index. */
static void define_static(struct atom_book *book, int table, uint16_t index)
{
    atom_book_define(book, &env, index, atom_table_text(atom_tables[table].texts[index]), 1,
                     ATOM_BOOK_USED);
}

/* fit defines atoms of the first release, so that it is known to fit. */
static void fit(struct atom_book *book)
{
    static const char *const atoms[] = {"ok", "true", "undefined", "erlang", "normal"};
    for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
        atom_book_define(book, &env, slot_in(0, atoms[i]), text_of(atoms[i]), 1, ATOM_BOOK_USED);
}

static bool judges(struct atom_book *book, const char *text)
{
    const uint16_t slot = slot_in(0, text);
    atom_book_see(book, &env, slot, 1, &alias_role);
    const struct ds_text found = atom_book_judge(book, slot, 1);
    assert_true(found.data == NULL ||
                (found.len == strlen(text) && memcmp(found.data, text, found.len) == 0));
    return found.data != NULL;
}

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

static void knows_a_release(void **state)
{
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    /* No release is known to fit: of what stands where nearly all do it matters where one has it. */
    static const struct atom_role plain = {.fine = "N0{a@", .coarse = "~0{2.1"};
    atom_book_see(book, &env, slot_in(0, "infinity"), 1, &plain);
    assert_null(atom_book_judge(book, slot_in(0, "infinity"), 1).data);
    atom_book_see(book, &env, slot_in(0, "alias") + 1u, 1, &alias_role);
    assert_null(atom_book_judge(book, slot_in(0, "alias") + 1u, 1).data);
    assert_true(judges(book, "alias"));
    fit(book);
    assert_true(judges(book, "alias"));
    atom_book_release(book);
    atom_books_free(books);
}

static const char *release_of(int table)
{
    return atom_tables[table].release;
}

/* What a patch release has otherwise moves all atoms behind it: each is known by its own slots. */
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
        struct atom_books *books = atom_books_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct atom_book *book = atom_books_find(books, &env, &end);
        for (size_t i = 0; i < sizeof atoms / sizeof atoms[0]; i++)
            atom_book_define(book, &env, slot_in(t, atoms[i]), text_of(atoms[i]), 1,
                             ATOM_BOOK_USED);
        atom_book_see(book, &env, slot_in(t, "alias"), 1, &alias_role);
        assert_int_equal(atom_book_judge(book, slot_in(t, "alias"), 1).len, strlen("alias"));
        assert_int_not_equal(book->usable[t], 0);
        for (int other = 0; other < ATOM_TABLES_NUM; other++)
            assert_true(other == t || book->usable[other] == 0 ||
                        slot_in(other, "asynchronous") == slot_in(t, "asynchronous"));
        atom_book_release(book);
        atom_books_free(books);
    }
}

/* Of a release that is not known the first atoms may be those of one that is: it is believed as far
 * as it was seen to be right. */
static void believes_as_far_as_seen(void **state)
{
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    for (unsigned i = 50; i < 60; i++)
        define_static(book, 1, (uint16_t)i);
    assert_true(slot_in(1, "alias") < 128);
    atom_book_see(book, &env, slot_in(1, "alias"), 1, &alias_role);
    assert_int_equal(atom_book_judge(book, slot_in(1, "alias"), 1).len, strlen("alias"));
    assert_int_equal(book->usable[1], 128);
    define_static(book, 1, 600);
    atom_book_see(book, &env, slot_in(1, "alias"), 1, &alias_role);
    assert_int_equal(atom_book_judge(book, slot_in(1, "alias"), 1).len, strlen("alias"));
    assert_int_equal(book->usable[1], 640);
    atom_book_release(book);
    atom_books_free(books);
}

/* Each of these is what no node does, or what no node of that release does. */
static void believes_no_liar(void **state)
{
    (void)state;
    for (int lie = 0; lie < 4; lie++) {
        struct atom_books *books = atom_books_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct atom_book *book = atom_books_find(books, &env, &end);
        fit(book);
        assert_true(judges(book, "alias"));
        switch (lie) {
        case 0: /* a slot that no node has */
            atom_book_define(book, &env, 2039, text_of("hello"), 1, ATOM_BOOK_USED);
            break;
        case 1: /* the last one */
            atom_book_define(book, &env, 2047, text_of("hello"), 1, ATOM_BOOK_LISTED);
            break;
        case 2: /* an atom of the table elsewhere */
            atom_book_define(book, &env, (uint16_t)(slot_in(0, "false") + 1), text_of("false"), 1,
                             ATOM_BOOK_USED);
            break;
        case 3: /* one atom in two slots */
            atom_book_define(book, &env, 1500, text_of("hello"), 1, ATOM_BOOK_USED);
            assert_true(atom_book_trusts(book));
            atom_book_define(book, &env, 1501, text_of("hello"), 1, ATOM_BOOK_USED);
            break;
        }
        assert_false(judges(book, "alias"));
        assert_int_equal(atom_book_trusts(book), lie == 2);
        atom_book_release(book);
        atom_books_free(books);
    }
}

static bool is_text(struct ds_text text, const char *want)
{
    return text.len == strlen(want) && memcmp(text.data, want, text.len) == 0;
}

/* The module of {_, F, 4} may be any; beside execute_call it is erpc. */
static void tells_by_what_is_beside(void **state)
{
    static const struct atom_role alone = {.fine = "M0{@ai", .coarse = "~0{3.0"};
    static const struct atom_role beside = {.fine = "M0{@ai", .coarse = "~0{3.0", .num_close = 1,
                                            .close = {"*M0{@ai=execute_call"}};
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    fit(book);
    atom_book_see(book, &env, 2001, 1, &alone);
    assert_null(atom_book_judge(book, 2001, 1).data);
    atom_book_see(book, &env, 2001, 1, &beside);
    assert_true(is_text(atom_book_judge(book, 2001, 1), "erpc"));
    atom_book_see(book, &env, 2001, 1, &alone); /* says no less than before */
    assert_true(is_text(atom_book_judge(book, 2001, 1), "erpc"));
    atom_book_release(book);
    atom_books_free(books);
}

/* A slot of which it is known that it goes back and forth may have held an atom before that was first
 * seen to be defined. The same definition, read a second time, does not say that. */
static void goes_back_and_forth(void **state)
{
    for (int times = 1; times <= 3; times++) {
        struct atom_books *books = atom_books_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct atom_book *book = atom_books_find(books, &env, &end);
        (void)state;
        for (int i = 0; i < times; i++) {
            atom_book_set_time(book, i < 2 ? 100 : 200);
            atom_book_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
            atom_book_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);
        }
        atom_book_see(book, &env, 1600, 1, &alias_role);
        atom_book_set_time(book, 50);
        assert_int_equal(atom_book_judge(book, 1600, 1).data != NULL, times == 3);
        atom_book_release(book);
        atom_books_free(books);
    }
}

/* Where nothing is likely, what the slot was seen to hold may be it, by how probable that is. */
static void guesses(void **state)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    struct ds_guess guess;
    (void)state;
    atom_book_guess(book, 1600, 1, &guess); /* nobody asked for a slot yet */
    assert_int_equal(guess.num, 0);
    atom_book_define(book, &env, 1600, text_of("one"), 3, ATOM_BOOK_USED);
    atom_book_define(book, &env, 1600, text_of("other"), 3, ATOM_BOOK_USED);
    atom_book_see_known(book, 1600, text_of("one"), 3, false, &to);
    atom_book_see(book, &env, 1600, 1, &to);
    assert_null(atom_book_judge(book, 1600, 1).data);
    atom_book_guess(book, 1600, 1, &guess);
    assert_int_equal(guess.slot, 1600);
    assert_int_equal(guess.num, 2);
    assert_true(is_text(guess.atom[0].text, "one") && is_text(guess.atom[1].text, "other"));
    assert_true(guess.atom[0].percent > guess.atom[1].percent && guess.atom[1].percent > 0);
    assert_true(guess.atom[0].percent + guess.atom[1].percent < 100);
    atom_book_guess(book, 2040, 1, &guess); /* no node has it */
    assert_int_equal(guess.num, 0);
    atom_book_release(book);
    atom_books_free(books);
}

struct given {
    unsigned num_places, num_atoms;
    struct atom_books *to;
};

static void give_on(void *context, const struct ds_learned *learned)
{
    struct given *given = context;
    *(learned->text.data == NULL ? &given->num_places : &given->num_atoms) += 1;
    assert_true(atom_books_add(given->to, learned));
}

/* A node is where it listens, and at a port of its own for each node that it has called: each of them
 * tells a later run who it is. */
static void knows_a_node_by_its_places(void **state)
{
    struct atom_books *books = atom_books_new(4), *later = atom_books_new(4);
    struct ds_endpoint end = end_of("a@h", 1, 7), unnamed = end_of(NULL, 1, 7);
    struct given given = {0, 0, later};
    (void)state;
    for (uint16_t port = 1; port <= 3; port++) {
        end.port = port;
        struct atom_book *book = atom_books_find(books, &env, &end);
        atom_book_define(book, &env, 1600, text_of("my_server"), port, ATOM_BOOK_USED);
        atom_book_release(book);
    }
    atom_books_each(books, give_on, &given);
    assert_int_equal(given.num_places, 2);
    assert_int_equal(given.num_atoms, 1);
    for (uint16_t port = 1; port <= 3; port++) {
        unnamed.port = port;
        assert_true(is_text(atom_books_name(later, &unnamed), "a@h"));
    }
    unnamed.creation = 8;
    assert_null(atom_books_name(later, &unnamed).data);
    unnamed = end_of(NULL, 1, 7);
    assert_null(atom_books_name(later, &unnamed).data); /* another port */
    atom_books_free(books);
    atom_books_free(later);
}

/* A slot may hold one atom in a direction and another one in the next. */
static void tells_directions_apart(void **state)
{
    static const struct atom_role cast = {.fine = "N0{@t", .coarse = "~0{2.0", .num_close = 1,
                                          .close = {"*N0{@{a}>rex"}};
    static const struct atom_role other = {.fine = "N1#v", .coarse = "~+#v"};
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    fit(book);
    atom_book_define(book, &env, 1700, text_of("my_tag"), 5, ATOM_BOOK_USED);
    atom_book_see_known(book, 1700, text_of("my_tag"), 5, false, &cast);
    atom_book_see(book, &env, 1700, 1, &cast);
    assert_true(is_text(atom_book_judge(book, 1700, 1), "my_tag"));
    atom_book_see(book, &env, 1700, 3, &other);
    assert_null(atom_book_judge(book, 1700, 3).data);
    /* More directions than are told apart: the last ones share their roles. */
    for (uint64_t direction = 10; direction < 10 + 2 * ATOM_BOOK_SEEN_BY; direction++)
        atom_book_see(book, &env, 1700, direction, &cast);
    assert_int_equal(book->num_seen_by, ATOM_BOOK_SEEN_BY);
    assert_true(is_text(atom_book_judge(book, 1700, 10 + ATOM_BOOK_SEEN_BY), "my_tag"));
    atom_book_release(book);
    atom_books_free(books);
}

/* What was learned on one connection serves another, but not the one where it was said after the
 * slot had meant something else. */
static void learns(void **state)
{
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    atom_book_set_time(book, 100);
    atom_book_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
    atom_book_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);
    atom_book_see(book, &env, 1600, 1, &alias_role);
    atom_book_see(book, &env, 1600, 3, &alias_role);
    assert_true(is_text(atom_book_judge(book, 1600, 1), "my_server")); /* later, and not before: */
    atom_book_set_time(book, 50);
    atom_book_define(book, &env, 1, text_of("true"), 9, ATOM_BOOK_USED);
    assert_null(atom_book_judge(book, 1600, 1).data);
    assert_true(is_text(atom_book_judge(book, 1600, 3), "my_server"));
    /* A list of atoms teaches nothing. */
    atom_book_define(book, &env, 1601, text_of("listed"), 0, ATOM_BOOK_LISTED);
    atom_book_see(book, &env, 1601, 1, &alias_role);
    assert_null(atom_book_judge(book, 1601, 3).data);
    atom_book_release(book);
    atom_books_free(books);
}

static void tells_incarnations_apart(void **state)
{
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint a = end_of("a@h", 1, 7), later = end_of("a@h", 1, 8),
                             b = end_of("b@h", 1, 7), nobody = end_of(NULL, 1, 7),
                             elsewhere = end_of(NULL, 2, 7);
    struct atom_book *unnamed = atom_books_find(books, &env, &nobody);
    (void)state;
    assert_ptr_not_equal(atom_books_find(books, &env, &elsewhere), unnamed);
    struct atom_book *book = atom_books_find(books, &env, &a);
    assert_ptr_equal(book, unnamed); /* it has got a name */
    assert_ptr_equal(atom_books_find(books, &env, &nobody), book);
    assert_ptr_not_equal(atom_books_find(books, &env, &later), book);
    assert_ptr_not_equal(atom_books_find(books, &env, &b), book); /* of the same creation */
    atom_books_free(books);
}

/* At the cap the one not met for longest goes; one in use stays. */
static void keeps_to_the_cap(void **state)
{
    struct atom_books *books = atom_books_new(2);
    const struct ds_endpoint a = end_of("a@h", 1, 7), b = end_of("b@h", 2, 7),
                             c = end_of("c@h", 3, 7);
    (void)state;
    env.stats = (struct ds_stats){0};
    struct atom_book *first = atom_books_find(books, &env, &a);
    fit(first);
    assert_true(judges(first, "alias"));
    atom_book_release(atom_books_find(books, &env, &b));
    assert_non_null(atom_books_find(books, &env, &c)); /* instead of b */
    assert_int_equal(env.stats.limits_hit[DS_LIMIT_ATOM_BOOKS], 1);
    assert_null(atom_books_find(books, &env, &b)); /* both are in use */
    assert_true(judges(first, "alias"));
    atom_books_free(books);

    books = atom_books_new(0);
    assert_null(atom_books_find(books, &env, &a));
    atom_books_free(books);
}

/* More texts than a slot keeps: the newest stay, and none is wrong. */
static void keeps_a_few_texts(void **state)
{
    struct atom_books *books = atom_books_new(1);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    char text[32];
    (void)state;
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "text_%d", i);
        atom_book_define(book, &env, 1700, text_of(text), 1, ATOM_BOOK_USED);
    }
    atom_book_see(book, &env, 1700, 1, &alias_role);
    assert_null(atom_book_judge(book, 1700, 3).data); /* it may be any of them */
    atom_book_release(book);
    atom_books_free(books);
}

/* define_number defines an atom that no other number has. */
static void define_number(struct atom_book *book, uint16_t slot, unsigned number)
{
    char text[32];
    snprintf(text, sizeof text, "text_%u", number);
    atom_book_define(book, &env, slot, text_of(text), 1, ATOM_BOOK_USED);
}

/* However much is known of a sender that never stops to define, the next definition and what is
 * asked after it cost the same. */
static void costs_the_same(void **state)
{
    struct atom_books *books = atom_books_new(16);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    fit(book);
    (void)judges(book, "alias");
    const uint64_t before = book->work;
    const unsigned num = 40000;
    for (unsigned i = 0; i < num; i++) {
        define_number(book, (uint16_t)(i % 2039), i);
        (void)judges(book, "alias");
    }
    assert_true(atom_book_trusts(book));
    assert_in_range(book->num_learned, 4 * 2039 - 8, 4 * 2039);
    assert_in_range(book->work - before, num, 24 * num);
    /* Nor do atoms of the tables make it weigh them each time. */
    const uint64_t earlier = book->work;
    for (unsigned i = 0; i < 4000; i++) {
        fit(book);
        (void)judges(book, "alias");
    }
    assert_in_range(book->work - earlier, 1, 300000);
    atom_book_release(book);
    atom_books_free(books);
}

/* All books together are bounded in bytes: at the cap nothing more is learned, and counted. */
static void keeps_to_the_bytes(void **state)
{
    struct atom_books *books = atom_books_new(1);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    (void)state;
    env.stats = (struct ds_stats){0};
    for (unsigned i = 0; i < 20000; i++)
        define_number(book, (uint16_t)(i % 2039), i);
    assert_in_range(books->meter.used, ATOM_BOOK_BYTES / 4, ATOM_BOOK_BYTES);
    assert_true(env.stats.limits_hit[DS_LIMIT_ATOM_BOOKS] > 0);
    assert_int_equal(env.stats.no_memory, 0);
    atom_book_release(book);
    /* One that is not in use makes room. */
    const struct ds_endpoint other = end_of("b@h", 2, 7);
    book = atom_books_find(books, &env, &other);
    assert_non_null(book);
    assert_in_range(books->meter.used, 1, ATOM_BOOK_BYTES / 4);
    atom_book_release(book);
    atom_books_free(books);
}

/* Texts that were chosen for their hash end what is believed, before they cost much. */
static void ends_at_a_full_bucket(void **state)
{
    struct atom_books *books = atom_books_new(16);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    unsigned num = 0;
    char text[32];
    (void)state;
    for (unsigned i = 0; num < ATOM_BOOK_BUCKET_MAX; i++) {
        snprintf(text, sizeof text, "text_%u", i);
        uint32_t hash = 2166136261u;
        for (const char *c = text; *c != '\0'; c++)
            hash = (hash ^ (uint8_t)*c) * 16777619u;
        if (hash % ATOM_BOOK_BUCKETS != 5)
            continue;
        assert_true(atom_book_trusts(book));
        define_number(book, (uint16_t)num++, i);
    }
    assert_true(atom_book_trusts(book));
    assert_true(atom_book_has_elsewhere(book, 2000, text_of(text)));
    struct ds_text last = text_of(text);
    atom_book_define(book, &env, 2000, last, 1, ATOM_BOOK_USED);
    assert_false(atom_book_trusts(book));
    atom_book_release(book);
    atom_books_free(books);
}

static void use_all(void *context)
{
    (void)context;
    struct ds_atom_memory *memory = ds_atom_memory_new(2);
    const struct ds_learned learned = {.node = end_of("a@h", 1, 7),
                                       .slot = slot_in(0, "ok"),
                                       .text = text_of("ok")};
    if (memory != NULL)
        (void)ds_atom_memory_add(memory, &learned);
    ds_atom_memory_free(memory);
    struct atom_books *books = atom_books_new(2);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = books != NULL ? atom_books_find(books, &env, &end) : NULL;
    if (book != NULL) {
        fit(book);
        atom_book_see(book, &env, 35, 1, &alias_role);
        (void)atom_book_judge(book, 35, 1);
        atom_book_release(book);
    }
    atom_books_free(books);
}

static void survives_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(use_all, NULL) > 5);
}

/* held_now says what a slot is taken to hold that held "ok" before, in one new role. */
static enum atom_held_verdict held_now(struct atom_book *book, double changed, double *weight,
                                       const char *fine, const char *coarse, bool *is_likely)
{
    struct atom_held held = {.text = text_of("my_server"),
                             .changed = changed,
                             .lost = changed,
                             .roles = {{atom_role_hash(fine), atom_role_hash(coarse)}},
                             .num_roles = 1,
                             .num_new = 1,
                             .weight = *weight};
    struct ds_text text;
    const enum atom_held_verdict verdict = atom_book_judge_held(book, 1600, 1, &held, &text);
    *is_likely = text.data == held.text.data;
    *weight = held.weight;
    return verdict;
}

/* After lost packets a role in which the atom was seen speaks for it, and others speak against it. */
static void doubts_what_was_held(void **state)
{
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct atom_book *book = atom_books_find(books, &env, &end);
    bool is_likely;
    double weight = 0;
    (void)state;
    atom_book_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
    atom_book_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);

    assert_int_equal(held_now(book, 0.001, &weight, alias_role.fine, alias_role.coarse, &is_likely),
                     ATOM_HELD_STILL);
    assert_true(is_likely);
    assert_true(weight > 5);
    weight = 0;
    assert_int_equal(held_now(book, 0.5, &weight, "to", "~to", &is_likely), ATOM_HELD_GONE);
    assert_false(is_likely);
    /* What hardly can have changed: one such role is not enough, several are. */
    weight = 0;
    assert_int_equal(held_now(book, 0.001, &weight, "to", "~to", &is_likely), ATOM_HELD_DOUBTFUL);
    assert_true(is_likely);
    (void)held_now(book, 0.001, &weight, "N0{@a", "~0{2.0", &is_likely);
    (void)held_now(book, 0.001, &weight, "N0{@aa", "~0{3.0", &is_likely);
    assert_false(is_likely);
    assert_true(weight <= -6);

    /* That it stands in the same roles over and over says no more than twice as much. */
    struct atom_held held = {.text = text_of("my_server"), .changed = 0.001, .lost = 0.001,
                             .roles = {{atom_role_hash("to"), atom_role_hash("~to")}},
                             .num_roles = 1};
    struct ds_text text;
    for (int i = 0; i < 10; i++)
        (void)atom_book_judge_held(book, 1600, 1, &held, &text);
    const double some = held.weight;
    for (int i = 0; i < 1000; i++)
        (void)atom_book_judge_held(book, 1600, 1, &held, &text);
    assert_true(some < 0 && held.weight < some && held.weight > -6);

    /* Nothing is likely of a liar. */
    weight = 0;
    atom_book_define(book, &env, 2040, text_of("hello"), 1, ATOM_BOOK_USED);
    assert_int_equal(held_now(book, 0, &weight, alias_role.fine, alias_role.coarse, &is_likely),
                     ATOM_HELD_DOUBTFUL);
    assert_false(is_likely);
    atom_book_release(book);
    atom_books_free(books);
}

enum { NUM_OWN = 1000 };

/* own_build makes a table of atoms of the first release in another order, with some that no release
 * has. */
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

static bool tell_own(struct atom_books *books)
{
    struct ds_text atoms[NUM_OWN];
    own_build(atoms);
    return atom_books_add_static(books, atoms, NUM_OWN);
}

/* The user's table is used for a node that it fits, and for that alone. */
static void knows_what_the_user_builds(void **state)
{
    struct ds_text atoms[NUM_OWN];
    const struct ds_endpoint a = end_of("a@h", 1, 7), b = end_of("b@h", 2, 7);
    (void)state;
    own_build(atoms);
    for (int has_table = 0; has_table < 2; has_table++) {
        struct atom_books *books = atom_books_new(4);
        assert_true(!has_table || tell_own(books));
        struct atom_book *own = atom_books_find(books, &env, &a);
        struct atom_book *other = atom_books_find(books, &env, &b);
        for (uint16_t i = 101; i < 121; i++)
            atom_book_define(own, &env, i, atoms[i], 1, ATOM_BOOK_USED);
        fit(other);
        for (int i = 0; i < 2; i++)
            atom_book_see(i == 0 ? own : other, &env, 7, 1, &alias_role);
        assert_int_equal(atom_book_judge(own, 7, 1).data != NULL, has_table);
        assert_null(atom_book_judge(other, 7, 1).data);
        assert_true(judges(other, "alias"));
        /* One of its atoms in another slot: it is another build. */
        atom_book_define(own, &env, 200, atoms[125], 1, ATOM_BOOK_USED);
        assert_null(atom_book_judge(own, 7, 1).data);
        assert_false(has_table && tell_own(books)); /* now it is too late */
        atom_books_free(books);
    }
}

/* A table that is one of a release once more speaks for that release, not against it. */
static void knows_what_is_known(void **state)
{
    struct ds_text atoms[NUM_OWN];
    struct atom_books *books = atom_books_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    (void)state;
    for (unsigned i = 0; i < NUM_OWN; i++)
        atoms[i] = atom_table_text(atom_tables[0].texts[i]);
    assert_true(atom_books_add_static(books, atoms, NUM_OWN));
    struct atom_book *book = atom_books_find(books, &env, &end);
    fit(book);
    assert_true(judges(book, "alias"));
    atom_books_free(books);
}

/* A table has some atoms, and each is one. */
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
    struct atom_books *books = atom_books_new(4);
    (void)context;
    if (books != NULL && !tell_own(books))
        assert_true(failing_alloc_failed());
    atom_books_free(books);
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
        cmocka_unit_test(knows_a_release),
        cmocka_unit_test(knows_patch_releases),
        cmocka_unit_test(believes_as_far_as_seen),
        cmocka_unit_test(believes_no_liar),
        cmocka_unit_test(tells_by_what_is_beside),
        cmocka_unit_test(tells_directions_apart),
        cmocka_unit_test(learns),
        cmocka_unit_test(guesses),
        cmocka_unit_test(goes_back_and_forth),
        cmocka_unit_test(knows_a_node_by_its_places),
        cmocka_unit_test(doubts_what_was_held),
        cmocka_unit_test(tells_incarnations_apart),
        cmocka_unit_test(keeps_to_the_cap),
        cmocka_unit_test(keeps_a_few_texts),
        cmocka_unit_test(costs_the_same),
        cmocka_unit_test(keeps_to_the_bytes),
        cmocka_unit_test(ends_at_a_full_bucket),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(knows_what_the_user_builds),
        cmocka_unit_test(knows_what_is_known),
        cmocka_unit_test(takes_atoms_alone_for_a_table),
        cmocka_unit_test(survives_without_memory_for_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
