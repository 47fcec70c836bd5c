/*
 * test_node_atoms.c - what is learned about a sender: what a slot may mean, how long that is
 * believed, and what it costs.
 */
#include "atoms/node_slot_names.h"
#include "node_atoms_world.h"

static bool is_text(struct ds_text text, const char *want)
{
    return text.len == strlen(want) && memcmp(text.data, want, text.len) == 0;
}

/* The module in {_, F, 4} may be any; with execute_call it is erpc. */
static void tells_by_what_is_beside(void **state)
{
    static const struct atom_role alone = {.fine = "M0{@ai", .coarse = "~0{3.0"};
    static const struct atom_role beside = {.fine = "M0{@ai", .coarse = "~0{3.0", .num_close = 1,
                                            .close = {"*M0{@ai=execute_call"}};
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    fit(book);
    node_atoms_see(book, &env, 2001, 1, &alone);
    assert_null(atom_infer(book, 2001, 1).data);
    node_atoms_see(book, &env, 2001, 1, &beside);
    assert_true(is_text(atom_infer(book, 2001, 1), "erpc"));
    node_atoms_see(book, &env, 2001, 1, &alone); /* the evidence is not weaker than before */
    assert_true(is_text(atom_infer(book, 2001, 1), "erpc"));
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* A slot that is known to alternate may have had an atom before its first captured definition. A
 * definition that is only repeated does not show that. */
static void goes_back_and_forth(void **state)
{
    for (int times = 1; times <= 3; times++) {
        struct all_node_atoms *books = all_node_atoms_new(4);
        const struct ds_endpoint end = end_of("a@h", 1, 7);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        (void)state;
        for (int i = 0; i < times; i++) {
            node_atoms_set_time(book, i < 2 ? 100 : 200);
            node_atoms_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
            node_atoms_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);
        }
        node_atoms_see(book, &env, 1600, 1, &alias_role);
        node_atoms_set_time(book, 50);
        assert_int_equal(atom_infer(book, 1600, 1).data != NULL, times == 3);
        node_atoms_release(book);
        all_node_atoms_free(books);
    }
}

/* If no atom is likely, the slot's captured definitions are guesses, each with a probability. */
static void guesses(void **state)
{
    static const struct atom_role to = {.fine = "to", .coarse = "~to"};
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    struct ds_guess guess;
    (void)state;
    atom_infer_guess(book, 1600, 1, &guess); /* the slot was not looked up yet */
    assert_int_equal(guess.num, 0);
    node_atoms_define(book, &env, 1600, text_of("one"), 3, ATOM_BOOK_USED);
    node_atoms_define(book, &env, 1600, text_of("other"), 3, ATOM_BOOK_USED);
    node_atoms_see_known(book, 1600, text_of("one"), 3, false, &to);
    node_atoms_see(book, &env, 1600, 1, &to);
    assert_null(atom_infer(book, 1600, 1).data);
    atom_infer_guess(book, 1600, 1, &guess);
    assert_int_equal(guess.slot, 1600);
    assert_int_equal(guess.num, 2);
    assert_true(is_text(guess.atom[0].text, "one") && is_text(guess.atom[1].text, "other"));
    assert_true(guess.atom[0].percent > guess.atom[1].percent && guess.atom[1].percent > 0);
    assert_true(guess.atom[0].percent + guess.atom[1].percent < 100);
    atom_infer_guess(book, 2040, 1, &guess); /* no node has it */
    assert_int_equal(guess.num, 0);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

struct given {
    unsigned num_places, num_atoms;
    struct all_node_atoms *to;
};

static void give_on(void *context, const struct ds_learned *learned)
{
    struct given *given = context;
    *(learned->text.data == NULL ? &given->num_places : &given->num_atoms) += 1;
    assert_true(all_node_atoms_add(given->to, learned));
}

/* A node is recognised by its listening place, and by the port that it uses to each node that it
 * called: a later run can use each of them. */
static void knows_a_node_by_its_places(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4), *later = all_node_atoms_new(4);
    struct ds_endpoint end = end_of("a@h", 1, 7), unnamed = end_of(NULL, 1, 7);
    struct given given = {0, 0, later};
    (void)state;
    for (uint16_t port = 1; port <= 3; port++) {
        end.port = port;
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
        node_atoms_define(book, &env, 1600, text_of("my_server"), port, ATOM_BOOK_USED);
        node_atoms_release(book);
    }
    all_node_atoms_each(books, give_on, &given);
    assert_int_equal(given.num_places, 2);
    assert_int_equal(given.num_atoms, 1);
    for (uint16_t port = 1; port <= 3; port++) {
        unnamed.port = port;
        assert_true(is_text(all_node_atoms_name(later, &unnamed, &unnamed), "a@h"));
    }
    unnamed.creation = 8;
    assert_null(all_node_atoms_name(later, &unnamed, &unnamed).data);
    unnamed = end_of(NULL, 1, 7);
    assert_null(all_node_atoms_name(later, &unnamed, &unnamed).data); /* another port */
    all_node_atoms_free(books);
    all_node_atoms_free(later);
}

