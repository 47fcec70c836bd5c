/*
 * test_value.c - leaves read through the cursor are equal to what erl_interface reads from the same
 * bytes, for any bytes.
 */
#include "etf/term_token.h"
#include "etf/value.h"

#include <ei.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROUNDS = 200000, LEAF_LEN = 64 };

static uint64_t random_state = 0x2545f4914f6cdd1d;

static unsigned draw(unsigned num)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % num;
}

/* Bytes at the ends of ranges are drawn more often than others. */
static uint8_t draw_byte(void)
{
    static const uint8_t ends[] = {0, 1, 0x7f, 0x80, 0xff};
    return draw(2) != 0 ? (uint8_t)draw(256) : ends[draw(sizeof ends)];
}

struct leaf {
    uint8_t bytes[LEAF_LEN];
    size_t len;
};

static void add(struct leaf *leaf, uint8_t byte)
{
    leaf->bytes[leaf->len++] = byte;
}

static void add_random(struct leaf *leaf, size_t len)
{
    while (len-- != 0)
        add(leaf, draw_byte());
}

static void add_node(struct leaf *leaf)
{
    add(leaf, TERM_TAG_SMALL_ATOM_UTF8);
    add(leaf, 1);
    add(leaf, 'n');
}

static void add_big(struct leaf *leaf)
{
    const uint8_t len = (uint8_t)draw(10);
    add(leaf, len);
    add(leaf, (uint8_t)draw(2));
    add_random(leaf, len);
}

static void add_reference(struct leaf *leaf, size_t creation_len)
{
    const uint8_t num_words = (uint8_t)draw(TOKEN_REFERENCE_WORDS_MAX + 1);
    add(leaf, 0);
    add(leaf, num_words);
    add_node(leaf);
    add_random(leaf, creation_len + 4u * num_words);
}

static struct leaf draw_leaf(void)
{
    static const uint8_t tags[] = {
        TERM_TAG_SMALL_INTEGER, TERM_TAG_INTEGER, TERM_TAG_SMALL_BIG,     TERM_TAG_LARGE_BIG,
        TERM_TAG_NEW_FLOAT,     TERM_TAG_PID,     TERM_TAG_NEW_PID,       TERM_TAG_PORT,
        TERM_TAG_NEW_PORT,      TERM_TAG_V4_PORT, TERM_TAG_NEW_REFERENCE, TERM_TAG_NEWER_REFERENCE};
    static const uint8_t numbers[256] = {
        [TERM_TAG_PID] = 9,      [TERM_TAG_NEW_PID] = 12, [TERM_TAG_PORT] = 5,
        [TERM_TAG_NEW_PORT] = 8, [TERM_TAG_V4_PORT] = 12};
    struct leaf leaf = {0};
    const uint8_t tag = tags[draw(sizeof tags)];
    add(&leaf, tag);
    switch (tag) {
    case TERM_TAG_SMALL_INTEGER:
        add_random(&leaf, 1);
        break;
    case TERM_TAG_INTEGER:
        add_random(&leaf, 4);
        break;
    case TERM_TAG_LARGE_BIG:
        for (int i = 0; i < 3; i++)
            add(&leaf, 0);
        add_big(&leaf);
        break;
    case TERM_TAG_SMALL_BIG:
        add_big(&leaf);
        break;
    case TERM_TAG_NEW_FLOAT:
        add_random(&leaf, 8);
        break;
    case TERM_TAG_NEW_REFERENCE:
        add_reference(&leaf, 1);
        break;
    case TERM_TAG_NEWER_REFERENCE:
        add_reference(&leaf, 4);
        break;
    default:
        add_node(&leaf);
        add_random(&leaf, numbers[tag]);
    }
    return leaf;
}

static void check_integer(const struct term_token *token, const char *bytes)
{
    int64_t value = 0;
    uint64_t magnitude = 0;
    EI_LONGLONG ei_value = 0;
    EI_ULONGLONG ei_magnitude = 0;
    int index = 0;
    const bool fits = cursor_left(&token->body) <= sizeof value;
    assert_int_equal(value_get_i64(token, &value),
                     fits && ei_decode_longlong(bytes, &index, &ei_value) == 0);
    assert_true(value == ei_value);
    index = 0;
    const bool is_positive = fits && ei_decode_ulonglong(bytes, &index, &ei_magnitude) == 0;
    assert_int_equal(value_get_u64(token, &magnitude), is_positive);
    if (is_positive)
        assert_true(magnitude == ei_magnitude);
}

static void check_float(const struct term_token *token, const char *bytes)
{
    double value, ei_value;
    int index = 0;
    assert_true(value_get_float(token, &value));
    assert_int_equal(ei_decode_double(bytes, &index, &ei_value), 0);
    assert_memory_equal(&value, &ei_value, sizeof value);
}

static void check_pid(const struct term_token *token, const char *bytes)
{
    struct value_pid pid;
    erlang_pid ei_pid;
    int index = 0;
    assert_true(value_get_pid(token, &pid));
    assert_int_equal(ei_decode_pid(bytes, &index, &ei_pid), 0);
    assert_int_equal(pid.id, ei_pid.num);
    assert_int_equal(pid.serial, ei_pid.serial);
    assert_int_equal(pid.creation, ei_pid.creation);
}

/* ei extends the sign of the older 32-bit ids. */
static void check_port(const struct term_token *token, const char *bytes)
{
    struct value_port port;
    erlang_port ei_port;
    int index = 0;
    assert_true(value_get_port(token, &port));
    assert_int_equal(ei_decode_port(bytes, &index, &ei_port), 0);
    assert_true(port.id == (token->tag == TERM_TAG_V4_PORT ? ei_port.id : (uint32_t)ei_port.id));
    assert_int_equal(port.creation, ei_port.creation);
}

static void check_reference(const struct term_token *token, const char *bytes)
{
    struct value_reference reference;
    erlang_ref ei_reference;
    int index = 0;
    assert_true(value_get_reference(token, &reference));
    assert_int_equal(ei_decode_ref(bytes, &index, &ei_reference), 0);
    assert_int_equal(reference.num_words, ei_reference.len);
    assert_int_equal(reference.creation, ei_reference.creation);
    for (unsigned i = 0; i < reference.num_words; i++)
        assert_int_equal(reference.words[i], ei_reference.n[i]);
}

static void test_what_ei_reads(void **state)
{
    static void (*const checks[TERM_NUM_CLASSES])(const struct term_token *, const char *) = {
        [TERM_INTEGER] = check_integer, [TERM_FLOAT] = check_float,
        [TERM_PID] = check_pid,         [TERM_PORT] = check_port,
        [TERM_REFERENCE] = check_reference};
    unsigned num_read[TERM_NUM_CLASSES] = {0};
    const struct term_env no_atoms = {0};
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const struct leaf leaf = draw_leaf();
        struct cursor at = cursor_make(leaf.bytes, leaf.len);
        struct term_token token;
        if (term_read_token(&at, &no_atoms, &token, NULL) != TERM_OK) /* infinite */
            continue;
        checks[token.class](&token, (const char *)leaf.bytes);
        num_read[token.class]++;
    }
    for (int class = 0; class < TERM_NUM_CLASSES; class++)
        assert_int_equal(num_read[class] > 1000, checks[class] != NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ei_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
