/*
 * test_term_text.c - terms as Erlang text: parts of terms, damage, limits, text in strings, and no
 * control characters. tests/terms lets a node read the text back.
 */
#include "guard_page.h"
#include "term_printing.h"
#include "term_samples.h"
#include "util/escape.h"

static void test_samples_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        struct guard_page page = guard_page_copy(samples[i].bytes, samples[i].len);
        struct ds_term term = samples_term(page.bytes, page.len);
        assert_prints(&term, NULL, samples[i].text);
        guard_page_free(&page);
    }
}

static void test_absent_term_prints_nothing(void **state)
{
    (void)state;
    struct ds_term term = {0};
    assert_prints(&term, NULL, "");
}

static void test_print_appends(void **state)
{
    (void)state;
    struct ds_buffer text = {0};
    struct ds_term term = samples_term(BYTES(97, 1));
    ds_buffer_add_text(&text, "x = ");
    assert_true(ds_term_print(&term, NULL, &text));
    assert_text(&text, "x = 1");
    ds_buffer_free(&text);
}

/* A whole part of a term is written in one piece. */
static void test_part(void **state)
{
    static const uint8_t bytes[] = {104, 2, 97, 1, 104, 2, 97, 2, 108, 0, 0, 0, 1, 97, 3, 106};
    enum { PART_AT = 4 };
    const struct {
        size_t at, len; /* of the part, and of the term */
        uint32_t max_items;
        const char *all, *part;
    } cases[] = {
        {PART_AT, sizeof bytes, 0, "x = {1,{2,[3]}}", "{2,[3]}"},
        {0, sizeof bytes, 0, "x = {1,{2,[3]}}", "{1,{2,[3]}}"},
        {PART_AT, sizeof bytes, 1, "x = {1,... 1 more}", ""},
        {PART_AT, sizeof bytes - 1, 0, "x = {1,{2,[3|...", ""},
        {1, sizeof bytes, 0, "x = {1,{2,[3]}}", ""}, /* no term begins there */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer text = {0};
        const struct ds_term term = samples_term(bytes, cases[i].len);
        struct ds_term_part part = {.data = bytes + cases[i].at, .len = 1};
        const struct ds_term_print_options options = {.max_items = cases[i].max_items,
                                                      .part = &part};
        ds_buffer_add_text(&text, "x = ");
        assert_true(ds_term_print(&term, &options, &text));
        assert_text(&text, cases[i].all);
        assert_int_equal(part.len, strlen(cases[i].part));
        if (part.len != 0)
            assert_memory_equal(text.data + part.at, cases[i].part, part.len);
        ds_buffer_free(&text);
    }
}

/* A prefix is printed as far as it goes: its text is the beginning of the whole text, or shows its
 * bytes. */
static void test_every_prefix_ends_in_dots(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        for (size_t len = 0; len < samples[i].len; len++) {
            struct guard_page page = guard_page_copy(samples[i].bytes, len);
            struct ds_term term = samples_term(page.bytes, len);
            struct ds_buffer text = {0};
            term.damaged = true;
            assert_true(ds_term_print(&term, NULL, &text));
            assert_true(text.len >= 3);
            assert_memory_equal(text.data + text.len - 3, "...", 3);
            ds_buffer_free(&text);
            guard_page_free(&page);
        }
    }
}

