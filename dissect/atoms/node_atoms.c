/*
 * node_atoms.c - see node_atoms.h: definitions, and the roles in which slots are seen.
 */
#include "atoms/node_atoms.h"

#include "atoms/atom_verdicts.h"
#include "atoms/node_texts.h"
#include "atoms/shape_contexts.h"

void node_atoms_check_tables(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    unsigned number = user_atoms_find(book->own, text);
    if (slot >= ATOM_BOOK_MODULUS)
        book->is_liar = true;
    if (number != ATOM_TABLE_NONE && !user_atoms_is_static(book->own, number))
        number = ATOM_TABLE_NONE;
    for (int t = 0; t < ATOM_TABLES_ALL && number != ATOM_TABLE_NONE; t++) {
        const unsigned index = user_atoms_index(book->own, t, number);
        if (index == ATOM_TABLE_NONE)
            continue;
        struct table_fit *fit = &book->fits[t];
        const bool is_common = index < user_atoms_table(book->own, t)->num_common;
        const bool is_hit = index % ATOM_BOOK_MODULUS == slot;
        uint16_t *count = is_hit ? is_common ? &fit->hits : &fit->rest_hits
                                 : is_common ? &fit->misses : &fit->rest_misses;
        if (is_hit && index >= fit->end_of_hits)
            fit->end_of_hits = (uint16_t)(index + 1);
        if (*count == 0)
            book->next_told = 0; /* the first of its kind may rule out a table */
        if (*count < UINT16_MAX)
            (*count)++;
    }
    if (number != ATOM_TABLE_NONE && book->num_told < UINT32_MAX)
        book->num_told++;
    if (number == ATOM_TABLE_NONE || book->num_told < book->next_told)
        return;
    /* The slots are weighed again, but not each time, so that the cost does not depend on the
     * sender. */
    book->next_told = book->num_told + book->num_told / 4 + 1;
    book->has_table = false;
    book->next_fit = 0;
    book->generation++;
}

void node_atoms_count_failure(struct node_atoms *book, struct dissect_ctx *env)
{
    if (book->memcap->hits != 0)
        env->stats.limits_hit[DS_LIMIT_ATOM_BOOKS]++;
    else
        env->stats.no_memory++;
    book->memcap->hits = 0;
}

/* add_direction records which direction defines a text, and when. is_new: the slot is known to
 * have contained another one. */
static void add_direction(struct learned *learned, uint64_t direction, int64_t now_ns, bool is_new)
{
    for (unsigned i = 0; i < learned->num_directions; i++) {
        struct defining *by = &learned->directions[i];
        if (by->direction != direction)
            continue;
        /* The same packet, read again, has the same time. */
        by->is_again = by->is_again || (is_new && now_ns > by->first_ns);
        return;
    }
    if (direction == 0)
        return;
    if (learned->num_directions < ATOM_BOOK_DIRECTIONS)
        learned->directions[learned->num_directions++] = (struct defining){direction, now_ns, false};
    else
        learned->is_everywhere = true;
}

void node_atoms_define(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                       struct ds_text text, uint64_t direction, enum node_atoms_how how)
{
    if (slot >= ATOM_BOOK_SLOTS || book->is_liar)
        return;
    node_atoms_check_tables(book, slot, text);
    struct learned *learned = node_texts_find(book, slot, text);
    if (learned == NULL) {
        if (how == ATOM_BOOK_LISTED || book->is_liar)
            return;
        book->is_liar = node_atoms_has_elsewhere(book, slot, text);
        if (book->is_liar)
            return;
        learned = node_texts_add(book, slot, text);
        if (learned == NULL) {
            node_atoms_count_failure(book, env);
            return;
        }
    }
    learned->is_watched = learned->is_watched || how == ATOM_BOOK_USED;
    add_direction(learned, direction, book->now_ns, how != ATOM_BOOK_HEARSAY);
    atom_verdicts_forget(book, slot);
}

uint16_t node_atoms_bit_of(const struct node_atoms *book, uint64_t direction)
{
    for (unsigned i = 0; i < book->num_seen_by; i++) {
        if (book->seen_by[i] == direction)
            return (uint16_t)(1u << i);
    }
    return book->num_seen_by < ATOM_BOOK_SEEN_BY ? 0 : 1u << (ATOM_BOOK_SEEN_BY - 1);
}

/* add_bit_of does the same for a direction that may be new. */
static uint16_t add_bit_of(struct node_atoms *book, uint64_t direction)
{
    if (node_atoms_bit_of(book, direction) == 0)
        book->seen_by[book->num_seen_by++] = direction;
    return node_atoms_bit_of(book, direction);
}

