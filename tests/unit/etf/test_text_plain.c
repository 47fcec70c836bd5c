/*
 * test_text_plain.c - random terms of the most frequent kinds, with others in between: the text is
 * equal to one that the test makes, whole and cut at any length, in buffers with and without room,
 * and parts begin where they should.
 */
#include "term_printing.h"

#include <stdlib.h>

enum { NODE, BARE, QUOTED, UNKNOWN, LIKELY, ODD, NUM_ATOMS };

#define ATOM(string, state, looks) {(const uint8_t *)(string), sizeof(string) - 1, 5, state, looks, false}
static const struct ds_atom atoms[NUM_ATOMS] = {
    [NODE] = ATOM("a@h", DS_ATOM_KNOWN, DS_ATOM_SHOWN),
    [BARE] = ATOM("ok", DS_ATOM_INFERRED, DS_ATOM_SHOWN | DS_ATOM_BARE),
    [QUOTED] = ATOM("$gen_call", DS_ATOM_KNOWN, DS_ATOM_SHOWN),
    [UNKNOWN] = {NULL, 0, 5, DS_ATOM_UNKNOWN, 0, false},
    [LIKELY] = ATOM("maybe_so", DS_ATOM_LIKELY, DS_ATOM_SHOWN | DS_ATOM_BARE),
    [ODD] = ATOM("it's", DS_ATOM_KNOWN, 0),
};

/* A growing term and its text. begin is where each term begins in both. */
struct made {
    struct ds_buffer bytes, text;
    struct {
        size_t byte, text;
    } begin[20000];
    size_t num;
    uint32_t seed;
};

static uint32_t any(struct made *m, uint32_t below)
{
    m->seed = m->seed * 1664525 + 1013904223;
    return (m->seed >> 16) % below;
}

static void put(struct made *m, const char *bytes, size_t len, const char *text)
{
    ds_buffer_add(&m->bytes, bytes, len);
    ds_buffer_add_text(&m->text, text);
}

#define PUT(m, bytes, text) put(m, bytes, sizeof(bytes) - 1, text)

static void begin(struct made *m)
{
    assert_true(m->num < sizeof m->begin / sizeof m->begin[0]);
    m->begin[m->num].byte = m->bytes.len;
    m->begin[m->num++].text = m->text.len;
}

static void put_count(struct made *m, uint32_t num)
{
    const char bytes[] = {(char)(num >> 24), (char)(num >> 16), (char)(num >> 8), (char)num};
    ds_buffer_add(&m->bytes, bytes, sizeof bytes);
}

static void put_leaf(struct made *m)
{
    begin(m);
    switch (any(m, 19)) {
    case 0: PUT(m, "R\1", "ok"); break;
    case 1: PUT(m, "R\2", "'$gen_call'"); break;
    case 2: PUT(m, "R\3", "'?atom:5'"); break;
    case 3: PUT(m, "R\4", "?maybe_so"); break;
    case 4: PUT(m, "R\5", "'it\\'s'"); break;
    case 5: PUT(m, "a\xc8", "200"); break;
    case 6: PUT(m, "b\0\1\0\0", "65536"); break;
    case 7: PUT(m, "b\x80\0\0\0", "-2147483648"); break;
    case 8: PUT(m, "m\0\0\0\4text", "<<\"text\">>"); break;
    case 9: PUT(m, "m\0\0\0\0", "<<>>"); break;
    case 10: PUT(m, "m\0\0\0\3a\"b", "<<\"a\\\"b\">>"); break;
    case 11: PUT(m, "m\0\0\0\2\0\xff", "<<0,255>>"); break;
    case 12: PUT(m, "k\0\3abc", "\"abc\""); break;
    case 13: PUT(m, "k\0\2\1\2", "[1,2]"); break;
    case 14: PUT(m, "j", "[]"); break;
    case 15: PUT(m, "XR\0\0\0\0\x5a\0\0\0\1\0\0\0\2", "<a@h.90.1>"); break;
    case 16: PUT(m, "Z\0\2R\0\0\0\0\2\0\0\0\7\0\0\0\x08", "#Ref<a@h.8.7>"); break;
    case 17: PUT(m, "F\x3f\xf8\0\0\0\0\0\0", "1.5"); break;
    default: PUT(m, "w\2ok", "ok"); break;
    }
}

static void put_term(struct made *m, unsigned depth);

static void put_elements(struct made *m, unsigned depth, uint32_t num, bool is_map)
{
    for (uint32_t i = 0; i < num * (is_map ? 2 : 1); i++) {
        if (i != 0)
            ds_buffer_add_text(&m->text, is_map && i % 2 != 0 ? " => " : ",");
        put_term(m, depth);
    }
}

