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

enum {
    IDENTITY_TEXT_KEPT = 80, /* bytes of a text that a memo keeps */
    IDENTITY_TEXT_WORDS = sizeof "#Ref<>" + TOKEN_REFERENCE_WORDS_MAX * (1 + DS_DIGITS_MAX),
    /* Room for one, beside the name of its node; more may be written than belongs to it. */
    IDENTITY_TEXT_ROOM = IDENTITY_TEXT_KEPT + IDENTITY_TEXT_WORDS,
};

/* identity_text_shows says whether a node has a name that may be written so. */
static inline bool identity_text_shows(const struct ds_atom *node)
{
    return ds_atom_is_certain(node->state) && (node->looks & DS_ATOM_SHOWN) != 0;
}

/* identity_text_put writes one to pen and returns the end. numbers are the bytes behind the node: of a
 * NEW_PID the id, the serial and the creation, of a NEWER_REFERENCE the creation and the words. memo
 * may be NULL. */
char *identity_text_put(struct ds_term_memo *memo, enum identity_text_kind kind,
                        const struct ds_atom *node, struct cursor numbers, char *pen);

#endif