static void test_damaged_as_far_as_it_goes(void **state)
{
    (void)state;
    const struct term_sample cases[] = {
        {BYTES(104, 3, 97, 1, 104, 2, 97, 2), "{1,{2,...", SAME, 0, 0},
        {BYTES(108, 0, 0, 1, 0, 97, 1, 97, 2), "[1,2,...", SAME, 0, 0},
        {BYTES(108, 0, 0, 0, 1, 97, 1), "[1|...", SAME, 0, 0},
        {BYTES(105, 255, 255, 255, 255, 106, 106), "{[],[],...", SAME, 0, 0},
        {BYTES(116, 0, 0, 0, 2, 97, 1), "#{1 => ...", SAME, 0, 0},
        {BYTES(116, 255, 255, 255, 255, 97, 1, 106), "#{1 => [],...", SAME, 0, 0},
        {BYTES(104, 2, 97, 1, 80, 1), "{1,...", SAME, 0, 0},
        {BYTES(104, 1, 109, 0, 0, 0, 9, 1, 2), "{...", SAME, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct term_sample *sample = &cases[i];
        struct ds_term term = samples_term(sample->bytes, sample->len);
        term.damaged = true;
        assert_prints(&term, NULL, sample->text);
    }
}

static void test_limits(void **state)
{
    (void)state;
    const struct {
        struct ds_term_print_options options;
        struct term_sample sample;
    } cases[] = {
        /* max_bytes */
        {{.max_bytes = 3}, {BYTES(109, 0, 0, 0, 3, 'a', 'b', 'c'), "<<\"abc\">>", SAME, 0, 0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 'a', 'b', 'c', 'd', 1), "<<\"abc\"... 2 more bytes>>", SAME, 0,
          0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 1, 2, 3, 4, 5), "<<1,2,3,... 2 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 2},
         {BYTES(109, 0, 0, 0, 4, 'a', 0xc3, 0xa9, 'b'), "<<\"a\"... 3 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 3},
         {BYTES(109, 0, 0, 0, 4, 'a', 0xc3, 0xa9, 'b'), "<<\"a\xc3\xa9\"/utf8... 1 more bytes>>",
          SAME, 0, 0}},
        {{.max_bytes = 2},
         {BYTES(77, 0, 0, 0, 3, 5, 1, 2, 0x1f), "<<1,2,... 1 more bytes>>", SAME, 0, 0}},
        {{.max_bytes = 2}, {BYTES(107, 0, 3, 'a', 'b', 'c'), "\"ab\"... 1 more bytes", SAME, 0, 0}},
        {{.max_bytes = 1, .unicode = true},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 4, 0x3f, 98, 0, 0, 4, 0x40, 106),
          "\"\xd0\xbf\"... 1 more", SAME, 0, 0}},
        /* unicode: strings beyond Latin-1 */
        {{.unicode = true},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 7, 0xcf, 98, 0, 0, 9, 0xc3, 106),
          "\"\xdf\x8f\xe0\xa7\x83\"", SAME, 0, 0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 98, 0, 0, 7, 0xcf, 98, 0, 0, 9, 0xc3, 106), "[1999,2499]", SAME, 0,
          0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0, 0xff, 106), "\"a\xc3\xbf\"", SAME, 0, 0}},
        {{.unicode = false},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 1, 0, 106), "[97,256]", SAME, 0, 0}},
        {{.unicode = true},
         {BYTES(108, 0, 0, 0, 2, 97, 'a', 98, 0, 0, 0, 0x9f, 106), "[97,159]", SAME, 0, 0}},
        /* base64_min */
        {{.base64_min = 4},
         {BYTES(109, 0, 0, 0, 4, 0, 1, 2, 255), "base64:decode(\"AAEC/w==\")", SAME, 0, 0}},
        {{.base64_min = 5}, {BYTES(109, 0, 0, 0, 4, 0, 1, 2, 255), "<<0,1,2,255>>", SAME, 0, 0}},
        {{.base64_min = 1}, {BYTES(109, 0, 0, 0, 2, 'h', 'i'), "<<\"hi\">>", SAME, 0, 0}},
        {{.base64_min = 1}, {BYTES(109, 0, 0, 0, 0), "<<>>", SAME, 0, 0}},
        {{.base64_min = 1, .max_bytes = 3},
         {BYTES(109, 0, 0, 0, 5, 0, 1, 2, 3, 4), "base64:decode(\"AAEC\")... 2 more bytes", SAME, 0,
          0}},
        /* max_items */
        {{.max_items = 2}, {BYTES(107, 0, 3, 1, 2, 3), "[1,2,... 1 more]", SAME, 0, 0}},
        {{.max_items = 2}, {BYTES(104, 2, 97, 1, 97, 2), "{1,2}", SAME, 0, 0}},
        {{.max_items = 2},
         {BYTES(104, 2, 104, 4, 97, 1, 97, 2, 104, 1, 106, 97, 4, 106), "{{1,2,... 2 more},[]}",
          SAME, 0, 0}},
        {{.max_items = 1},
         {BYTES(108, 0, 0, 0, 3, 106, 104, 1, 106, 106, 104, 1, 106), "[[],... 2 more]", SAME, 0,
          0}},
        {{.max_items = 1},
         {BYTES(116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 3, 104, 1, 106), "#{1 => 2,... 1 more}", SAME, 0,
          0}},
        {{.max_items = 1},
         {BYTES(67, 0, 0, 0, 2, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'a', 119, 1, 'b', 106, 106),
          "#m:r{a = [],... 1 more}", SAME, 0, 0}},
        /* max_depth */
        {{.max_depth = 1}, {BYTES(104, 2, 97, 1, 104, 0), "{1,{}}", SAME, 0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 3, 97, 1, 104, 1, 104, 1, 106, 97, 2), "{1,{... 1 more},2}", SAME, 0, 0}},
        {{.max_depth = 2},
         {BYTES(104, 3, 97, 1, 104, 1, 108, 0, 0, 0, 2, 106, 106, 106, 97, 2),
          "{1,{[... 2 more]},2}", SAME, 0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 1, 116, 0, 0, 0, 2, 97, 1, 97, 2, 97, 3, 104, 1, 106), "{#{... 2 more}}", SAME,
          0, 0}},
        {{.max_depth = 1},
         {BYTES(104, 1, 67, 0, 0, 0, 1, 1, 119, 1, 'm', 119, 1, 'r', 119, 1, 'a', 106),
          "{#m:r{... 1 more}}", SAME, 0, 0}},
        /* max_len: the rest is only a count of the term's remaining bytes */
        {{.max_len = 4},
         {BYTES(104, 4, 97, 100, 97, 101, 97, 102, 97, 103), "{100,... 6 more bytes", SAME, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_term term = samples_term(cases[i].sample.bytes, cases[i].sample.len);
        assert_prints(&term, &cases[i].options, cases[i].sample.text);
    }
}

