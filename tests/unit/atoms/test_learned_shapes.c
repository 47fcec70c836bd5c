/*
 * test_learned_shapes.c - contexts that were counted in the user's own traffic: which atoms they
 * show, for which nodes, how they are exported and imported, and their caps.
 */
#include "atoms/atom_shape_fit.h"
#include "atoms/learned_shapes.h"
#include "atoms/shape_contexts.h"
#include "node_atoms_world.h"

enum { FIRST_KEY = 1000, FIRST_WHOLE = 500 };

static struct memcap memcap;

static struct learned_shapes *learn(void)
{
    memcap = (struct memcap){.max = 64 << 20};
    return learned_shapes_new(&memcap);
}

static void count(struct learned_shapes *shapes, const char *text, uint32_t key, int times)
{
    for (int i = 0; i < times; i++)
        learned_shapes_count(shapes, text_of(text), &key, 1);
}

static bool is_filler(const struct learned_shapes *shapes, uint32_t key, const char *text)
{
    const uint32_t context = learned_shapes_find(shapes, key, LEARNED_NAMES_ALL);
    for (unsigned i = 0; context != LEARNED_NONE; i++) {
        const unsigned atom = learned_shapes_filler(shapes, context, i);
        if (atom == ATOM_TABLE_NONE)
            return false;
        const struct ds_text found = learned_shapes_text(shapes, atom);
        if (found.len == strlen(text) && memcmp(found.data, text, found.len) == 0)
            return true;
    }
    return false;
}

/* A context of one atom shows that atom; one of many atoms, or of nodes, shows nothing. */
static void contexts_are_counted(void **state)
{
    char text[24];
    struct learned_shapes *shapes = learn();
    (void)state;
    count(shapes, "ok", 1, 50);
    count(shapes, "place_order", 2, 50);
    count(shapes, "a@h", 4, 50);
    for (int i = 0; i < 50; i++) {
        snprintf(text, sizeof text, "name_%d", i);
        count(shapes, text, 3, 1);
    }
    assert_true(is_filler(shapes, 1, "ok"));
    assert_true(is_filler(shapes, 2, "place_order"));
    assert_int_equal(learned_shapes_find(shapes, 3, LEARNED_NAMES_ALL), LEARNED_NONE);
    assert_int_equal(learned_shapes_find(shapes, 4, LEARNED_NAMES_ALL), LEARNED_NONE);
    assert_int_equal(learned_shapes_find(shapes, 5, LEARNED_NAMES_ALL), LEARNED_NONE);
    /* Atoms that are in no table may be names: such contexts are not used for all nodes. */
    assert_int_not_equal(learned_shapes_find(shapes, 1, LEARNED_NAMES_NONE), LEARNED_NONE);
    assert_int_equal(learned_shapes_find(shapes, 2, LEARNED_NAMES_NONE), LEARNED_NONE);
    learned_shapes_free(shapes);
    assert_int_equal(memcap.used, 0);
}

/* A context has more atoms than there is room for. It is the last one in the memory of contexts, so
 * that the sanitizer notices a read behind it. */
static void more_atoms_than_a_context_holds(void **state)
{
    enum { FIRST_ROOM = 512 };
    char text[24];
    struct learned_shapes *shapes = learn();
    (void)state;
    for (uint32_t key = 1; key <= FIRST_ROOM; key++)
        count(shapes, "ok", key, 3);
    for (int i = 0; i < 3 * LEARNED_FILLERS; i++) {
        snprintf(text, sizeof text, "name_%d", i);
        count(shapes, text, FIRST_ROOM, 1);
    }
    assert_int_equal(learned_shapes_find(shapes, FIRST_ROOM, LEARNED_NAMES_ALL), LEARNED_NONE);
    assert_true(is_filler(shapes, FIRST_ROOM - 1, "ok"));
    learned_shapes_free(shapes);
    assert_int_equal(memcap.used, 0);
}

/* The more often only one atom occurs in a context, the less likely is another one there. */
static void counts_tell(void **state)
{
    struct learned_shapes *shapes = learn();
    (void)state;
    count(shapes, "ok", 1, 1);
    count(shapes, "ok", 2, 1000);
    count(shapes, "ok", 3, 500);
    count(shapes, "error", 3, 500);
    const uint32_t once = learned_shapes_find(shapes, 1, LEARNED_NAMES_NONE);
    const uint32_t often = learned_shapes_find(shapes, 2, LEARNED_NAMES_NONE);
    const uint32_t two = learned_shapes_find(shapes, 3, LEARNED_NAMES_NONE);
    assert_true(learned_shapes_novelty(shapes, once) < learned_shapes_novelty(shapes, often));
    assert_true(learned_shapes_novelty(shapes, two) < learned_shapes_novelty(shapes, often));
    assert_true(is_filler(shapes, 3, "ok") && is_filler(shapes, 3, "error"));
    learned_shapes_free(shapes);
}

