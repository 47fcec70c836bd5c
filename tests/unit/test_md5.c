/*
 * test_md5.c - the digest of the handshake: what RFC 1321 says of texts, what libcrypto says of every
 * length around its blocks, and texts that are told in parts.
 */
#include "md5.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void assert_digest(const char *text, const char *wanted)
{
    const struct ds_text whole = {text, strlen(text)};
    uint8_t digest[MD5_LEN];
    char hex[2 * MD5_LEN + 1];
    md5_of(&whole, 1, digest);
    for (int i = 0; i < MD5_LEN; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, wanted);
}

static void known(void **state)
{
    (void)state;
    assert_digest("", "d41d8cd98f00b204e9800998ecf8427e");
    assert_digest("abc", "900150983cd24fb0d6963f7d28e17f72");
    assert_digest("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
}

static void every_length(void **state)
{
    char text[300];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 37 + 200);
    for (size_t len = 0; len <= sizeof text; len++) {
        uint8_t ours[MD5_LEN], theirs[EVP_MAX_MD_SIZE];
        const struct ds_text parts[] = {{text, len / 3}, {NULL, 0}, {text + len / 3, len - len / 3}};
        md5_of(parts, 3, ours);
        assert_true(EVP_Digest(text, len, theirs, NULL, EVP_md5(), NULL));
        assert_memory_equal(ours, theirs, MD5_LEN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(every_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
