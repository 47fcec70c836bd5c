/*
 * test_pseudonym.c - pseudonyms have the kind and length of the original, are never equal to it,
 * and differ for different values, even if there are few.
 */
#include "redact/pseudonym.h"
#include "redact/pseudonym_class.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct pseudonym *make(uint8_t first)
{
    uint8_t key[PSEUDONYM_KEY_LEN] = {first};
    struct pseudonym *p = pseudonym_new(key);
    assert_non_null(p);
    return p;
}

static size_t put(const char *text, uint32_t *codes)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++)
        codes[i] = (unsigned char)text[i];
    return len;
}

/* All texts of two classes: each gets a different pseudonym, and not itself. */
static void all_pairs(struct pseudonym *p, const char *first, const char *second)
{
    static bool seen[128][128];
    memset(seen, 0, sizeof seen);
    for (const char *a = first; *a != '\0'; a++) {
        for (const char *b = second; *b != '\0'; b++) {
            uint32_t codes[2] = {(uint32_t)*a, (uint32_t)*b};
            pseudonym_text(p, PSEUDONYM_FREE, codes, 2, NULL, NULL);
            assert_non_null(strchr(first, (int)codes[0]));
            assert_non_null(strchr(second, (int)codes[1]));
            assert_false(codes[0] == (uint32_t)*a && codes[1] == (uint32_t)*b);
            assert_false(seen[codes[0]][codes[1]]);
            seen[codes[0]][codes[1]] = true;
        }
    }
    assert_false(pseudonym_failed(p));
}

