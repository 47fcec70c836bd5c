/*
 * test_term_copy.c - copies of terms in standard external format, without the cache.
 */
#include "etf/term.h"
#include "failing_alloc.h"
#include "guard_page.h"
#include "term_samples.h"

#include <distsniff/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_samples_copy(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        const struct term_sample *sample = &samples[i];
        const uint8_t *expected = sample->copy != NULL ? sample->copy : sample->bytes;
        size_t expected_len = sample->copy != NULL ? sample->copy_len : sample->len;
        struct guard_page page = guard_page_copy(sample->bytes, sample->len);
        struct ds_term term = samples_term(page.bytes, page.len);
        struct ds_buffer copy = {0};
        assert_true(ds_term_copy_etf(&term, &copy));
        assert_int_equal((uint8_t)copy.data[0], 131);
        if (copy.len != expected_len + 1 || memcmp(copy.data + 1, expected, expected_len) != 0)
            fail_msg("sample %zu, %s", i, sample->text);
        ds_buffer_free(&copy);
        guard_page_free(&page);
    }
}

/* Without the cache, the copy reads like the original, and a copy of it is equal. */
static void test_copy_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        struct ds_term term = samples_term(samples[i].bytes, samples[i].len);
        struct ds_buffer copy = {0}, again = {0}, text = {0};
        const struct term_env no_atoms = {0};
        uint32_t unknown = 0, inferred = 0;
        assert_true(ds_term_copy_etf(&term, &copy));
        struct ds_term copied = {.data = (const uint8_t *)copy.data + 1, .len = copy.len - 1};
        struct cursor at = cursor_make(copied.data, copied.len);
        assert_int_equal(term_check(&at, &no_atoms, &unknown, &inferred, NULL), TERM_OK);
        assert_int_equal(cursor_left(&at), 0);
        assert_true(ds_term_copy_etf(&copied, &again));
        assert_int_equal(again.len, copy.len);
        assert_memory_equal(again.data, copy.data, copy.len);
        if (samples[i].unknown == 0 && strstr(samples[i].text, "Local") == NULL) {
            assert_true(ds_term_print(&copied, NULL, &text));
            assert_int_equal(text.len, strlen(samples[i].text));
            assert_memory_equal(text.data, samples[i].text, text.len);
        }
        ds_buffer_free(&copy);
        ds_buffer_free(&again);
        ds_buffer_free(&text);
    }
}

static void print_portable(const struct ds_term *term, struct ds_buffer *text)
{
    struct ds_buffer copy = {0}, again = {0};
    const struct term_env no_atoms = {0};
    uint32_t unknown = 0, inferred = 0;
    assert_true(ds_term_copy_portable(term, &copy));
    struct ds_term copied = {.data = (const uint8_t *)copy.data + 1, .len = copy.len - 1};
    struct cursor at = cursor_make(copied.data, copied.len);
    assert_int_equal(term_check(&at, &no_atoms, &unknown, &inferred, NULL), TERM_OK);
    assert_int_equal(cursor_left(&at), 0);
    /* The sizes of funs are right: otherwise they would change. */
    assert_true(ds_term_copy_portable(&copied, &again));
    assert_int_equal(again.len, copy.len);
    assert_memory_equal(again.data, copy.data, copy.len);
    assert_true(ds_term_print(&copied, NULL, text));
    ds_buffer_free(&copy);
    ds_buffer_free(&again);
}

