/*
 * test_packet_store.c - the store: order, caps, connections, fragments, no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "keep/packet_store.h"

#include <stdio.h>
#include <string.h>

static char dropped[4096];

static void on_leave(void *context, const struct stored_conn *conn, const struct ds_packet *packet)
{
    (void)context;
    (void)conn;
    const size_t len = strlen(dropped);
    snprintf(dropped + len, sizeof dropped - len, "%llu ", (unsigned long long)packet->frame);
}

static struct packet_store begin(uint64_t max, uint64_t max_conns)
{
    struct packet_store store;
    packet_store_init(&store, max, max_conns);
    store.on_leave = on_leave;
    dropped[0] = '\0';
    return store;
}

static bool put(struct packet_store *store, uint64_t frame, uint64_t tcp, uint64_t whole)
{
    static const uint8_t bytes[100];
    const struct ds_packet packet = {.frame = frame, .data = bytes, .cap_len = 100, .len = 100};
    const struct ds_where where = {.tcp = tcp, .whole = whole};
    const uint64_t key = packet_store_key(store, &where);
    return key != 0 && packet_store_add(store, key, &packet);
}

static void assert_conn(const struct packet_store *store, uint64_t tcp, const char *expected)
{
    char text[256] = "";
    const struct stored_conn *conn = packet_store_find(store, tcp);
    for (const struct stored_packet *p = conn != NULL ? conn->packets.first : NULL; p != NULL;
         p = p->next) {
        const size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%llu ", (unsigned long long)p->packet.frame);
    }
    assert_string_equal(text, expected);
}

enum { ONE = 100 + sizeof(struct stored_packet) };

static void drops_the_oldest(void **state)
{
    struct packet_store store = begin(3 * ONE, 100);
    (void)state;
    assert_true(put(&store, 1, 1, 0) && put(&store, 2, 2, 0) && put(&store, 3, 1, 0));
    assert_conn(&store, 1, "1 3 ");
    assert_true(store.full_ns == INT64_MIN);
    assert_true(put(&store, 4, 2, 0));
    assert_true(store.full_ns == 0);
    assert_conn(&store, 1, "3 ");
    assert_true(packet_store_find(&store, 1)->decoder_state_unknown);
    assert_conn(&store, 2, "2 4 ");
    assert_false(packet_store_find(&store, 2)->decoder_state_unknown);
    assert_true(put(&store, 5, 2, 0) && put(&store, 6, 2, 0));
    assert_null(packet_store_find(&store, 1)); /* nothing is left of it */
    assert_true(put(&store, 7, 1, 0));
    assert_true(
        packet_store_find(&store, 1)->decoder_state_unknown); /* this is known nevertheless */
    assert_string_equal(dropped, "1 2 3 4 ");
    packet_store_drop_conn(&store, 2); /* it counts as the newest one's */
    assert_true(put(&store, 8, 2, 0));
    assert_true(packet_store_find(&store, 2)->decoder_state_unknown);
    assert_true(put(&store, 9, 3, 0));
    assert_false(packet_store_find(&store, 3)->decoder_state_unknown);
    assert_false(put(&store, 8, 0, 0)); /* of no connection */
    assert_int_equal(store.used, 3 * ONE);
    packet_store_free(&store);
    assert_string_equal(dropped, "1 2 3 4 5 6 ");
}

static void takes_fragments(void **state)
{
    struct packet_store store = begin(100 * ONE, 100);
    (void)state;
    assert_true(put(&store, 1, 1, 0));
    assert_true(put(&store, 2, 0, 7) && put(&store, 3, 0, 8) && put(&store, 4, 0, 7));
    assert_true(put(&store, 5, 1, 0));
    assert_conn(&store, 1, "1 5 ");
    assert_true(put(&store, 6, 1, 7));
    assert_conn(&store, 1, "1 5 2 4 6 ");
    for (int i = 0; i < 3; i++)
        packet_store_drop_oldest(&store); /* from the middle of the connection's own list */
    assert_conn(&store, 1, "5 4 6 ");
    assert_string_equal(dropped, "1 2 3 ");
    packet_store_free(&store);
}

/* Fragments that turn out to have another protocol, UDP for instance, use no room. */
static void forgets_fragments(void **state)
{
    struct packet_store store = begin(100 * ONE, 100);
    const struct ds_where complete = {.whole = 7, .is_complete = true};
    const struct ds_where unknown = {.whole = 9, .is_complete = true};
    (void)state;
    assert_true(put(&store, 1, 0, 7) && put(&store, 2, 0, 8) && put(&store, 3, 0, 7));
    assert_int_equal(packet_store_key(&store, &complete), 0);
    assert_int_equal(packet_store_key(&store, &unknown), 0);
    assert_int_equal(store.used, ONE);
    assert_int_equal(store.conns.num, 1);
    assert_string_equal(dropped, "");
    packet_store_free(&store);
}

