/*
 * identity_text.h - a pid or a reference as text, if the name of its node is known and printable:
 *
 *     <NODE.ID.SERIAL>        #Ref<NODE.WORD.WORD.WORD>, the last word of the wire first
 *
 * The same few are written again and again: callers, and the references of calls. A memo keeps the
 * text of recent ones, keyed by the bytes they are made from. It is direct-mapped by a hash of the
 * numbers; a new entry overwrites the old one.
 */
#ifndef DISSECT_IDENTITY_TEXT_H
#define DISSECT_IDENTITY_TEXT_H

#include "etf/term_token.h"
#include "util/buffer.h"

enum identity_text_kind { IDENTITY_TEXT_PID, IDENTITY_TEXT_REFERENCE };

/* identity is a pid or reference as it was sent. numbers are the bytes after the node: the id,
 * serial and creation of a NEW_PID, the creation and words of a NEWER_REFERENCE. */
struct identity {
    enum identity_text_kind kind;
    const struct ds_atom *node;
    struct cursor numbers;
};

enum {
    IDENTITY_TEXT_KEPT = 80, /* limit on the length of a text in a memo */
    IDENTITY_TEXT_WORDS = sizeof "#Ref<>" + TOKEN_REFERENCE_WORDS_MAX * (1 + DS_DIGITS_MAX),
    /* Room for one, without the name of its node; a writer may write more bytes than its text has. */
    IDENTITY_TEXT_ROOM = IDENTITY_TEXT_KEPT + IDENTITY_TEXT_WORDS,
};

/* identity_text_shows says whether the node's name is known and printable. */
static inline bool identity_text_shows(const struct ds_atom *node)
{
    return ds_atom_is_certain(node->state) && (node->looks & DS_ATOM_SHOWN) != 0;
}

/* identity_read reads a pid or reference with that tag, after which at is placed. False, and at is
 * undefined, for another term, an older form, or a node that does not satisfy identity_text_shows. */
TOKEN_INLINE bool identity_read(uint8_t tag, struct cursor *at, const struct term_env *env,
                                struct identity *out)
{
    enum { WORD_LEN = 4 };
    uint8_t node_tag, number;
    uint16_t num_words;
    size_t len = TOKEN_NEW_PID_LEN;
    out->kind = IDENTITY_TEXT_PID;
    if (tag == TERM_TAG_NEWER_REFERENCE) {
        if (!cursor_read_u16(at, &num_words) || num_words > TOKEN_REFERENCE_WORDS_MAX)
            return false;
        len = (1u + num_words) * WORD_LEN;
        out->kind = IDENTITY_TEXT_REFERENCE;
    } else if (tag != TERM_TAG_NEW_PID) {
        return false;
    }
    if (!cursor_read_u8(at, &node_tag) || node_tag != TERM_TAG_ATOM_CACHE_REF ||
        !cursor_read_u8(at, &number) || number >= env->num_atoms ||
        !cursor_child(at, len, &out->numbers))
        return false;
    out->node = &env->atoms[number];
    return identity_text_shows(out->node);
}

enum { IDENTITY_KEPT_BITS = 7, IDENTITY_KEY_LEN = 8, IDENTITY_TWO_KEYS = 2 * IDENTITY_KEY_LEN };

/* identity_key identifies the input of a text: the numbers, and of the node's name the first eight
 * and the last eight bytes, which are all of up to sixteen. For longer or shorter names, the name
 * in the text is compared. */
struct identity_key {
    uint64_t first, middle, last; /* middle: the eight bytes between them if there are more */
    uint64_t node_first, node_last;
    uint32_t form; /* the kind, and the lengths of name and numbers, a byte each; 0: not a key */
    uint8_t text_len; /* of the text; not part of the lookup */
};

struct identity_kept {
    _Alignas(IDENTITY_KEY_LEN) struct identity_key key; /* i386 would align it to four */
    char text[IDENTITY_TEXT_KEPT];
};
_Static_assert(sizeof(struct identity_kept) == 128, "found by a shift");

struct ds_term_memo {
    struct identity_kept kept[1 << IDENTITY_KEPT_BITS];
};

_Static_assert(4 * (1 + TOKEN_REFERENCE_WORDS_MAX) <= 3 * IDENTITY_KEY_LEN, "a key has all numbers");

/* identity_make_key makes the key of an identity; false if it has none: it has too few numbers, or
 * its name is too long. */
TOKEN_INLINE bool identity_make_key(const struct identity *identity, struct identity_key *key)
{
    const struct ds_atom *node = identity->node;
    const struct cursor name = cursor_make(node->text, node->len);
    struct cursor middle = identity->numbers;
    const size_t len = cursor_left(&middle);
    *key = (struct identity_key){.form = (uint32_t)len << 16 | (uint32_t)node->len << 8 | identity->kind};
    if (node->len > UINT8_MAX || !cursor_peek_u64_le(&identity->numbers, &key->first) ||
        !cursor_peek_last_u64_le(&identity->numbers, &key->last) ||
        (len > IDENTITY_TWO_KEYS && (!cursor_skip(&middle, (len - IDENTITY_KEY_LEN) / 2) ||
                                     !cursor_peek_u64_le(&middle, &key->middle))))
        return false;
    return !cursor_peek_u64_le(&name, &key->node_first) ||
           cursor_peek_last_u64_le(&name, &key->node_last);
}

/* identity_put_kept writes a kept text, in parts of one load and one store each: a compiler would
 * copy code that it considers rare byte by byte. */
TOKEN_INLINE char *identity_put_kept(const struct identity_kept *kept, char *pen)
{
    enum { PART = 16 };
    _Static_assert(IDENTITY_TEXT_KEPT % PART == 0, "all of it is copied");
    for (size_t i = 0; i < IDENTITY_TEXT_KEPT; i += PART)
        memcpy(pen + i, kept->text + i, PART);
    return pen + kept->key.text_len;
}

/* The cases of identity_text_put in which the memo has another text, there is no memo, or the key
 * does not contain the whole name. Not inline, because most texts are in the memo; by value,
 * because a pointer would force the identity into memory. */
char *identity_text_keep(struct identity_kept *kept, struct identity identity, char *pen);
char *identity_text_put_new(struct identity identity, char *pen);
char *identity_text_put_long(struct identity_kept *kept, struct identity identity, char *pen);

/* identity_text_put writes an identity to pen and returns the end. memo may be NULL. */
TOKEN_INLINE char *identity_text_put(struct ds_term_memo *memo, const struct identity *identity, char *pen)
{
    struct identity_key key;
    if (memo == NULL || !identity_make_key(identity, &key))
        return identity_text_put_new(*identity, pen);
    const uint64_t hash = (key.first ^ key.last << 32) * UINT64_C(0x9e3779b97f4a7c15);
    struct identity_kept *kept = &memo->kept[hash >> (64 - IDENTITY_KEPT_BITS)];
    const struct identity_key *old = &kept->key;
    if (((old->first ^ key.first) | (old->middle ^ key.middle) | (old->last ^ key.last) |
         (old->node_first ^ key.node_first) | (old->node_last ^ key.node_last) |
         (old->form ^ key.form)) != 0)
        return identity_text_keep(kept, *identity, pen);
    if (identity->node->len < IDENTITY_KEY_LEN || identity->node->len > IDENTITY_TWO_KEYS)
        return identity_text_put_long(kept, *identity, pen);
    return identity_put_kept(kept, pen);
}

#endif