static void test_portable(void **state)
{
    (void)state;
#define RECORD(n) 67, 0, 0, 0, (n), 1, 82, 3, 119, 1, 'r'
    const struct term_sample cases[] = {
        {BYTES(RECORD(0)), "{'$record','\xc3\xa9',r,[]}", SAME, 0, 0},
        {BYTES(RECORD(1), 82, 3, 82, 0), "{'$record','\xc3\xa9',r,[{'\xc3\xa9',alice@host}]}", SAME,
         0, 0},
        {BYTES(104, 2, RECORD(2), 115, 1, 0xe9, 82, 1, RECORD(0), 82, 0, 82, 0),
         "{{'$record','\xc3\xa9',r,[{'\xc3\xa9',{'$record','\xc3\xa9',r,[]}},"
         "{'?atom:1027',alice@host}]},alice@host}",
         SAME, 0, 0},
        {BYTES(104, 2, 82, 0, 121, 1, 2, 3, 4, 104, 2, 88, 106, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9,
               82, 0),
         "{alice@host,{'$local',<<1,2,3,4,104,2,88,106,0,0,0,5,0,0,0,6,0,0,0,9,"
         "119,10,97,108,105,99,101,64,104,111,115,116>>}}",
         SAME, 0, 0},
        {BYTES(103, NODE, 0, 0, 0, 5, 0, 0, 0, 6, 255), "<a@h.5.6>", SAME, 0, 0},
        {BYTES(104, 1, 114, 0, 2, 82, 0, 9, 255, 255, 255, 255, 0, 0, 0, 1),
         "{#Ref<alice@host.1.4294967295>}", SAME, 0, 0},
        {BYTES(90, 0, 0, NODE, 0, 0, 0, 9), "{'$ref',a@h,[],9}", SAME, 0, 0},
        {BYTES(88, 119, 13, 'n', 'o', 'n', 'o', 'd', 'e', '@', 'n', 'o', 'h', 'o', 's', 't', 255,
               255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0),
         "{'$pid',nonode@nohost,4294967295,0,0}", SAME, 0, 0},
        {BYTES(117, 0, 0, 0, 1, PID, 119, 1, 'm', 97, 3, 98, 255, 255, 255, 255, PID),
         "{'$fun',m,3,-1,undefined,[<a@h.90.1>]}", SAME, 0, 0},
        {BYTES(104, 2, 116, 0, 0, 0, 2, 97, 1, 82, 3, 98, 0, 0, 0, 1, 116, 0, 0, 0, 2, 106, 106,
               107, 0, 0, 97, 2, 97, 9),
         "{{'$map',[{1,'\xc3\xa9'},{1,{'$map',[{[],[]},{[],2}]}}]},9}", SAME, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct guard_page page = guard_page_copy(cases[i].bytes, cases[i].len);
        struct ds_term term = samples_term(page.bytes, page.len);
        struct ds_buffer text = {0};
        print_portable(&term, &text);
        if (text.len != strlen(cases[i].text) || memcmp(text.data, cases[i].text, text.len) != 0)
            fail_msg("expected %s\n     got %.*s", cases[i].text, (int)text.len, text.data);
        ds_buffer_free(&text);
        guard_page_free(&page);
    }
}

static bool is_translated(uint8_t tag)
{
    static const uint8_t tags[] = {TERM_TAG_RECORD, TERM_TAG_PID,           TERM_TAG_PORT,
                                   TERM_TAG_FUN,    TERM_TAG_NEW_REFERENCE, TERM_TAG_REFERENCE};
    return memchr(tags, tag, sizeof tags) != NULL;
}

/* A term without records, opaque terms, old tags and duplicate keys is copied unchanged. */
static void test_portable_samples(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        struct ds_term term = samples_term(samples[i].bytes, samples[i].len);
        struct ds_buffer text = {0}, copy = {0}, portable = {0};
        static const uint8_t no_words[] = {TERM_TAG_NEWER_REFERENCE, 0, 0};
        bool other = strstr(samples[i].text, "Local") != NULL ||
                     (samples[i].len >= sizeof no_words &&
                      memcmp(samples[i].bytes, no_words, sizeof no_words) == 0);
        for (size_t b = 0; b < samples[i].len; b++)
            other = other || is_translated(samples[i].bytes[b]);
        bool twice = false;
        assert_true(ds_term_has_twice(&term, &twice, NULL));
        other = other || twice;
        print_portable(&term, &text);
        assert_true(ds_term_copy_etf(&term, &copy));
        assert_true(ds_term_copy_portable(&term, &portable));
        if (!other) {
            assert_int_equal(copy.len, portable.len);
            assert_memory_equal(copy.data, portable.data, copy.len);
        }
        ds_buffer_free(&text);
        ds_buffer_free(&copy);
        ds_buffer_free(&portable);
    }
}