/* Of messages of one shape in quick succession, only some are counted. */
static void repeated_messages_are_skipped(void **state)
{
    struct learned_shapes *shapes = learn();
    int num = 0;
    (void)state;
    for (int i = 0; i < 10000; i++)
        num += learned_shapes_wants(shapes, 77);
    assert_in_range(num, 500, 1000);
    assert_true(learned_shapes_wants(shapes, 78));
    assert_true(learned_shapes_wants(shapes, 0));
    learned_shapes_free(shapes);
}

/* Beyond the cap nothing is kept, and what is there stays right. */
static void is_bounded(void **state)
{
    char text[24];
    struct learned_shapes *shapes = learn();
    (void)state;
    for (uint32_t i = 1; i <= LEARNED_CONTEXTS + 100; i++)
        count(shapes, "ok", i, 3);
    assert_true(is_filler(shapes, LEARNED_CONTEXTS, "ok"));
    assert_int_equal(learned_shapes_find(shapes, LEARNED_CONTEXTS + 1, LEARNED_NAMES_ALL), LEARNED_NONE);
    for (int i = 0; i < LEARNED_ATOMS + 100; i++) {
        snprintf(text, sizeof text, "own_%d", i);
        count(shapes, text, (uint32_t)i + 1, 9);
    }
    assert_int_not_equal(learned_shapes_atom(shapes, text_of("own_4095")), ATOM_TABLE_NONE);
    assert_int_equal(learned_shapes_atom(shapes, text_of("own_4096")), ATOM_TABLE_NONE);
    for (uint32_t i = 1; i <= LEARNED_WHOLES + 100; i++)
        assert_int_equal(learned_shapes_add_whole(shapes, i), i <= LEARNED_WHOLES);
    assert_true(learned_shapes_has_whole(shapes, LEARNED_WHOLES));
    assert_false(learned_shapes_has_whole(shapes, LEARNED_WHOLES + 1));
    assert_true(memcap.used < 4 << 20);
    learned_shapes_free(shapes);
    assert_int_equal(memcap.used, 0);
}

/* A node is recognised by its name and by its address, but not by loopback addresses. */
static void nodes_are_known_again(void **state)
{
    const struct ds_addr addr = {4, {10, 0, 0, 1}}, other = {4, {10, 0, 0, 2}}, local = {4, {127, 0, 0, 1}};
    const struct ds_addr local6 = {6, {[15] = 1}};
    struct learned_shapes *shapes = learn();
    (void)state;
    learned_shapes_add_place(shapes, &addr, text_of("a@h"));
    learned_shapes_add_place(shapes, &local, (struct ds_text){NULL, 0});
    learned_shapes_add_place(shapes, &local6, (struct ds_text){NULL, 0});
    assert_int_equal(learned_shapes_names_at(shapes, &addr), LEARNED_NAMES_THIS_RUN);
    assert_int_equal(learned_shapes_names_at(shapes, &other), LEARNED_NAMES_NONE);
    assert_int_equal(learned_shapes_names_at(shapes, &local), LEARNED_NAMES_NONE);
    assert_int_equal(learned_shapes_names_at(shapes, &local6), LEARNED_NAMES_NONE);
    assert_int_equal(learned_shapes_names_of(shapes, text_of("a@h")), LEARNED_NAMES_THIS_RUN);
    assert_int_equal(learned_shapes_names_of(shapes, text_of("b@h")), LEARNED_NAMES_NONE);
    learned_shapes_free(shapes);
}

static void keep(void *context, const struct ds_learned_shape *shape)
{
    assert_true(learned_shapes_add(context, shape));
}