bool node_atoms_add_role(struct seen_role *roles, uint8_t *num, unsigned max, struct seen_role role,
                     unsigned *at)
{
    for (*at = 0; *at < *num; (*at)++) {
        if (roles[*at].fine != role.fine)
            continue;
        if (roles[*at].rank >= role.rank)
            return false;
        roles[*at] = role;
        return true;
    }
    if (*num == max)
        return false;
    roles[(*num)++] = role;
    return true;
}

/* wanted_slot returns the entry of an unknown slot, and marks it as wanted; NULL if memory ran
 * out. */
static struct book_slot *wanted_slot(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot)
{
    if (book->verdicts == NULL)
        book->verdicts = memcap_calloc(book->memcap, ATOM_BOOK_VERDICTS * sizeof *book->verdicts);
    if (book->slots == NULL && book->verdicts != NULL)
        book->slots = memcap_calloc(book->memcap, ATOM_BOOK_SLOTS * sizeof *book->slots);
    if (book->slots == NULL) {
        node_atoms_count_failure(book, env);
        return NULL;
    }
    struct book_slot *s = &book->slots[slot];
    if (!s->is_wanted)
        (*(book->texts[slot].num != 0 ? &book->num_seen_learned : &book->num_seen_other))++;
    s->is_wanted = true;
    return s;
}

bool node_atoms_has_shapes(struct node_atoms *book, struct dissect_ctx *env)
{
    struct book_shapes *shapes = &book->shapes;
    if (shapes->slots != NULL)
        return true;
    shapes->slots = memcap_calloc(book->memcap, ATOM_BOOK_SLOTS * sizeof *shapes->slots);
    shapes->claims = memcap_calloc(book->memcap, shape_contexts_num_atoms() * sizeof *shapes->claims);
    shapes->times = memcap_calloc(book->memcap, shape_tables_most() * sizeof *shapes->times);
    if (shapes->slots != NULL && shapes->claims != NULL && shapes->times != NULL)
        return true;
    memcap_free(book->memcap, shapes->slots, ATOM_BOOK_SLOTS * sizeof *shapes->slots);
    memcap_free(book->memcap, shapes->claims, shape_contexts_num_atoms() * sizeof *shapes->claims);
    memcap_free(book->memcap, shapes->times, shape_tables_most() * sizeof *shapes->times);
    shapes->slots = NULL;
    shapes->claims = NULL;
    shapes->times = NULL;
    node_atoms_count_failure(book, env);
    return false;
}

struct learned_fit *node_atoms_learned_fit(struct node_atoms *book)
{
    return memcap_calloc(book->memcap, sizeof *book->shapes.learned);
}

bool node_atoms_has_names(struct node_atoms *book, struct dissect_ctx *env)
{
    if (book->names == NULL)
        book->names = memcap_calloc(book->memcap, ATOM_BOOK_SLOTS * sizeof *book->names);
    if (book->names == NULL)
        node_atoms_count_failure(book, env);
    return book->names != NULL;
}

void node_atoms_request(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot)
{
    if (slot < ATOM_BOOK_SLOTS)
        (void)wanted_slot(book, env, slot);
}

void node_atoms_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot, uint64_t direction,
                    const struct atom_role *role)
{
    unsigned at;
    struct book_slot *s = wanted_slot(book, env, slot);
    if (s == NULL)
        return;
    const uint16_t bit = add_bit_of(book, direction);
    if (role->creation != 0 && s->creation != role->creation) {
        s->has_creations = s->creation != 0;
        s->creation = role->creation;
        s->changes++;
    }
    if (node_atoms_add_role(s->seen, &s->num_seen, ATOM_BOOK_ROLES, atom_role_seen(role), &at)) {
        s->changes++;
        book->num_seen++;
    }
    if (at < ATOM_BOOK_ROLES && (s->seen_by[at] & bit) == 0) {
        s->changes++;
        s->seen_by[at] |= bit;
    }
}

void node_atoms_see_known(struct node_atoms *book, uint16_t slot, struct ds_text text,
                          uint64_t direction, bool is_list, const struct atom_role *role)
{
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    unsigned at;
    struct learned *learned = node_texts_find(book, slot, text);
    /* It was defined by a message that lists many atoms; here it is used. */
    if (learned == NULL && !is_list && !node_atoms_has_elsewhere(book, slot, text)) {
        learned = node_texts_add(book, slot, text);
        if (learned != NULL)
            add_direction(learned, direction, book->now_ns, false);
    }
    const struct seen_role seen = atom_role_seen(role);
    if (learned != NULL &&
        node_atoms_add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES, seen, &at))
        atom_verdicts_forget(book, slot);
}

void node_atoms_see_held(struct node_atoms *book, uint16_t slot, struct ds_text text,
                         struct seen_role role)
{
    unsigned at;
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    struct learned *learned = node_texts_find(book, slot, text);
    if (learned != NULL &&
        node_atoms_add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES, role, &at))
        atom_verdicts_forget(book, slot);
}