static void test_no_atom(void **state)
{
    (void)state;
    const struct ds_atom atom = {(const uint8_t *)"a\xc3", 2, 5, DS_ATOM_KNOWN, 0, false};
    const struct ds_term term = {
        .data = (const uint8_t *)"R", .len = 2, .atoms = &atom, .num_atoms = 1};
    struct ds_buffer text = {0};
    print_portable(&term, &text);
    assert_int_equal(text.len, 7);
    assert_memory_equal(text.data, "'?atom'", 7);
    ds_buffer_free(&text);
}

/* A refused copy leaves nothing in the buffer. */
static void assert_refused(const struct ds_term *term)
{
    struct ds_buffer copy = {0};
    ds_buffer_add_text(&copy, "before");
    assert_false(ds_term_copy_etf(term, &copy));
    assert_false(copy.failed);
    assert_int_equal(copy.len, strlen("before"));
    assert_memory_equal(copy.data, "before", copy.len);
    ds_buffer_free(&copy);
}

static void test_refused(void **state)
{
    (void)state;
    struct ds_term term = {0};
    assert_refused(&term);
    term = samples_term(BYTES(97, 1));
    term.damaged = true;
    assert_refused(&term);
    term = samples_term(BYTES(104, 2, 97, 1, 80));
    assert_refused(&term);
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, len);
            term = samples_term(page.bytes, len);
            assert_refused(&term);
            guard_page_free(&page);
        }
    }
}

#define FUN_HEAD 0, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3
#define FUN_TAIL 82, 3, 97, 3, 97, 5, 103, 82, 3, 0, 0, 0, 90, 0, 0, 0, 1, 2
#define FUN_TAIL_COPY                                                                              \
    119, 2, 0xc3, 0xa9, 97, 3, 97, 5, 103, 119, 2, 0xc3, 0xa9, 0, 0, 0, 90, 0, 0, 0, 1, 2

/* deep_mixed nests funs in records in funs, each the last element of the other. */
static struct ds_buffer deep_mixed(size_t depth)
{
    static const uint8_t fun[] = {112, 0, 0, 0, 0, FUN_HEAD, 0, 0, 0, 2, FUN_TAIL, 97, 1};
    static const uint8_t record[] = {67, 0, 0, 0, 2, 0, 82, 3, 82, 3, 82, 0, 82, 3, 106};
    static const uint8_t local[] = {121, 1, 2, 3, 4, 82, 0};
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++) {
        ds_buffer_add(&bytes, fun, sizeof fun);
        ds_buffer_add(&bytes, record, sizeof record);
    }
    ds_buffer_add(&bytes, local, sizeof local);
    assert_false(bytes.failed);
    return bytes;
}

static void test_deep_mixed(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_mixed(10000), text = {0};
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    print_portable(&term, &text);
    ds_buffer_free(&bytes);
    ds_buffer_free(&text);
}

/* deep_funs nests funs, each the last of two free variables of the one before it. */
static struct ds_buffer deep_funs(size_t depth)
{
    static const uint8_t fun[] = {112, 0, 0, 0, 0, FUN_HEAD, 0, 0, 0, 2, FUN_TAIL, 97, 1};
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++)
        ds_buffer_add(&bytes, fun, sizeof fun);
    ds_buffer_add(&bytes, (const uint8_t[]){82, 0}, 2);
    assert_false(bytes.failed);
    return bytes;
}

