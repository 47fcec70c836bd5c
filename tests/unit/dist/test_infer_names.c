/*
 * test_infer_names.c - names of the ends of a connection that was joined late: from handshakes at
 * the same place, and from what a sender has sent elsewhere; and what proves no name. The worst
 * result would be a false name that is certain.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "channel_harness.h"

#include "atoms/node_atoms_parts.h"
#include "atoms/node_slot_names.h"
#include "dist/registry.h"

enum { OWN_SLOT = 5, PEER_SLOT = 6, CREATION = 9, OTHER_CREATION = 8 };

static struct seen_atoms {
    enum ds_atom_state from, to;
    char from_text[32], to_text[32];
    uint32_t address_atoms, unknown_atoms;
} seen;

static void note_atom(const struct ds_term *term, enum ds_atom_state *state, char text[32])
{
    const struct ds_atom *atom = &term->atoms[term->data[2]];
    *state = atom->state;
    snprintf(text, 32, "%.*s", (int)atom->len, atom->text != NULL ? (const char *)atom->text : "");
}

static void on_event(void *context, const struct ds_event *event)
{
    (void)context;
    if (event->type != DS_EVENT_MESSAGE)
        return;
    seen.address_atoms = event->address_atoms;
    seen.unknown_atoms = event->unknown_atoms;
    note_atom(&event->message.role[DS_ROLE_FROM], &seen.from, seen.from_text);
    note_atom(&event->message.role[DS_ROLE_TO], &seen.to, seen.to_text);
}

static void begin(struct harness *h, bool has_books)
{
    harness_init(h);
    h->env.config.on_event = on_event;
    for (int end = 0; end < 2; end++) /* loopback addresses prove nothing */
        h->conn.view.end[end].addr = h->tcp.addr[end] = (struct ds_addr){4, {10, 0, 0, (uint8_t)(end + 1)}};
    h->env.registry = registry_new(100);
    assert_non_null(h->env.registry);
    if (has_books)
        h->env.books = all_node_atoms_new(10);
    harness_open_channels(h, false, false);
}

static void finish(struct harness *h)
{
    harness_end(h);
    for (int dir = 0; dir < 2; dir++) {
        dist_stream_free(h->channel[dir]);
        h->channel[dir] = NULL;
    }
    all_node_atoms_free(h->env.books);
    assert_int_equal(harness_free(h), 0);
}

/* say sends a message from a process of one end to one of the other; name: the sender's name, which
 * it defines. */
static void say(struct harness *h, int dir, uint32_t creation, const char *name)
{
    uint8_t frame[96] = {0, 0, 0, 0, 131, 68, 2, (uint8_t)(name != NULL ? 8 : 0), 0, OWN_SLOT};
    size_t len = 10;
    if (name != NULL) {
        frame[len++] = (uint8_t)strlen(name);
        memcpy(frame + len, name, strlen(name));
        len += strlen(name);
    }
    frame[len++] = PEER_SLOT;
    const uint8_t control[] = {104, 3, 97, 22, 88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, (uint8_t)creation,
                               88, 82, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, CREATION, 97, 1};
    memcpy(frame + len, control, sizeof control);
    len += sizeof control;
    frame[3] = (uint8_t)(len - 4);
    harness_feed(h, dir, frame, len);
}

static void told(struct harness *h, uint8_t host, uint16_t port, const char *name, uint32_t creation)
{
    const struct ds_addr addr = {4, {10, 0, 0, host}};
    registry_add_said(&h->env, &addr, port, (struct ds_text){name, strlen(name)}, creation);
}

static void assert_sender(enum ds_atom_state state, const char *text)
{
    assert_int_equal(seen.from, state);
    assert_string_equal(seen.from_text, text);
}

/* A tool connects to the node's listening port: the name in that handshake is certain, in both
 * directions. */
static void by_a_handshake(void **state)
{
    struct harness h;
    (void)state;
    begin(&h, false);
    say(&h, 1, CREATION, NULL);
    assert_sender(DS_ATOM_ADDRESS, "~10.0.0.2:40001");
    told(&h, 2, 40001, "b@h", CREATION);
    say(&h, 1, CREATION, NULL);
    assert_sender(DS_ATOM_INFERRED, "b@h");
    assert_true(h.conn.certain[1]);
    say(&h, 0, CREATION, NULL);
    assert_sender(DS_ATOM_ADDRESS, "~10.0.0.1:40000");
    assert_int_equal(seen.to, DS_ATOM_INFERRED);
    assert_string_equal(seen.to_text, "b@h");
    finish(&h);
}