/* Within a string, a text is the same with a backslash before each double quote and backslash; an
 * atom that was looked up before is written the same. */
static void assert_same_in_string(const struct ds_term *term)
{
    static const struct ds_term_print_options in_string = {.in_string = true};
    struct ds_buffer plain = {0}, expected = {0}, text = {0};
    assert_true(ds_term_print(term, NULL, &plain));
    for (size_t i = 0; i < plain.len; i++) {
        if (plain.data[i] == '"' || plain.data[i] == '\\')
            ds_buffer_add(&expected, "\\", 1);
        ds_buffer_add(&expected, &plain.data[i], 1);
    }
    assert_true(ds_term_print(term, &in_string, &text));
    ds_buffer_add(&expected, "", 1);
    assert_text(&text, expected.data);
    ds_buffer_free(&plain);
    ds_buffer_free(&expected);
    ds_buffer_free(&text);
}

static void test_in_string(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_SAMPLES; i++) {
        const struct ds_term term = samples_term(samples[i].bytes, samples[i].len);
        assert_same_in_string(&term);
    }
    for (unsigned code = 0; code < 0x10000; code++) {
        const uint8_t a = (uint8_t)(code >> 8), b = (uint8_t)code;
        const uint8_t bytes[] = {104, 4, 107, 0, 2, a, b, 109, 0, 0, 0, 2, a, b, 115, 2, a, b,
                                 88, 115, 2, a, b, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
        const struct ds_term term = samples_term(bytes, sizeof bytes);
        assert_same_in_string(&term);
    }
}