static void keeps_few_connections(void **state)
{
    struct packet_store store = begin(100 * ONE, 3);
    (void)state;
    assert_true(put(&store, 1, 1, 0) && put(&store, 2, 2, 0) && put(&store, 3, 3, 0));
    packet_store_find(&store, 3)->stays = true;
    assert_true(put(&store, 4, 4, 0)); /* at the cost of the oldest packet */
    assert_string_equal(dropped, "1 ");
    assert_true(put(&store, 5, 5, 0));
    packet_store_find(&store, 4)->stays = true;
    packet_store_find(&store, 5)->stays = true;
    assert_false(put(&store, 6, 6, 0)); /* all are wanted */
    assert_string_equal(dropped, "1 2 3 4 5 6 ");
    assert_true(store.no_memory != 0);
    packet_store_free(&store);
}

static void nothing_fits(void **state)
{
    struct packet_store store = begin(1, 100);
    (void)state;
    assert_false(put(&store, 1, 1, 0));
    assert_false(put(&store, 2, 1, 0));
    assert_string_equal(dropped, "1 2 ");
    assert_int_equal(store.no_memory, 0);
    packet_store_free(&store);
}

static void forgets_connections(void **state)
{
    struct packet_store store = begin(100 * ONE, 100);
    (void)state;
    for (uint64_t i = 1; i <= 9; i++)
        assert_true(put(&store, i, i % 3 + 1, 0));
    packet_store_drop_conn(&store, 2);
    packet_store_drop_conn(&store, 77); /* no such connection */
    assert_string_equal(dropped, "1 4 7 ");
    assert_null(packet_store_find(&store, 2));
    assert_int_equal(store.used, 6 * ONE);
    struct stored_conn *conn = packet_store_find(&store, 1);
    while (conn->packets.first != NULL)
        packet_store_remove(&store, conn->packets.first);
    packet_store_release(&store, conn);
    assert_null(packet_store_find(&store, 1));
    assert_string_equal(dropped, "1 4 7 "); /* these were dropped */
    assert_int_equal(store.oldest->packet.frame, 2);
    assert_int_equal(store.newest->packet.frame, 8);
    assert_conn(&store, 3, "2 5 8 ");
    assert_int_equal(store.used, 3 * ONE);
    packet_store_free(&store);
}

static void assert_held_back(const struct packet_store *store, uint64_t tcp, uint64_t num)
{
    const struct stored_conn *conn = packet_store_find(store, tcp);
    uint64_t count = 0;
    for (const struct stored_packet *p = conn->held_back.first; p != NULL; p = p->next)
        count++;
    assert_int_equal(count, num);
}

static void holds_back_what_led_to_a_connection(void **state)
{
    struct packet_store store = begin(16 * ONE, 100); /* and so two packets are held back */
    (void)state;
    for (uint64_t i = 1; i <= 3; i++)
        assert_true(put(&store, i, 1, 0));
    assert_true(put(&store, 4, 2, 0));
    packet_store_find(&store, 1)->leads_to = 2;
    packet_store_find(&store, 2)->stays = true;
    for (uint64_t i = 5; i <= 40; i++)
        assert_true(put(&store, i, 3, 0));
    assert_held_back(&store, 2, 2);
    assert_int_equal(store.held_back, 2 * ONE);
    assert_int_equal(store.used, 16 * ONE); /* they count */
    assert_true(strncmp(dropped, "3 4 5 ", 6) == 0);
    assert_null(packet_store_find(&store, 1));
    packet_store_find(&store, 2)->stays = false;
    packet_store_release(&store, packet_store_find(&store, 2));
    assert_int_equal(store.used, 14 * ONE);
    assert_int_equal(store.held_back, 0);
    packet_store_free(&store);
}

static void fill(void *context)
{
    struct packet_store store = begin(20 * ONE, 10);
    unsigned kept = 0;
    (void)context;
    for (uint64_t i = 1; i <= 60; i++)
        kept += put(&store, i, i % 13 == 0 ? 0 : i % 5 + 1, i % 13 < 2 ? i / 13 + 1 : 0);
    uint64_t used = 0;
    for (const struct stored_packet *p = store.oldest; p != NULL; p = p->newer)
        used += ONE;
    assert_int_equal(used, store.used);
    if (failing_alloc_failed())
        assert_true(store.no_memory != 0 || kept == 60);
    packet_store_free(&store);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(fill, NULL) >= 60);
}

/* If memory was missing for a packet of a connection, it is known that the packet is missing. */
static void lacks_what_had_no_memory(void **state)
{
    struct packet_store store = begin(10 * ONE, 100);
    (void)state;
    assert_true(put(&store, 1, 1, 0));
    failing_alloc_at(1);
    assert_false(put(&store, 2, 1, 0));
    failing_alloc_at(0);
    assert_int_equal(store.no_memory, 1);
    assert_string_equal(dropped, "2 ");
    assert_true(packet_store_find(&store, 1)->decoder_state_unknown);
    packet_store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_the_oldest),
        cmocka_unit_test(takes_fragments),
        cmocka_unit_test(forgets_fragments),
        cmocka_unit_test(keeps_few_connections),
        cmocka_unit_test(nothing_fits),
        cmocka_unit_test(forgets_connections),
        cmocka_unit_test(holds_back_what_led_to_a_connection),
        cmocka_unit_test(lacks_what_had_no_memory),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
