/*
 * test_dist_probe.c - which first bytes are recognised as a distribution connection.
 */
#include "dist_world.h"
#include "guard_page.h"

/* Few bytes may follow a name. */
static void test_probe_of_extra_bytes(void **state)
{
    (void)state;
    enum { NAME_LEN = 22, MAX_EXTRA = 256 };
    uint8_t bytes[2 + NAME_LEN + MAX_EXTRA + 1] = {0};
    memcpy(bytes, SEND_NAME, 2 + NAME_LEN);
    for (unsigned extra = MAX_EXTRA; extra <= MAX_EXTRA + 1; extra++) {
        bytes[0] = (uint8_t)((NAME_LEN + extra) >> 8);
        bytes[1] = (uint8_t)(NAME_LEN + extra);
        assert_true(fake_begin(&fake));
        assert_true(fake_open(&fake, &dist_proto, 40001, 40002, true));
        assert_int_equal(dist_proto.probe(&fake.env, &fake.conn, 0,
                                          cursor_make(bytes, 2 + NAME_LEN + extra), fake.conn.late[0]),
                         extra <= MAX_EXTRA ? PROTO_YES : PROTO_NO);
        fake_close(&fake, TCP_CLOSE_CAPTURE);
        fake_finish(&fake);
    }
}

/* What is recognised as a distribution connection. */
static void test_probe(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        bool late, known;
        enum proto_guess expected;
    } cases[] = {
#define CASE(bytes, late, known, expected) {bytes, sizeof(bytes) - 1, late, known, expected}
        CASE(SEND_NAME, false, false, PROTO_YES),
        CASE(SEND_NAME_5, false, false, PROTO_YES),
        CASE(STATUS_OK, false, false, PROTO_YES),
        CASE(STATUS_OK CHALLENGE, true, false, PROTO_YES),
        CASE("", false, false, PROTO_MORE),
        CASE("\0", false, false, PROTO_MORE),
        CASE("\0\x16", false, false, PROTO_MORE),
        CASE("\0\x16N\0", false, false, PROTO_MORE),
        CASE("\x10\0N", false, false, PROTO_MORE), /* the longest possible */
        CASE("\x10\x01N", false, false, PROTO_NO),
        CASE("GET / HTTP/1.1\r\n", false, false, PROTO_NO),
        CASE("\x16\x03\x01\x02\0\x01", false, false, PROTO_NO),
        CASE("\0\x01n", false, false, PROTO_NO), /* a NAMES request */
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x09" "alice@h", false, false, PROTO_NO),
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x07" "alice h", false, false, PROTO_NO),
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x07" "al ce@h", false, false, PROTO_NO),
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x07" "@aliceh", false, false, PROTO_NO),
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x07" "a@lic@h", false, false, PROTO_NO),
        CASE("\0\x16N\0\0\0\x0f\x07\xdf\x7f\xbd\0\0\0\x01\0\x07" "anyhost", false, false,
             PROTO_YES),
        CASE("\0\x0fN\0\0\0\x0f\x07\xdf\x7f\xbd\0\0\0\x01\0\0", false, false, PROTO_NO), /* of no name */
        CASE("\0\x16N" FLAGS "\0\0\0\x01\0\x07" "anyhost", false, false, PROTO_NO),
        CASE("\0\x0en\0\x06\x00\xff\x7f\xbd" "alice@h", false, false, PROTO_YES),
        CASE("\0\x0en\0\x01\x00\xff\x7f\xbd" "alice@h", false, false, PROTO_NO),
        CASE("\0\x05swhat", false, false, PROTO_NO),
        CASE("GET /", false, true, PROTO_YES), /* the port is known: it is looked at */
        CASE(CHALLENGE, true, false, PROTO_MORE), /* could be a channel's middle */
        CASE(CHALLENGE, true, true, PROTO_YES),
        CASE("\0\0\0\0", true, true, PROTO_YES), /* a tick */
        CASE("\0\0\0\0", true, false, PROTO_MORE),
        CASE("\0\0\0\1", true, true, PROTO_MORE), /* not a tick */
        CASE("\0\0\0\0\0", true, true, PROTO_MORE),
        CASE("\x83xyz", true, false, PROTO_YES),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%zu\n", i);
        assert_true(fake_begin(&fake));
        assert_true(fake_open(&fake, &dist_proto, 40001, 40002, !cases[i].late));
        if (cases[i].known)
            registry_add_port(fake.env.registry, 40002);
        struct guard_page guard = guard_page_copy(cases[i].bytes, cases[i].len);
        assert_non_null(guard.bytes);
        assert_int_equal(dist_proto.probe(&fake.env, &fake.conn, 0,
                                          cursor_make(guard.bytes, cases[i].len), fake.conn.late[0]),
                         cases[i].expected);
        guard_page_free(&guard);
        fake_close(&fake, TCP_CLOSE_CAPTURE);
        fake_finish(&fake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe_of_extra_bytes),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
