/*
 * copier.c - see copier.h. Many messages have the same atoms. If atom_texts shows that their texts have
 * not changed, the atoms are copied once per block.
 */
#include "record/copier.h"

#include "core/copy_short.h"

enum { NUM_SHARED = 64 };

/* shared_atoms is a list of atoms that a message referred to: the original and the copy. */
struct shared_atoms {
    uint64_t texts; /* ds_message.atom_texts; 0: none */
    uint32_t num;
    const struct ds_atom *given;
    struct ds_atom *copy;
};

struct ds_atom *copier_add_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num)
{
    struct ds_atom *copy = copier_allocate(c, num * sizeof *atoms);
    if (copy == NULL)
        return NULL;
    uint8_t *text = (uint8_t *)(copy + num);
    const uint8_t *end = c->block->data + c->block->cap;
    for (uint32_t i = 0; i < num; i++) {
        copy[i] = atoms[i];
        if (atoms[i].text == NULL)
            continue;
        if ((size_t)(end - text) < atoms[i].len) {
            c->full = true;
            return NULL;
        }
        copy_short(text, atoms[i].text, atoms[i].len);
        copy[i].text = text;
        text += atoms[i].len;
    }
    c->block->len = (size_t)(text - c->block->data);
    return copy;
}

static size_t hash_atoms(const struct ds_atom *atoms, uint32_t num)
{
    const uintptr_t first = (uintptr_t)atoms[0].text, last = (uintptr_t)atoms[num - 1].text;
    return (size_t)((first >> 4) + (last >> 4) * 5 + num * 11);
}

/* begin_sharing allocates the data for sharing within a block. */
static bool begin_sharing(struct copier *c)
{
    struct shared_atoms *shared = copier_allocate(c, NUM_SHARED * sizeof *shared);
    if (shared == NULL)
        return false;
    memset(shared, 0, NUM_SHARED * sizeof *shared);
    c->block->shared = shared;
    return true;
}

struct ds_atom *copier_share_atoms(struct copier *c, const struct ds_atom *atoms, uint32_t num,
                                   uint64_t texts)
{
    if (c->block->shared == NULL && !begin_sharing(c))
        return NULL;
    struct shared_atoms *shared = &c->block->shared[hash_atoms(atoms, num) % NUM_SHARED];
    if (shared->texts == texts && shared->num == num &&
        memcmp(shared->given, atoms, num * sizeof *atoms) == 0)
        return shared->copy;
    struct ds_atom *copy = copier_add_atoms(c, atoms, num);
    const struct ds_atom *given = copy != NULL ? copier_add(c, atoms, num * sizeof *atoms) : NULL;
    if (given == NULL)
        return NULL;
    *shared = (struct shared_atoms){texts, num, given, copy};
    c->just_shared = shared;
    return copy;
}

void copier_undo(struct copier *c)
{
    c->block->len = c->before.len;
    c->block->conn = c->before.conn;
    c->block->shared = c->before.shared;
    if (c->block->shared != NULL && c->just_shared != NULL)
        c->just_shared->texts = 0;
}

static inline bool same_text(struct ds_text a, struct ds_text b)
{
    return a.len == b.len && (a.data == NULL) == (b.data == NULL) &&
           (a.len == 0 || same_short(a.data, b.data, a.len));
}

/* same_ends says whether a copy of a connection still has the current ends and losses. */
static bool same_ends(const struct ds_conn *copy, const struct ds_conn *conn)
{
    uint64_t differs = 0;
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *a = &copy->end[end], *b = &conn->end[end];
        differs |= (a->creation ^ b->creation) | (uint64_t)(a->node_inferred ^ b->node_inferred) |
                   (copy->counters[end].gaps ^ conn->counters[end].gaps) |
                   (copy->counters[end].faults ^ conn->counters[end].faults);
    }
    return differs == 0 && copy->are_both_seen == conn->are_both_seen &&
           same_text(copy->end[0].node, conn->end[0].node) &&
           same_text(copy->end[1].node, conn->end[1].node);
}

static const struct ds_tls *copy_tls(struct copier *c, const struct ds_tls *tls)
{
    struct ds_tls *copy = tls != NULL ? copier_add(c, tls, sizeof *tls) : NULL;
    if (copy == NULL)
        return NULL;
    copier_add_text(c, &copy->sni);
    copier_add_text(c, &copy->certificate[0]);
    copier_add_text(c, &copy->certificate[1]);
    return copy;
}

const struct ds_conn *copier_add_other_conn(struct copier *c, const struct ds_conn *conn, bool is_looked_at)
{
    const struct ds_conn *last = c->block->conn;
    if (!is_looked_at && last != NULL && last->number == conn->number && last->link == NULL &&
        copier_same_tls(last->tls, conn->tls) && same_ends(last, conn))
        return last;
    struct ds_conn *copy = copier_add(c, conn, sizeof *conn);
    if (copy != NULL) {
        copy->link = is_looked_at ? copier_add(c, conn->link, sizeof *conn->link) : NULL;
        copier_add_text(c, &copy->end[0].node);
        copier_add_text(c, &copy->end[1].node);
        copy->tls = copy_tls(c, conn->tls);
    }
    c->block->conn = c->full ? NULL : copy;
    return c->block->conn;
}
