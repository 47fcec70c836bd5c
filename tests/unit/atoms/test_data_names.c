/*
 * test_data_names.c - atoms whose texts occur near them as data: names of RabbitMQ's queues.
 */
#include "atoms/data_name_list.h"
#include "atoms/data_names.h"
#include "atoms/node_atoms_parts.h"
#include "etf_maker.h"
#include "node_atoms_world.h"

static struct ds_term unknown(uint16_t slot)
{
    const struct ds_term atom = etf_cached(NULL);
    etf_atoms[etf_num_atoms - 1].slot = slot;
    return atom;
}

struct world {
    struct all_node_atoms *books;
    struct node_atoms *book;
};

static const struct atom_role to = {.fine = "to", .coarse = "~to"};

static struct world begin(void)
{
    const struct ds_endpoint end = end_of("a@h", 1, 7);
    struct world w = {.books = all_node_atoms_new(4)};
    if (w.books == NULL)
        return w;
    w.book = all_node_atoms_find(w.books, &env, &end, NULL);
    for (uint16_t slot = 1900; slot < 1904 && w.book != NULL; slot++)
        node_atoms_see(w.book, &env, slot, 1, &to);
    return w;
}

static void end(struct world w)
{
    node_atoms_release(w.book);
    all_node_atoms_free(w.books);
}

/* tell sends what the leader of a queue tells a client. */
static void tell_as(struct world w, const char *kind, const char *host, const char *queue, uint16_t slot)
{
    struct ds_message message = {.code = 2};
    etf_reset();
    message.control = etf_tuple(3, etf_int(2), etf_cached(""), etf_pid("b@h", 1));
    message.payload = etf_tuple(
        2, etf_cached(NULL),
        etf_tuple(3, etf_cached(NULL),
                  etf_tuple(4, etf_cached("resource"), etf_binary(host), etf_cached(kind),
                            etf_binary(queue)),
                  etf_tuple(2, etf_tuple(2, unknown(slot), etf_cached("a@h")), etf_nil())));
    data_names_see(w.book, &env, 1, 0, &message);
}

/* one_text_two_ways: a_b_c is queue b_c of a, and queue c of a_b. Each name stays in one place;
 * otherwise the places run out and no name is found. */
static void one_text_two_ways(void **state)
{
    (void)state;
    struct world w = begin();
    assert_non_null(w.book);
    for (unsigned i = 0; i < 3000; i++) {
        const char *host = i % 2 == 0 ? "a" : "a_b", *queue = i % 2 == 0 ? "b_c" : "c";
        (void)data_name_add(w.books, text_of(host), text_of(queue));
    }
    assert_int_equal(data_name_find(w.books->data_names, text_of("nothing")), 0);
    assert_int_not_equal(data_name_find(w.books->data_names, text_of("b_c")), 0);
    end(w);
}

static void tell(struct world w, const char *host, const char *queue, uint16_t slot)
{
    tell_as(w, "queue", host, queue, slot);
}

/* send sends that payload to a name. */
static void send(struct world w, uint16_t slot, struct ds_term payload)
{
    struct ds_message message = {.code = 6, .payload = payload};
    message.control =
        etf_tuple(4, etf_int(6), etf_pid("a@h", 1), etf_cached(""), unknown(slot));
    data_names_see(w.book, &env, 1, 0, &message);
}

/* mail makes a message of RabbitMQ 4 that the exchange routes by that key. */
static struct ds_term mail(const char *exchange, const char *key)
{
    return etf_map(2, etf_cached("x"), etf_binary(exchange), etf_cached("rk"),
                   etf_list(1, etf_binary(key), etf_nil()));
}

/* old_mail makes one of RabbitMQ 3. */
static struct ds_term old_mail(const char *exchange, const char *key)
{
    return etf_tuple(3, etf_cached("basic_message"),
                     etf_tuple(4, etf_cached("resource"), etf_binary("/"), etf_cached("exchange"),
                               etf_binary(exchange)),
                     etf_list(1, etf_binary(key), etf_nil()));
}

static bool is_named(struct world w, uint16_t slot, uint64_t direction, const char *want)
{
    const struct ds_text found = atom_infer(w.book, slot, direction);
    return want == NULL ? found.data == NULL
                        : found.data != NULL && found.len == strlen(want) &&
                              memcmp(found.data, want, found.len) == 0;
}