/* A slot may mean one atom in one direction and another in the next. */
static void tells_directions_apart(void **state)
{
    static const struct atom_role cast = {.fine = "N0{@t", .coarse = "~0{2.0", .num_close = 1,
                                          .close = {"*N0{@{a}>rex"}};
    static const struct atom_role other = {.fine = "N1#v", .coarse = "~+#v"};
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    fit(book);
    node_atoms_define(book, &env, 1700, text_of("my_tag"), 5, ATOM_BOOK_USED);
    node_atoms_see_known(book, 1700, text_of("my_tag"), 5, false, &cast);
    node_atoms_see(book, &env, 1700, 1, &cast);
    assert_true(is_text(atom_infer(book, 1700, 1), "my_tag"));
    node_atoms_see(book, &env, 1700, 3, &other);
    assert_null(atom_infer(book, 1700, 3).data);
    /* More directions than are distinguished: the last ones share their roles. */
    for (uint64_t direction = 10; direction < 10 + 2 * ATOM_BOOK_SEEN_BY; direction++)
        node_atoms_see(book, &env, 1700, direction, &cast);
    assert_int_equal(book->num_seen_by, ATOM_BOOK_SEEN_BY);
    assert_true(is_text(atom_infer(book, 1700, 10 + ATOM_BOOK_SEEN_BY), "my_tag"));
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* What was learned on one connection helps with another, but not with the one that was captured
 * after the slot had changed its meaning. */
static void learns(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    node_atoms_set_time(book, 100);
    node_atoms_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
    node_atoms_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);
    node_atoms_see(book, &env, 1600, 1, &alias_role);
    node_atoms_see(book, &env, 1600, 3, &alias_role);
    assert_true(is_text(atom_infer(book, 1600, 1), "my_server")); /* later, and not before: */
    node_atoms_set_time(book, 50);
    node_atoms_define(book, &env, 1, text_of("true"), 9, ATOM_BOOK_USED);
    assert_null(atom_infer(book, 1600, 1).data);
    assert_true(is_text(atom_infer(book, 1600, 3), "my_server"));
    /* A list of atoms is no evidence. */
    node_atoms_define(book, &env, 1601, text_of("listed"), 0, ATOM_BOOK_LISTED);
    node_atoms_see(book, &env, 1601, 1, &alias_role);
    assert_null(atom_infer(book, 1601, 3).data);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

static void tells_incarnations_apart(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint a = end_of("a@h", 1, 7), later = end_of("a@h", 1, 8),
                             b = end_of("b@h", 1, 7), nobody = end_of(NULL, 1, 7),
                             elsewhere = end_of(NULL, 2, 7);
    struct node_atoms *unnamed = all_node_atoms_find(books, &env, &nobody, NULL);
    (void)state;
    assert_ptr_not_equal(all_node_atoms_find(books, &env, &elsewhere, NULL), unnamed);
    struct node_atoms *book = all_node_atoms_find(books, &env, &a, NULL);
    assert_ptr_equal(book, unnamed); /* it has got a name */
    assert_ptr_equal(all_node_atoms_find(books, &env, &nobody, NULL), book);
    assert_ptr_not_equal(all_node_atoms_find(books, &env, &later, NULL), book);
    assert_ptr_not_equal(all_node_atoms_find(books, &env, &b, NULL), book); /* with the same creation */
    all_node_atoms_free(books);
}

/* A node without a name has one book for all its ports, unless two nodes of a host may have started
 * in the same second. */
static void finds_a_node_at_another_port(void **state)
{
    enum { SAME_PEER = 1, SAME_HOST, PEER_UNKNOWN, OTHER_CREATION, OTHER_OF_PEER, LEFT, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct all_node_atoms *books = all_node_atoms_new(8);
        struct ds_endpoint end = end_of(NULL, 1, 7), peer = end_of(NULL, 2, i == PEER_UNKNOWN ? 0 : 8);
        struct node_atoms *book = all_node_atoms_find(books, &env, &end, &peer);
        if (i == LEFT)
            node_atoms_leave(book, &end.addr, end.port);
        end.port = 500;
        peer = end_of(NULL, i == SAME_HOST ? 1 : i == 0 || i == OTHER_CREATION ? 3 : 2,
                      i == OTHER_OF_PEER ? 10 : 8);
        end.creation = i == OTHER_CREATION ? 9 : 7;
        struct node_atoms *at_port = all_node_atoms_find(books, &env, &end, &peer);
        if (i == 0 || i == OTHER_OF_PEER || i == LEFT)
            assert_ptr_equal(at_port, book);
        else
            assert_ptr_not_equal(at_port, book);
        assert_true(node_atoms_trusts(book)); /* it was only one */
        all_node_atoms_free(books);
    }
}

/* Two nodes of a host that were mistaken for one: each has a connection to the same third node. All
 * that was learned of them is dropped. */
static void parts_nodes_of_one_second(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(8);
    struct ds_endpoint end = end_of(NULL, 1, 7);
    const struct ds_endpoint peer = end_of(NULL, 2, 8), other = end_of(NULL, 3, 8);
    (void)state;
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, &peer);
    end.port = 500;
    assert_ptr_equal(all_node_atoms_find(books, &env, &end, &other), book);
    assert_true(node_atoms_is_of(book, &end));
    end.port = 501;
    struct node_atoms *second = all_node_atoms_find(books, &env, &end, &peer);
    assert_ptr_not_equal(second, book);
    assert_false(node_atoms_trusts(book));
    assert_true(node_atoms_trusts(second));
    end.port = 500;
    assert_false(node_atoms_is_of(book, &end));
    struct node_atoms *third = all_node_atoms_find(books, &env, &end, &other);
    assert_ptr_not_equal(third, book);
    assert_ptr_not_equal(third, second);
    all_node_atoms_free(books);

    /* A name has only one slot. */
    books = all_node_atoms_new(8);
    book = all_node_atoms_find(books, &env, &end, &peer);
    node_atoms_set_own(book, 653);
    node_atoms_set_own(book, 653);
    assert_true(node_atoms_trusts(book));
    node_atoms_set_own(book, 654);
    assert_false(node_atoms_trusts(book));
    all_node_atoms_free(books);
}