static void permutes_short_texts(void **state)
{
    struct pseudonym *p = make(1);
    (void)state;
    all_pairs(p, "abcdefghijklmnopqrstuvwxyz", "0123456789");
    all_pairs(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz");
    all_pairs(p, "0123456789", "!\"#$%&'()*+,/:;<=>?[\\]^`{|}~-_.@");
    pseudonym_free(p);
}

static bool is_b(void *context, const uint32_t *codes, size_t num)
{
    (void)context;
    return num == 1 && codes[0] == 'b';
}

/* A reserved value is never used as a pseudonym, and pseudonyms still differ. */
static void leaves_out_what_is_taken(void **state)
{
    (void)state;
    for (uint8_t key = 0; key < 30; key++) {
        struct pseudonym *p = make(key);
        bool seen[128] = {0};
        for (uint32_t c = 'a'; c <= 'z'; c++) {
            uint32_t code = c;
            if (c == 'b')
                continue;
            pseudonym_text(p, PSEUDONYM_NAME, &code, 1, is_b, NULL);
            assert_true(code >= 'a' && code <= 'z' && code != 'b' && code != c && !seen[code]);
            seen[code] = true;
        }
        pseudonym_free(p);
    }
}

static void keeps_the_kind_of_long_texts(void **state)
{
    static const char text[] = "Correct Horse 4711, battery-staple_2 \t(and more than 64 bits)";
    uint32_t codes[80], again[80], other[80];
    size_t num = put(text, codes);
    struct pseudonym *p = make(1), *q = make(2);
    (void)state;
    put(text, again);
    put(text, other);
    pseudonym_text(p, PSEUDONYM_FREE, codes, num, NULL, NULL);
    pseudonym_text(p, PSEUDONYM_FREE, again, num, NULL, NULL);
    pseudonym_text(q, PSEUDONYM_FREE, other, num, NULL, NULL);
    assert_memory_equal(codes, again, num * sizeof *codes);
    assert_memory_not_equal(codes, other, num * sizeof *codes);
    size_t num_same = 0;
    for (size_t i = 0; i < num; i++) {
        const struct pseudonym_class old =
            pseudonym_class(CLASSES_TEXT, (unsigned char)text[i]);
        const struct pseudonym_class new = pseudonym_class(CLASSES_TEXT, codes[i]);
        assert_ptr_equal(old.members, new.members);
        assert_int_equal(old.first, new.first);
        num_same += old.size > 1 && codes[i] == (unsigned char)text[i];
    }
    assert_true(num_same < num / 4);
    put("same_name-of.a@host, but a name: punctuation that parts it stays", codes);
    pseudonym_text(p, PSEUDONYM_NAME, codes, 16, NULL, NULL);
    assert_true(codes[4] == '_' && codes[9] == '-' && codes[12] == '.' && codes[14] == '@');
    pseudonym_free(p);
    pseudonym_free(q);
}

/* Characters of every script: the same number of bytes in UTF-8, still text, still latin-1. */
static void keeps_the_length_in_utf8(void **state)
{
    struct pseudonym *p = make(3);
    (void)state;
    for (uint32_t c = 0xa0; c <= 0x10ffff; c += c < 0x3000 ? 7 : 977) {
        uint32_t code = c;
        pseudonym_text(p, PSEUDONYM_FREE, &code, 1, NULL, NULL);
        assert_int_equal(code < 0x100, c < 0x100);
        assert_int_equal(code < 0x800, c < 0x800);
        assert_int_equal(code < 0x10000, c < 0x10000);
        assert_int_equal(code >= 0xd800 && code < 0xe000, c >= 0xd800 && c < 0xe000);
        assert_true(code <= 0x10ffff && code != c && pseudonym_is_text(&code, 1));
    }
    pseudonym_free(p);
}

/* Bytes that are not text do not become text: so they never equal the pseudonym of a text. */
static void parts_bytes_from_text(void **state)
{
    struct pseudonym *p = make(4);
    bool seen[256] = {0};
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        uint8_t byte = (uint8_t)value;
        if (pseudonym_is_utf8_text((const char *)&byte, 1))
            continue;
        pseudonym_bytes(p, &byte, 1, 8);
        assert_false(pseudonym_is_utf8_text((const char *)&byte, 1));
        assert_true(byte != value && !seen[byte]);
        seen[byte] = true;
    }
    memset(seen, 0, sizeof seen);
    for (uint32_t value = 0; value < 256; value++) { /* a list of one integer */
        uint32_t code = value;
        pseudonym_text(p, PSEUDONYM_FREE, &code, 1, NULL, NULL);
        assert_true(code < 256 && !seen[code]);
        assert_true(code != value || strchr(" \t\r\n", (int)value) != NULL);
        assert_int_equal(pseudonym_is_text(&code, 1), pseudonym_is_text(&value, 1));
        seen[code] = true;
    }
    for (unsigned bits = 1; bits < 8; bits++) {
        memset(seen, 0, sizeof seen);
        for (unsigned value = 0; value < 1u << bits; value++) {
            uint8_t byte = (uint8_t)(value << (8 - bits));
            pseudonym_bytes(p, &byte, 1, bits);
            assert_int_equal(byte & (0xff >> bits), 0);
            assert_true(byte >> (8 - bits) != (int)value && !seen[byte]);
            seen[byte] = true;
        }
    }
    for (uint32_t value = 0; value < 30000; value++) { /* also where pseudonyms are hashed */
        uint8_t bytes[8] = {0xff, (uint8_t)value, (uint8_t)(value >> 8)};
        pseudonym_bytes(p, bytes, sizeof bytes, 8);
        assert_false(pseudonym_is_utf8_text((const char *)bytes, sizeof bytes));
    }
    for (size_t len = 2; len < 40; len++) {
        uint8_t bytes[40], old[40];
        memset(bytes, 0xff, sizeof bytes);
        memset(old, 0xff, sizeof old);
        pseudonym_bytes(p, bytes, len, 8);
        assert_memory_not_equal(bytes, old, len);
        assert_memory_equal(bytes + len, old + len, sizeof bytes - len);
    }
    assert_false(pseudonym_failed(p));
    pseudonym_free(p);
}

/* The bits behind the end of a bit string do not matter: equal ones become equal, and these bits
 * become 0. */
static void leaves_padding_alone(void **state)
{
    struct pseudonym *p = make(8);
    (void)state;
    for (size_t len = 1; len < 40; len++) {
        for (unsigned bits = 1; bits < 8; bits++) {
            uint8_t clean[40], padded[40];
            memset(clean, 0xa5, len);
            clean[len - 1] &= (uint8_t)(0xff << (8 - bits));
            memcpy(padded, clean, len);
            padded[len - 1] |= (uint8_t)(0xff >> bits);
            pseudonym_bytes(p, clean, len, bits);
            pseudonym_bytes(p, padded, len, bits);
            assert_memory_equal(clean, padded, len);
            assert_int_equal(clean[len - 1] & (0xff >> bits), 0);
        }
    }
    pseudonym_free(p);
}

