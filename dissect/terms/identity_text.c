/*
 * identity_text.c - see identity_text.h. The memo is direct-mapped by a hash of the numbers; what it
 * has of another one is written over.
 */
#include "identity_text.h"

#include <stdlib.h>

enum { NUM_KEPT_BITS = 7, WORD_LEN = 4, KEY_LEN = 8, KEYS = 3 };

/* kept is the text of one, made from these numbers: their first eight bytes, their last eight and eight
 * between them. The name of the node stands in the text. */
struct kept {
    uint64_t key[KEYS];
    uint8_t kind, num_numbers; /* bytes; 0: nothing is kept */
    uint8_t node_len, text_len;
    char text[IDENTITY_TEXT_KEPT];
};

struct ds_term_memo {
    struct kept kept[1 << NUM_KEPT_BITS];
};

_Static_assert(WORD_LEN * (1 + TOKEN_REFERENCE_WORDS_MAX) <= KEYS * KEY_LEN, "keys are all numbers");

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
static __attribute__((noinline)) char *put(enum identity_text_kind kind, const struct ds_atom *node,
                                           struct cursor numbers, char *pen)
{
    uint32_t word[TOKEN_REFERENCE_WORDS_MAX], creation;
    unsigned num = 0;
    if (kind == IDENTITY_TEXT_REFERENCE && !cursor_read_u32(&numbers, &creation))
        return pen;
    while (num < TOKEN_REFERENCE_WORDS_MAX && cursor_read_u32(&numbers, &word[num]))
        num++;
    memcpy(pen, marks[kind].text, sizeof marks[kind].text);
    pen += marks[kind].len;
    memcpy(pen, node->text, node->len);
    pen += node->len;
    if (kind == IDENTITY_TEXT_PID) {
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

/* read_keys reads all numbers as keys; false when there are too few of them. */
static inline bool read_keys(const struct cursor *numbers, uint64_t key[KEYS])
{
    const size_t len = cursor_left(numbers);
    struct cursor first = *numbers, last = *numbers, middle = *numbers;
    return len >= KEY_LEN && cursor_read_u64(&first, &key[0]) &&
           cursor_skip(&last, len - KEY_LEN) && cursor_read_u64(&last, &key[1]) &&
           cursor_skip(&middle, (len - KEY_LEN) / 2) && cursor_read_u64(&middle, &key[2]);
}

static inline struct kept *kept_at(struct ds_term_memo *memo, const uint64_t key[KEYS])
{
    const uint64_t hash = (key[0] ^ key[1] << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &memo->kept[hash >> (64 - NUM_KEPT_BITS)];
}

static inline bool is_of(const struct kept *kept, enum identity_text_kind kind,
                         const struct ds_atom *node, size_t num_numbers, const uint64_t key[KEYS])
{
    return kept->key[0] == key[0] && kept->key[1] == key[1] && kept->key[2] == key[2] &&
           kept->num_numbers == num_numbers && kept->kind == (uint8_t)kind &&
           kept->node_len == node->len &&
           memcmp(kept->text + marks[kind].len, node->text, node->len) == 0;
}

/* keep writes a text, and has the entry keep it if it is short enough. */
static __attribute__((noinline)) char *keep(struct kept *kept, enum identity_text_kind kind,
                                            const struct ds_atom *node, struct cursor numbers,
                                            char *pen)
{
    char *end = put(kind, node, numbers, pen);
    const size_t len = (size_t)(end - pen);
    if (len > sizeof kept->text || !read_keys(&numbers, kept->key))
        return end;
    kept->num_numbers = (uint8_t)cursor_left(&numbers);
    kept->kind = (uint8_t)kind;
    kept->node_len = (uint8_t)node->len;
    kept->text_len = (uint8_t)len;
    memcpy(kept->text, pen, len);
    return end;
}

char *identity_text_put(struct ds_term_memo *memo, enum identity_text_kind kind,
                        const struct ds_atom *node, struct cursor numbers, char *pen)
{
    uint64_t key[KEYS];
    if (memo == NULL || !read_keys(&numbers, key))
        return put(kind, node, numbers, pen);
    struct kept *kept = kept_at(memo, key);
    if (!is_of(kept, kind, node, cursor_left(&numbers), key))
        return keep(kept, kind, node, numbers, pen);
    memcpy(pen, kept->text, sizeof kept->text);
    return pen + kept->text_len;
}
