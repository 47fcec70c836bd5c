/*
 * test_tls_hello.c - how TLS hellos are read, made here by hand: the beginning of each, the
 * extensions that matter, and every prefix.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard_page.h"
#include "tls/tls_hello.h"

#include <string.h>

static uint8_t bytes[4096];
static size_t len, extensions_at;

static void put(const void *more, size_t more_len)
{
    memcpy(bytes + len, more, more_len);
    len += more_len;
}

#define PUT(literal) put(literal, sizeof(literal) - 1)

/* begin begins a hello of that version, with a session id of that length. */
static void begin(uint16_t version, bool is_client, size_t id_len)
{
    len = 0;
    const uint8_t head[] = {(uint8_t)(version >> 8), (uint8_t)version};
    put(head, sizeof head);
    for (uint8_t i = 0; i < TLS_RANDOM_LEN; i++)
        put(&i, 1);
    put(&(uint8_t){(uint8_t)id_len}, 1);
    len += id_len;
    if (is_client)
        PUT("\0\4\x13\2\xc0\x30\1\0");
    else
        PUT("\x13\2\0");
    extensions_at = len;
}

static void extend(uint8_t type, const void *data, uint8_t data_len)
{
    if (len == extensions_at)
        PUT("\0\0");
    const uint8_t head[] = {0, type, 0, data_len};
    put(head, sizeof head);
    put(data, data_len);
    const size_t all = len - extensions_at - 2;
    bytes[extensions_at] = (uint8_t)(all >> 8);
    bytes[extensions_at + 1] = (uint8_t)all;
}

#define EXTEND(type, literal) extend(type, literal, sizeof(literal) - 1)

static struct tls_hello hello;

static bool read_hello(bool is_client)
{
    return tls_hello_read(cursor_make(bytes, len), is_client, &hello);
}

static void reads_a_client(void **state)
{
    (void)state;
    begin(0x0303, true, 0);
    assert_true(read_hello(true));
    assert_int_equal(hello.version, 0x0303);
    assert_int_equal(hello.random[31], 31);
    assert_int_equal(cursor_left(&hello.sni), 0);
    assert_false(hello.mac_last || hello.is_retry || hello.has_ticket);

    begin(0x0303, true, 32);
    EXTEND(0, "\0\x0e\1\0\5other\0\0\3b@h"); /* names of type host */
    EXTEND(22, "");
    EXTEND(43, "\6\x0a\x0a\3\4\3\3"); /* an unknown version, 1.3, 1.2 */
    EXTEND(51, "\0\x1d");             /* the server chooses */
    assert_true(read_hello(true));
    assert_int_equal(hello.version, 0x0304);
    assert_int_equal(cursor_left(&hello.sni), 3);
    assert_memory_equal(hello.sni.at, "b@h", 3);
    assert_true(hello.mac_last);
    assert_int_equal(hello.group, 0);
    assert_false(hello.has_ticket);
}

static void reads_a_server(void **state)
{
    (void)state;
    begin(0x0303, false, 1);
    assert_true(read_hello(false));
    assert_int_equal(hello.version, 0x0303);
    assert_int_equal(hello.suite, 0x1302);
    EXTEND(0, "\0\6\0\0\3b@h"); /* means nothing here */
    EXTEND(43, "\3\4");
    EXTEND(51, "\0\x1d\0\0");
    assert_true(read_hello(false));
    assert_int_equal(hello.version, 0x0304);
    assert_int_equal(hello.group, 29);
    assert_int_equal(cursor_left(&hello.sni), 0);
    assert_false(hello.is_retry);
    /* A lower version is accepted from a server only; a version that is not TLS from neither. */
    begin(0x0303, false, 0);
    EXTEND(43, "\3\2");
    assert_true(read_hello(false) && hello.version == 0x0302);
    begin(0x0303, false, 0);
    EXTEND(43, "\2\4");
    assert_true(read_hello(false) && hello.version == 0x0303);
    begin(0x0303, true, 0);
    EXTEND(43, "\2\3\2");
    assert_true(read_hello(true) && hello.version == 0x0303);
    /* A truncated key share names no group. */
    begin(0x0303, false, 0);
    EXTEND(51, "\0");
    assert_true(read_hello(false) && hello.group == 0);
}

/* A server that asks for another key share is recognised by its random. */
static void knows_a_retry(void **state)
{
    static const uint8_t random[TLS_RANDOM_LEN] = {
        0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8,
        0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8,
        0x33, 0x9c};
    (void)state;
    for (int is_client = 0; is_client < 2; is_client++) {
        begin(0x0303, is_client, 0);
        memcpy(bytes + 2, random, sizeof random);
        assert_true(read_hello(is_client));
        assert_int_equal(hello.is_retry, !is_client);
        bytes[2 + TLS_RANDOM_LEN - 1]++;
        assert_true(read_hello(is_client));
        assert_false(hello.is_retry);
    }
}

/* A session is resumed by a ticket, or by a pre-shared key. */
static void knows_a_ticket(void **state)
{
    (void)state;
    begin(0x0303, true, 0);
    EXTEND(35, ""); /* asks for a ticket */
    assert_true(read_hello(true) && !hello.has_ticket);
    EXTEND(35, "x");
    EXTEND(35, "");
    assert_true(read_hello(true) && hello.has_ticket);
    begin(0x0303, false, 0);
    EXTEND(41, "\0\0");
    assert_true(read_hello(false) && hello.has_ticket);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    for (uint16_t version = 0x0200; version <= 0x0400; version += 0x0100) {
        begin(version, true, 0);
        assert_int_equal(read_hello(true), version == 0x0300);
    }
    for (size_t id_len = 32; id_len <= 33; id_len++) {
        begin(0x0303, true, id_len);
        assert_int_equal(read_hello(true), id_len == 32);
    }
    begin(0x0303, true, 0);
    EXTEND(22, "");
    bytes[extensions_at + 1]++; /* a byte that is no extension */
    len++;
    assert_false(read_hello(true));
}

/* No prefix is read beyond its end; no prefix of a hello with extensions is accepted, except the
 * one before them. */
static void stands_any_end(void **state)
{
    (void)state;
    for (int is_client = 0; is_client < 2; is_client++) {
        begin(0x0303, is_client, 5);
        EXTEND(0, "\0\6\0\0\3b@h");
        EXTEND(43, "\4\3\4\3\3");
        EXTEND(51, "\0\x1d");
        for (size_t at = 0; at <= len; at++) {
            struct guard_page guard = guard_page_copy(bytes, at);
            assert_non_null(guard.bytes);
            assert_int_equal(tls_hello_read(cursor_make(guard.bytes, at), is_client, &hello),
                             at == len || at == extensions_at);
            guard_page_free(&guard);
        }
    }
}

static void names_groups_and_alerts(void **state)
{
    (void)state;
    assert_string_equal(tls_group_name(29), "x25519");
    assert_string_equal(tls_group_name(0x202), "mlkem1024");
    assert_null(tls_group_name(0));
    assert_string_equal(tls_alert_text(0), "close_notify");
    assert_null(tls_alert_text(255));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_client),   cmocka_unit_test(reads_a_server),
        cmocka_unit_test(knows_a_retry),    cmocka_unit_test(knows_a_ticket),
        cmocka_unit_test(refuses_nonsense), cmocka_unit_test(stands_any_end),
        cmocka_unit_test(names_groups_and_alerts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