static void test_looked_at(void **state)
{
    static const char *const texts[] = {"ok",   "'",     "\"", "a b",   "if",   "",    "\\",
                                        "A",    "a@b.c", "é",  "\x1b[m", "a'b", "a\"", "ok?"};
    static const uint8_t atom_and_node[] = {104, 2, 82, 0, 88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int in_string = 0; in_string < 2; in_string++) {
            const struct ds_term_print_options options = {.in_string = in_string != 0};
            struct ds_atom atom = {.text = (const uint8_t *)texts[i],
                                   .len = (uint16_t)strlen(texts[i]),
                                   .state = DS_ATOM_KNOWN};
            const struct ds_term term = {.data = atom_and_node,
                                         .len = sizeof atom_and_node,
                                         .atoms = &atom,
                                         .num_atoms = 1};
            struct ds_buffer text = {0};
            assert_true(ds_term_print(&term, &options, &text));
            ds_buffer_add(&text, "", 1);
            atom.looks = escape_look_at_atom(cursor_make(atom.text, atom.len));
            assert_prints(&term, &options, text.data);
            ds_buffer_free(&text);
        }
    }
}

static void test_print_atom(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"foo_bar@host", "foo_bar@host"},
        {"fooBar9", "fooBar9"},
        {"Foo", "'Foo'"},
        {"_foo", "'_foo'"},
        {"9a", "'9a'"},
        {"", "''"},
        {"a-b", "'a-b'"},
        {"a.b", "'a.b'"},
        {"receive", "'receive'"},
        {"maybe", "'maybe'"},
        {"receives", "receives"},
        {"if", "'if'"},
        {"i", "i"},
        {"\xff", "'\\x{FF}'"},
        {"a\xc3", "'a\\x{C3}'"},
        {"\x7f", "'\\d'"},
        {"\xf3\xa0\x81\x81", "'\\x{E0041}'"},
        {"\xef\xb8\x8f", "'\\x{FE0F}'"},
        {"\xef\xbb\xbf", "'\\x{FEFF}'"},
        {"\xf0\x9b\xb2\xa0", "'\\x{1BCA0}'"},
        {"\xd8\x80", "'\xd8\x80'"},
        {"\xf0\x9f\x98\x80", "'\xf0\x9f\x98\x80'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_buffer text = {0};
        ds_term_print_atom((struct ds_text){cases[i][0], strlen(cases[i][0])}, &text);
        assert_text(&text, cases[i][1]);
        ds_buffer_free(&text);
    }
}

/* No peer can send a control character to the terminal. */
static void test_nothing_raw(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t bytes[] = {104,
                                 5,
                                 115,
                                 1,
                                 (uint8_t)code,
                                 107,
                                 0,
                                 1,
                                 (uint8_t)code,
                                 109,
                                 0,
                                 0,
                                 0,
                                 1,
                                 (uint8_t)code,
                                 103,
                                 115,
                                 1,
                                 (uint8_t)code,
                                 0,
                                 0,
                                 0,
                                 1,
                                 0,
                                 0,
                                 0,
                                 1,
                                 1,
                                 108,
                                 0,
                                 0,
                                 0,
                                 2,
                                 97,
                                 (uint8_t)code,
                                 98,
                                 0,
                                 0,
                                 1,
                                 0,
                                 106};
        struct ds_term term = samples_term(bytes, sizeof bytes);
        struct ds_buffer text = {0};
        assert_true(ds_term_print(&term, NULL, &text));
        for (size_t i = 0; i < text.len; i++) {
            uint8_t byte = (uint8_t)text.data[i];
            assert_true(byte >= 0x20 && byte != 0x7f);
            /* C1 controls and the soft hyphen as UTF-8 */
            if (byte == 0xc2)
                assert_true((uint8_t)text.data[i + 1] >= 0xa0 && (uint8_t)text.data[i + 1] != 0xad);
        }
        ds_buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_print),
        cmocka_unit_test(test_absent_term_prints_nothing),
        cmocka_unit_test(test_print_appends),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_every_prefix_ends_in_dots),
        cmocka_unit_test(test_damaged_as_far_as_it_goes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_in_string),
        cmocka_unit_test(test_looked_at),
        cmocka_unit_test(test_print_atom),
        cmocka_unit_test(test_nothing_raw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
