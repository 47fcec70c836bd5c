/*
 * all_node_atoms.c - the books of all nodes (node_atoms.h), in the order in which they were last
 * looked up. The oldest unused one is evicted first.
 */
#include "atoms/node_atoms_parts.h"
#include "atoms/data_name_list.h"
#include "atoms/node_places.h"
#include "atoms/node_texts.h"
#include "atoms/raft_rounds.h"
#include "atoms/shape_contexts.h"

#include <stdlib.h>

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

bool all_node_atoms_add_static(struct all_node_atoms *books, const struct ds_text *atoms, size_t num)
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
        return book->name != NULL && node_texts_equal(end->node, book->name, book->name_len);
    return node_places_has(book, end);
}

struct ds_text node_atoms_name_of(const struct node_atoms *book, uint16_t slot)
{
    const struct book_slot *s = &book->slots[slot];
    const struct node_atoms *found = NULL, *of;
    if (s->creation == 0 || s->has_creations)
        return (struct ds_text){NULL, 0};
    /* Creations are times in seconds: if two nodes have this one, it may be either. The sender's
     * host may have some that were never seen. */
    for (of = book->books->newest; of != NULL; of = of->older) {
        if (of->creation != s->creation || of->name == NULL)
            continue;
        if (found != NULL || node_places_is_beside(book, of))
            return (struct ds_text){NULL, 0};
        found = of;
    }
    /* A book without a name is of the same node if it is at the same address. */
    for (of = book->books->newest; of != NULL && found != NULL; of = of->older) {
        if (of->creation == s->creation && of->name == NULL && !node_places_is_beside(found, of))
            found = NULL;
    }
    return found != NULL ? (struct ds_text){found->name, found->name_len} : (struct ds_text){NULL, 0};
}

static bool set_name(struct node_atoms *book, struct ds_text name)
{
    book->name = node_texts_copy(book->memcap, name);
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

/* forget_oldest evicts the oldest unused book; false if there is none. */
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

/* make_room makes room for one more book. */
static bool make_room(struct all_node_atoms *books, struct dissect_ctx *env)
{
    /* A new one leaves as much free memory as an average book needs, so that books in use can
     * grow. */
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
        /* It may have been seen before its name was. */
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
    node_places_add(book, end, other);
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

static struct ds_endpoint end_at(const struct node_atoms *book, unsigned place)
{
    return (struct ds_endpoint){.addr = book->places[place].addr,
                                .port = book->places[place].port,
                                .creation = book->creation,
                                .node = {book->name, book->name_len}};
}

struct ds_text all_node_atoms_name(const struct all_node_atoms *books, const struct ds_endpoint *end,
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
        /* A node without a name is found by any of its places: each would become a node. */
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
    node_atoms_check_tables(book, in->slot, in->text);
    struct learned *learned = node_texts_find(book, in->slot, in->text);
    if (learned == NULL && !node_atoms_has_elsewhere(book, in->slot, in->text))
        learned = node_texts_add(book, in->slot, in->text);
    unsigned at;
    for (size_t i = 0; learned != NULL && i + 1 < in->num_roles; i += 2)
        node_atoms_add_role(learned->roles, &learned->num_roles, ATOM_BOOK_ROLES,
                 (struct seen_role){in->roles[i], in->roles[i + 1], 0, 0, false}, &at);
    node_atoms_release(book);
    return learned != NULL;
}