static void permutes_integers(void **state)
{
    struct pseudonym *p = make(5);
    bool *seen = calloc(1 << 12, sizeof *seen);
    (void)state;
    assert_non_null(seen);
    for (unsigned value = 1; value < 1 << 12; value++) {
        uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
        pseudonym_integer(p, bytes, bytes[1] != 0 ? 2 : 1);
        const unsigned new = bytes[0] | (unsigned)bytes[1] << 8;
        assert_int_equal(31 - __builtin_clz(new), 31 - __builtin_clz(value));
        assert_true((new != value || value == 1) && !seen[new]);
        seen[new] = true;
    }
    free(seen);
    for (size_t len = 3; len < 40; len++) {
        uint8_t bytes[40], again[40];
        memset(bytes, 0x5a, sizeof bytes);
        memset(again, 0x5a, sizeof again);
        pseudonym_integer(p, bytes, len);
        assert_int_equal(bytes[len - 1] & 0xc0, 0x40);
        assert_memory_not_equal(bytes, again, len);
        pseudonym_integer(p, again, len);
        assert_memory_equal(bytes, again, len);
    }
    pseudonym_free(p);
}

static void keeps_the_magnitude_of_floats(void **state)
{
    static const double values[] = {1, -1, 3.14, 1e300, -1e-300, 5e-324};
    struct pseudonym *p = make(6);
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double value = values[i];
        pseudonym_real(p, &value);
        assert_true(value != values[i] && signbit(value) == signbit(values[i]));
        assert_true(isfinite(value));
        if (i < 5)
            assert_int_equal(ilogb(value), ilogb(values[i]));
    }
    double zero = -0.0;
    pseudonym_real(p, &zero);
    assert_true(zero == 0 && signbit(zero));
    pseudonym_free(p);
}

static void replaces_addresses(void **state)
{
    struct pseudonym *p = make(7);
    uint8_t a[4] = {10, 0, 0, 1}, b[4] = {10, 0, 0, 2}, c[4] = {10, 0, 0, 1};
    uint8_t v6[16] = {0xfe, 0x80};
    (void)state;
    pseudonym_address(p, a, 4);
    pseudonym_address(p, b, 4);
    pseudonym_address(p, c, 4);
    pseudonym_address(p, v6, 16);
    assert_true(a[0] >= 240 && a[0] < 255);
    assert_memory_equal(a, c, 4);
    assert_memory_not_equal(a, b, 4);
    assert_memory_equal(v6, "\x20\x01\x0d\xb8", 4);
    pseudonym_free(p);
}

/* A long text becomes the same if it is processed in parts, even if it is white space with nothing,
 * little, or just more than little in it. */
static void long_texts_are_as_others(void **state)
{
    enum { LEN = 20000 };
    static const struct {
        const char *character;
        unsigned every;
    } kinds[] = {{"a", LEN + 1}, {"b", LEN / 2}, {"c", LEN / 13}, {"d", LEN / 61}, {"e", LEN / 62},
                 {"9", LEN / 63}, {"\xc3\xa9", 300}, {"Z", 2}, {"\xf0\x90\x8d\x88", 1}};
    struct pseudonym *p = make(7);
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        static uint32_t codes[LEN];
        struct ds_buffer text = {0}, wanted = {0}, is = {0};
        for (unsigned i = 0; i < LEN; i++) {
            const char *c = (i + 1) % kinds[kind].every == 0 ? kinds[kind].character : " ";
            ds_buffer_add_text(&text, c);
            assert_true(ds_text_read_char((struct ds_text){c, strlen(c)}, &codes[i]) != 0);
        }
        pseudonym_text(p, PSEUDONYM_FREE, codes, LEN, NULL, NULL);
        for (unsigned i = 0; i < LEN; i++)
            ds_buffer_add_char(&wanted, codes[i]);
        pseudonym_long_text(p, (struct ds_text){text.data, text.len}, &is);
        assert_int_equal(is.len, wanted.len);
        assert_memory_equal(is.data, wanted.data, is.len);
        ds_buffer_free(&text);
        ds_buffer_free(&wanted);
        ds_buffer_free(&is);
    }
    assert_false(pseudonym_failed(p));
    pseudonym_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutes_short_texts),
        cmocka_unit_test(leaves_out_what_is_taken),
        cmocka_unit_test(keeps_the_kind_of_long_texts),
        cmocka_unit_test(keeps_the_length_in_utf8),
        cmocka_unit_test(parts_bytes_from_text),
        cmocka_unit_test(leaves_padding_alone),
        cmocka_unit_test(permutes_integers),
        cmocka_unit_test(keeps_the_magnitude_of_floats),
        cmocka_unit_test(replaces_addresses),
        cmocka_unit_test(long_texts_are_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
