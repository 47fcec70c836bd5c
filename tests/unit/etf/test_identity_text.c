/*
 * test_identity_text.c - pids and references are written with a memo as without one: after any
 * others, at the bounds of what is kept, and when one takes another one's place.
 */
#include "etf/identity_text.h"
#include "term_printing.h"
#include "util/escape.h"

enum { NODE_LEN_MAX = 90, TERM_MAX = 64 };
enum { TAG_NEW_PID = TERM_TAG_NEW_PID, TAG_NEWER_REFERENCE = TERM_TAG_NEWER_REFERENCE,
       TAG_CACHE_REF = TERM_TAG_ATOM_CACHE_REF };

struct printed {
    struct ds_atom node;
    uint8_t bytes[TERM_MAX];
    size_t len;
};

static char long_name[NODE_LEN_MAX];

static struct ds_atom node_of(const char *name, size_t len)
{
    struct ds_atom node = {.text = (const uint8_t *)name, .len = (uint16_t)len, .state = DS_ATOM_KNOWN};
    node.looks = escape_look_at_atom(cursor_make(node.text, node.len));
    assert_true(identity_text_shows(&node));
    return node;
}

static struct ds_atom node_of_len(size_t len)
{
    memset(long_name, 'n', sizeof long_name);
    return node_of(long_name, len);
}

static void add_words(struct printed *p, const uint32_t *words, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        for (int shift = 24; shift >= 0; shift -= 8)
            p->bytes[p->len++] = (uint8_t)(words[i] >> shift);
    }
}

static struct printed make_pid(struct ds_atom node, const uint32_t words[3])
{
    struct printed p = {.node = node, .bytes = {TAG_NEW_PID, TAG_CACHE_REF, 0}, .len = 3};
    add_words(&p, words, 3);
    return p;
}

/* make_reference has the creation first. */
static struct printed make_reference(struct ds_atom node, const uint32_t *words, size_t num)
{
    struct printed p = {.node = node,
                        .bytes = {TAG_NEWER_REFERENCE, 0, (uint8_t)(num - 1), TAG_CACHE_REF, 0},
                        .len = 5};
    add_words(&p, words, num);
    return p;
}

/* assert_same compares the text with and without the memo, alone and within a list, where the walk
 * prints it. */
static void assert_same(struct ds_term_memo *memo, const struct printed *p)
{
    uint8_t list[TERM_MAX + 6] = {108, 0, 0, 0, 1};
    memcpy(list + 5, p->bytes, p->len);
    list[5 + p->len] = 106;
    const struct ds_term terms[] = {
        {.data = p->bytes, .len = p->len, .atoms = &p->node, .num_atoms = 1},
        {.data = list, .len = 5 + p->len + 1, .atoms = &p->node, .num_atoms = 1},
    };
    const struct ds_term_print_options with = {.memo = memo};
    for (size_t i = 0; i < 2; i++) {
        struct ds_buffer expected = {0};
        assert_true(ds_term_print(&terms[i], NULL, &expected));
        ds_buffer_add(&expected, "", 1);
        for (int again = 0; again < 2; again++)
            assert_prints(&terms[i], &with, expected.data);
        ds_buffer_free(&expected);
    }
}

static void test_text(void **state)
{
    static const uint32_t pid[] = {90, 1, 2}, reference[] = {7, 1, 2, 3};
    struct ds_term_memo *memo = ds_term_memo_new();
    const struct ds_term_print_options with = {.memo = memo};
    (void)state;
    for (int again = 0; again < 2; again++) {
        const struct printed p = make_pid(node_of("a@h", 3), pid);
        const struct printed r = make_reference(node_of("a@h", 3), reference, 4);
        assert_prints(&(struct ds_term){.data = p.bytes, .len = p.len, .atoms = &p.node, .num_atoms = 1},
                      &with, "<a@h.90.1>");
        assert_prints(&(struct ds_term){.data = r.bytes, .len = r.len, .atoms = &r.node, .num_atoms = 1},
                      &with, "#Ref<a@h.3.2.1>");
    }
    ds_term_memo_free(memo);
}