/* A slot is the node at the end of a connection if it occurs in a pid with that node's creation. */
static void knows_ends_by_slots(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(8);
    const struct ds_endpoint end = end_of(NULL, 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    for (uint16_t i = 0; i <= ATOM_BOOK_ENDS; i++) {
        const struct ds_endpoint peer = end_of(NULL, 2, 100u + i);
        node_slot_names_add_end(book, (uint16_t)(813 + i), &peer);
    }
    assert_null(node_slot_names_end_of(book, 813, 100)); /* the oldest has made room */
    assert_int_equal(node_slot_names_end_of(book, 814, 101)->port, end_of(NULL, 2, 0).port);
    assert_null(node_slot_names_end_of(book, 814, 100));
    const struct ds_endpoint unknown = end_of(NULL, 3, 0), later = end_of(NULL, 3, 300);
    node_slot_names_add_end(book, 814, &unknown);
    assert_non_null(node_slot_names_end_of(book, 814, 101));
    node_slot_names_add_end(book, 814, &later);
    assert_null(node_slot_names_end_of(book, 814, 101));
    assert_non_null(node_slot_names_end_of(book, 814, 300));
    node_slot_names_add_end(book, ATOM_BOOK_MODULUS, &later);
    assert_null(node_slot_names_end_of(book, ATOM_BOOK_MODULUS, 300));
    all_node_atoms_free(books);
}

/* At the cap, the book that was unused for longest is evicted; one in use stays. */
static void keeps_to_the_cap(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(2);
    const struct ds_endpoint a = end_of("a@h", 1, 7), b = end_of("b@h", 2, 7),
                             c = end_of("c@h", 3, 7);
    (void)state;
    env.stats = (struct ds_stats){0};
    struct node_atoms *first = all_node_atoms_find(books, &env, &a, NULL);
    fit(first);
    assert_true(judges(first, "alias"));
    node_atoms_release(all_node_atoms_find(books, &env, &b, NULL));
    assert_non_null(all_node_atoms_find(books, &env, &c, NULL)); /* instead of b */
    assert_int_equal(env.stats.limits_hit[DS_LIMIT_ATOM_BOOKS], 1);
    assert_null(all_node_atoms_find(books, &env, &b, NULL)); /* both are in use */
    assert_true(judges(first, "alias"));
    all_node_atoms_free(books);

    books = all_node_atoms_new(0);
    assert_null(all_node_atoms_find(books, &env, &a, NULL));
    all_node_atoms_free(books);
}

/* More texts than a slot keeps: the newest stay, and no answer is wrong. */
static void keeps_a_few_texts(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(1);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    char text[32];
    (void)state;
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "text_%d", i);
        node_atoms_define(book, &env, 1700, text_of(text), 1, ATOM_BOOK_USED);
    }
    node_atoms_see(book, &env, 1700, 1, &alias_role);
    assert_null(atom_infer(book, 1700, 3).data); /* it may be any of them */
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* define_number defines an atom that is different for each number. */
static void define_number(struct node_atoms *book, uint16_t slot, unsigned number)
{
    char text[32];
    snprintf(text, sizeof text, "text_%u", number);
    node_atoms_define(book, &env, slot, text_of(text), 1, ATOM_BOOK_USED);
}