/* The name is made of the virtual host and the queue; the root host is written as in a URL. */
static void queues_name_their_leaders(void **state)
{
    struct world w = begin();
    (void)state;
    assert_true(is_named(w, 1900, 1, NULL));
    tell_as(w, "exchange", "/", "q1", 1900);
    assert_true(is_named(w, 1900, 1, NULL));
    tell(w, "/", "q1", 1900);
    assert_true(is_named(w, 1900, 1, "%2F_q1"));
    tell(w, "shop", "q2", 1901);
    assert_true(is_named(w, 1901, 1, "shop_q2"));
    assert_true(is_named(w, 1902, 1, NULL));
    node_atoms_define(w.book, &env, 77, text_of("shop_q2"), 1, ATOM_BOOK_USED);
    assert_true(is_named(w, 1901, 1, NULL)); /* an atom has only one slot */
    end(w);
}

/* A text that is too long is no atom. */
static void names_are_bounded(void **state)
{
    char host[102], queue[202];
    struct world w = begin();
    (void)state;
    memset(host, 'h', sizeof host);
    memset(queue, 'q', sizeof queue);
    host[101] = queue[201] = '\0';
    tell(w, host, "q", 1900);
    tell(w, "/", queue, 1900);
    host[55] = queue[200] = '\0';
    tell(w, host, queue, 1900); /* 256 */
    assert_true(is_named(w, 1900, 1, NULL));
    tell(w, host + 1, queue, 1900);
    assert_int_equal(atom_infer(w.book, 1900, 1).len, 255);
    for (int i = 0; i < 1100; i++) {
        char text[20];
        snprintf(text, sizeof text, "q%d", i);
        tell(w, "/", text, (uint16_t)(i == 1022 ? 1901 : i == 1023 ? 1902 : 1000));
    }
    assert_true(is_named(w, 1901, 1, "%2F_q1022"));
    assert_true(is_named(w, 1902, 1, NULL)); /* there is no room */
    end(w);
}

/* A slot with two names has none, and a name with two slots has none. */
static void doubt_names_nobody(void **state)
{
    struct world w = begin();
    (void)state;
    tell(w, "/", "q1", 1900);
    assert_true(is_named(w, 1900, 1, "%2F_q1"));
    tell(w, "/", "q2", 1900);
    assert_true(is_named(w, 1900, 1, NULL));
    tell(w, "/", "q3", 1901);
    assert_true(is_named(w, 1901, 1, "%2F_q3"));
    tell(w, "/", "q3", 1902);
    assert_true(is_named(w, 1902, 1, NULL));
    assert_true(is_named(w, 1901, 1, NULL));
    end(w);
}

/* old_enqueue makes the message by which a client of RabbitMQ 3 enqueues that body in a quorum queue. */
static struct ds_term old_enqueue(const char *kind, const char *exchange, const char *key)
{
    const struct ds_term message = etf_tuple(
        6, etf_cached("basic_message"),
        etf_tuple(4, etf_cached("resource"), etf_binary("/"), etf_cached("exchange"), etf_binary(exchange)),
        etf_list(1, etf_binary(key), etf_nil()),
        etf_tuple(6, etf_cached("content"), etf_int(60), etf_cached("none"), etf_binary(""),
                  etf_cached("rabbit_framing_amqp_0_9_1"), etf_list(1, etf_binary("body"), etf_nil())),
        etf_binary(""), etf_cached("false"));
    return etf_tuple(4, etf_cached(kind), etf_pid("a@h", 1), etf_int(7), message);
}

/* number is an integer, which is_large moves behind 32 bits. */
static bool is_large;
static struct ds_term number(int value)
{
    if (!is_large)
        return etf_int(value);
    const uint8_t bytes[] = {110, 5, 0, (uint8_t)value, (uint8_t)(value >> 8), 0, 0, 3};
    return etf_raw(bytes, sizeof bytes);
}

/* entries sends num entries from the leader of a queue; answer sends a follower's answer to it. */
static void entries(struct node_atoms *leader, struct ds_term name, int term, int previous, int num,
                    uint32_t follower)
{
    struct ds_term list = num == 0   ? etf_nil()
                          : num == 1 ? etf_list(1, etf_int(1), etf_nil())
                                     : etf_list(2, etf_int(1), etf_int(2), etf_nil());
    struct ds_message message = {.code = 2};
    message.control = etf_tuple(3, etf_int(2), etf_cached(""), etf_pid("a@h", 1));
    message.payload = etf_tuple(
        2, etf_cached("$gen_cast"),
        etf_tuple(7, etf_cached("append_entries_rpc"), etf_int(term), etf_tuple(2, name, etf_cached("b@h")),
                  number(previous), number(previous), etf_int(term), list));
    data_names_see(leader, &env, 2, follower, &message);
}

