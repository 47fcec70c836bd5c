/*
 * test_flags.c - names of capability flags, the releases that they imply, and the digests.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dist/cookie.h"
#include "dist/flags.h"
#include "failing_alloc.h"
#include "util/arena.h"

#include <distsniff/dissect.h>
#include <string.h>

/* As seen on the wire. */
static const uint64_t otp_25 = 0xd07df7fbd;
static const uint64_t otp_29 = 0x6d07df7fbd;
static const uint64_t c_node_25 = 0x407074f9c;

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(ds_flag_name(0), "PUBLISHED");
    assert_string_equal(ds_flag_name(26), "MANDATORY_25_DIGEST");
    assert_string_equal(ds_flag_name(38), "NATIVE_RECORDS");
    assert_null(ds_flag_name(27));
    assert_null(ds_flag_name(63));
    assert_null(ds_flag_name(64));
    for (unsigned bit = 0; bit < 64; bit++) {
        if ((otp_29 >> bit & 1) != 0)
            assert_non_null(ds_flag_name(bit));
    }
}

static void test_releases(void **state)
{
    (void)state;
    static const struct {
        uint64_t flags;
        const char *release;
    } cases[] = {
        {0xd07df7fbd, "OTP 25-27"},
        {0xd07df7fbd & ~(uint64_t)1, "OTP 25-27, hidden"},
        {0xd07df7fbd | (uint64_t)1 << 33, "OTP 25-27"},
        {(0xd07df7fbd & ~(uint64_t)1) | (uint64_t)1 << 33, "OTP 25-27"},
        {0xd07df7fbd | (uint64_t)1 << 37, "OTP 28"},
        {0x6d07df7fbd, "OTP 29 or later"},
        {0x407074f9c, "C or Java node, OTP 25 or later"},
        {0xd07df7fbd & ~((uint64_t)1 << 26), "OTP 24"},
        {0xd07df7fbd & 0xffffffff & ~((uint64_t)1 << 26), "OTP 23-24"},
        {0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *release = ds_flags_release(cases[i].flags);
        if (cases[i].release == NULL)
            assert_null(release);
        else
            assert_string_equal(release, cases[i].release);
    }
}

static void test_missing(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_int_equal(flags_missing(otp_25, 26), 0);
    assert_int_equal(flags_missing(otp_29, 26), 0);
    assert_int_equal(flags_missing(c_node_25, 26), 0);
    /* The digest stands for the flags of OTP 25, not for those of OTP 26. */
    assert_int_equal(flags_missing(FLAG_MASK(MANDATORY_25_DIGEST), 25), 0);
    assert_string_equal(flags_print(flags_missing(FLAG_MASK(MANDATORY_25_DIGEST), 26), &arena),
                        "UNLINK_ID, V4_NC");
    assert_string_equal(flags_print(flags_missing(0, 25), &arena),
                        "EXTENDED_REFERENCES, FUN_TAGS, NEW_FUN_TAGS, EXTENDED_PIDS_PORTS, "
                        "EXPORT_PTR_TAG, BIT_BINARIES, NEW_FLOATS, UTF8_ATOMS, MAP_TAG, "
                        "BIG_CREATION, HANDSHAKE_23");
    assert_string_equal(flags_print((uint64_t)1 << 63 | 1, &arena), "PUBLISHED, bit 63");
    assert_string_equal(flags_print(0, &arena), "");
    assert_non_null(flags_print(UINT64_MAX, &arena));
    arena_free(&arena);
    failing_alloc_at(1);
    assert_null(flags_print(1, &arena));
    failing_alloc_at(0);
}

static void test_cookie(void **state)
{
    (void)state;
    /* printf secret10 | md5sum */
    static const uint8_t digest[16] = {0x55, 0xaf, 0x97, 0xd2, 0x21, 0xb3, 0x0c, 0x4e,
                                       0xd7, 0x12, 0x1b, 0x9a, 0xb7, 0x2e, 0xdc, 0x62};
    /* printf 4294967295 | md5sum */
    static const uint8_t of_nothing[16] = {0x7b, 0xa3, 0x4a, 0x7c, 0x93, 0x44, 0xdf, 0x2a, 0xca, 0xbd, 0xb0, 0x14, 0x6b, 0x9e, 0x15, 0xe3};
    const struct ds_text secret = {"secret", 6};
    assert_int_equal(cookie_check(secret, 10, digest), DS_COOKIE_OK);
    assert_int_equal(cookie_check(secret, 11, digest), DS_COOKIE_WRONG);
    assert_int_equal(cookie_check((struct ds_text){"secre", 5}, 10, digest), DS_COOKIE_WRONG);
    assert_int_equal(cookie_check((struct ds_text){NULL, 0}, 10, digest), DS_COOKIE_UNCHECKED);
    assert_int_equal(cookie_check((struct ds_text){"", 0}, UINT32_MAX, of_nothing), DS_COOKIE_OK);
}

/* Names in reasons and notes: characters that are safe for a terminal stay, in any script. */
static void test_endpoints(void **state)
{
    static const struct {
        const char *node, *shown;
    } cases[] = {
        {"alice@h", "alice@h"},
        {"bj\xc3\xb6rn@\xd1\x85\xd0\xbe\xd1\x81\xd1\x82", "bj\xc3\xb6rn@\xd1\x85\xd0\xbe\xd1\x81\xd1\x82"},
        {"a\x1b[31m@h\x7f", "a?[31m@h?"},
        {"\xe2\x80\xae@h", "?@h"},    /* turns the writing round */
        {"a\xc3@h\xff", "a?@h?"},      /* not UTF-8 */
        {"\xc3\xb6\xe2\x82", "\xc3\xb6??"}, /* cut */
    };
    struct ds_buffer out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ds_endpoint end = {.node = {cases[i].node, strlen(cases[i].node)}};
        out.len = 0;
        ds_endpoint_print(&end, &out);
        ds_buffer_add(&out, "", 1);
        assert_string_equal(out.data, cases[i].shown);
    }
    ds_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_releases),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_cookie),
        cmocka_unit_test(test_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