/* Exported contexts mean the same when they are imported; in the next run they are one run older. */
static void is_given_out(void **state)
{
    const struct ds_addr addr = {4, {10, 0, 0, 1}};
    struct learned_shapes *shapes = learn(), *next = learned_shapes_new(&memcap);
    (void)state;
    count(shapes, "ok", 1, 70);
    count(shapes, "error", 1, 30);
    count(shapes, "place_order", 2, 64);
    assert_true(learned_shapes_add_whole(shapes, 9));
    learned_shapes_add_place(shapes, &addr, text_of("a@h"));
    learned_shapes_each(shapes, keep, next);
    assert_true(is_filler(next, 1, "ok") && is_filler(next, 1, "error"));
    assert_true(is_filler(next, 2, "place_order"));
    assert_true(learned_shapes_has_whole(next, 9));
    assert_int_equal(learned_shapes_names_at(next, &addr), LEARNED_NAMES_ALL);
    assert_int_equal(learned_shapes_names_of(next, text_of("a@h")), LEARNED_NAMES_ALL);
    /* What both runs counted applies to the nodes of the earlier run alone. */
    assert_int_not_equal(learned_shapes_find(shapes, 2, LEARNED_NAMES_THIS_RUN), LEARNED_NONE);
    assert_int_equal(learned_shapes_find(next, 2, LEARNED_NAMES_THIS_RUN), LEARNED_NONE);
    count(next, "place_order", 3, 9);
    assert_int_not_equal(learned_shapes_find(next, 3, LEARNED_NAMES_THIS_RUN), LEARNED_NONE);
    const uint32_t here = learned_shapes_find(shapes, 2, LEARNED_NAMES_ALL), there = learned_shapes_find(next, 2, LEARNED_NAMES_ALL);
    assert_int_equal(learned_shapes_novelty(shapes, here), learned_shapes_novelty(next, there));
    count(next, "place_order", 2, 1);
    assert_true(learned_shapes_novelty(next, there) > learned_shapes_novelty(shapes, here));
    learned_shapes_free(shapes);
    learned_shapes_free(next);
    assert_int_equal(memcap.used, 0);
}

