/*
 * test_term.c - the walk over external terms: tokens and the check.
 */
#include "etf/term.h"
#include "guard_page.h"
#include "term_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct term_env env = {samples_atoms, SAMPLES_NUM_ATOMS};

struct checked {
    enum term_status status;
    size_t offset; /* where the check stood in the end */
    uint32_t unknown, inferred;
    const char *what;
};

static struct checked check(const uint8_t *bytes, size_t len)
{
    struct cursor start = cursor_make(bytes, len);
    struct cursor at = start;
    struct checked result = {0};
    result.status = term_check(&at, &env, &result.unknown, &result.inferred, &result.what);
    result.offset = cursor_offset(&at, &start);
    assert_ptr_equal(at.end, start.end);
    return result;
}

static void test_samples_check(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        const struct term_sample *sample = &samples[i];
        struct guard_page page = guard_page_copy(sample->bytes, sample->len);
        struct checked result = check(page.bytes, page.len);
        if (result.status != TERM_OK)
            fail_msg("sample %zu (%s): %s", i, sample->text, result.what);
        assert_int_equal(result.offset, sample->len);
        assert_int_equal(result.unknown, sample->unknown);
        assert_int_equal(result.inferred, sample->inferred);
        guard_page_free(&page);
    }
}

static void test_check_stops_behind_the_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        uint8_t bytes[512];
        assert_true(samples[i].len < sizeof bytes);
        memcpy(bytes, samples[i].bytes, samples[i].len);
        bytes[samples[i].len] = 0;
        struct checked result = check(bytes, samples[i].len + 1);
        assert_int_equal(result.status, TERM_OK);
        assert_int_equal(result.offset, samples[i].len);
    }
}

static void test_every_tag_has_a_sample(void **state)
{
    (void)state;
    static const uint8_t tags[] = {
#define TAG(code, id, kind) code,
#include "etf/tags.def"
#undef TAG
    };
    for (size_t i = 0; i < sizeof tags; i++) {
        bool found = false;
        for (size_t j = 0; j < NUM_SAMPLES; j++)
            found |= samples[j].bytes[0] == tags[i];
        if (!found)
            fail_msg("no sample of tag %u", tags[i]);
    }
}

static void test_every_prefix_is_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, len);
            struct checked result = check(page.bytes, len);
            assert_int_equal(result.status, TERM_CUT);
            assert_non_null(result.what);
            assert_true(result.offset <= len);
            guard_page_free(&page);
        }
    }
}

/* The tokens of a term cover its bytes in order, and their counts are used up at its end. */
static void test_tokens_cover_the_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        struct guard_page page = guard_page_copy(samples[i].bytes, samples[i].len);
        struct cursor at = cursor_make(page.bytes, page.len);
        uint64_t num_terms = 1;
        while (num_terms != 0) {
            struct term_token token;
            const uint8_t *before = at.at;
            assert_int_equal(term_read_token(&at, &env, &token, NULL), TERM_OK);
            assert_ptr_equal(token.bytes.at, before);
            assert_ptr_equal(token.bytes.end, at.at);
            assert_int_equal(token.tag, *before);
            num_terms += token.num_terms - 1;
        }
        assert_int_equal(cursor_left(&at), 0);
        guard_page_free(&page);
    }
}

static struct term_token read_one(const uint8_t *bytes, size_t len)
{
    struct cursor at = cursor_make(bytes, len);
    struct term_token token;
    assert_int_equal(term_read_token(&at, &env, &token, NULL), TERM_OK);
    return token;
}

static void assert_holds(struct cursor bytes, const char *text)
{
    assert_int_equal(cursor_left(&bytes), strlen(text));
    assert_memory_equal(bytes.at, text, strlen(text));
}

