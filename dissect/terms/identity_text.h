/*
 * identity_text.h - a pid or a reference as text, where the name of its node is known and all shown:
 *
 *     <NODE.ID.SERIAL>        #Ref<NODE.WORD.WORD.WORD>, the last word of the wire first
 *
 * The same few are written again and again: who calls, and what the call goes by. A memo has the text
 * of each of the last ones by the bytes it is made from.
 */
#ifndef DISSECT_IDENTITY_TEXT_H
#define DISSECT_IDENTITY_TEXT_H

#include "buffer.h"
#include "term_token.h"

enum identity_text_kind { IDENTITY_TEXT_PID, IDENTITY_TEXT_REFERENCE };

/* identity is one as it was sent. numbers are the bytes behind the node: of a NEW_PID the id, the serial
 * and the creation, of a NEWER_REFERENCE the creation and the words. */
struct identity {
    enum identity_text_kind kind;
    const struct ds_atom *node;
    struct cursor numbers;
};

enum {
    IDENTITY_TEXT_KEPT = 79, /* bytes of a text that a memo keeps */
    IDENTITY_TEXT_WORDS = sizeof "#Ref<>" + TOKEN_REFERENCE_WORDS_MAX * (1 + DS_DIGITS_MAX),
    /* Room for one, beside the name of its node; more may be written than belongs to it. */
    IDENTITY_TEXT_ROOM = IDENTITY_TEXT_KEPT + IDENTITY_TEXT_WORDS,
};

/* identity_text_shows says whether a node has a name that may be written so. */
static inline bool identity_text_shows(const struct ds_atom *node)
{
    return ds_atom_is_certain(node->state) && (node->looks & DS_ATOM_SHOWN) != 0;
}

/* identity_read reads one with that tag, which at stands behind. False, and at is anywhere: it is
 * another term, of an older form, or of a node that may not be written so. */
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

/* identity_text_put writes one to pen and returns the end. memo may be NULL. */
char *identity_text_put(struct ds_term_memo *memo, const struct identity *identity, char *pen);

#endif
