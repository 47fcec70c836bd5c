/*
 * node_atoms.c - see node_atoms.h. The books are kept by when they were last looked for, the oldest
 * that nobody uses goes first.
 */
#include "atoms/node_atoms.h"

#include "atoms/atom_shape_claims.h"
#include "atoms/atom_verdicts.h"
#include "atoms/data_name_list.h"
#include "atoms/node_atoms_parts.h"
#include "atoms/node_places.h"
#include "atoms/node_slot_names.h"
#include "atoms/raft_rounds.h"
#include "atoms/shape_contexts.h"

#include <stdlib.h>

static bool text_equal(struct ds_text a, const void *data, size_t len)
{
    return a.len == len && (len == 0 || memcmp(a.data, data, len) == 0);
}

/* A text is one byte longer than it is, so that the empty one is something, too. */
static char *take_text(struct memcap *memcap, struct ds_text text)
{
    char *copy = memcap_calloc(memcap, text.len + 1);
    if (copy != NULL && text.len != 0)
        memcpy(copy, text.data, text.len);
    return copy;
}

struct all_node_atoms *all_node_atoms_new(uint64_t max)
{
    struct all_node_atoms *books = calloc(1, sizeof *books);
    if (books == NULL)
        return NULL;
    books->max = max;
    books->memcap.max = max < UINT64_MAX / ATOM_BOOK_BYTES ? max * ATOM_BOOK_BYTES : UINT64_MAX;
    return books;
}

static void book_free(struct node_atoms *book)
{
    struct memcap *memcap = book->memcap;
    while (book->num_learned != 0) {
        const struct learned *learned = &book->learned[--book->num_learned];
        memcap_free(memcap, learned->text, learned->len + 1u);
    }
    memcap_free(memcap, book->learned, book->cap_learned * sizeof *book->learned);
    memcap_free(memcap, book->texts, ATOM_BOOK_SLOTS * sizeof *book->texts);
    memcap_free(memcap, book->slots, ATOM_BOOK_SLOTS * sizeof *book->slots);
    memcap_free(memcap, book->verdicts, ATOM_BOOK_VERDICTS * sizeof *book->verdicts);
    memcap_free(memcap, book->shapes.slots, ATOM_BOOK_SLOTS * sizeof *book->shapes.slots);
    memcap_free(memcap, book->shapes.claims, shape_contexts_num_atoms() * sizeof *book->shapes.claims);
    memcap_free(memcap, book->shapes.times, shape_tables_most() * sizeof *book->shapes.times);
    memcap_free(memcap, book->shapes.learned, sizeof *book->shapes.learned);
    memcap_free(memcap, book->names, ATOM_BOOK_SLOTS * sizeof *book->names);
    memcap_free(memcap, book->ends, ATOM_BOOK_ENDS * sizeof *book->ends);
    memcap_free(memcap, book->name, book->name_len + 1);
    memcap_free(memcap, book, sizeof *book);
}

void all_node_atoms_free(struct all_node_atoms *books)
{
    struct node_atoms *older;
    for (struct node_atoms *book = books != NULL ? books->newest : NULL; book != NULL;
         book = older) {
        older = book->older;
        book_free(book);
    }
    if (books != NULL) {
        user_atoms_free(books->own);
        data_names_free(books);
        raft_rounds_free(books);
        learned_shapes_free(books->learned);
    }
    free(books);
}

struct learned_shapes *all_node_atoms_shapes(struct all_node_atoms *books)
{
    if (books->learned == NULL)
        books->learned = learned_shapes_new(&books->memcap);
    return books->learned;
}

bool all_node_atoms_add_static(struct all_node_atoms *books, const struct ds_text *atoms,
                               size_t num)
{
    struct user_atoms *own = user_atoms_new(atoms, num);
    if (own == NULL || books->num != 0) {
        user_atoms_free(own);
        return false;
    }
    user_atoms_free(books->own);
    books->own = own;
    return true;
}

static bool has_name(const struct ds_endpoint *end)
{
    return end->node.data != NULL && memchr(end->node.data, '@', end->node.len) != NULL;
}