static void test_token_contents(void **state)
{
    (void)state;
    struct term_token token = read_one(BYTES(82, 3));
    assert_int_equal(token.class, TERM_ATOM);
    assert_ptr_equal(token.atom, &samples_atoms[3]);
    assert_holds(token.body, "\xc3\xa9");

    token = read_one(BYTES(100, 0, 3, 'f', 'o', 'o'));
    assert_true(token.latin1);
    assert_null(token.atom);
    assert_holds(token.body, "foo");
    token = read_one(BYTES(119, 3, 'f', 'o', 'o'));
    assert_false(token.latin1);

    token = read_one(BYTES(109, 0, 0, 0, 2, 'h', 'i'));
    assert_int_equal(token.class, TERM_BINARY);
    assert_holds(token.body, "hi");
    token = read_one(BYTES(107, 0, 2, 'h', 'i'));
    assert_int_equal(token.class, TERM_STRING);
    assert_holds(token.body, "hi");
    token = read_one(BYTES(77, 0, 0, 0, 2, 3, 'h', 'i'));
    assert_int_equal(token.last_bits, 3);
    assert_holds(token.body, "hi");

    token = read_one(BYTES(PID));
    assert_int_equal(token.class, TERM_PID);
    assert_holds(token.node, "a@h");
    assert_int_equal(cursor_left(&token.body), 9);
    token = read_one(BYTES(90, 0, 1, 82, 2, 0, 0, 0, 9, 0, 0, 0, 1));
    assert_int_equal(token.class, TERM_REFERENCE);
    assert_ptr_equal(token.atom, &samples_atoms[2]);
    assert_holds(token.node, "bob@host");

    token = read_one(BYTES(108, 0, 0, 0, 2, 106, 106, 106));
    assert_int_equal(token.class, TERM_LIST);
    assert_int_equal(token.num_terms, 3);
    token = read_one(BYTES(116, 0, 0, 0, 1, 106, 106));
    assert_int_equal(token.num_terms, 2);
    token = read_one(BYTES(67, 0, 0, 0, 1, 1, 82, 3, 82, 2, 82, 0, 106));
    assert_int_equal(token.class, TERM_RECORD);
    assert_int_equal(token.num_terms, 1);
    assert_int_equal(cursor_left(&token.record_names), 6);
    token = read_one(BYTES(121, 1, 2, 3, 4, 104, 1, 106, 97));
    assert_int_equal(token.class, TERM_LOCAL);
    assert_int_equal(token.num_terms, 0);
    assert_int_equal(cursor_left(&token.body), 7);
}

/* The malformed part follows a valid element of a tuple: the check stops before it. */
static void assert_malformed(const uint8_t *bytes, size_t len, const char *part_of_what)
{
    uint8_t in_tuple[2048] = {104, 2, 106};
    const size_t before = 3;
    memcpy(&in_tuple[before], bytes, len);
    struct guard_page page = guard_page_copy(in_tuple, before + len);
    struct checked result = check(page.bytes, page.len);
    assert_int_equal(result.status, TERM_MALFORMED);
    assert_int_equal(result.offset, before);
    if (strstr(result.what, part_of_what) == NULL)
        fail_msg("'%s' does not speak of '%s'", result.what, part_of_what);
    struct cursor at = cursor_make(page.bytes + before, len);
    struct term_token token;
    const char *what = NULL;
    assert_int_equal(term_read_token(&at, &env, &token, &what), TERM_MALFORMED);
    assert_ptr_equal(at.at, page.bytes + before);
    assert_string_equal(what, result.what);
    guard_page_free(&page);
}

