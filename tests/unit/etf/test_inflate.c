/*
 * test_inflate.c - compressed terms, valid and malformed.
 */
#include "etf/term.h"
#include "failing_alloc.h"
#include "guard_page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

enum { CONTENTS_LEN = 10000, ROOM = 20000, HEAD_LEN = 5 };

/* A binary of that many bytes, which do not compress too well. */
static uint8_t contents[CONTENTS_LEN];

static void make_contents(void)
{
    const uint32_t len = CONTENTS_LEN - HEAD_LEN;
    uint32_t random = 1;
    contents[0] = 109;
    for (size_t i = 0; i < 4; i++)
        contents[1 + i] = (uint8_t)(len >> (24 - 8 * i));
    for (size_t i = HEAD_LEN; i < CONTENTS_LEN; i++) {
        random = random * 1103515245 + 12345;
        contents[i] = (uint8_t)(random >> 24 & 0x0f);
    }
}

/* compress_term makes tag, length as given, and zlib data; it returns their length. */
static size_t compress_term(uint8_t *out, uint32_t told_len)
{
    uLongf len = ROOM - HEAD_LEN;
    out[0] = 80;
    for (size_t i = 0; i < 4; i++)
        out[1 + i] = (uint8_t)(told_len >> (24 - 8 * i));
    assert_int_equal(compress(out + HEAD_LEN, &len, contents, CONTENTS_LEN), Z_OK);
    return len + HEAD_LEN;
}

struct inflated {
    enum term_status status;
    size_t used;
    size_t len;
    bool capped;
    bool same;
    const char *what;
};

static struct inflated inflate_bytes(const uint8_t *bytes, size_t len, uint64_t max_len)
{
    struct guard_page page = guard_page_copy(bytes, len);
    struct cursor start = cursor_make(page.bytes, len);
    struct cursor at = start, out = {0};
    struct arena arena = {0};
    struct inflated result = {0};
    result.status = term_inflate(&at, &arena, max_len, &out, &result.capped, &result.what);
    result.used = cursor_offset(&at, &start);
    result.len = cursor_left(&out);
    result.same = result.len == CONTENTS_LEN && memcmp(out.at, contents, result.len) == 0;
    if (result.status != TERM_OK) {
        assert_non_null(result.what);
        assert_int_equal(result.used, 0);
    }
    arena_free(&arena);
    guard_page_free(&page);
    return result;
}

static void test_inflates(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    size_t len = compress_term(bytes, CONTENTS_LEN);
    memset(bytes + len, 106, 10); /* the following bytes are not consumed */
    struct inflated result = inflate_bytes(bytes, len + 10, CONTENTS_LEN);
    assert_int_equal(result.status, TERM_OK);
    assert_int_equal(result.used, len);
    assert_true(result.same);
    assert_false(result.capped);
}

static void test_every_prefix_is_cut(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    size_t len = compress_term(bytes, CONTENTS_LEN);
    for (size_t i = 20; i < len; i += i < len - 40 ? 37 : 1) {
        struct inflated result = inflate_bytes(bytes, i, CONTENTS_LEN);
        assert_int_equal(result.status, TERM_CUT);
    }
    for (size_t i = 0; i < HEAD_LEN; i++)
        assert_int_equal(inflate_bytes(bytes, i, CONTENTS_LEN).status, TERM_CUT);
}

static void test_lies(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    static const uint32_t lengths[] = {0, 1, CONTENTS_LEN - 1, CONTENTS_LEN + 1, 2 * CONTENTS_LEN};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t len = compress_term(bytes, lengths[i]);
        struct inflated result = inflate_bytes(bytes, len, 1u << 24);
        assert_int_equal(result.status, TERM_MALFORMED);
        assert_false(result.capped);
    }
    /* More than these bytes can inflate to: refused before any memory is allocated. */
    size_t len = compress_term(bytes, UINT32_MAX);
    failing_alloc_at(0);
    struct inflated result = inflate_bytes(bytes, len, UINT64_MAX);
    assert_int_equal(failing_alloc_count(), 0);
    assert_int_equal(result.status, TERM_MALFORMED);
    assert_false(result.capped);
}

static void test_cap(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    size_t len = compress_term(bytes, CONTENTS_LEN);
    struct inflated result = inflate_bytes(bytes, len, CONTENTS_LEN - 1);
    assert_int_equal(result.status, TERM_MALFORMED);
    assert_true(result.capped);
}

static void test_garbage(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    size_t len = compress_term(bytes, CONTENTS_LEN);
    bytes[len / 2] ^= 0xff;
    assert_int_equal(inflate_bytes(bytes, len, CONTENTS_LEN).status, TERM_MALFORMED);
    len = compress_term(bytes, CONTENTS_LEN);
    bytes[HEAD_LEN] = 0;
    assert_int_equal(inflate_bytes(bytes, len, CONTENTS_LEN).status, TERM_MALFORMED);
    const uint8_t other[] = {97, 0, 0, 0, 1, 1, 1, 1, 1};
    assert_int_equal(inflate_bytes(other, sizeof other, CONTENTS_LEN).status, TERM_MALFORMED);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint8_t bytes[ROOM];
    size_t len = compress_term(bytes, CONTENTS_LEN);
    failing_alloc_at(1);
    struct inflated result = inflate_bytes(bytes, len, CONTENTS_LEN);
    assert_true(failing_alloc_failed());
    failing_alloc_at(0);
    assert_int_equal(result.status, TERM_MALFORMED);
    assert_true(result.capped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inflates), cmocka_unit_test(test_every_prefix_is_cut),
        cmocka_unit_test(test_lies),     cmocka_unit_test(test_cap),
        cmocka_unit_test(test_garbage),  cmocka_unit_test(test_no_memory),
    };
    make_contents();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