/* put_list begins with a term that is not a number, so that it is not a string. */
static void put_list(struct made *m, unsigned depth, uint32_t num)
{
    PUT(m, "l", "[");
    put_count(m, num + 1);
    begin(m);
    PUT(m, "R\1", "ok");
    if (num != 0)
        ds_buffer_add_text(&m->text, ",");
    put_elements(m, depth, num, false);
    if (any(m, 2) != 0) {
        PUT(m, "j", "");
    } else {
        ds_buffer_add_text(&m->text, "|");
        begin(m);
        PUT(m, "R\2", "'$gen_call'");
    }
    ds_buffer_add_text(&m->text, "]");
}

static void put_term(struct made *m, unsigned depth)
{
    const uint32_t num = any(m, 4);
    const uint32_t kind = depth == 0 ? 3 : any(m, 6);
    if (kind > 2) {
        put_leaf(m);
        return;
    }
    begin(m);
    if (kind == 0) {
        const char arity = (char)num;
        PUT(m, "h", "{");
        ds_buffer_add(&m->bytes, &arity, 1);
        put_elements(m, depth - 1, num, false);
        ds_buffer_add_text(&m->text, "}");
    } else if (kind == 1) {
        put_list(m, depth - 1, num);
    } else {
        PUT(m, "t", "#{");
        put_count(m, num);
        put_elements(m, depth - 1, num, true);
        ds_buffer_add_text(&m->text, "}");
    }
}

/* make makes a large tuple of num such terms, which is more than any chunk. */
static struct made *make(uint32_t seed, uint32_t num)
{
    struct made *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->seed = seed;
    begin(m);
    PUT(m, "i", "{");
    put_count(m, num);
    put_elements(m, 4, num, false);
    ds_buffer_add_text(&m->text, "}");
    assert_false(m->bytes.failed || m->text.failed);
    return m;
}

static void free_made(struct made *m)
{
    ds_buffer_free(&m->bytes);
    ds_buffer_free(&m->text);
    free(m);
}

static struct ds_term view(const void *bytes, size_t len)
{
    return (struct ds_term){.data = bytes, .len = len, .atoms = atoms, .num_atoms = NUM_ATOMS};
}

static struct ds_term term_of(const struct made *m)
{
    return view(m->bytes.data, m->bytes.len);
}

/* print prints into a buffer with that much spare room. */
static struct ds_buffer print(const struct ds_term *term, const struct ds_term_print_options *options,
                              size_t room)
{
    struct ds_buffer text = {0};
    assert_true(ds_buffer_reserve(&text, room));
    assert_true(ds_term_print(term, options, &text));
    return text;
}

static void assert_is(const struct ds_buffer *text, const char *expected, size_t len)
{
    assert_int_equal(text->len, len);
    assert_memory_equal(text->data, expected, len);
}

enum { ROOM = 65536 };

static void test_whole(void **state)
{
    (void)state;
    struct ds_term_memo *memo = ds_term_memo_new();
    const struct ds_term_print_options options = {.memo = memo};
    for (uint32_t seed = 0; seed < 300; seed++) {
        struct made *m = make(seed, seed % 7 == 0 ? 400 : 5);
        struct ds_term term = term_of(m);
        for (size_t room = 1; room <= ROOM; room *= 4) {
            struct ds_buffer text = print(&term, &options, room);
            assert_is(&text, m->text.data, m->text.len);
            ds_buffer_free(&text);
        }
        free_made(m);
    }
    ds_term_memo_free(memo);
}