static void test_malformed(void **state)
{
    (void)state;
    assert_malformed(BYTES(0), "tag");
    assert_malformed(BYTES(131, 97, 1), "tag");
    assert_malformed(BYTES(255), "tag");
    assert_malformed(BYTES(68, 0), "tag");
    assert_malformed(BYTES(80, 0, 0, 0, 1, 120), "compressed");
    assert_malformed(BYTES(82, SAMPLES_NUM_ATOMS), "header does not have");
    assert_malformed(BYTES(88, 82, SAMPLES_NUM_ATOMS), "header does not have");
    assert_malformed(BYTES(110, 1, 2, 5), "sign");
    assert_malformed(BYTES(111, 0, 0, 0, 1, 255, 5), "sign");
    assert_malformed(BYTES(70, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0), "infinite");
    assert_malformed(BYTES(70, 0xff, 0xf0, 0, 0, 0, 0, 0, 0), "infinite");
    assert_malformed(BYTES(70, 0x7f, 0xf8, 0, 0, 0, 0, 0, 1), "infinite");
    assert_malformed(BYTES(77, 0, 0, 0, 1, 9, 0), "bits");
    assert_malformed(BYTES(77, 0, 0, 0, 1, 0, 0), "bits");
    assert_malformed(BYTES(77, 0, 0, 0, 0, 1), "bits");
    assert_malformed(BYTES(119, 1, 0xe9), "UTF-8");
    assert_malformed(BYTES(119, 2, 0xc0, 0x80), "UTF-8");
    assert_malformed(BYTES(118, 0, 3, 0xed, 0xa0, 0x80), "UTF-8");
    assert_malformed(BYTES(119, 4, 0xf4, 0x90, 0x80, 0x80), "UTF-8");
    assert_malformed(BYTES(119, 2, 0xe2, 0x82), "UTF-8");
    assert_malformed(BYTES(88, 97, 1), "no atom");
    assert_malformed(BYTES(88, 106, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9), "no atom");
    assert_malformed(BYTES(101, 107, 0, 0), "no atom");
    assert_malformed(BYTES(90, 0, 6, NODE), "five words");
    assert_malformed(BYTES(114, 255, 255, NODE), "five words");
    assert_malformed(BYTES(113, 97, 1), "no atom");
    assert_malformed(BYTES(113, 82, 0, 106), "no atom");
    assert_malformed(BYTES(113, 82, 0, 82, 0, 98, 0, 0, 0, 1), "arity");
    assert_malformed(BYTES(117, 0, 0, 0, 0, 82, 0), "no pid");
    assert_malformed(BYTES(117, 0, 0, 0, 0, PID, 97, 1), "no atom");
    assert_malformed(BYTES(117, 0, 0, 0, 0, PID, 82, 0, 106), "no integer");
    assert_malformed(BYTES(112, 0, 0, 0, 0, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 0, 82,
                           0, 97, 1, 97, 1, 106),
                     "no pid");
    assert_malformed(BYTES(112, 0, 0, 0, 0, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 0, 82,
                           0, 97, 1, 110, 1, 0, 5),
                     "no integer");
    assert_malformed(BYTES(67, 0, 0, 0, 1, 0, 82, 0, 82, 0, 97, 1), "no atom");
    assert_malformed(BYTES(121, 1, 2, 3, 4, 80), "compressed");
}

static void test_malformed_float_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",      "1",    "1.",    ".5",     "1.e5",    "1.5e",
                                        "1.5e+", " 1.5", "1.5 ",  "1.5x",   "nan",     "inf",
                                        "0x1.8", "1,5",  "--1.5", "1.5e5.", "1.0e999", "-1.0e999"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        uint8_t leaf[32] = {99};
        memcpy(&leaf[1], texts[i], strlen(texts[i]));
        assert_malformed(leaf, sizeof leaf, "float");
    }
    /* No NUL at the end: the parser must not look for one. */
    uint8_t leaf[32] = {99, '1', '.'};
    memset(&leaf[3], '5', sizeof leaf - 3);
    struct guard_page page = guard_page_copy(leaf, sizeof leaf);
    assert_int_equal(check(page.bytes, page.len).status, TERM_OK);
    guard_page_free(&page);
}

/* An atom has at most 255 characters, of up to four bytes. */
static void test_atom_lengths(void **state)
{
    (void)state;
    static const char *const chars[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t size = 1; size <= 4; size++) {
        for (size_t num = 254; num <= 256; num++) {
            uint8_t leaf[3 + 256 * 4] = {118, (uint8_t)(num * size >> 8), (uint8_t)(num * size)};
            for (size_t i = 0; i < num; i++)
                memcpy(&leaf[3 + i * size], chars[size - 1], size);
            if (num <= 255) {
                assert_int_equal(check(leaf, 3 + num * size).status, TERM_OK);
            } else {
                assert_malformed(leaf, 3 + num * size, "255 characters");
            }
        }
    }
    uint8_t latin1[3 + 256] = {100, 0, 255};
    memset(&latin1[3], 0xe9, 256);
    assert_int_equal(check(latin1, 3 + 255).status, TERM_OK);
    latin1[1] = 1;
    latin1[2] = 0;
    assert_malformed(latin1, sizeof latin1, "255 characters");
}