static void test_deep_funs(void **state)
{
    (void)state;
    static const uint8_t fun[] = {112, 0, 0, 0, 0, FUN_HEAD, 0, 0, 0, 2, FUN_TAIL_COPY, 97, 1};
    const size_t innermost_len = 12, depth = 65536;
    struct ds_buffer bytes = deep_funs(depth);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    struct ds_buffer copy = {0};
    assert_true(ds_term_copy_etf(&term, &copy));
    assert_int_equal(copy.len, 1 + depth * sizeof fun + innermost_len);
    struct cursor at = cursor_make(copy.data, copy.len);
    assert_true(cursor_skip(&at, 1));
    for (size_t i = 0; i < depth; i++) {
        /* The size counts from itself to the end, which is the end of all. */
        struct cursor size_at = at;
        uint32_t size;
        assert_true(cursor_skip(&size_at, 1));
        size_t left = cursor_left(&size_at);
        assert_true(cursor_read_u32(&size_at, &size));
        assert_int_equal(size, left);
        assert_true(cursor_skip(&at, sizeof fun));
    }
    ds_buffer_free(&bytes);

    /* One level more would need memory that no real term needs. */
    copy.len = 0;
    bytes = deep_funs(depth + 1);
    term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_term_copy_etf(&term, &copy));
    assert_true(!copy.failed && copy.len == 0);
    ds_buffer_free(&bytes);
    ds_buffer_free(&copy);
}

static void test_deep_lists(void **state)
{
    (void)state;
    const size_t depth = 1000000;
    struct ds_buffer bytes = {0}, copy = {0};
    for (size_t i = 0; i < depth; i++)
        ds_buffer_add(&bytes, (const uint8_t[]){108, 0, 0, 0, 1, 82, 3}, 7);
    ds_buffer_add(&bytes, (const uint8_t[]){106}, 1);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(ds_term_copy_etf(&term, &copy));
    assert_int_equal(copy.len, 1 + depth * 9 + 1);
    ds_buffer_free(&bytes);
    ds_buffer_free(&copy);
}

static struct ds_buffer deep_twice(size_t depth)
{
    static const uint8_t as_value[] = {116, 0, 0, 0, 1, 97, 1}, as_key[] = {116, 0, 0, 0, 1};
    static const uint8_t innermost[] = {116, 0, 0, 0, 2, 97, 1, 106, 97, 1, 106};
    struct ds_buffer bytes = {0};
    for (size_t i = 0; i < depth; i++) {
        if (i % 2 == 0)
            ds_buffer_add(&bytes, as_value, sizeof as_value);
        else
            ds_buffer_add(&bytes, as_key, sizeof as_key);
    }
    ds_buffer_add(&bytes, innermost, sizeof innermost);
    for (size_t i = 0; i < depth / 2; i++) /* the values of those keys */
        ds_buffer_add(&bytes, (const uint8_t[]){106}, 1);
    return bytes;
}

static void copy_or_fail(void *context)
{
    const struct ds_term *term = context;
    struct ds_buffer copy = {0};
    bool ok = ds_term_copy_etf(term, &copy);
    assert_int_equal(ok, !failing_alloc_failed());
    ds_buffer_free(&copy);
}

static void copy_portable_or_fail(void *context)
{
    struct ds_buffer copy = {0};
    bool ok = ds_term_copy_portable(context, &copy);
    assert_int_equal(ok, !failing_alloc_failed());
    ds_buffer_free(&copy);
}

static void test_no_memory_portable(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_mixed(100);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(failing_alloc_each(copy_portable_or_fail, &term) > 4);
    ds_buffer_free(&bytes);
    bytes = deep_twice(100);
    term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(failing_alloc_each(copy_portable_or_fail, &term) > 8);
    ds_buffer_free(&bytes);
}

/* Maps in maps, alternately as keys and values, the innermost with a duplicate key: time and memory
 * are linear, and the outer maps are valid. */