bool node_atoms_is_of(const struct node_atoms *book, const struct ds_endpoint *end)
{
    if (book->creation != end->creation || book->is_several)
        return false;
    if (has_name(end))
        return book->name != NULL && text_equal(end->node, book->name, book->name_len);
    return node_places_has(book, end);
}

struct ds_text node_atoms_name_of(const struct node_atoms *book, uint16_t slot)
{
    const struct book_slot *s = &book->slots[slot];
    const struct node_atoms *found = NULL, *of;
    if (s->creation == 0 || s->has_creations)
        return (struct ds_text){NULL, 0};
    /* Creations are seconds: of two nodes that have this one, it may be either. On the sender's host some
     * may be that were never met. */
    for (of = book->books->newest; of != NULL; of = of->older) {
        if (of->creation != s->creation || of->name == NULL)
            continue;
        if (found != NULL || node_places_is_beside(book, of))
            return (struct ds_text){NULL, 0};
        found = of;
    }
    /* What has no name yet is that one where it is at the same address. */
    for (of = book->books->newest; of != NULL && found != NULL; of = of->older) {
        if (of->creation == s->creation && of->name == NULL && !node_places_is_beside(found, of))
            found = NULL;
    }
    return found != NULL ? (struct ds_text){found->name, found->name_len} : (struct ds_text){NULL, 0};
}

static bool set_name(struct node_atoms *book, struct ds_text name)
{
    book->name = take_text(book->memcap, name);
    book->name_len = book->name != NULL ? name.len : 0;
    book->books->num_names++;
    return book->name != NULL;
}

static void unlink_book(struct all_node_atoms *books, struct node_atoms *book)
{
    *(book->newer != NULL ? &book->newer->older : &books->newest) = book->older;
    *(book->older != NULL ? &book->older->newer : &books->oldest) = book->newer;
    book->older = book->newer = NULL;
    books->num--;
}

static void link_newest(struct all_node_atoms *books, struct node_atoms *book)
{
    book->older = books->newest;
    *(books->newest != NULL ? &books->newest->newer : &books->oldest) = book;
    books->newest = book;
    books->num++;
}

/* forget_oldest forgets the oldest book that nobody uses; false when there is none. */
static bool forget_oldest(struct all_node_atoms *books)
{
    struct node_atoms *book = books->oldest;
    while (book != NULL && book->num_users != 0)
        book = book->newer;
    if (book == NULL)
        return false;
    unlink_book(books, book);
    book_free(book);
    /* Slots of others may have been judged to be its name. */
    for (book = books->oldest; book != NULL; book = book->newer)
        book->generation++;
    return true;
}

/* make_room makes it for one more book. */
static bool make_room(struct all_node_atoms *books, struct dissect_ctx *env)
{
    /* A new one leaves as much room as a book has on average, so that those in use can grow. */
    while (books->num != 0 && books->num < books->max &&
           books->memcap.used > books->memcap.max - ATOM_BOOK_BYTES && forget_oldest(books)) {
        if (env != NULL)
            env->stats.limits_hit[DS_LIMIT_ATOM_BOOKS]++;
    }
    if (books->num < books->max)
        return true;
    if (env != NULL)
        env->stats.limits_hit[DS_LIMIT_ATOM_BOOKS]++;
    return forget_oldest(books);
}

static struct node_atoms *book_new(struct all_node_atoms *books, const struct ds_endpoint *end)
{
    struct node_atoms *book = memcap_calloc(&books->memcap, sizeof *book);
    if (book == NULL)
        return NULL;
    book->books = books;
    book->memcap = &books->memcap;
    book->creation = end->creation;
    book->own = books->own;
    book->texts = memcap_calloc(book->memcap, ATOM_BOOK_SLOTS * sizeof *book->texts);
    if (book->texts == NULL || (has_name(end) && !set_name(book, end->node))) {
        book_free(book);
        return NULL;
    }
    return book;
}

