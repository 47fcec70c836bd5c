/*
 * test_match_steps.c - the greatest cost of a pattern. Some terms are expensive: long numbers,
 * opaque terms, records with their names, damage behind much valid data, bits that begin within a
 * byte. A run has a million steps. Each term here costs STEPS steps and is matched a little less,
 * or a little more, often than a million divided by STEPS. Less gives an answer; more is given up,
 * even if it is little more.
 */
#include <distsniff/match.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    STEPS = 4000,
    LEN = STEPS * 16,
    FEW = 248, /* number of matches: within two hundredths of the bound */
    MANY = 252,
};

static uint8_t area[8 * LEN];

static enum ds_match_result run(const char *text, size_t len)
{
    struct ds_match_error error;
    struct ds_match *match = ds_match_compile(text, &error);
    if (match == NULL)
        fail_msg("%s: column %zu: %s", text, error.column, error.what);
    const struct ds_term term = {.data = area, .len = len};
    const enum ds_match_result result = ds_match_run_term(match, &term);
    ds_match_free(match);
    return result;
}

static size_t put_head(size_t at, uint8_t tag, size_t num)
{
    const uint8_t head[] = {tag, 0, num >> 16 & 255, num >> 8 & 255, num & 255};
    memcpy(area + at, head, sizeof head);
    return at + sizeof head;
}

static size_t put_many(size_t at, size_t num, const void *bytes, size_t len)
{
    for (; num != 0; num--, at += len)
        memcpy(area + at, bytes, len);
    return at;
}

static size_t put_integer(size_t at)
{
    const uint8_t positive = 0, digit = 255;
    at = put_head(at, 111, LEN);
    return put_many(put_many(at, 1, &positive, 1), LEN, &digit, 1);
}

/* A term that only its own node can read: it is walked to find its end. */
static size_t put_local(size_t at)
{
    at = put_many(at, 1, (const uint8_t[]){121, 1, 2, 3, 4}, 5);
    return put_many(put_head(at, 105, LEN / 2), LEN / 2, (const uint8_t[]){97, 1}, 2);
}

static size_t put_record(size_t at)
{
    const size_t num = LEN / 3;
    const uint8_t no_flags = 0, nil = 106;
    at = put_many(put_head(at, 67, num), 1, &no_flags, 1);
    at = put_many(at, num + 2, (const uint8_t[]){119, 1, 'a'}, 3);
    return put_many(at, num, &nil, 1);
}

/* {Key, Map}: the key is compared with each other key of the map. */
static enum ds_match_result look_up(size_t (*put_key)(size_t at), unsigned num)
{
    size_t at = put_many(0, 1, (const uint8_t[]){104, 2}, 2);
    at = put_head(put_key(at), 116, num);
    for (unsigned i = 0; i < num; i++)
        at = put_many(at, 1, (const uint8_t[]){97, (uint8_t)i, 106}, 3);
    return run("{K, M} when is_map_key(K, M)", at);
}

static void keys(void **state)
{
    static size_t (*const puts[])(size_t at) = {put_integer, put_local, put_record};
    (void)state;
    for (size_t i = 0; i < sizeof puts / sizeof puts[0]; i++) {
        assert_int_equal(look_up(puts[i], FEW), DS_MATCH_NO);
        assert_int_equal(look_up(puts[i], MANY), DS_MATCH_GAVE_UP);
    }
}

/* try_each tries num alternatives, all of which fail. */
static enum ds_match_result try_each(const char *alternative, unsigned num, size_t len)
{
    char text[DS_MATCH_MAX_LEN] = "X when ";
    for (size_t at = strlen(text); num != 0; num--)
        at += (size_t)sprintf(text + at, "%s%s", alternative, num != 1 ? ";" : "");
    return run(text, len);
}

static void damage(void **state)
{
    const uint8_t nil = 106, no_tag = 200;
    (void)state;
    size_t at = put_many(put_head(put_head(0, 108, 1), 105, LEN + 1), LEN, &nil, 1);
    at = put_many(at, 1, &no_tag, 1);
    assert_int_equal(try_each("tl(X)", FEW, at), DS_MATCH_NO);
    assert_int_equal(try_each("tl(X)", MANY, at), DS_MATCH_GAVE_UP);

    /* The same within one token: the names of a record. */
    at = put_record(put_head(0, 108, 1)) - LEN / 3;
    area[at - 3] = no_tag;
    assert_int_equal(try_each("tl(X)", FEW * 3 / 4, at + LEN / 3), DS_MATCH_NO);
    assert_int_equal(try_each("tl(X)", MANY, at + LEN / 3), DS_MATCH_GAVE_UP);
}

static void bits(void **state)
{
    const uint8_t byte = 7;
    (void)state;
    /* 16 bits are a step if they have to be shifted; otherwise 128 are. */
    const size_t len = STEPS * 2, at = put_many(put_head(0, 109, len), len, &byte, 1);
    assert_int_equal(try_each("<<1:1,X/bits>>", FEW * 9 / 10, at), DS_MATCH_NO);
    assert_int_equal(try_each("<<1:1,X/bits>>", MANY, at), DS_MATCH_GAVE_UP);
    assert_int_equal(try_each("<<X/bits,1:1>>", MANY, at), DS_MATCH_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(damage),
        cmocka_unit_test(bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