/* Pids and references that share any part with a remembered one are still written right. */
static void test_differences(void **state)
{
    struct ds_term_memo *memo = ds_term_memo_new();
    /* The second name continues like the text of the first one's pid; behind "#Ref<", the text of
     * the fourth one's pid reads like its name. Consecutive names among the others differ in their
     * first byte alone, in their last, and in one in between. */
    const struct ds_atom nodes[] = {
        node_of("a@h", 3),         node_of("a@h.10", 6),      node_of("a@i.10", 6),
        node_of(".10.", 4),        node_of("alpha@h123", 10), node_of("blpha@h123", 10),
        node_of("blpha@h124", 10), node_of("abcdefgh1@klmnopqrst", 20),
        node_of("abcdefgh2@klmnopqrst", 20)};
    enum { NUM_NODES = sizeof nodes / sizeof nodes[0] };
    (void)state;
    for (size_t n = 0; n < NUM_NODES; n++) {
        uint32_t words[] = {10, 20, 30, 40, 50, 60};
        for (size_t num = 1; num <= 6; num++) {
            for (size_t i = 0; i < num; i++) {
                for (uint32_t bit = 0; bit < 32; bit++) {
                    words[i] ^= 1u << bit;
                    const struct printed p = make_reference(nodes[n], words, num);
                    assert_same(memo, &p);
                    words[i] ^= 1u << bit;
                }
            }
            const struct printed p = make_reference(nodes[n], words, num);
            assert_same(memo, &p);
        }
        /* The same numbers as in a reference of two words. */
        for (size_t other = 0; other < 2 * NUM_NODES; other++) {
            const struct printed pid = make_pid(nodes[other % NUM_NODES], words);
            assert_same(memo, &pid);
        }
        const struct printed pid = make_pid(nodes[n], words);
        const struct printed reference = make_reference(nodes[n], words, 3);
        assert_same(memo, &pid);
        assert_same(memo, &reference);
        assert_same(memo, &pid);
    }
    ds_term_memo_free(memo);
}

/* Numbers whose bytes are all equal differ only in their count. */
static void test_counts(void **state)
{
    static const uint32_t words[6];
    struct ds_term_memo *memo = ds_term_memo_new();
    (void)state;
    for (size_t num = 1; num <= 6; num++) {
        const struct printed p = make_reference(node_of("a@h", 3), words, num);
        assert_same(memo, &p);
    }
    ds_term_memo_free(memo);
}

/* Texts of the greatest kept length, of one byte more, and the longest possible. */
static void test_bounds(void **state)
{
    static const uint32_t small[] = {1, 1, 1};
    static const uint32_t large[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                     UINT32_MAX, UINT32_MAX, UINT32_MAX};
    struct ds_term_memo *memo = ds_term_memo_new();
    (void)state;
    for (size_t len = IDENTITY_TEXT_KEPT - 8; len <= NODE_LEN_MAX; len++) {
        const struct printed other = make_pid(node_of("a@h", 3), small);
        const struct printed pid = make_pid(node_of_len(len), small);
        const struct printed reference = make_reference(node_of_len(len), large, 6);
        assert_same(memo, &other);
        assert_same(memo, &pid);
        assert_same(memo, &reference);
    }
    ds_term_memo_free(memo);
}

/* Far more than the memo has room for, and then the earlier ones again. */
static void test_many(void **state)
{
    struct ds_term_memo *memo = ds_term_memo_new();
    (void)state;
    for (int again = 0; again < 2; again++) {
        for (uint32_t i = 0; i < 1000; i++) {
            const uint32_t words[] = {1, i, 5, i * 77};
            const struct printed pid = make_pid(node_of("a@h", 3), words);
            const struct printed reference = make_reference(node_of("b@h", 3), words, 4);
            assert_same(memo, &pid);
            assert_same(memo, &reference);
        }
    }
    ds_term_memo_free(memo);
    ds_term_memo_free(NULL);
}

/* A node whose name has to be looked up, or is only likely, is written without the memo. */
static void test_other_nodes(void **state)
{
    static const uint32_t words[] = {1, 2, 3};
    struct ds_term_memo *memo = ds_term_memo_new();
    struct printed p = make_pid(node_of("a@h", 3), words);
    (void)state;
    assert_same(memo, &p);
    p.node.state = DS_ATOM_LIKELY;
    assert_same(memo, &p);
    p.node.state = DS_ATOM_KNOWN;
    p.node.text = (const uint8_t *)"a\nh";
    p.node.looks = 0;
    assert_same(memo, &p);
    ds_term_memo_free(memo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),   cmocka_unit_test(test_differences),
        cmocka_unit_test(test_counts), cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_many),   cmocka_unit_test(test_other_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