static bool adds(struct learned_shapes *shapes, enum ds_learned_kind kind, size_t num,
                 const uint32_t *numbers)
{
    return learned_shapes_add(shapes,
                              &(struct ds_learned_shape){.kind = kind, .numbers = numbers, .num = num});
}
#define ADDS(kind, ...)                                                                                 \
    adds(shapes, kind, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

/* A hostile file is refused, or does no harm. */
static void nonsense_is_refused(void **state)
{
    struct learned_shapes *shapes = learn();
    (void)state;
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 5, 1)); /* no atom was imported yet */
    keep(shapes, &(struct ds_learned_shape){.kind = DS_LEARNED_ATOM, .text = text_of("ok")});
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 1, 5, 1)); /* there is no second run */
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 6, 1)); /* more than all */
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 0, 1, 0, 0, 0, 1));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 0, 0, 0, 5, 0));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 5, 2)); /* in more runs than there were */
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 65536, 1, 0, 0, 5, 1));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 256, 0, 0, 5, 1));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 256, 0, 5, 1));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 5));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 9, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1,
                      1, 0, 1, 1)); /* seven atoms */
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1));
    assert_true(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 5, 1));
    assert_false(ADDS(DS_LEARNED_CONTEXT, 1, 5, 1, 0, 0, 5, 1)); /* again */
    assert_false(ADDS(DS_LEARNED_WHOLE, 0));
    assert_false(ADDS(DS_LEARNED_WHOLE, 1, 2));
    assert_false(ADDS(DS_LEARNED_PLACE, 0, 5, 1));
    assert_false(ADDS(DS_LEARNED_PLACE, 0, 5, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    assert_false(ADDS(DS_LEARNED_PLACE, 0, 4, 256, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    assert_true(ADDS(DS_LEARNED_PLACE, 0, 4, 10, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    assert_false(learned_shapes_add(shapes, &(struct ds_learned_shape){.kind = DS_LEARNED_ATOM}));
    learned_shapes_free(shapes);
}

/* teach makes books learn a user's application: its shapes, and the places of its atoms. */
static struct all_node_atoms *teach(void)
{
    struct all_node_atoms *books = all_node_atoms_new(8);
    struct learned_shapes *shapes = books != NULL ? all_node_atoms_shapes(books) : NULL;
    const struct ds_addr addr = {4, {10, 0, 0, 1}};
    if (shapes == NULL)
        return books;
    for (uint32_t i = 0; i < 10; i++)
        (void)learned_shapes_add_whole(shapes, FIRST_WHOLE + i);
    for (uint32_t i = 0; i < 4; i++) {
        count(shapes, "place_order", FIRST_KEY + i, 1000);
        count(shapes, "cancel_order", FIRST_KEY + 10 + i, 1000);
        count(shapes, "mnesia_tm", FIRST_KEY + 20 + i, 1000);
        count(shapes, "rabbit_framing_amqp_0_9_1", FIRST_KEY + 30 + i, 1000);
        count(shapes, "rabbit_group_8", FIRST_KEY + 40 + i, 1000);
    }
    learned_shapes_add_place(shapes, &addr, text_of("a@h"));
    return books;
}

/* meet returns a node that sends what the application sends. */
static struct node_atoms *meet(struct all_node_atoms *books, const char *name, uint8_t host,
                               uint32_t num_wholes)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    const struct ds_endpoint end = end_of(name, host, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    if (book == NULL)
        return NULL;
    node_atoms_release(book);
    for (uint32_t i = 0; i < num_wholes; i++)
        shape_fit_see_whole(book, FIRST_WHOLE + i);
    for (uint16_t slot = 2001; slot <= 2003; slot++)
        node_atoms_see(book, &env, slot, 1, &to);
    return book;
}

static bool means(struct node_atoms *book, uint16_t slot, uint32_t first_key, const char *text)
{
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t key = first_key + i;
        for (int again = 0; again < 8; again++)
            see_in(book, slot, 1, &key, 1);
    }
    const struct ds_text found = atom_infer(book, slot, 1);
    assert_true(found.data == NULL ||
                (found.len == strlen(text) && memcmp(found.data, text, found.len) == 0));
    return found.data != NULL;
}

/* Contexts apply to nodes that send the same shapes; names of users to recognised nodes. */
static void holds_for_nodes_alike(void **state)
{
    struct all_node_atoms *books = teach();
    struct node_atoms *book = meet(books, "a@h", 9, 4);
    (void)state;
    assert_false(means(book, 2001, FIRST_KEY, "place_order")); /* four shapes are too few */
    shape_fit_see_whole(book, FIRST_WHOLE + 4);
    assert_true(means(book, 2001, FIRST_KEY, "place_order"));
    assert_true(means(book, 2002, FIRST_KEY + 20, "mnesia_tm"));
    /* Where one of a series occurs, another one may; a version is no series. */
    assert_true(means(book, 2003, FIRST_KEY + 30, "rabbit_framing_amqp_0_9_1"));
    book = meet(books, NULL, 1, 5); /* at its address */
    assert_true(means(book, 2001, FIRST_KEY, "place_order"));
    assert_false(means(book, 2003, FIRST_KEY + 40, "rabbit_group_8"));
    book = meet(books, NULL, 2, 5);
    assert_false(means(book, 2001, FIRST_KEY, "place_order"));
    assert_true(means(book, 2002, FIRST_KEY + 20, "mnesia_tm"));
    book = meet(books, "b@h", 1, 5); /* another node at its address */
    assert_false(means(book, 2001, FIRST_KEY, "place_order"));
    all_node_atoms_free(books);
}

/* A node that turns out to have another name is another node, if that name was not learned. */
static void a_name_decides(void **state)
{
    struct all_node_atoms *books = teach();
    struct node_atoms *book = meet(books, NULL, 1, 5);
    (void)state;
    assert_true(means(book, 2001, FIRST_KEY, "place_order"));
    const struct ds_endpoint named = end_of("b@h", 1, 7);
    assert_ptr_equal(all_node_atoms_find(books, &env, &named, NULL), book);
    node_atoms_release(book);
    shape_fit_see_whole(book, FIRST_WHOLE);
    assert_null(atom_infer(book, 2001, 1).data);
    all_node_atoms_free(books);
}

/* Known atoms in places where others were learned refute these; only names refute names. */
static void known_atoms_refute_it(void **state)
{
    struct all_node_atoms *books = teach();
    struct node_atoms *book = meet(books, "a@h", 1, 5);
    (void)state;
    assert_true(means(book, 2001, FIRST_KEY, "place_order"));
    assert_true(means(book, 2002, FIRST_KEY + 20, "mnesia_tm"));
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t key = FIRST_KEY + 10 + i;
        assert_non_null(atom_infer(book, 2001, 1).data);
        see_known_in(book, text_of("something_else"), &key, 1);
    }
    assert_null(atom_infer(book, 2001, 1).data);
    assert_non_null(atom_infer(book, 2002, 1).data);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t key = FIRST_KEY + 20 + i;
        see_known_in(book, text_of("something_else"), &key, 1);
    }
    assert_null(atom_infer(book, 2002, 1).data);
    all_node_atoms_free(books);
}

static void run_with_failures(void *context)
{
    struct all_node_atoms *books = teach();
    struct node_atoms *book = books != NULL ? meet(books, "a@h", 1, 5) : NULL;
    (void)context;
    if (book != NULL && books->learned != NULL && book->slots != NULL) {
        const bool is_meant = means(book, 2001, FIRST_KEY, "place_order");
        assert_true(is_meant || failing_alloc_failed());
    }
    all_node_atoms_free(books);
}

static void survives_without_memory(void **state)
{
    (void)state;
    assert_in_range(failing_alloc_each(run_with_failures, NULL), 8, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_are_counted),
        cmocka_unit_test(more_atoms_than_a_context_holds),
        cmocka_unit_test(counts_tell),
        cmocka_unit_test(repeated_messages_are_skipped),
        cmocka_unit_test(is_bounded),
        cmocka_unit_test(nodes_are_known_again),
        cmocka_unit_test(is_given_out),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(holds_for_nodes_alike),
        cmocka_unit_test(a_name_decides),
        cmocka_unit_test(known_atoms_refute_it),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