struct node_atoms *all_node_atoms_find(struct all_node_atoms *books, struct dissect_ctx *env,
                                       const struct ds_endpoint *end, const struct ds_endpoint *other)
{
    struct node_atoms *book = books->newest;
    while (book != NULL && !node_atoms_is_of(book, end))
        book = book->older;
    if (book == NULL && has_name(end)) {
        /* It may have been met before it was named. */
        for (book = books->newest; book != NULL; book = book->older) {
            if (book->name == NULL && book->creation == end->creation && !book->is_several &&
                node_places_has(book, end) && set_name(book, end->node))
                break;
        }
    }
    if (book == NULL && !has_name(end))
        book = node_places_find(books, end, other);
    if (book == NULL) {
        book = make_room(books, env) ? book_new(books, end) : NULL;
        if (book == NULL) {
            if (env != NULL)
                env->stats.no_memory += books->max != 0 && books->num < books->max;
            return NULL;
        }
    } else {
        unlink_book(books, book);
    }
    link_newest(books, book);
    node_places_note(book, end, other);
    book->num_users++;
    return book;
}

void node_atoms_release(struct node_atoms *book)
{
    if (book != NULL)
        book->num_users--;
}

void node_atoms_set_time(struct node_atoms *book, int64_t now_ns)
{
    book->now_ns = now_ns;
}

bool node_atoms_trusts(const struct node_atoms *book)
{
    return !book->is_liar;
}

/* find_learned returns what was learned of a slot with that text. */
static struct learned *find_learned(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    for (uint32_t i = book->texts[slot].first; i != 0; i = book->learned[i - 1].next) {
        book->work++;
        if (text_equal(text, book->learned[i - 1].text, book->learned[i - 1].len))
            return &book->learned[i - 1];
    }
    return NULL;
}

static uint32_t hash_of(struct ds_text text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (uint8_t)text.data[i]) * 16777619u;
    return hash;
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

/* new_learned returns room for one more of a slot; NULL when memory ran out. */
static struct learned *new_learned(struct node_atoms *book, uint16_t slot)
{
    struct slot_texts *s = &book->texts[slot];
    if (s->num == ATOM_BOOK_TEXTS) {
        /* The one that has been there longest makes room; it is the last of the chain. */
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

static struct learned *add_learned(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    char *copy = take_text(book->memcap, text);
    struct learned *learned = copy != NULL ? new_learned(book, slot) : NULL;
    if (learned == NULL) {
        memcap_free(book->memcap, copy, text.len + 1);
        return NULL;
    }
    learned->slot = slot;
    learned->text = copy;
    learned->len = (uint16_t)text.len;
    learned->hash = hash_of(text);
    learned->number = (uint16_t)atom_table_find(text);
    uint32_t *bucket = &book->buckets[learned->hash % ATOM_BOOK_BUCKETS];
    learned->next_text = *bucket;
    *bucket = (uint32_t)(learned - book->learned) + 1;
    data_names_define(book, slot, text);
    book->books->num_names += node_slot_names_is_name(text);
    /* Else only an atom of the tables says anything of other slots: that it is not in these. */
    const unsigned number = user_atoms_find(book->own, text);
    shape_claims_define(book, slot, shape_contexts_atom(book, text));
    if (number != ATOM_TABLE_NONE && user_atoms_is_static(book->own, number))
        book->generation++;
    atom_verdicts_forget(book, slot);
    return learned;
}

/* check_tables holds a definition against the tables: right in one, it is not by chance. */
static void check_tables(struct node_atoms *book, uint16_t slot, struct ds_text text)
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
            book->next_told = 0; /* the first of its kind may rule a table out */
        if (*count < UINT16_MAX)
            (*count)++;
    }
    if (number != ATOM_TABLE_NONE && book->num_told < UINT32_MAX)
        book->num_told++;
    if (number == ATOM_TABLE_NONE || book->num_told < book->next_told)
        return;
    /* The slots are weighed anew: not each time, so that this does not depend on what is told. */
    book->next_told = book->num_told + book->num_told / 4 + 1;
    book->has_table = false;
    book->next_fit = 0;
    book->generation++;
}

bool node_atoms_has_elsewhere(struct node_atoms *book, uint16_t slot, struct ds_text text)
{
    const uint32_t hash = hash_of(text);
    unsigned num = 0;
    for (uint32_t i = book->buckets[hash % ATOM_BOOK_BUCKETS]; i != 0;
         i = book->learned[i - 1].next_text) {
        const struct learned *learned = &book->learned[i - 1];
        book->work++;
        if (++num == ATOM_BOOK_BUCKET_MAX || (learned->hash == hash && learned->slot != slot &&
                                              text_equal(text, learned->text, learned->len)))
            return true;
    }
    return false;
}

