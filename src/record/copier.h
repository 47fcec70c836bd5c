/*
 * copier.h - copies a record into a block: it allocates room there, and remembers which parts of the
 * record have been copied. If something does not fit, the copier is full, and the whole record is
 * removed again.
 */
#ifndef SRC_COPIER_H
#define SRC_COPIER_H

#include "record/record_copy.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* copied_span is a contiguous range of bytes that has been copied. */
struct copied_span {
    uintptr_t from;
    size_t len;
    const unsigned char *copy;
};

enum { COPIER_SPANS = 8 };

struct copier {
    struct record_block *block;
    struct {
        size_t len;
        struct ds_conn *conn;
        struct shared_atoms *shared;
    } before; /* state of the block before the record */
    struct copied_span spans[COPIER_SPANS];
    size_t num_spans;
    const struct ds_atom *atoms; /* the atoms copied last */
    const struct ds_atom *atoms_copy;
    struct shared_atoms *just_shared; /* NULL: none */
    bool full;
};

static inline void copier_begin(struct copier *c, struct record_block *block)
{
    c->block = block;
    c->before.len = block->len;
    c->before.conn = block->conn;
    c->before.shared = block->shared;
    c->num_spans = 0; /* they are set when needed */
    c->spans[0].from = UINTPTR_MAX; /* no term is there */
    c->spans[0].len = 0;
    c->atoms = c->atoms_copy = NULL;
    c->just_shared = NULL;
    c->full = false;
}

/* copier_undo restores the block as it was before the record. */
void copier_undo(struct copier *c);

/* copier_aligned returns the first position from len on that is aligned for any type. */
static inline size_t copier_aligned(size_t len)
{
    enum { ALIGN = alignof(max_align_t) }; /* a power of two */
    return (len + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* copier_allocate allocates room in the block; NULL if there is too little. */
static inline void *copier_allocate(struct copier *c, size_t len)
{
    struct record_block *block = c->block;
    const size_t at = copier_aligned(block->len);
    if (c->full || at > block->cap || block->cap - at < len) {
        c->full = true;
        return NULL;
    }
    block->len = at + len;
    return block->data + at;
}

static inline void *copier_add(struct copier *c, const void *bytes, size_t len)
{
    void *copy = bytes != NULL ? copier_allocate(c, len) : NULL;
    if (copy != NULL)
        memcpy(copy, bytes, len);
    return copy;
}

static inline void copier_add_text(struct copier *c, struct ds_text *text)
{
    if (text->data != NULL)
        text->data = copier_add(c, text->data, text->len);
}

/* copier_add_atoms copies atoms, followed by their texts; NULL if there is no room. */
struct ds_atom *copier_add_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num);

/* copier_share_atoms finds a copy of equal atoms, or makes one that can be found. It does not compare
 * texts: texts is ds_message.atom_texts, and says that texts at the same place are unchanged. */
struct ds_atom *copier_share_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num,
                                   uint64_t texts);

/* copier_same_tls says whether a copy still has the current values of the fields that are used for
 * messages. */
static inline bool copier_same_tls(const struct ds_tls *copy, const struct ds_tls *tls)
{
    return (copy == NULL) == (tls == NULL) &&
           (tls == NULL || (copy->key_updates[0] == tls->key_updates[0] &&
                            copy->key_updates[1] == tls->key_updates[1]));
}

/* copier_add_conn copies a connection, unless the last copy in the block is still up to date, which
 * ds_conn.changes mostly shows. is_looked_at: its other counters and the statistics of its link must be
 * up to date, too; they are needed only where the connection is reported. Otherwise the copy has no
 * statistics: statistics of an earlier event would depend on where a block ends. */
const struct ds_conn *copier_add_other_conn(struct copier *c, const struct ds_conn *conn,
                                            bool is_looked_at);
static inline const struct ds_conn *copier_add_conn(struct copier *c, const struct ds_conn *conn,
                                                    bool is_looked_at)
{
    const struct ds_conn *copy = c->block->conn;
    const bool is_known = !is_looked_at && copy != NULL && copy->number == conn->number &&
                          copy->link == NULL && copy->changes == conn->changes &&
                          conn->changes != 0 && copier_same_tls(copy->tls, conn->tls);
    return is_known ? copy : copier_add_other_conn(c, conn, is_looked_at);
}

#endif