/* However much is known about a sender that keeps defining atoms, the next definition and lookup
 * cost the same. */
static void costs_the_same(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(16);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    fit(book);
    (void)judges(book, "alias");
    const uint64_t before = book->work;
    const unsigned num = 40000;
    for (unsigned i = 0; i < num; i++) {
        define_number(book, (uint16_t)(i % 2039), i);
        (void)judges(book, "alias");
    }
    assert_true(node_atoms_trusts(book));
    assert_in_range(book->num_learned, 4 * 2039 - 8, 4 * 2039);
    assert_in_range(book->work - before, num, 24 * num);
    /* Atoms of the tables are not weighed each time either. */
    const uint64_t earlier = book->work;
    for (unsigned i = 0; i < 4000; i++) {
        fit(book);
        (void)judges(book, "alias");
    }
    assert_in_range(book->work - earlier, 1, 300000);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* All books together are capped in bytes: at the cap nothing more is learned, and this is counted. */
static void keeps_to_the_bytes(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(1);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    (void)state;
    env.stats = (struct ds_stats){0};
    for (unsigned i = 0; i < 20000; i++)
        define_number(book, (uint16_t)(i % 2039), i);
    assert_in_range(books->memcap.used, ATOM_BOOK_BYTES / 4, ATOM_BOOK_BYTES);
    assert_true(env.stats.limits_hit[DS_LIMIT_ATOM_BOOKS] > 0);
    assert_int_equal(env.stats.no_memory, 0);
    node_atoms_release(book);
    /* A book that is not in use is evicted. */
    const struct ds_endpoint other = end_of("b@h", 2, 7);
    book = all_node_atoms_find(books, &env, &other, NULL);
    assert_non_null(book);
    assert_in_range(books->memcap.used, 1, ATOM_BOOK_BYTES / 4);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

/* Texts that were chosen to collide in the hash end the trust in a sender before they cost much. */
static void ends_at_a_full_bucket(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(16);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
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
        assert_true(node_atoms_trusts(book));
        define_number(book, (uint16_t)num++, i);
    }
    assert_true(node_atoms_trusts(book));
    assert_true(node_atoms_has_elsewhere(book, 2000, text_of(text)));
    struct ds_text last = text_of(text);
    node_atoms_define(book, &env, 2000, last, 1, ATOM_BOOK_USED);
    assert_false(node_atoms_trusts(book));
    node_atoms_release(book);
    all_node_atoms_free(books);
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
    struct all_node_atoms *books = all_node_atoms_new(2);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = books != NULL ? all_node_atoms_find(books, &env, &end, NULL) : NULL;
    if (book != NULL) {
        fit(book);
        node_atoms_see(book, &env, 35, 1, &alias_role);
        (void)atom_infer(book, 35, 1);
        node_atoms_release(book);
    }
    all_node_atoms_free(books);
}

static void survives_without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(use_all, NULL) > 5);
}

