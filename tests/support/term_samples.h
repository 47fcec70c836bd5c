/*
 * term_samples.h - terms of every tag, each with its text and, where it differs, its copy as
 * standard format. Together with their prefixes they are what the term tests run on.
 */
#ifndef TESTS_TERM_SAMPLES_H
#define TESTS_TERM_SAMPLES_H

#include <distsniff/term.h>

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define SAME NULL, 0

#define TEN(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,     \
                 __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TEN_TEXT(t) t t t t t t t t t t
#define NODE 119, 3, 'a', '@', 'h'
#define PID 103, NODE, 0, 0, 0, 90, 0, 0, 0, 1, 2

/* The atoms of the message: ATOM_CACHE_REF n is samples_atoms[n]. */
#define SAMPLE_ATOM(string, number, how)                                                           \
    {(const uint8_t *)(string), sizeof(string) - 1, (number), (how), 0, false}
static const struct ds_atom samples_atoms[] = {
    SAMPLE_ATOM("alice@host", 7, DS_ATOM_KNOWN),
    {NULL, 0, 1027, DS_ATOM_UNKNOWN, 0, false},
    SAMPLE_ATOM("bob@host", 2047, DS_ATOM_INFERRED),
    SAMPLE_ATOM("\xc3\xa9", 3, DS_ATOM_KNOWN),
    SAMPLE_ATOM(TEN_TEXT(TEN_TEXT("\xe2\x82\xac")), 4, DS_ATOM_KNOWN),
    SAMPLE_ATOM("$gen_call", 9, DS_ATOM_LIKELY),
    SAMPLE_ATOM("~10.0.0.7:25672", 10, DS_ATOM_ADDRESS),
};
enum { SAMPLES_NUM_ATOMS = sizeof samples_atoms / sizeof samples_atoms[0] };

struct term_sample {
    const uint8_t *bytes;
    size_t len;
    const char *text;
    const uint8_t *copy; /* without 131; NULL: the same bytes */
    size_t copy_len;
    uint32_t unknown, inferred;
};