/* count_failure tells the cap, which then was reached, from memory that ran out. */
static void count_failure(struct node_atoms *book, struct dissect_ctx *env)
{
    if (book->memcap->hits != 0)
        env->stats.limits_hit[DS_LIMIT_ATOM_BOOKS]++;
    else
        env->stats.no_memory++;
    book->memcap->hits = 0;
}

/* add_direction takes note of who defines a text, and when. is_new: it is known that the slot held
 * another one. */
static void add_direction(struct learned *learned, uint64_t direction, int64_t now_ns, bool is_new)
{
    for (unsigned i = 0; i < learned->num_directions; i++) {
        struct defining *by = &learned->directions[i];
        if (by->direction != direction)
            continue;
        /* What is read once more is told once more. */
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
                       struct ds_text text,
                       uint64_t direction, enum node_atoms_how how)
{
    if (slot >= ATOM_BOOK_SLOTS || book->is_liar)
        return;
    check_tables(book, slot, text);
    struct learned *learned = find_learned(book, slot, text);
    if (learned == NULL) {
        if (how == ATOM_BOOK_LISTED || book->is_liar)
            return;
        book->is_liar = node_atoms_has_elsewhere(book, slot, text);
        if (book->is_liar)
            return;
        learned = add_learned(book, slot, text);
        if (learned == NULL) {
            count_failure(book, env);
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

/* add_bit_of does that for one that may be new. */
static uint16_t add_bit_of(struct node_atoms *book, uint64_t direction)
{
    if (node_atoms_bit_of(book, direction) == 0)
        book->seen_by[book->num_seen_by++] = direction;
    return node_atoms_bit_of(book, direction);
}

/* add_role adds to a short list; false when it is there already, as close or closer, or the list is
 * full. *at is where it stands; max: nowhere. */
static bool add_role(struct seen_role *roles, uint8_t *num, unsigned max, struct seen_role role,
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

/* wanted_slot returns what is noted of a slot that is unknown in a direction; NULL when memory ran out. */
static struct book_slot *wanted_slot(struct node_atoms *book, struct dissect_ctx *env,
                                     uint16_t slot)
{
    if (book->verdicts == NULL)
        book->verdicts = memcap_calloc(book->memcap, ATOM_BOOK_VERDICTS * sizeof *book->verdicts);
    if (book->slots == NULL && book->verdicts != NULL)
        book->slots = memcap_calloc(book->memcap, ATOM_BOOK_SLOTS * sizeof *book->slots);
    if (book->slots == NULL) {
        count_failure(book, env);
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
    count_failure(book, env);
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
        count_failure(book, env);
    return book->names != NULL;
}

void node_atoms_want(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot)
{
    if (slot < ATOM_BOOK_SLOTS)
        (void)wanted_slot(book, env, slot);
}

void node_atoms_see(struct node_atoms *book, struct dissect_ctx *env, uint16_t slot,
                    uint64_t direction,
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
    if (add_role(s->seen, &s->num_seen, ATOM_BOOK_ROLES, atom_role_seen(role), &at)) {
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
    struct learned *learned = find_learned(book, slot, text);
    /* It was defined by a message that lists many; here it is used. */
    if (learned == NULL && !is_list && !node_atoms_has_elsewhere(book, slot, text)) {
        learned = add_learned(book, slot, text);
        if (learned != NULL)
            add_direction(learned, direction, book->now_ns, false);
    }
    const struct seen_role seen = atom_role_seen(role);
    if (learned != NULL && add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES, seen, &at))
        atom_verdicts_forget(book, slot);
}

void node_atoms_see_held(struct node_atoms *book, uint16_t slot, struct ds_text text,
                         struct seen_role role)
{
    unsigned at;
    if (slot >= ATOM_BOOK_MODULUS || book->is_liar)
        return;
    struct learned *learned = find_learned(book, slot, text);
    if (learned != NULL && add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES, role, &at))
        atom_verdicts_forget(book, slot);
}

static struct ds_endpoint end_at(const struct node_atoms *book, unsigned place)
{
    return (struct ds_endpoint){.addr = book->places[place].addr,
                                .port = book->places[place].port,
                                .creation = book->creation,
                                .node = {book->name, book->name_len}};
}

struct ds_text all_node_atoms_name(const struct all_node_atoms *books,
                                   const struct ds_endpoint *end,
                                   const struct ds_endpoint *other)
{
    for (const struct node_atoms *book = books->newest; book != NULL; book = book->older) {
        if (book->name != NULL && book->creation == end->creation && node_places_has(book, end))
            return (struct ds_text){book->name, book->name_len};
    }
    struct ds_text name = {NULL, 0};
    const bool is_one_host = memcmp(&end->addr, &other->addr, sizeof end->addr) == 0;
    for (const struct node_atoms *book = books->newest; book != NULL && !is_one_host;
         book = book->older) {
        if (book->name == NULL || book->creation != end->creation ||
            !node_places_has_addr(book, &end->addr))
            continue;
        if (name.data != NULL)
            return (struct ds_text){NULL, 0};
        name = (struct ds_text){book->name, book->name_len};
    }
    return name;
}

uint32_t all_node_atoms_num_names(const struct all_node_atoms *books)
{
    return books->num_names;
}

void all_node_atoms_fits(const struct all_node_atoms *books, ds_fit_fn fn, void *context)
{
    for (const struct node_atoms *book = books->newest; book != NULL; book = book->older) {
        const struct book_shapes *shapes = &book->shapes;
        if (shapes->table == SHAPE_TABLE_COMMON || shapes->is_partial || shapes->slots == NULL)
            continue;
        const struct ds_fit fit = {.node = end_at(book, book->num_places - 1u),
                                   .application = shape_tables[shapes->table].title,
                                   .num_known = shapes->num_known[shapes->table],
                                   .num = shapes->num_own};
        fn(context, &fit);
    }
}

void all_node_atoms_each(const struct all_node_atoms *books, ds_learned_fn give, void *context)
{
    for (const struct node_atoms *book = books->oldest; book != NULL; book = book->newer) {
        /* A node without a name is found by any of its places: each would be one of its own. */
        const unsigned num = book->name != NULL ? book->num_places : 0;
        for (unsigned i = 0; i + 1 < num && !book->is_liar; i++) {
            const struct ds_learned place = {.node = end_at(book, i)};
            give(context, &place);
        }
        for (uint32_t i = 0; i < book->num_learned && !book->is_liar; i++) {
            const struct learned *learned = &book->learned[i];
            uint32_t roles[2 * ATOM_BOOK_ROLES];
            for (unsigned r = 0; r < learned->num_roles; r++) {
                roles[2 * r] = learned->roles[r].fine;
                roles[2 * r + 1] = learned->roles[r].coarse;
            }
            const struct ds_learned out = {
                .node = end_at(book, book->num_places - 1u),
                .slot = learned->slot,
                .text = {learned->text, learned->len},
                .roles = roles,
                .num_roles = 2u * learned->num_roles,
            };
            give(context, &out);
        }
    }
}

bool all_node_atoms_add(struct all_node_atoms *books, const struct ds_learned *in)
{
    if (in->slot >= ATOM_BOOK_MODULUS || in->text.len > ATOM_MAX_LEN)
        return false;
    struct node_atoms *book = all_node_atoms_find(books, NULL, &in->node, NULL);
    if (book == NULL)
        return false;
    if (in->text.data == NULL) {
        node_atoms_release(book);
        return true;
    }
    check_tables(book, in->slot, in->text);
    struct learned *learned = find_learned(book, in->slot, in->text);
    if (learned == NULL && !node_atoms_has_elsewhere(book, in->slot, in->text))
        learned = add_learned(book, in->slot, in->text);
    unsigned at;
    for (size_t i = 0; learned != NULL && i + 1 < in->num_roles; i += 2)
        add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES,
                 (struct seen_role){in->roles[i], in->roles[i + 1], 0, 0, false}, &at);
    node_atoms_release(book);
    return learned != NULL;
}
