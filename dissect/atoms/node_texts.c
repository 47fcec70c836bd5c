/*
 * node_texts.c - see node_texts.h. A text is found by its slot, and in other slots by its hash.
 */
#include "atoms/node_texts.h"

#include "atoms/atom_shape_claims.h"
#include "atoms/atom_verdicts.h"
#include "atoms/data_name_list.h"
#include "atoms/node_slot_names.h"
#include "atoms/shape_contexts.h"
#include "util/fnv1a.h"

char *node_texts_copy(struct memcap *memcap, struct ds_text text)
{
    char *copy = memcap_calloc(memcap, text.len + 1);
    if (copy != NULL && text.len != 0)
        memcpy(copy, text.data, text.len);
    return copy;
}

struct learned *node_texts_find(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    for (uint32_t i = book->texts[slot].first; i != 0; i = book->learned[i - 1].next) {
        book->work++;
        if (node_texts_equal(text, book->learned[i - 1].text, book->learned[i - 1].len))
            return &book->learned[i - 1];
    }
    return NULL;
}

static void leave_bucket(struct node_atoms *book, const struct learned *learned)
{
    uint32_t *at = &book->buckets[learned->hash % ATOM_BOOK_BUCKETS];
    for (; *at != 0; at = &book->learned[*at - 1].next_text) {
        book->work++;
        if (&book->learned[*at - 1] == learned) {
            *at = learned->next_text;
            return;
        }
    }
}

/* new_learned returns a free entry of a slot; NULL if memory ran out. */
static struct learned *new_learned(struct node_atoms *book, uint16_t slot)
{
    struct slot_texts *s = &book->texts[slot];
    if (s->num == ATOM_BOOK_TEXTS) {
        /* The oldest one is replaced; it is the last of the chain. */
        uint32_t last = s->first;
        while (book->learned[last - 1].next != 0)
            last = book->learned[last - 1].next;
        struct learned *old = &book->learned[last - 1];
        leave_bucket(book, old);
        memcap_free(book->memcap, old->text, old->len + 1u);
        *old = (struct learned){.next = old->next};
        return old;
    }
    if (book->num_learned == book->cap_learned) {
        const uint32_t cap = book->cap_learned + book->cap_learned / 2 + 64;
        struct learned *more = memcap_calloc(book->memcap, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        if (book->num_learned != 0)
            memcpy(more, book->learned, book->num_learned * sizeof *more);
        memcap_free(book->memcap, book->learned, book->cap_learned * sizeof *more);
        book->learned = more;
        book->cap_learned = cap;
    }
    struct learned *learned = &book->learned[book->num_learned];
    *learned = (struct learned){.next = s->first};
    s->first = ++book->num_learned;
    if (s->num++ != 0)
        return learned;
    book->num_slots_learned++;
    if (book->slots != NULL && book->slots[slot].is_wanted) {
        book->num_seen_other--;
        book->num_seen_learned++;
    }
    return learned;
}

struct learned *node_texts_add(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    char *copy = node_texts_copy(book->memcap, text);
    struct learned *learned = copy != NULL ? new_learned(book, slot) : NULL;
    if (learned == NULL) {
        memcap_free(book->memcap, copy, text.len + 1);
        return NULL;
    }
    learned->slot = slot;
    learned->text = copy;
    learned->len = (uint16_t)text.len;
    learned->hash = fnv1a(text);
    learned->number = (uint16_t)atom_table_find(text);
    uint32_t *bucket = &book->buckets[learned->hash % ATOM_BOOK_BUCKETS];
    learned->next_text = *bucket;
    *bucket = (uint32_t)(learned - book->learned) + 1;
    data_names_define(book, slot, text);
    book->books->num_names += node_slot_names_is_name(text);
    /* Only an atom of the tables is evidence about other slots: it is not in these. */
    const unsigned number = user_atoms_find(book->own, text);
    shape_claims_define(book, slot, shape_contexts_atom(book, text));
    if (number != ATOM_TABLE_NONE && user_atoms_is_static(book->own, number))
        book->generation++;
    atom_verdicts_forget(book, slot);
    return learned;
}

bool node_atoms_has_elsewhere(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    const uint32_t hash = fnv1a(text);
    unsigned num = 0;
    for (uint32_t i = book->buckets[hash % ATOM_BOOK_BUCKETS]; i != 0;
         i = book->learned[i - 1].next_text) {
        const struct learned *learned = &book->learned[i - 1];
        book->work++;
        if (++num == ATOM_BOOK_BUCKET_MAX || (learned->hash == hash && learned->slot != slot &&
                                              node_texts_equal(text, learned->text, learned->len)))
            return true;
    }
    return false;
}
