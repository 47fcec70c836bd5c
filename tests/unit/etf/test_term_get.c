/*
 * test_term_get.c - single values from terms, and that erl_interface reads the same.
 */
#include "etf/term.h"
#include "guard_page.h"
#include "term_samples.h"

#include <distsniff/identity.h>

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[12];
        size_t len;
        bool fits;
        int64_t value;
    } cases[] = {
        {{97, 0}, 2, true, 0},
        {{97, 255}, 2, true, 255},
        {{98, 255, 255, 255, 255}, 5, true, -1},
        {{98, 128, 0, 0, 0}, 5, true, INT32_MIN},
        {{110, 0, 0}, 3, true, 0},
        {{110, 1, 1, 5}, 4, true, -5},
        {{111, 0, 0, 0, 1, 1, 5}, 7, true, -5},
        {{110, 4, 0, 255, 255, 255, 255}, 7, true, UINT32_MAX},
        {{110, 8, 0, 255, 255, 255, 255, 255, 255, 255, 127}, 11, true, INT64_MAX},
        {{110, 8, 1, 0, 0, 0, 0, 0, 0, 0, 128}, 11, true, INT64_MIN},
        {{110, 8, 0, 0, 0, 0, 0, 0, 0, 0, 128}, 11, false, 0},
        {{110, 8, 1, 1, 0, 0, 0, 0, 0, 0, 128}, 11, false, 0},
        {{110, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 12, false, 0},
        {{106}, 1, false, 0},
        {{82, 0}, 2, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct guard_page page = guard_page_copy(cases[i].bytes, cases[i].len);
        struct ds_term term = samples_term(page.bytes, page.len);
        int64_t value = 77;
        assert_int_equal(term_get_integer(&term, &value), cases[i].fits);
        assert_int_equal(value, cases[i].fits ? cases[i].value : 77);
        guard_page_free(&page);
    }
}

static void assert_atom(struct ds_term term, const char *expected)
{
    struct ds_text text;
    assert_int_equal(term_get_atom(&term, &text), expected != NULL);
    if (expected != NULL) {
        assert_int_equal(text.len, strlen(expected));
        assert_memory_equal(text.data, expected, text.len);
    }
}

static void test_find_key(void **state)
{
    (void)state;
    static const struct ds_text keys[] = {{"pin", 3}, {"$gen_call", 9}, {"bob@host", 8}};
    static const struct {
        uint8_t bytes[40];
        size_t len;
        int found;
    } cases[] = {
        /* {pin, <<"1">>}, {pin, "1"}, #{<<"pin">> => <<"1">>}, ['bob@host' | <<"1">>] */
        {{104, 2, 119, 3, 'p', 'i', 'n', 109, 0, 0, 0, 1, '1'}, 13, 0},
        {{104, 2, 82, 2, 107, 0, 1, '1'}, 8, 2},
        {{116, 0, 0, 0, 1, 109, 0, 0, 0, 3, 'p', 'i', 'n', 109, 0, 0, 0, 1, '1'}, 19, 0},
        {{108, 0, 0, 0, 1, 82, 2, 109, 0, 0, 0, 1, '1'}, 13, 2},
        /* without a text, with an empty one, with something between, only likely, no key, cut */
        {{104, 2, 82, 2, 106}, 5, -1},
        {{104, 2, 82, 2, 109, 0, 0, 0, 0}, 9, -1},
        {{104, 3, 82, 2, 97, 1, 109, 0, 0, 0, 1, '1'}, 12, -1},
        {{104, 2, 82, 5, 109, 0, 0, 0, 1, '1'}, 10, -1},
        {{104, 2, 82, 0, 109, 0, 0, 0, 1, '1'}, 10, -1},
        {{104, 2, 82, 2, 109, 0, 0, 0, 9, '1'}, 10, -1},
        {{109, 0, 0, 0, 3, 'p', 'i', 'n'}, 8, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct guard_page page = guard_page_copy(cases[i].bytes, cases[i].len);
        const struct ds_term term = samples_term(page.bytes, page.len);
        assert_int_equal(ds_term_find_key(&term, keys, sizeof keys / sizeof keys[0]),
                         cases[i].found);
        guard_page_free(&page);
    }
    assert_int_equal(ds_term_find_key(&(struct ds_term){0}, keys, 3), -1);
}

static void test_atoms(void **state)
{
    (void)state;
    assert_atom(samples_term(BYTES(82, 0)), "alice@host");
    assert_atom(samples_term(BYTES(82, 2)), "bob@host");
    assert_atom(samples_term(BYTES(82, 1)), NULL);
    assert_atom(samples_term(BYTES(82, 5)), "$gen_call"); /* likely */
    assert_atom(samples_term(BYTES(82, 6)), NULL);        /* an address */
    struct ds_term node = samples_term(BYTES(82, 6));
    struct ds_text text;
    assert_true(ds_term_get_node_atom(&node, &text));
    assert_int_equal(text.len, 15);
    assert_memory_equal(text.data, "~10.0.0.7:25672", 15);
    node = samples_term(BYTES(82, 0));
    assert_true(ds_term_get_node_atom(&node, &text));
    assert_memory_equal(text.data, "alice@host", 10);
    node = samples_term(BYTES(82, 1));
    assert_false(ds_term_get_node_atom(&node, &text));
    node = samples_term(BYTES(82, SAMPLES_NUM_ATOMS));
    assert_false(ds_term_get_node_atom(&node, &text));
    assert_false(ds_term_get_node_atom(&(struct ds_term){0}, &text));
    assert_atom(samples_term(BYTES(82, SAMPLES_NUM_ATOMS)), NULL);
    assert_atom(samples_term(BYTES(119, 2, 0xc3, 0xa9)), "\xc3\xa9");
    assert_atom(samples_term(BYTES(118, 0, 2, 0xc3, 0xa9)), "\xc3\xa9");
    assert_atom(samples_term(BYTES(100, 0, 2, 'o', 'k')), "ok");
    assert_atom(samples_term(BYTES(115, 2, 'o', 0xe9)), NULL);
    assert_atom(samples_term(BYTES(115, 2, 'o', 0x80)), NULL);
    assert_atom(samples_term(BYTES(115, 2, 'o', 0x7f)), "o\x7f");
    assert_atom(samples_term(BYTES(107, 0, 2, 'o', 'k')), NULL);
    assert_atom(samples_term(BYTES(PID)), NULL);
    assert_atom((struct ds_term){0}, NULL);
}

static void test_nodes(void **state)
{
    (void)state;
    static const struct {
        struct {
            uint8_t bytes[32];
            size_t len;
        } term;
        const char *node;
        int atom; /* -1: inline */
        uint32_t creation;
    } cases[] = {
        {{{PID}, 15}, "a@h", -1, 2},
        {{{88, 82, 0, 0, 0, 0, 5, 0, 0, 0, 6, 255, 255, 255, 255}, 15},
         "alice@host",
         0,
         UINT32_MAX},
        {{{88, 82, 1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9}, 15}, NULL, 1, 9},
        {{{88, 82, 5, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9}, 15}, NULL, 5, 9},
        {{{88, 82, 6, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 9}, 15}, NULL, 6, 9},
        {{{102, 82, 2, 0, 0, 0, 5, 3}, 8}, "bob@host", 2, 3},
        {{{89, 82, 2, 0, 0, 0, 5, 1, 0, 0, 0}, 11}, "bob@host", 2, 1u << 24},
        {{{120, 82, 2, 0, 0, 0, 5, 0, 0, 0, 5, 0, 0, 0, 8}, 15}, "bob@host", 2, 8},
        {{{101, 82, 2, 0, 0, 0, 5, 255}, 8}, "bob@host", 2, 255},
        {{{114, 0, 1, 82, 2, 3, 0, 0, 0, 5}, 10}, "bob@host", 2, 3},
        {{{90, 0, 1, 82, 2, 0, 0, 0, 3, 0, 0, 0, 5}, 13}, "bob@host", 2, 3},
        {{{90, 0, 0, 82, 2, 0, 0, 0, 3}, 9}, "bob@host", 2, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct guard_page page = guard_page_copy(cases[i].term.bytes, cases[i].term.len);
        struct ds_term term = samples_term(page.bytes, page.len);
        struct ds_text node;
        const struct ds_atom *atom;
        uint32_t creation;
        assert_true(term_get_node(&term, &node, &atom, &creation));
        assert_int_equal(creation, cases[i].creation);
        assert_ptr_equal(atom, cases[i].atom < 0 ? NULL : &samples_atoms[cases[i].atom]);
        if (cases[i].node == NULL) {
            assert_null(node.data);
        } else {
            assert_int_equal(node.len, strlen(cases[i].node));
            assert_memory_equal(node.data, cases[i].node, node.len);
        }
        guard_page_free(&page);
    }
    struct ds_term other = samples_term(BYTES(82, 0));
    struct ds_text node;
    const struct ds_atom *atom;
    uint32_t creation;
    assert_false(term_get_node(&other, &node, &atom, &creation));
}

static void test_elements(void **state)
{
    (void)state;
    struct ds_term tuple =
        samples_term(BYTES(104, 3, 97, 1, 104, 2, 106, 97, 9, 82, 0, 99 /* any following bytes */));
    struct ds_term element;
    assert_true(term_get_element(&tuple, 0, &element));
    assert_ptr_equal(element.data, tuple.data + 2);
    assert_int_equal(element.len, 2);
    assert_true(term_get_element(&tuple, 1, &element));
    assert_int_equal(element.len, 5);
    struct ds_term inner;
    int64_t value;
    assert_true(term_get_element(&element, 1, &inner));
    assert_true(term_get_integer(&inner, &value));
    assert_int_equal(value, 9);
    assert_true(term_get_element(&tuple, 2, &element));
    assert_atom(element, "alice@host");
    assert_false(term_get_element(&tuple, 3, &element));
    struct ds_term list = samples_term(BYTES(108, 0, 0, 0, 1, 106, 106));
    assert_false(term_get_element(&list, 0, &element));
    struct ds_term cut = samples_term(BYTES(104, 3, 97, 1, 97));
    assert_true(term_get_element(&cut, 0, &element));
    assert_false(term_get_element(&cut, 1, &element));
    assert_false(term_get_element(&cut, 2, &element));
    struct ds_term one = samples_term(BYTES(104, 1, 97, 1, 106 /* any following bytes */));
    assert_false(term_get_element(&one, 1, &element));
    struct ds_term atom = samples_term(BYTES(119, 2, 97, 98));
    assert_false(term_get_element(&atom, 0, &element));
    struct ds_term large = samples_term(BYTES(105, 0, 0, 0, 1, 106));
    assert_true(term_get_element(&large, 0, &element));
    assert_false(term_get_element(&large, 1, &element));
}

/* The locale of the program does not affect floats. */
static void test_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C.UTF-8", "C"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_ALL, locales[i]) == NULL)
            continue;
        for (size_t j = 0; j < NUM_SAMPLES; j++) {
            if (samples[j].bytes[0] != 70 && samples[j].bytes[0] != 99)
                continue;
            struct ds_term term = samples_term(samples[j].bytes, samples[j].len);
            struct ds_buffer text = {0};
            assert_true(ds_term_print(&term, NULL, &text));
            assert_int_equal(text.len, strlen(samples[j].text));
            assert_memory_equal(text.data, samples[j].text, text.len);
            ds_buffer_free(&text);
        }
    }
    setlocale(LC_ALL, "C");
}

/* Of a term that was not checked before, no more words are read than there is room for. */
static void test_identity_has_few_words(void **state)
{
    (void)state;
    static const struct ds_atom node = {.text = (const uint8_t *)"a@b", .len = 3, .state = DS_ATOM_KNOWN};
    uint8_t bytes[3 + 2 + 4 + 6 * 4] = {90, 0, 5, 82, 0};
    struct ds_identity *identity = malloc(sizeof *identity);
    struct ds_term term = {.data = bytes, .len = sizeof bytes - 4, .atoms = &node, .num_atoms = 1};
    assert_non_null(identity);
    assert_true(ds_term_get_identity(&term, identity));
    assert_int_equal(identity->num_words, 5);
    for (uint8_t num = 1; num <= 5; num++) { /* each is read to its end, and no further */
        bytes[2] = num;
        for (uint8_t i = 0; i <= num; i++)
            bytes[5 + 4 * i + 3] = (uint8_t)(10 * num + i);
        term.len = 5 + 4 * (1 + (size_t)num);
        assert_true(ds_term_get_identity(&term, identity));
        assert_int_equal(identity->creation, 10 * num);
        assert_int_equal(identity->num_words, num);
        for (uint32_t i = 0; i < num; i++)
            assert_int_equal(identity->word[i], 10u * num + 1 + i);
        term.len--;
        assert_false(ds_term_get_identity(&term, identity));
    }
    bytes[2] = 6;
    term.len = sizeof bytes;
    assert_false(ds_term_get_identity(&term, identity));
    bytes[2] = 0;
    assert_false(ds_term_get_identity(&term, identity));
    bytes[2] = 5;
    bytes[4] = 1; /* an atom that is not there */
    assert_false(ds_term_get_identity(&term, identity));
    free(identity);
}

/* A caller that wants one kind gets only that kind, in any encoding. */
static void test_identity_of_a_kind(void **state)
{
    struct ds_atom node = {.text = (const uint8_t *)"a@b", .len = 3, .state = DS_ATOM_KNOWN};
    static const struct {
        uint8_t bytes[18];
        size_t len;
        bool is_pid, is_reference;
    } cases[] = {
        {{88, 82, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}, 15, true, false},
        {{103, 82, 0, 0, 0, 0, 1, 0, 0, 0, 2, 3}, 12, true, false},
        {{90, 0, 1, 82, 0, 0, 0, 0, 3, 0, 0, 0, 1}, 13, false, true},
        {{114, 0, 1, 82, 0, 3, 0, 0, 0, 1}, 10, false, true},
        {{101, 82, 0, 0, 0, 0, 1, 3}, 8, false, true},
        {{89, 82, 0, 0, 0, 0, 1, 0, 0, 0, 3}, 11, false, false},
        {{97, 1}, 2, false, false},
        {{82, 0}, 2, false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ds_identity any = {0}, one = {0};
        struct ds_term term = {
            .data = cases[i].bytes, .len = cases[i].len, .atoms = &node, .num_atoms = 1};
        const bool is_any = ds_term_get_identity(&term, &any);
        assert_int_equal(ds_term_get_pid(&term, &one), cases[i].is_pid);
        assert_int_equal(ds_term_get_reference(&term, &one), cases[i].is_reference);
        if (cases[i].is_pid || cases[i].is_reference) {
            assert_true(is_any);
            assert_int_equal(one.kind, any.kind);
            assert_int_equal(one.creation, 3);
            assert_int_equal(one.word[0], any.word[0]);
        }
        const bool is_new_pid = cases[i].bytes[0] == 88; /* references end in their numbers */
        for (uint32_t creation = 1; creation <= 3; creation++)
            assert_int_equal(ds_term_is_pid_of(&term, creation), is_new_pid && creation == 3);
        term.len--; /* cut */
        assert_false(ds_term_is_pid_of(&term, 3));
        assert_false(ds_term_get_pid(&term, &one) || ds_term_get_reference(&term, &one));
    }
    assert_false(ds_term_get_pid(&(struct ds_term){0}, &(struct ds_identity){0}));
    assert_false(ds_term_is_pid_of(&(struct ds_term){0}, 0));
    for (size_t len = 0; len < 5; len++) {
        static const uint8_t tag_alone[] = {88, 0, 0, 0, 0};
        assert_int_equal(ds_term_is_pid_of(&(struct ds_term){.data = tag_alone, .len = len}, 0), false);
    }
    assert_false(ds_term_get_reference(&(struct ds_term){0}, &(struct ds_identity){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_find_key), cmocka_unit_test(test_atoms),
        cmocka_unit_test(test_nodes),    cmocka_unit_test(test_elements),
        cmocka_unit_test(test_locale),   cmocka_unit_test(test_identity_has_few_words),
        cmocka_unit_test(test_identity_of_a_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
