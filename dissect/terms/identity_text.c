/*
 * identity_text.c - see identity_text.h. The memo is direct-mapped by a hash of the numbers; what it
 * has of another one is written over.
 */
#include "identity_text.h"

#include <stdlib.h>

enum { NUM_KEPT_BITS = 7, WORD_LEN = 4, KEY_LEN = 8, TWO_KEYS = 2 * KEY_LEN };

/* key is what a text is made from: of the numbers, and of the name of the node, the first eight bytes
 * and the last eight, which are all of up to sixteen. What of a node's name is longer, or shorter than
 * eight, is looked up in the text. */
struct key {
    uint64_t first, middle, last; /* middle: the eight bytes between them where there are more */
    uint64_t node_first, node_last;
    uint8_t kind, num_numbers, node_len; /* lengths in bytes; no numbers: it is no key */
};

struct kept {
    _Alignas(KEY_LEN) struct key key; /* so everywhere: i386 would have it at four */
    uint8_t text_len;
    char text[IDENTITY_TEXT_KEPT];
};
_Static_assert(sizeof(struct kept) == 128, "found by a shift");

struct ds_term_memo {
    struct kept kept[1 << NUM_KEPT_BITS];
};

_Static_assert(WORD_LEN * (1 + TOKEN_REFERENCE_WORDS_MAX) <= 3 * KEY_LEN, "a key has all numbers");

struct ds_term_memo *ds_term_memo_new(void)
{
    return calloc(1, sizeof(struct ds_term_memo));
}

void ds_term_memo_free(struct ds_term_memo *memo)
{
    free(memo);
}

static const struct {
    char text[7];
    uint8_t len;
} marks[] = {
    [IDENTITY_TEXT_PID] = {"<", sizeof "<" - 1},
    [IDENTITY_TEXT_REFERENCE] = {"#Ref<", sizeof "#Ref<" - 1},
};

/* Not inline, as keep is not: most that is written is in the memo. */
static __attribute__((noinline)) char *put(const struct identity *identity, char *pen)
{
    const struct ds_atom *node = identity->node;
    struct cursor numbers = identity->numbers;
    uint32_t word[TOKEN_REFERENCE_WORDS_MAX], creation;
    unsigned num = 0;
    if (identity->kind == IDENTITY_TEXT_REFERENCE && !cursor_read_u32(&numbers, &creation))
        return pen;
    while (num < TOKEN_REFERENCE_WORDS_MAX && cursor_read_u32(&numbers, &word[num]))
        num++;
    memcpy(pen, marks[identity->kind].text, sizeof marks[0].text);
    pen += marks[identity->kind].len;
    memcpy(pen, node->text, node->len);
    pen += node->len;
    if (identity->kind == IDENTITY_TEXT_PID) {
        const uint32_t serial = word[1];
        word[1] = word[0];
        word[0] = serial;
        num = 2; /* and the creation, which is not shown */
    }
    while (num != 0) {
        *pen++ = '.';
        pen = ds_digits_put(pen, word[--num]);
    }
    *pen++ = '>';
    return pen;
}

/* make_key makes the key of one; false when there is none: there are few numbers, or the name is long. */
static inline bool make_key(const struct identity *identity, struct key *key)
{
    const struct ds_atom *node = identity->node;
    const struct cursor name = cursor_make(node->text, node->len);
    struct cursor middle = identity->numbers;
    const size_t len = cursor_left(&middle);
    *key = (struct key){.kind = (uint8_t)identity->kind,
                        .num_numbers = (uint8_t)len,
                        .node_len = (uint8_t)node->len};
    if (node->len > UINT8_MAX || !cursor_peek_u64_le(&identity->numbers, &key->first) ||
        !cursor_peek_last_u64_le(&identity->numbers, &key->last) ||
        (len > TWO_KEYS && (!cursor_skip(&middle, (len - KEY_LEN) / 2) ||
                            !cursor_peek_u64_le(&middle, &key->middle))))
        return false;
    return !cursor_peek_u64_le(&name, &key->node_first) ||
           cursor_peek_last_u64_le(&name, &key->node_last);
}

static inline struct kept *kept_at(struct ds_term_memo *memo, const struct key *key)
{
    const uint64_t hash = (key->first ^ key->last << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &memo->kept[hash >> (64 - NUM_KEPT_BITS)];
}

/* keep writes a text, and has the entry keep it if it is short enough. */
static __attribute__((noinline)) char *keep(struct kept *kept, const struct identity *identity,
                                            char *pen)
{
    char *end = put(identity, pen);
    const size_t len = (size_t)(end - pen);
    if (len > sizeof kept->text || !make_key(identity, &kept->key))
        return end;
    kept->text_len = (uint8_t)len;
    memcpy(kept->text, pen, len);
    return end;
}

/* put_long is for nodes of which the key has not all of the name. */
static __attribute__((noinline)) char *put_long(struct kept *kept, const struct identity *identity,
                                                char *pen)
{
    const char *name = kept->text + marks[identity->kind].len;
    if (memcmp(name, identity->node->text, identity->node->len) != 0)
        return keep(kept, identity, pen);
    memcpy(pen, kept->text, sizeof kept->text);
    return pen + kept->text_len;
}

char *identity_text_put(struct ds_term_memo *memo, const struct identity *identity, char *pen)
{
    struct key key;
    if (memo == NULL || !make_key(identity, &key))
        return put(identity, pen);
    struct kept *kept = kept_at(memo, &key);
    const struct key *old = &kept->key;
    if (((old->first ^ key.first) | (old->middle ^ key.middle) | (old->last ^ key.last) |
         (old->node_first ^ key.node_first) | (old->node_last ^ key.node_last)) != 0 ||
        old->kind != key.kind || old->num_numbers != key.num_numbers || old->node_len != key.node_len)
        return keep(kept, identity, pen);
    if (key.node_len < KEY_LEN || key.node_len > TWO_KEYS)
        return put_long(kept, identity, pen);
    memcpy(pen, kept->text, sizeof kept->text);
    return pen + kept->text_len;
}