/* No proof: another address or port, as behind NAT or a forwarded port; another incarnation; a name
 * without a host; no creation; two names for one place, or for one second. */
static void by_none(void **state)
{
    static const struct {
        uint8_t host;
        uint16_t port;
        const char *name;
        uint32_t creation;
        uint8_t other_host;
        uint16_t other_port;
        const char *other;
    } cases[] = {
        {1, 40001, "c@h", CREATION, 0, 0, NULL},       {2, 40002, "c@h", CREATION, 0, 0, NULL},
        {2, 40001, "c@h", OTHER_CREATION, 0, 0, NULL}, {2, 40001, "c", CREATION, 0, 0, NULL},
        {2, 40001, "c@h", CREATION, 2, 40001, "b@h"},  {2, 40001, "c@h", CREATION, 3, 4000, "b@h"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct harness h;
        begin(&h, false);
        told(&h, cases[i].host, cases[i].port, cases[i].name, cases[i].creation);
        if (cases[i].other != NULL)
            told(&h, cases[i].other_host, cases[i].other_port, cases[i].other, CREATION);
        say(&h, 1, CREATION, NULL);
        assert_false(h.conn.certain[1]);
        assert_false(ds_atom_is_certain(seen.from));
        if (cases[i].creation != CREATION)
            assert_sender(DS_ATOM_ADDRESS, "~10.0.0.2:40001");
        if (i == 4) { /* a repetition does not decide it */
            told(&h, 2, 40001, "b@h", CREATION);
            say(&h, 1, CREATION, NULL);
            assert_false(ds_atom_is_certain(seen.from));
        }
        finish(&h);
    }
}

/* The node that was there before had another name; and a node that says its own name is believed. */
static void by_itself(void **state)
{
    struct harness h;
    (void)state;
    begin(&h, true);
    conn_set_node(&h.env, &h.conn, 1, (struct ds_text){"old@h", 5}, OTHER_CREATION, true);
    say(&h, 1, CREATION, NULL);
    assert_sender(DS_ATOM_ADDRESS, "~10.0.0.2:40001");
    conn_set_node(&h.env, &h.conn, 1, (struct ds_text){"old@h", 5}, CREATION, true);
    say(&h, 1, CREATION, NULL);
    assert_sender(DS_ATOM_LIKELY, "old@h");
    say(&h, 1, CREATION, "new@h");
    assert_sender(DS_ATOM_KNOWN, "new@h");
    say(&h, 0, CREATION, NULL);
    assert_string_equal(seen.to_text, "new@h");
    assert_int_equal(seen.to, DS_ATOM_INFERRED);
    say(&h, 1, CREATION, "odd@h"); /* not twice */
    assert_int_equal(h.conn.view.end[1].node.len, 5);
    assert_memory_equal(h.conn.view.end[1].node.data, "new@h", 5);
    assert_false(h.conn.certain[1]);
    finish(&h);
}

static struct ds_endpoint end_of(const char *name, uint8_t host, uint32_t creation)
{
    return (struct ds_endpoint){.addr = {4, {10, 0, 0, host}},
                                .port = (uint16_t)(39999 + host),
                                .node = {name, name != NULL ? strlen(name) : 0},
                                .creation = creation};
}

static struct node_atoms *open_book(struct harness *h, const char *name, uint8_t host, uint32_t creation)
{
    const struct ds_endpoint end = end_of(name, host, creation);
    struct node_atoms *book = all_node_atoms_find(h->env.books, &h->env, &end, NULL);
    assert_non_null(book);
    return book;
}

static void define(struct harness *h, struct node_atoms *book, uint16_t slot, const char *text)
{
    node_atoms_define(book, &h->env, slot, (struct ds_text){text, strlen(text)}, 1, ATOM_BOOK_USED);
}

/* say_of sends a message about a process of a third node, from the first end to the second. */
static void say_of(struct harness *h, uint8_t slot, uint32_t creation)
{
    const uint8_t frame[] = {0, 0, 0, 51, 131, 68, 3, 0, 0, OWN_SLOT, PEER_SLOT, slot,
                             104, 3, 97, 22, 88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, CREATION,
                             88, 82, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, CREATION,
                             88, 82, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, (uint8_t)creation};
    uint8_t copy[sizeof frame];
    memcpy(copy, frame, sizeof frame);
    copy[3] = (uint8_t)(sizeof frame - 4);
    harness_feed(h, 0, copy, sizeof copy);
}

/* A third node has the address that the sender is connected to, if slot and creation match. */
static void a_third_by_its_slot(void **state)
{
    enum { THIRD_SLOT = 77 };
    struct harness h;
    (void)state;
    begin(&h, true);
    say(&h, 0, CREATION, NULL);
    say(&h, 1, CREATION, NULL);
    say(&h, 0, CREATION, NULL);
    say_of(&h, THIRD_SLOT, OTHER_CREATION);
    assert_int_equal(seen.address_atoms, 2);
    assert_int_equal(seen.unknown_atoms, 1);
    struct node_atoms *book = open_book(&h, NULL, 1, CREATION);
    const struct ds_endpoint third = end_of(NULL, 3, OTHER_CREATION);
    node_slot_names_add_end(book, THIRD_SLOT, &third);
    say_of(&h, THIRD_SLOT, OTHER_CREATION);
    assert_int_equal(seen.address_atoms, 3);
    assert_int_equal(seen.unknown_atoms, 0);
    say_of(&h, THIRD_SLOT, CREATION); /* a node that has gone */
    assert_int_equal(seen.address_atoms, 2);
    assert_int_equal(seen.unknown_atoms, 1);
    node_atoms_release(book);
    finish(&h);
}

/* The other end sends a slot for the name, whose text it has sent on another connection. */
static void by_a_slot(void **state)
{
    enum { PLAIN, BESIDE_AN_ATOM, TWO_NAMES, MANY, JUST_FEW, ELSEWHERE, SAME_ONE, LIAR, NO_NAME, CASES };
    (void)state;
    for (int i = 0; i < CASES; i++) {
        const bool is_told = i == PLAIN || i == BESIDE_AN_ATOM || i == JUST_FEW || i == SAME_ONE;
        struct harness h;
        struct node_atoms *other = NULL;
        begin(&h, true);
        struct node_atoms *book = open_book(&h, NULL, 1, CREATION);
        define(&h, book, PEER_SLOT, i == NO_NAME ? "b@" : "b@h");
        if (i == BESIDE_AN_ATOM)
            define(&h, book, PEER_SLOT, "true_or_so");
        if (i == TWO_NAMES)
            define(&h, book, PEER_SLOT, "c@h");
        for (int k = 0; (i == MANY || i == JUST_FEW) && k < (i == MANY ? 20 : 19); k++) {
            char name[16];
            snprintf(name, sizeof name, "n%d@h", k);
            define(&h, book, (uint16_t)(100 + k), name);
        }
        if (i == LIAR)
            define(&h, book, PEER_SLOT + 1, "b@h");
        if (i == ELSEWHERE || i == SAME_ONE)
            other = open_book(&h, "b@h", 3, i == SAME_ONE ? CREATION : OTHER_CREATION);
        say(&h, 0, CREATION, NULL);
        say(&h, 1, CREATION, NULL);
        say(&h, 0, CREATION, NULL);
        assert_int_equal(seen.to, is_told ? DS_ATOM_LIKELY : DS_ATOM_ADDRESS);
        assert_string_equal(seen.to_text, is_told ? "b@h" : "~10.0.0.2:40001");
        say(&h, 1, CREATION, NULL);
        assert_sender(is_told ? DS_ATOM_LIKELY : DS_ATOM_ADDRESS, is_told ? "b@h" : "~10.0.0.2:40001");
        assert_false(h.conn.certain[1]);
        node_atoms_release(book);
        node_atoms_release(other);
        finish(&h);
    }
}

static void names_have_hosts(void **state)
{
    static const char *const names[] = {"a@h", "rabbit@rab1.example", "\xc3\xa9@h"};
    static const char *const others[] = {"", "@", "a", "@h", "a@", "a@b@c", "a b@h", "a@h\n", "a\x7f@h"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(node_slot_names_is_name((struct ds_text){names[i], strlen(names[i])}));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(node_slot_names_is_name((struct ds_text){others[i], strlen(others[i])}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_a_handshake), cmocka_unit_test(by_none),
        cmocka_unit_test(by_itself),      cmocka_unit_test(by_a_slot), cmocka_unit_test(a_third_by_its_slot),
        cmocka_unit_test(names_have_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