/* Counts and lengths that the bytes cannot hold. */
static void test_huge_counts(void **state)
{
    (void)state;
    static const uint8_t leaf_tags[] = {109, 111, 77};
    static const uint8_t tags[] = {105, 108, 116};
    for (size_t i = 0; i < sizeof leaf_tags; i++) {
        uint8_t bytes[] = {leaf_tags[i], 255, 255, 255, 255, 1, 1, 1};
        assert_int_equal(check(bytes, sizeof bytes).status, TERM_CUT);
    }
    for (size_t i = 0; i < sizeof tags; i++) {
        const uint8_t bytes[] = {tags[i], 255, 255, 255, 255, 106, 106, 106};
        struct checked result = check(bytes, sizeof bytes);
        assert_int_equal(result.status, TERM_CUT);
        assert_int_equal(result.offset, sizeof bytes);
        struct cursor at = cursor_make(bytes, sizeof bytes);
        struct term_token token;
        const char *what = NULL;
        assert_int_equal(term_read_token(&at, &env, &token, &what), TERM_CUT);
        assert_ptr_equal(at.at, bytes);
        assert_string_equal(what, "more terms announced than bytes left");
    }
    const uint8_t record[] = {67, 255, 255, 255, 255, 1, 82, 0, 82, 0, 82, 0};
    assert_int_equal(check(record, sizeof record).status, TERM_CUT);
    /* Counts that would wrap around if they were added in 32 bits. */
    const uint8_t nested[] = {105, 255, 255, 255, 255, 105, 0, 0, 0, 2, 106, 106};
    assert_int_equal(check(nested, sizeof nested).status, TERM_CUT);
    const uint8_t map[] = {116, 128, 0, 0, 0};
    assert_int_equal(check(map, sizeof map).status, TERM_CUT);
}

static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    static const struct {
        uint8_t bytes[8];
        size_t len;
    } layers[] = {
        {{104, 1}, 2},
        {{108, 0, 0, 0, 1}, 5},
        {{116, 0, 0, 0, 1, 97, 1}, 7},
        {{121, 1, 2, 3, 4}, 5},
    };
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        size_t len = DEPTH * layers[i].len;
        uint8_t *bytes = malloc(len + 1 + DEPTH);
        assert_non_null(bytes);
        for (size_t j = 0; j < DEPTH; j++)
            memcpy(&bytes[j * layers[i].len], layers[i].bytes, layers[i].len);
        memset(&bytes[len], 106, DEPTH + 1);
        size_t tails = layers[i].bytes[0] == 108 ? DEPTH : 0;
        struct checked result = check(bytes, len + 1 + DEPTH);
        assert_int_equal(result.status, TERM_OK);
        assert_int_equal(result.offset, len + 1 + tails);
        assert_int_equal(check(bytes, len + tails).status, TERM_CUT);
        free(bytes);
    }
}

static void test_skip(void **state)
{
    (void)state;
    const uint8_t bytes[] = {97, 1, 104, 1, 106, 107, 0, 1, 'a', 80};
    struct cursor start = cursor_make(bytes, sizeof bytes);
    struct cursor at = start;
    assert_int_equal(term_skip(&at, &env, 0, NULL), TERM_OK);
    assert_int_equal(cursor_offset(&at, &start), 0);
    assert_int_equal(term_skip(&at, &env, 3, NULL), TERM_OK);
    assert_int_equal(cursor_offset(&at, &start), 9);
    assert_int_equal(term_skip(&at, &env, 1, NULL), TERM_MALFORMED);
    assert_int_equal(cursor_offset(&at, &start), 9);
}

/* Nested lists and tuples, cut anywhere, are skipped as far as the check accepts them. */
static void test_skip_what_holds_others(void **state)
{
    static const uint8_t bytes[] = {104, 2,   108, 0, 0, 0, 2, 104, 0,   108, 0,  0,  0, 0, 106, 97,
                                    7,   104, 1,   97, 5, 108, 0, 0,  0,   1,   97, 1, 106};
    (void)state;
    const struct cursor start = cursor_make(bytes, sizeof bytes);
    struct cursor at = start;
    assert_int_equal(term_skip(&at, &env, 1, NULL), TERM_OK);
    assert_int_equal(cursor_offset(&at, &start), 21);
    assert_int_equal(term_skip(&at, &env, 1, NULL), TERM_OK);
    assert_int_equal(cursor_left(&at), 0);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        struct cursor skipped = cursor_make(bytes, len), checked = skipped;
        uint32_t unknown = 0, inferred = 0;
        assert_int_equal(term_skip(&skipped, &env, 1, NULL),
                         term_check(&checked, &env, &unknown, &inferred, NULL));
        if (len >= 21)
            assert_ptr_equal(skipped.at, checked.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_check),
        cmocka_unit_test(test_check_stops_behind_the_term),
        cmocka_unit_test(test_every_tag_has_a_sample),
        cmocka_unit_test(test_every_prefix_is_cut),
        cmocka_unit_test(test_tokens_cover_the_term),
        cmocka_unit_test(test_token_contents),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_malformed_float_texts),
        cmocka_unit_test(test_atom_lengths),
        cmocka_unit_test(test_huge_counts),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_skip_what_holds_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