static const struct term_sample samples[] = {
    /* SMALL_INTEGER, INTEGER */
    {BYTES(97, 0), "0", SAME, 0, 0},
    {BYTES(97, 255), "255", SAME, 0, 0},
    {BYTES(98, 0xff, 0xff, 0xff, 0xff), "-1", SAME, 0, 0},
    {BYTES(98, 0x80, 0, 0, 0), "-2147483648", SAME, 0, 0},
    {BYTES(98, 0x7f, 0xff, 0xff, 0xff), "2147483647", SAME, 0, 0},
    /* SMALL_BIG, LARGE_BIG */
    {BYTES(110, 0, 0), "0", SAME, 0, 0},
    {BYTES(110, 4, 0, 0, 0, 0, 0x80), "2147483648", SAME, 0, 0},
    {BYTES(110, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0x80), "-9223372036854775808", SAME, 0, 0},
    {BYTES(110, 8, 1, 1, 0, 0, 0, 0, 0, 0, 0x80), "-9223372036854775809", SAME, 0, 0},
    {BYTES(110, 8, 0, 255, 255, 255, 255, 255, 255, 255, 255), "18446744073709551615", SAME, 0, 0},
    {BYTES(110, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), "18446744073709551616", SAME, 0, 0},
    {BYTES(111, 0, 0, 0, 1, 1, 5), "-5", SAME, 0, 0},
    /* NEW_FLOAT, FLOAT */
    {BYTES(70, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0), "1.5", SAME, 0, 0},
    {BYTES(70, 0x80, 0, 0, 0, 0, 0, 0, 0), "-0.0", SAME, 0, 0},
    {BYTES(70, 0, 0, 0, 0, 0, 0, 0, 1), "5.0e-324", SAME, 0, 0},
    {BYTES(70, 0x7f, 0xef, 255, 255, 255, 255, 255, 255), "1.7976931348623157e308", SAME, 0, 0},
    {BYTES(70, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a), "0.1", SAME, 0, 0},
    {BYTES(70, 0x44, 0x80, 0xf0, 0xcf, 0x06, 0x4d, 0xd5, 0x92), "1.0e22", SAME, 0, 0},
    {BYTES(70, 0x3d, 0x30, 0, 0, 0, 0, 0, 0), "5.684341886080802e-14", SAME, 0, 0},
    {BYTES(99, '1', '.', '5', 'e', '+', '0', '0', 0, 0, 0, 0, TEN(0), TEN(0)), "1.5", SAME, 0, 0},
    /* ATOM, SMALL_ATOM, ATOM_UTF8, SMALL_ATOM_UTF8, ATOM_CACHE_REF */
    {BYTES(100, 0, 3, 'f', 'o', 'o'), "foo", SAME, 0, 0},
    {BYTES(100, 0, 1, 0xe9), "'\xc3\xa9'", SAME, 0, 0},
    {BYTES(115, 3, 'a', 0, 0xff), "'a\\x{0}\xc3\xbf'", SAME, 0, 0},
    {BYTES(118, 0, 2, 'o', 'k'), "ok", SAME, 0, 0},
    {BYTES(119, 0), "''", SAME, 0, 0},
    {BYTES(119, 3, 'e', 'n', 'd'), "'end'", SAME, 0, 0},
    {BYTES(119, 4, 'e', 'n', 'd', '_'), "end_", SAME, 0, 0},
    {BYTES(119, 5, 27, '[', '3', '1', 'm'), "'\\e[31m'", SAME, 0, 0},
    {BYTES(119, 4, '\'', '\\', '"', 10), "'\\'\\\\\"\\n'", SAME, 0, 0},
    {BYTES(119, 4, 'a', 0xe2, 0x80, 0xae), "'a\\x{202E}'", SAME, 0, 0},
    {BYTES(119, 2, 0xc2, 0x9b), "'\\x{9B}'", SAME, 0, 0},
    {BYTES(82, 0), "alice@host", BYTES(119, 10, 'a', 'l', 'i', 'c', 'e', '@', 'h', 'o', 's', 't'),
     0, 0},
    {BYTES(82, 1), "'?atom:1027'",
     BYTES(119, 10, '?', 'a', 't', 'o', 'm', ':', '1', '0', '2', '7'), 1, 0},
    {BYTES(82, 2), "bob@host", BYTES(119, 8, 'b', 'o', 'b', '@', 'h', 'o', 's', 't'), 0, 1},
    {BYTES(82, 5), "?'$gen_call'", BYTES(119, 7, '?', 'a', 't', 'o', 'm', ':', '9'), 1, 0},
    {BYTES(82, 6), "'~10.0.0.7:25672'", BYTES(119, 8, '?', 'a', 't', 'o', 'm', ':', '1', '0'), 1, 0},
    {BYTES(88, 82, 6, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9), "<~10.0.0.7:25672.5.6>",
     BYTES(88, 119, 8, '?', 'a', 't', 'o', 'm', ':', '1', '0', 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9),
     1, 0},
    {BYTES(82, 3), "'\xc3\xa9'", BYTES(119, 2, 0xc3, 0xa9), 0, 0},
    {BYTES(82, 4), "'" TEN_TEXT(TEN_TEXT("\xe2\x82\xac")) "'",
     BYTES(118, 1, 44, TEN(TEN(0xe2, 0x82, 0xac))), 0, 0},
    /* NIL, STRING, LIST */
    {BYTES(106), "[]", SAME, 0, 0},
    {BYTES(107, 0, 0), "[]", SAME, 0, 0},
    {BYTES(107, 0, 2, 'h', 'i'), "\"hi\"", SAME, 0, 0},
    {BYTES(107, 0, 3, 1, 2, 3), "[1,2,3]", SAME, 0, 0},
    {BYTES(107, 0, 3, '"', '\\', 0xe9), "\"\\\"\\\\\xc3\xa9\"", SAME, 0, 0},
    {BYTES(107, 0, 1, 0x9b), "[155]", SAME, 0, 0},
    {BYTES(107, 0, 1, 127), "[127]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 1, 97, 1, 106), "[1]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 1, 97, 1, 97, 2), "[1|2]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 0, 97, 5), "5", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 0, 108, 0, 0, 0, 0, 106), "[]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 4, 0x3f, 98, 0, 0, 4, 0x40, 106), "[1087,1088]",
     SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0x20, 0x2e, 106), "[97,8238]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0xff, 0xfe, 106), "[97,65534]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 1, 97, 'a', 107, 0, 1, 'b'), "[97|\"b\"]", SAME, 0, 0},
    {BYTES(108, 0, 0, 0, 2, 108, 0, 0, 0, 1, 106, 106, 104, 0, 82, 0), "[[[]],{}|alice@host]",
     BYTES(108, 0, 0, 0, 2, 108, 0, 0, 0, 1, 106, 106, 104, 0, 119, 10, 'a', 'l', 'i', 'c', 'e',
           '@', 'h', 'o', 's', 't'), 0, 0},
    /* BINARY, BIT_BINARY */
    {BYTES(109, 0, 0, 0, 0), "<<>>", SAME, 0, 0},
    {BYTES(109, 0, 0, 0, 2, 'h', 'i'), "<<\"hi\">>", SAME, 0, 0},
    {BYTES(109, 0, 0, 0, 2, 0xc3, 0xa9), "<<\"\xc3\xa9\"/utf8>>", SAME, 0, 0},
    {BYTES(109, 0, 0, 0, 1, 0xe9), "<<233>>", SAME, 0, 0},
    {BYTES(109, 0, 0, 0, 3, 1, 2, 255), "<<1,2,255>>", SAME, 0, 0},
    {BYTES(77, 0, 0, 0, 0, 0), "<<>>", SAME, 0, 0},
    {BYTES(77, 0, 0, 0, 1, 1, 0x80), "<<1:1>>", SAME, 0, 0},
    {BYTES(77, 0, 0, 0, 2, 8, 1, 255), "<<1,255>>", SAME, 0, 0},
    {BYTES(77, 0, 0, 0, 3, 5, 1, 2, 0x1f), "<<1,2,3:5>>", SAME, 0, 0},
    /* PID, NEW_PID, PORT, NEW_PORT, V4_PORT */
    {BYTES(PID), "<a@h.90.1>", SAME, 0, 0},
    {BYTES(88, 82, 0, 0, 0, 0, 5, 255, 255, 255, 255, 0, 0, 0, 9), "<alice@host.5.4294967295>",
     BYTES(88, 119, 10, 'a', 'l', 'i', 'c', 'e', '@', 'h', 'o', 's', 't', 0, 0, 0, 5, 255, 255,
           255, 255, 0, 0, 0, 9), 0, 0},
    {BYTES(88, 82, 1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9), "<'?atom:1027'.5.6>",
     BYTES(88, 119, 10, '?', 'a', 't', 'o', 'm', ':', '1', '0', '2', '7', 0, 0, 0, 5, 0, 0, 0, 6,
           0, 0, 0, 9), 1, 0},
    {BYTES(102, NODE, 255, 255, 255, 255, 3), "#Port<a@h.4294967295>", SAME, 0, 0},
    {BYTES(89, 100, 0, 1, 0xe9, 128, 0, 0, 0, 0, 0, 0, 3), "#Port<\xc3\xa9.2147483648>", SAME, 0,
     0},
    {BYTES(120, 82, 2, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 3),
     "#Port<bob@host.18446744073709551615>",
     BYTES(120, 119, 8, 'b', 'o', 'b', '@', 'h', 'o', 's', 't', 255, 255, 255, 255, 255, 255, 255,
           255, 0, 0, 0, 3), 0, 1},
    /* REFERENCE, NEW_REFERENCE, NEWER_REFERENCE */
    {BYTES(101, NODE, 255, 255, 255, 255, 3), "#Ref<a@h.4294967295>", SAME, 0, 0},
    {BYTES(114, 0, 1, NODE, 3, 0, 0, 0, 1), "#Ref<a@h.1>", SAME, 0, 0},
    {BYTES(114, 0, 3, NODE, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3), "#Ref<a@h.3.2.1>", SAME, 0,
     0},
    {BYTES(90, 0, 0, NODE, 0, 0, 0, 9), "#Ref<a@h>", SAME, 0, 0},
    {BYTES(90, 0, 5, NODE, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 255, 255,
           255, 255), "#Ref<a@h.4294967295.4.3.2.1>", SAME, 0, 0},
    /* SMALL_TUPLE, LARGE_TUPLE, MAP */
    {BYTES(104, 0), "{}", SAME, 0, 0},
    {BYTES(104, 3, 97, 1, 104, 1, 106, 107, 0, 1, 'x'), "{1,{[]},\"x\"}", SAME, 0, 0},
    {BYTES(105, 0, 0, 0, 2, 97, 1, 97, 2), "{1,2}", SAME, 0, 0},
    {BYTES(116, 0, 0, 0, 0), "#{}", SAME, 0, 0},
    {BYTES(116, 0, 0, 0, 2, 97, 1, 98, 255, 255, 255, 255, 116, 0, 0, 0, 0, 106),
     "#{1 => -1,#{} => []}", SAME, 0, 0},
    {BYTES(116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 1, 97, 2), "#{1 => 2,1 => 2}", SAME, 0, 0},
    /* EXPORT */
    {BYTES(113, 119, 1, 'm', 119, 1, 'F', 97, 255), "fun m:'F'/255", SAME, 0, 0},
    {BYTES(113, 82, 1, 82, 3, 97, 0), "fun '?atom:1027':'\xc3\xa9'/0",
     BYTES(113, 119, 10, '?', 'a', 't', 'o', 'm', ':', '1', '0', '2', '7', 119, 2, 0xc3, 0xa9, 97,
           0), 1, 0},
    /* FUN: two free variables */
    {BYTES(117, 0, 0, 0, 2, PID, 119, 1, 'm', 97, 3, 98, 0, 0, 48, 57, 97, 1, 104, 1, 106),
     "#Fun<m.3.12345>", SAME, 0, 0},
    /* NEW_FUN: none; one that is a fun in turn; sizes as over the cache references, and wrong */
    {BYTES(112, 0, 0, 0, 54, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 0, 119, 1, 'm', 97,
           3, 98, 0, 0, 48, 57, PID), "#Fun<m.3.12345>", SAME, 0, 0},
    {BYTES(104, 2, 112, 1, 2, 3, 4, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 1, 82, 3,
           97, 3, 98, 255, 255, 255, 255, 103, 82, 2, 0, 0, 0, 90, 0, 0, 0, 1, 2,
           112, 0, 0, 0, 0, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 1, 82, 3, 97, 3, 97,
           0, 103, 82, 2, 0, 0, 0, 90, 0, 0, 0, 1, 2, 82, 3, 97, 9),
     "{#Fun<'\xc3\xa9'.3.-1>,9}",
     BYTES(104, 2, 112, 0, 0, 0, 122, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0, 0, 0, 3, 0, 0, 0, 1, 119, 2,
           0xc3, 0xa9, 97, 3, 98, 255, 255, 255, 255, 103, 119, 8, 'b', 'o', 'b', '@', 'h', 'o',
           's', 't', 0, 0, 0, 90, 0, 0, 0, 1, 2, 112, 0, 0, 0, 61, 2, TEN(7), 7, 7, 7, 7, 7, 7, 0,
           0, 0, 3, 0, 0, 0, 1, 119, 2, 0xc3, 0xa9, 97, 3, 97, 0, 103, 119, 8, 'b', 'o', 'b', '@',
           'h', 'o', 's', 't', 0, 0, 0, 90, 0, 0, 0, 1, 2, 119, 2, 0xc3, 0xa9, 97, 9), 0, 2},
    /* RECORD */
    {BYTES(67, 0, 0, 0, 0, 1, 119, 1, 'm', 119, 1, 'R'), "#m:'R'{}", SAME, 0, 0},
    {BYTES(67, 0, 0, 0, 2, 1, 82, 3, 119, 1, 'r', 119, 1, 'a', 82, 3, 97, 1, 67, 0, 0, 0, 1, 0,
           119, 1, 'm', 119, 1, 'r', 119, 1, 'f', 106),
     "#'\xc3\xa9':r{a = 1,'\xc3\xa9' = #m:r{f = []}}",
     BYTES(67, 0, 0, 0, 2, 1, 119, 2, 0xc3, 0xa9, 119, 1, 'r', 119, 1, 'a', 119, 2, 0xc3, 0xa9, 97,
           1, 67, 0, 0, 0, 1, 0, 119, 1, 'm', 119, 1, 'r', 119, 1, 'f', 106), 0, 0},
    /* LOCAL: a pid of the node itself; a LOCAL in it with a reference of the cache */
    {BYTES(121, 1, 2, 3, 4, 88, 106, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9), "#Local<18 bytes>", SAME,
     0, 0},
    {BYTES(104, 2, 121, 1, 2, 3, 4, 104, 2, 121, 5, 6, 7, 8, 103, 106, 0, 0, 0, 5, 0, 0, 0, 6, 9,
           82, 3, 106), "{#Local<24 bytes>,[]}",
     BYTES(104, 2, 121, 1, 2, 3, 4, 104, 2, 121, 5, 6, 7, 8, 103, 106, 0, 0, 0, 5, 0, 0, 0, 6, 9,
           119, 2, 0xc3, 0xa9, 106), 0, 0},
};
enum { NUM_SAMPLES = sizeof samples / sizeof samples[0] };

/* samples_term returns a view of bytes that uses the atoms above. */
static inline struct ds_term samples_term(const uint8_t *bytes, size_t len)
{
    return (struct ds_term){
        .data = bytes, .len = len, .atoms = samples_atoms, .num_atoms = SAMPLES_NUM_ATOMS};
}

#endif