static void answer(struct world w, uint16_t slot, int term, int next, uint32_t leader)
{
    struct ds_message message = {.code = 2};
    etf_reset();
    message.control = etf_tuple(3, etf_int(2), etf_cached(""), etf_pid("b@h", 1));
    message.payload =
        etf_tuple(2, etf_cached("$gen_cast"),
                  etf_tuple(2, etf_tuple(2, unknown(slot), etf_cached("a@h")),
                            etf_tuple(6, etf_cached("append_entries_reply"), etf_int(term), etf_cached("true"),
                                      number(next), number(next - 1), etf_int(term))));
    data_names_see(w.book, &env, 1, leader, &message);
}

/* A follower that answers a message for a queue belongs to that queue: two different answers prove
 * it. */
static void answers_name_followers(void **state)
{
    enum { ONE, OTHER_INDEX, OTHER_TERM, OTHER_LEADER, OTHER_FOLLOWER, TWO_QUEUES, ONE_UNKNOWN, SAME_AGAIN,
           TOO_LATE, LARGE, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        struct world w = begin();
        is_large = i == LARGE;
        const struct ds_endpoint b = end_of("b@h", 2, 8);
        struct node_atoms *leader = all_node_atoms_find(w.books, &env, &b, NULL);
        for (int turn = 0; turn < 2; turn++) {
            const int previous = 600 + (i == SAME_AGAIN ? 0 : turn);
            etf_reset();
            entries(leader, etf_cached("%2F_q1"), 1, previous, turn + 1, 7);
            if (i == TWO_QUEUES)
                entries(leader, etf_cached("%2F_q2"), 1, previous + turn + 1, 0, 7);
            if (i == ONE_UNKNOWN)
                entries(leader, unknown(1000), 1, previous + turn + 1, 0, 7);
            for (int k = 0; i == TOO_LATE && k < 64; k++) {
                etf_reset();
                entries(leader, etf_cached("%2F_q3"), 2, k, 0, 7);
            }
            answer(w, 1900, i == OTHER_TERM ? 2 : 1,
                   previous + (i == SAME_AGAIN ? 1 : turn + 1) + (i == OTHER_INDEX ? 2 : 1),
                   i == OTHER_LEADER ? 9 : 8);
            if (i == OTHER_FOLLOWER)
                w.book->creation = 70;
            assert_true(turn == 1 || is_named(w, 1900, 1, NULL));
        }
        assert_true(is_named(w, 1900, 1, i == ONE || i == LARGE ? "%2F_q1" : NULL));
        node_atoms_release(leader);
        w.book->creation = 7;
        end(w);
    }
    is_large = false;
}

/* An enqueued message has virtual host and queue; its body is no route. */
static void enqueued_messages_name_queues(void **state)
{
    struct world w = begin();
    (void)state;
    for (int i = 0; i < 3; i++) {
        etf_reset();
        send(w, 1901, old_enqueue("deliver", "", "q1"));
        send(w, 1902, old_enqueue("enqueue", "logs", "q2"));
    }
    assert_true(is_named(w, 1901, 1, NULL));
    assert_true(is_named(w, 1902, 1, NULL));
    etf_reset();
    send(w, 1903, old_enqueue("enqueue", "", "q3"));
    assert_true(is_named(w, 1903, 1, NULL));
    send(w, 1903, old_enqueue("enqueue", "", "q3"));
    assert_true(is_named(w, 1903, 1, "%2F_q3"));
    end(w);
}