/* held_now judges a slot that meant "ok" before and has one new role. */
static enum atom_held_verdict held_now(struct node_atoms *book, double changed, double *weight,
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
    const enum atom_held_verdict verdict = atom_infer_held(book, 1600, 1, &held, &text);
    *is_likely = text.data == held.text.data;
    *weight = held.weight;
    return verdict;
}

/* After lost packets, a role that the atom had is evidence for it, others are evidence against it. */
static void doubts_what_was_held(void **state)
{
    struct all_node_atoms *books = all_node_atoms_new(4);
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct node_atoms *book = all_node_atoms_find(books, &env, &end, NULL);
    bool is_likely;
    double weight = 0;
    (void)state;
    node_atoms_define(book, &env, 1600, text_of("my_server"), 1, ATOM_BOOK_USED);
    node_atoms_see_known(book, 1600, text_of("my_server"), 1, false, &alias_role);

    assert_int_equal(held_now(book, 0.001, &weight, alias_role.fine, alias_role.coarse, &is_likely),
                     ATOM_HELD_STILL);
    assert_true(is_likely);
    assert_true(weight > 5);
    weight = 0;
    assert_int_equal(held_now(book, 0.5, &weight, "to", "~to", &is_likely), ATOM_HELD_GONE);
    assert_false(is_likely);
    /* If a change is unlikely, one such role is not enough, but several are. */
    weight = 0;
    assert_int_equal(held_now(book, 0.001, &weight, "to", "~to", &is_likely), ATOM_HELD_DOUBTFUL);
    assert_true(is_likely);
    (void)held_now(book, 0.001, &weight, "N0{@a", "~0{2.0", &is_likely);
    (void)held_now(book, 0.001, &weight, "N0{@aa", "~0{3.0", &is_likely);
    assert_false(is_likely);
    assert_true(weight <= -6);

    /* If it repeats the same roles, that is at most twice the evidence. */
    struct atom_held held = {.text = text_of("my_server"), .changed = 0.001, .lost = 0.001,
                             .roles = {{atom_role_hash("to"), atom_role_hash("~to")}},
                             .num_roles = 1};
    struct ds_text text;
    for (int i = 0; i < 10; i++)
        (void)atom_infer_held(book, 1600, 1, &held, &text);
    const double some = held.weight;
    for (int i = 0; i < 1000; i++)
        (void)atom_infer_held(book, 1600, 1, &held, &text);
    assert_true(some < 0 && held.weight < some && held.weight > -6);

    /* Of a sender that is not trusted, no atom is likely. */
    weight = 0;
    node_atoms_define(book, &env, 2040, text_of("hello"), 1, ATOM_BOOK_USED);
    assert_int_equal(held_now(book, 0, &weight, alias_role.fine, alias_role.coarse, &is_likely),
                     ATOM_HELD_DOUBTFUL);
    assert_false(is_likely);
    node_atoms_release(book);
    all_node_atoms_free(books);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_by_what_is_beside),
        cmocka_unit_test(goes_back_and_forth),
        cmocka_unit_test(guesses),
        cmocka_unit_test(knows_a_node_by_its_places),
        cmocka_unit_test(tells_directions_apart),
        cmocka_unit_test(learns),
        cmocka_unit_test(tells_incarnations_apart),
        cmocka_unit_test(finds_a_node_at_another_port),
        cmocka_unit_test(parts_nodes_of_one_second),
        cmocka_unit_test(knows_ends_by_slots),
        cmocka_unit_test(keeps_to_the_cap),
        cmocka_unit_test(keeps_a_few_texts),
        cmocka_unit_test(costs_the_same),
        cmocka_unit_test(keeps_to_the_bytes),
        cmocka_unit_test(ends_at_a_full_bucket),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(doubts_what_was_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