static void test_deep_twice(void **state)
{
    (void)state;
    enum { MOST = 262144 };
    struct ds_buffer bytes = deep_twice(MOST - 1), copy = {0};
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    bool twice = false;
    assert_true(ds_term_copy_portable(&term, &copy));
    assert_in_range(copy.len, bytes.len + 10, bytes.len + 60);
    assert_true(ds_term_has_twice(&term, &twice, NULL));
    assert_true(twice);
    ds_buffer_free(&bytes);

    /* Deeper maps are not checked, and no duplicate is reported. */
    copy.len = 0;
    bytes = deep_twice(MOST);
    term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_term_copy_portable(&term, &copy));
    assert_true(!copy.failed && copy.len == 0);
    assert_true(ds_term_has_twice(&term, &twice, NULL));
    assert_false(twice);
    ds_buffer_free(&bytes);
    ds_buffer_free(&copy);
}

/* A map with very many keys, in another one: keys are compared as they are read; those of a map
 * with a duplicate need not be kept. */
static void test_many_keys(void **state)
{
    enum { NUM = 100000 };
    (void)state;
    for (unsigned outer_twice = 0; outer_twice < 2; outer_twice++) {
        for (unsigned inner_twice = 0; inner_twice < 2; inner_twice++) {
            const bool is_twice[] = {outer_twice != 0, inner_twice != 0};
            struct ds_buffer bytes = {0}, copy = {0};
            for (int map = 0; map < 2; map++) {
                const uint8_t head[] = {116, 0, NUM >> 16, NUM >> 8 & 255, NUM & 255};
                ds_buffer_add(&bytes, head, sizeof head);
                for (int i = 0; i < NUM; i++) {
                    const int key = is_twice[map] && i == NUM / 2 ? 0 : i;
                    const uint8_t integer[] = {98, 0, (uint8_t)(key >> 16), (uint8_t)(key >> 8),
                                               (uint8_t)key, 106};
                    ds_buffer_add(&bytes, integer, map == 0 && i + 1 == NUM ? 5 : 6);
                }
            }
            struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
            bool twice = false;
            assert_true(ds_term_has_twice(&term, &twice, NULL));
            assert_int_equal(twice, outer_twice + inner_twice != 0);
            assert_true(ds_term_copy_portable(&term, &copy));
            assert_int_equal(copy.data[1], outer_twice ? 104 : 116); /* {'$map',_} */
            ds_buffer_free(&bytes);
            ds_buffer_free(&copy);
        }
    }
}

/* Pairs need more bytes than the map, but not many more. */
static void test_copy_grows_so_far(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        const uint32_t num = (8 * 1024 * 1024 - 16) / 4 + more;
        struct ds_buffer bytes = {0}, copy = {0};
        ds_buffer_add(&bytes, (const uint8_t[]){116, 0, (uint8_t)(num >> 16), (uint8_t)(num >> 8),
                                                (uint8_t)num}, 5);
        for (uint32_t i = 0; i < num; i++)
            ds_buffer_add(&bytes, (const uint8_t[]){97, 1, 106}, 3);
        struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
        assert_int_equal(ds_term_copy_portable(&term, &copy), more == 0);
        assert_false(copy.failed);
        ds_buffer_free(&bytes);
        ds_buffer_free(&copy);
    }
}

static unsigned num_asked, stops_at = 3;

static bool is_stopped(void)
{
    return ++num_asked == stops_at;
}

static void test_copy_stops(void **state)
{
    struct ds_buffer copy = {.is_stopped = is_stopped};
    (void)state;
    struct ds_buffer bytes = deep_mixed(10000);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_false(ds_term_copy_portable(&term, &copy));
    assert_true(copy.failed && num_asked == 3);
    ds_buffer_free(&copy);
    ds_buffer_free(&bytes);
}

/* Comparing very many keys takes long: the stop function is called then, too, and a request to stop
 * is followed at any time. */
