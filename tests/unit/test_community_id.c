/* test_community_id.c - SHA-1 by the examples of FIPS 180 and at the ends of its blocks, and the names
 * of connections by those that other programs give them. */
#include "community_id.h"
#include "sha1.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_sha1(const char *text, const char *wanted)
{
    uint8_t hash[SHA1_LEN];
    char hex[2 * SHA1_LEN + 1];
    sha1((const uint8_t *)text, strlen(text), hash);
    for (int i = 0; i < SHA1_LEN; i++)
        sprintf(hex + 2 * i, "%02x", hash[i]);
    assert_string_equal(hex, wanted);
}

static void hashes(void **state)
{
    (void)state;
    char text[SHA1_MAX_INPUT + 1];
    assert_sha1("", "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    assert_sha1("abc", "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    memset(text, 'a', sizeof text);
    text[55] = '\0'; /* the last that fits one block */
    assert_sha1(text, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
    text[55] = 'a';
    text[64] = '\0';
    assert_sha1(text, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
    text[64] = 'a';
    text[SHA1_MAX_INPUT] = '\0';
    assert_sha1(text, "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56");
}

static struct ds_endpoint end_of(const char *addr, uint16_t port)
{
    struct ds_endpoint end = {.addr.family = strchr(addr, ':') != NULL ? 6 : 4, .port = port};
    assert_int_equal(inet_pton(end.addr.family == 6 ? AF_INET6 : AF_INET, addr, end.addr.bytes), 1);
    return end;
}

static void assert_id(const char *a, uint16_t a_port, const char *b, uint16_t b_port,
                      const char *wanted)
{
    for (int turned = 0; turned < 2; turned++) {
        struct ds_endpoint ends[2];
        struct ds_buffer out = {0};
        ends[turned] = end_of(a, a_port);
        ends[!turned] = end_of(b, b_port);
        community_id_print(ends, &out);
        ds_buffer_add(&out, "", 1);
        assert_string_equal(out.data, wanted);
        ds_buffer_free(&out);
    }
}

/* The values are those of the baseline that its makers publish. */
static void names(void **state)
{
    (void)state;
    assert_id("128.232.110.120", 34855, "66.35.250.204", 80, "1:LQU9qZlK+B5F3KDmev6m5PMibrg=");
    assert_id("10.0.0.1", 10, "10.0.0.1", 20, "1:1Lc+0H/HgLmR5V4rmOeuDZQS11k=");
    assert_id("fe80::1", 4369, "fe80::2", 4000, "1:Y/58em5UwiieE9HaljV89loACbM=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