/* It ends before the first term that begins behind the limit, and shows how much was omitted. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct made *m = make(seed, 6);
        struct ds_term term = term_of(m);
        for (size_t max = 1; max <= m->text.len + 1; max++) {
            const struct ds_term_print_options options = {.max_len = max};
            struct ds_buffer text = print(&term, &options, ROOM), expected = {0};
            size_t i = 0;
            while (i < m->num && m->begin[i].text <= max)
                i++;
            ds_buffer_add(&expected, m->text.data, i < m->num ? m->begin[i].text : m->text.len);
            if (i < m->num)
                ds_buffer_printf(&expected, "... %zu more bytes", m->bytes.len - m->begin[i].byte);
            assert_is(&text, expected.data, expected.len);
            ds_buffer_free(&text);
            ds_buffer_free(&expected);
        }
        free_made(m);
    }
}

static void test_part_anywhere(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct made *m = make(seed, 6);
        struct ds_term term = term_of(m);
        for (size_t i = 0; i < m->num; i++) {
            struct ds_term_part part = {.data = term.data + m->begin[i].byte};
            const struct ds_term_print_options options = {.part = &part};
            struct ds_buffer text = print(&term, &options, ROOM);
            assert_is(&text, m->text.data, m->text.len);
            assert_int_equal(part.at, m->begin[i].text);
            ds_buffer_free(&text);
        }
        free_made(m);
    }
}

/* The text of a truncated term ends in dots, behind what is there. */
static void test_every_prefix(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 10; seed++) {
        struct made *m = make(seed, 5);
        for (size_t len = 5; len < m->bytes.len; len++) {
            uint8_t *bytes = malloc(len); /* so that the sanitizer notices a read behind the end */
            struct ds_term term = term_of(m);
            struct ds_buffer text;
            assert_non_null(bytes);
            memcpy(bytes, m->bytes.data, len);
            term.data = bytes;
            term.len = len;
            text = print(&term, NULL, ROOM);
            assert_true(text.len >= 4 && memcmp(text.data + text.len - 3, "...", 3) == 0);
            assert_memory_equal(text.data, m->text.data, text.len - 4); /* maybe "|": a tail may follow */
            ds_buffer_free(&text);
            free(bytes);
        }
        free_made(m);
    }
}

static void assert_limited(const struct ds_term *term, const struct ds_term_print_options *options,
                           const char *expected)
{
    struct ds_buffer text = print(term, options, ROOM);
    assert_is(&text, expected, strlen(expected));
    ds_buffer_free(&text);
    assert_prints(term, options, expected);
}

/* An atom that the message has not is where it is damaged. */
static void test_no_such_atom(void **state)
{
    (void)state;
    static const char bytes[] = {'h', 2, 'R', BARE, 'R', NUM_ATOMS}, tail[] = "l\0\0\0\1R\1aa";
    static const char alone[] = {'R', NUM_ATOMS};
    struct ds_term term = view(bytes, sizeof bytes);
    assert_limited(&term, NULL, "{ok,...");
    term = view(tail, sizeof tail - 1);
    assert_limited(&term, NULL, "[ok|97]");
    term.num_atoms = BARE;
    assert_limited(&term, NULL, "[...");
    term = view(alone, sizeof alone);
    assert_limited(&term, NULL, "...");
}

static void test_limits(void **state)
{
    (void)state;
    static const char bytes[] = "h\2l\0\0\0\3R\1R\1R\1jt\0\0\0\1R\1h\1m\0\0\0\4text";
    const struct ds_term term = view(bytes, sizeof bytes - 1);
    static const char whole[] = "{[ok,ok,ok],#{ok => {<<\"text\">>}}}";
    assert_limited(&term, NULL, whole);
    assert_limited(&term, &(struct ds_term_print_options){.max_items = 3}, whole);
    assert_limited(&term, &(struct ds_term_print_options){.max_items = 2},
                  "{[ok,ok,... 1 more],#{ok => {<<\"text\">>}}}");
    assert_limited(&term, &(struct ds_term_print_options){.max_depth = 3}, whole);
    assert_limited(&term, &(struct ds_term_print_options){.max_depth = 2},
                  "{[ok,ok,ok],#{ok => {... 1 more}}}");
    assert_limited(&term, &(struct ds_term_print_options){.max_bytes = 3},
                  "{[ok,ok,ok],#{ok => {<<\"tex\"... 1 more bytes>>}}}");
    assert_limited(&term, &(struct ds_term_print_options){.in_string = true},
                  "{[ok,ok,ok],#{ok => {<<\\\"text\\\">>}}}");
}

/* A list of numbers is a string if all are characters. */
static void test_strings(void **state)
{
    (void)state;
    static const char bytes[] = "h\3l\0\0\0\2a\x61" "a\x62jl\0\0\0\2a\x61" "a\1jR\4";
    const struct ds_term term = view(bytes, sizeof bytes - 1);
    assert_limited(&term, NULL, "{\"ab\",[97,1],?maybe_so}");
    assert_limited(&term, &(struct ds_term_print_options){.unmarked = true}, "{\"ab\",[97,1],maybe_so}");
}

static void test_no_memory(void **state)
{
    (void)state;
    struct made *m = make(7, 400);
    struct ds_term term = term_of(m);
    assert_true(failing_alloc_each(print_or_fail, &term) > 2);
    free_made(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),         cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_part_anywhere), cmocka_unit_test(test_every_prefix),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_no_memory),     cmocka_unit_test(test_no_such_atom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