/* Messages that the default exchange routes to a queue go to its name: two of them prove it. */
static void routes_lead_to_names(void **state)
{
    struct world w = begin();
    (void)state;
    for (int i = 0; i < 3; i++) { /* of a queue that is not known */
        etf_reset();
        send(w, 1901, mail("", "q1"));
    }
    assert_true(is_named(w, 1901, 1, NULL));
    const struct ds_endpoint other = end_of("b@i", 2, 9);
    struct world there = {w.books, all_node_atoms_find(w.books, &env, &other, NULL)};
    tell(there, "/", "q1", 1900); /* what one node reveals helps with others */
    tell(there, "/", "q2", 1903);
    tell(there, "/", "q3", 1901);
    tell(there, "shop", "q3", 1902);
    for (int i = 0; i < 3; i++) {
        etf_reset();
        send(w, 1902, mail("logs", "q2"));
        send(w, 1902, etf_map(2, etf_int(1), etf_binary(""), etf_cached("rk"),
                              etf_list(1, etf_binary("q2"), etf_nil())));
        send(w, 1902, old_mail("logs", "q2"));
        send(w, 1902, etf_tuple(2, mail("", "q2"), mail("", "q1")));
        send(w, 1902, etf_tuple(2, mail("", "q2"), mail("", "q9")));
        send(w, 1902, etf_tuple(2, etf_map(1, etf_cached("x"), etf_binary("")),
                                etf_map(1, etf_cached("rk"),
                                        etf_list(1, etf_binary("q2"), etf_nil()))));
        send(w, 1902, etf_map(2, etf_cached("x"), etf_binary(""), etf_cached("rk"),
                              etf_list(2, etf_binary("q2"), etf_binary("q3"), etf_nil())));
    }
    assert_true(is_named(w, 1902, 1, NULL));
    for (int i = 0; i < 3; i++) { /* the virtual host is not known */
        etf_reset();
        send(w, 1903, mail("", "q3"));
    }
    assert_true(is_named(w, 1903, 1, NULL));
    node_atoms_release(there.book);
    end(w);
    for (int kind = 0; kind < 3; kind++) {
        w = begin();
        there.book = all_node_atoms_find(there.books = w.books, &env, &other, NULL);
        tell(there, "/", "q1", 1900);
        for (int i = 0; i < 2; i++) {
            assert_true(is_named(w, 1901, 1, NULL));
            etf_reset();
            send(w, 1901, kind == 0 ? mail("", "q1") : kind == 1 ? old_mail("", "q1")
                          : etf_map(2, etf_cached("rk"), etf_list(1, etf_binary("q1"), etf_nil()),
                                    etf_cached("x"), etf_binary("")));
        }
        assert_true(is_named(w, 1901, 1, "%2F_q1"));
        node_atoms_release(there.book);
        end(w);
    }
}

/* In another direction the slot may mean something else: the name is likely there, but on weak
 * evidence. */
static void says_less_elsewhere(void **state)
{
    double weight = 0, there = 0;
    struct world w = begin();
    (void)state;
    node_atoms_see(w.book, &env, 1900, 2, &to);
    tell(w, "/", "q1", 1900);
    assert_non_null(data_names_of(w.book, 1900, node_atoms_bit_of(w.book, 1), &weight).data);
    assert_non_null(data_names_of(w.book, 1900, node_atoms_bit_of(w.book, 2), &there).data);
    assert_true(there < weight);
    end(w);
}

/* Messages that are cut, and others, are no evidence and do no harm. */
static void reads_what_is_there(void **state)
{
    struct world w = begin();
    struct ds_message message = {.code = 6};
    (void)state;
    etf_reset();
    message.control = etf_tuple(4, etf_int(6), etf_pid("a@h", 1), etf_cached(""), unknown(1900));
    data_names_see(w.book, &env, 1, 0, &message); /* no payload */
    const struct ds_term whole = etf_tuple(2, mail("", "q1"), old_mail("", "q1"));
    for (size_t len = 0; len < whole.len; len++) {
        message.payload = etf_raw(whole.data, len);
        data_names_see(w.book, &env, 1, 0, &message);
    }
    message.payload = whole;
    for (size_t len = 0; len < message.control.len; len++) {
        struct ds_message cut = message;
        cut.control.len = len;
        data_names_see(w.book, &env, 1, 0, &cut);
    }
    assert_true(is_named(w, 1900, 1, NULL));
    end(w);
}

static void run_with_failures(void *context)
{
    struct world w = begin();
    (void)context;
    if (w.book != NULL) {
        tell(w, "/", "q1", 1900);
        assert_true(is_named(w, 1900, 1, "%2F_q1") || failing_alloc_failed());
    }
    if (w.books != NULL)
        end(w);
}

static void survives_without_memory(void **state)
{
    (void)state;
    assert_in_range(failing_alloc_each(run_with_failures, NULL), 5, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_name_their_leaders), cmocka_unit_test(names_are_bounded),
        cmocka_unit_test(doubt_names_nobody),        cmocka_unit_test(routes_lead_to_names),
        cmocka_unit_test(says_less_elsewhere),       cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(survives_without_memory),   cmocka_unit_test(enqueued_messages_name_queues),
        cmocka_unit_test(answers_name_followers),    cmocka_unit_test(one_text_two_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
