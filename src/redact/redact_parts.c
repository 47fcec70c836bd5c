/*
 * redact_parts.c - see redact_parts.h.
 */
#include "redact/redact_parts.h"

#include <stdlib.h>
#include <string.h>

/* Larger data is not copied, and larger memory is not kept. */
enum { KEEP_AT_MOST = 1024 * 1024 };

struct redact_piece {
    struct redact_piece *next;
    char *owned; /* separate memory that is freed with it; NULL: only these bytes */
    max_align_t bytes[];
};

void *redact_allocate(struct redact_parts *p, size_t len)
{
    struct redact_piece *piece = malloc(sizeof *piece + len);
    if (piece == NULL) {
        p->failed = true;
        return NULL;
    }
    piece->next = p->pieces;
    piece->owned = NULL;
    p->pieces = piece;
    return piece->bytes;
}

void *redact_get_scratch(struct redact_parts *p, size_t *len)
{
    const bool is_large = p->scratch.len > KEEP_AT_MOST;
    void *out = p->scratch.failed ? NULL : redact_allocate(p, is_large ? 0 : p->scratch.len);
    *len = out != NULL ? p->scratch.len : 0;
    if (out != NULL && is_large) {
        out = p->pieces->owned = p->scratch.data;
        p->scratch = (struct ds_buffer){.is_stopped = p->scratch.is_stopped};
    } else if (*len != 0) {
        memcpy(out, p->scratch.data, *len);
    }
    return out;
}

void redact_parts_begin(struct redact_parts *p)
{
    struct redact_piece *next;
    for (struct redact_piece *piece = p->pieces; piece != NULL; piece = next) {
        next = piece->next;
        free(piece->owned);
        free(piece);
    }
    p->pieces = NULL;
    p->atoms = NULL;
    if (p->scratch.failed || p->scratch.cap > KEEP_AT_MOST)
        ds_buffer_free(&p->scratch);
}

void redact_parts_free(struct redact_parts *p)
{
    redact_parts_begin(p);
    redact_values_free(p->values);
    ds_buffer_free(&p->scratch);
}

bool redact_parts_failed(struct redact_parts *p)
{
    const bool failed = redact_values_failed(p->values) || p->failed || p->scratch.failed;
    p->failed = false;
    return failed;
}

void redact_put(struct redact_parts *p, const void *bytes, size_t len)
{
    ds_buffer_add(&p->scratch, bytes, len);
}

bool redact_put_term(struct redact_parts *p, const struct ds_term *term, bool counts)
{
    const enum ds_rewrite_status status = redact_rewrite(p->values, term, counts, &p->scratch);
    p->failed |= status == DS_REWRITE_NO_MEMORY;
    return status == DS_REWRITE_OK;
}

void redact_part_text(struct redact_parts *p, redact_text_fn how, struct ds_text *text)
{
    if (text->data == NULL)
        return;
    p->scratch.len = 0;
    how(p->values, *text, &p->scratch);
    text->data = redact_get_scratch(p, &text->len);
}

/* part_atom returns the redacted form of an atom that stays a reference because it is not certain:
 * without text if its text is an address. */
static struct ds_atom part_atom(struct redact_parts *p, const struct ds_atom *atom)
{
    struct ds_atom out = {.slot = atom->slot, .state = DS_ATOM_UNKNOWN};
    if (atom->state != DS_ATOM_LIKELY)
        return out;
    /* scratch contains the term that refers to the atom. */
    const struct ds_buffer term = p->scratch;
    struct ds_text text = {(const char *)atom->text, atom->len};
    p->scratch = (struct ds_buffer){0};
    redact_part_text(p, redact_atom, &text);
    p->failed |= p->scratch.failed;
    ds_buffer_free(&p->scratch);
    p->scratch = term;
    if (text.data == NULL || text.len > UINT16_MAX)
        return out;
    out.text = (const uint8_t *)text.data;
    out.len = (uint16_t)text.len;
    out.state = DS_ATOM_LIKELY;
    return out;
}

void redact_part_atoms(struct redact_parts *p, struct ds_term *term)
{
    bool any = false;
    for (uint32_t i = 0; i < term->num_atoms; i++)
        any |= !ds_atom_is_certain(term->atoms[i].state);
    if (!any) {
        term->atoms = NULL;
        term->num_atoms = 0;
        return;
    }
    if (p->atoms != term->atoms || p->num_atoms != term->num_atoms) {
        struct ds_atom *atoms = redact_allocate(p, term->num_atoms * sizeof *atoms);
        for (uint32_t i = 0; atoms != NULL && i < term->num_atoms; i++)
            atoms[i] = part_atom(p, &term->atoms[i]);
        p->atoms = term->atoms;
        p->num_atoms = term->num_atoms;
        p->new_atoms = atoms;
    }
    term->atoms = p->new_atoms;
    if (term->atoms == NULL)
        term->num_atoms = 0;
}

void redact_part_term(struct redact_parts *p, struct ds_term *term)
{
    if (term->data == NULL)
        return;
    p->scratch.len = 0;
    term->damaged |= !redact_put_term(p, term, false);
    redact_part_atoms(p, term);
    term->data = redact_get_scratch(p, &term->len);
}