static void test_looking_for_keys_stops(void **state)
{
    enum { NUM = 65000, TOKENS = 2 * NUM + 1, ASK_EVERY = 1024 };
    (void)state;
    struct ds_buffer bytes = {0};
    ds_buffer_add(&bytes, (const uint8_t[]){116, 0, 0, NUM >> 8, NUM & 255}, 5);
    for (int i = 0; i < NUM; i++)
        ds_buffer_add(&bytes, (const uint8_t[]){98, 0, 0, (uint8_t)(i >> 8), (uint8_t)i, 106}, 6);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    bool twice = true;
    stops_at = 0;
    num_asked = 0;
    assert_true(ds_term_has_twice(&term, &twice, is_stopped));
    assert_false(twice);
    const unsigned all = num_asked;
    assert_true(all > TOKENS / ASK_EVERY + 100);
    for (stops_at = 1; stops_at <= all; stops_at += 50) {
        num_asked = 0;
        assert_false(ds_term_has_twice(&term, &twice, is_stopped));
        assert_int_equal(num_asked, stops_at);
    }
    stops_at = 3;
    num_asked = 0;
    ds_buffer_free(&bytes);
}

/* An integer of 2^22 bits is a tuple, also in source text; one that is a byte shorter stays an
 * integer. */
static void test_large(void **state)
{
    (void)state;
    const size_t room = 524287;
    const struct ds_code_options options = {.language = DS_CODE_ERLANG};
    for (size_t len = room; len <= room + 1; len++) {
        static const char tuple[] = "{'$integer',1,<<0,";
        struct ds_buffer bytes = {0}, text = {0}, copy = {0};
        const uint8_t head[] = {111, 0, (uint8_t)(len >> 16), (uint8_t)(len >> 8), (uint8_t)len, 1};
        ds_buffer_add(&bytes, head, sizeof head);
        assert_true(ds_buffer_reserve(&bytes, len));
        memset(bytes.data + sizeof head, 0, len - 1);
        bytes.data[sizeof head + len - 1] = 3;
        bytes.len = sizeof head + len;
        struct ds_term term = {.data = (const uint8_t *)bytes.data, .len = bytes.len};
        assert_true(ds_code_term(&term, &options, &text));
        assert_int_equal(memcmp(text.data, tuple, sizeof tuple - 1) == 0, len > room);
        assert_true(ds_term_copy_portable(&term, &copy));
        assert_int_equal(copy.data[1], len > room ? 104 : 111);
        ds_buffer_free(&bytes);
        ds_buffer_free(&text);
        ds_buffer_free(&copy);
    }
}

/* What newer nodes accept and older ones do not is not refused in general. */
static void test_zeros(void **state)
{
    (void)state;
    struct ds_term term = samples_term(BYTES(116, 0, 0, 0, 2, 70, 0, 0, 0, 0, 0, 0, 0, 0, 106, 70,
                                             0x80, 0, 0, 0, 0, 0, 0, 0, 106));
    bool twice = true;
    struct ds_buffer text = {0};
    assert_true(ds_term_has_twice(&term, &twice, NULL));
    assert_false(twice);
    print_portable(&term, &text);
    assert_int_equal(text.len, strlen("{'$map',[{0.0,[]},{-0.0,[]}]}"));
    ds_buffer_free(&text);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct ds_buffer bytes = deep_funs(100);
    struct ds_term term = samples_term((const uint8_t *)bytes.data, bytes.len);
    assert_true(failing_alloc_each(copy_or_fail, &term) > 4);
    ds_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_copy),
        cmocka_unit_test(test_copy_is_complete),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_looking_for_keys_stops),
        cmocka_unit_test(test_deep_funs),
        cmocka_unit_test(test_deep_lists),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_portable_samples),
        cmocka_unit_test(test_no_atom),
        cmocka_unit_test(test_deep_mixed),
        cmocka_unit_test(test_no_memory_portable),
        cmocka_unit_test(test_deep_twice),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_copy_grows_so_far),
        cmocka_unit_test(test_copy_stops),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
