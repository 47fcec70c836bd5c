/*
 * learned_shapes.c - see learned_shapes.h. The novelty of a context is derived from its counts as
 * in scripts/shapes/learn, with each run in place of a capture.
 */
#include "atoms/learned_shapes.h"

#include "atoms/atom_cache.h"
#include "util/fnv1a.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    LEAST_ROOM = 512,
    LOADED_ATOMS = 16384, /* of a file */
    ATOM_BYTES = 262144,  /* of all atoms that no table has */
    ATOM_PLACES = 2 * LEARNED_ATOMS,
    WHOLE_PLACES = 2 * LEARNED_WHOLES,
    OFTEN = 64, SELDOM = 16, /* after OFTEN messages of a shape, SELDOM are skipped for each counted one */
    FEW_ATOMS = 4,
    CODES_A_BIT = 4,
    MOST_CODE = 63,
};
/* Share of atoms that were not seen. Of the contexts that only one run counted, one in thirty
 * has other atoms in the next; names are of the same nodes. */
static const double ONE_RUN = 0.045, SEVERAL_RUNS = 0.01;
static const double ENOUGH_SHARE = 0.1, MOST_NEW = 0.2; /* of a useful context */

struct filler {
    uint16_t atom, num;
};

struct context {
    uint32_t key;
    uint16_t num;              /* how often, in all */
    uint8_t runs;              /* number of runs that counted it */
    uint8_t num_fillers;
    uint8_t others;            /* atoms without room, and nodes */
    uint8_t in_this_run;       /* a bit for each filler, and one for the context */
    uint8_t filler_runs[LEARNED_FILLERS];
    uint8_t novelty, rarity;   /* -4 log2 */
    bool is_of_use, has_names;
    bool is_weighed; /* novelty, rarity and is_of_use are those of the counts */
    struct filler fillers[LEARNED_FILLERS];
};

struct counted_node {
    struct ds_addr addr;
    uint32_t name; /* its hash; 0: it had none */
    enum learned_names names;
};

struct learned_shapes {
    struct memcap *memcap;
    struct context *contexts;
    uint32_t num, cap;
    uint16_t *places; /* hash table of contexts by key: the number from 1; 2 * cap of them */
    struct ds_text atoms[LEARNED_ATOMS];
    uint16_t atom_places[ATOM_PLACES];
    uint32_t num_atoms, atom_bytes;
    uint32_t wholes[WHOLE_PLACES];
    uint8_t times[WHOLE_PLACES]; /* messages of that shape in this run */
    uint32_t num_wholes, num_known_wholes;
    bool is_known[WHOLE_PLACES]; /* all atoms of such a message were certain */
    struct counted_node nodes[LEARNED_PLACES];
    unsigned num_nodes;
    uint16_t *loaded; /* numbers of the atoms in the loaded file */
    uint32_t num_loaded;
};

struct learned_shapes *learned_shapes_new(struct memcap *memcap)
{
    struct learned_shapes *shapes = memcap_calloc(memcap, sizeof *shapes);
    if (shapes != NULL)
        shapes->memcap = memcap;
    return shapes;
}

void learned_shapes_free(struct learned_shapes *shapes)
{
    if (shapes == NULL)
        return;
    struct memcap *memcap = shapes->memcap;
    for (uint32_t i = 0; i < shapes->num_atoms; i++)
        memcap_free(memcap, (void *)(uintptr_t)shapes->atoms[i].data, shapes->atoms[i].len + 1);
    memcap_free(memcap, shapes->contexts, shapes->cap * sizeof *shapes->contexts);
    memcap_free(memcap, shapes->places, 2 * shapes->cap * sizeof *shapes->places);
    memcap_free(memcap, shapes->loaded, LOADED_ATOMS * sizeof *shapes->loaded);
    memcap_free(memcap, shapes, sizeof *shapes);
}

/* spread returns the first place to search for a key. It depends on the address of shapes, so
 * that a peer cannot send many keys with the same place. */
static uint32_t spread(const struct learned_shapes *shapes, const void *key, size_t len)
{
    return (uint32_t)XXH3_64bits_withSeed(key, len, (uintptr_t)shapes);
}

/* spread_key does the same for a key of a context, which is searched for much more often. */
static uint32_t spread_key(const struct learned_shapes *shapes, uint32_t key)
{
    const uint64_t secret = (uintptr_t)shapes * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((key ^ secret) * (secret | 1) >> 32);
}

/* place_of returns the place of a context's number, or a free one. */
static uint16_t *place_of(const struct learned_shapes *shapes, uint32_t key)
{
    uint32_t at = spread_key(shapes, key) & (2 * shapes->cap - 1);
    while (shapes->places[at] != 0 && shapes->contexts[shapes->places[at] - 1].key != key)
        at = (at + 1) & (2 * shapes->cap - 1);
    return &shapes->places[at];
}

static bool make_room(struct learned_shapes *shapes)
{
    const uint32_t before = shapes->cap, cap = before != 0 ? 2 * before : LEAST_ROOM;
    if (shapes->num < before || before >= LEARNED_CONTEXTS)
        return shapes->num < before && shapes->num < LEARNED_CONTEXTS;
    struct context *contexts = memcap_calloc(shapes->memcap, cap * sizeof *contexts);
    uint16_t *places = memcap_calloc(shapes->memcap, 2 * cap * sizeof *places);
    if (contexts == NULL || places == NULL) {
        memcap_free(shapes->memcap, contexts, cap * sizeof *contexts);
        memcap_free(shapes->memcap, places, 2 * cap * sizeof *places);
        return false;
    }
    if (shapes->num != 0)
        memcpy(contexts, shapes->contexts, shapes->num * sizeof *contexts);
    memcap_free(shapes->memcap, shapes->contexts, before * sizeof *contexts);
    memcap_free(shapes->memcap, shapes->places, 2 * before * sizeof *places);
    shapes->contexts = contexts;
    shapes->places = places;
    shapes->cap = cap;
    for (uint32_t i = 0; i < shapes->num; i++)
        *place_of(shapes, contexts[i].key) = (uint16_t)(i + 1);
    return true;
}

/* context_of returns a context, which it adds if needed; NULL if there is no room. */
static struct context *context_of(struct learned_shapes *shapes, uint32_t key)
{
    uint16_t *place = shapes->cap != 0 ? place_of(shapes, key) : NULL;
    if (place != NULL && *place != 0)
        return &shapes->contexts[*place - 1];
    if (!make_room(shapes))
        return NULL;
    struct context *context = &shapes->contexts[shapes->num++];
    *context = (struct context){.key = key};
    *place_of(shapes, key) = (uint16_t)shapes->num;
    return context;
}

/* atom_place returns the place of an atom's number, or a free one. */
static uint16_t *atom_place(const struct learned_shapes *shapes, struct ds_text text)
{
    uint32_t at = spread(shapes, text.data, text.len) % ATOM_PLACES;
    for (; shapes->atom_places[at] != 0; at = (at + 1) % ATOM_PLACES) {
        const struct ds_text *other = &shapes->atoms[shapes->atom_places[at] - 1];
        if (other->len == text.len && (text.len == 0 || memcmp(other->data, text.data, text.len) == 0))
            break;
    }
    return (uint16_t *)(uintptr_t)&shapes->atom_places[at];
}

unsigned learned_shapes_atom(const struct learned_shapes *shapes, struct ds_text text)
{
    const unsigned atom = atom_table_find(text);
    if (atom != ATOM_TABLE_NONE || shapes == NULL)
        return atom;
    const uint16_t *place = atom_place(shapes, text);
    return *place != 0 ? atom_table_num_texts + *place - 1 : ATOM_TABLE_NONE;
}

/* atom_of returns the number of an atom, which it adds if needed; NONE if there is no room, or
 * it is a node. */
static unsigned atom_of(struct learned_shapes *shapes, struct ds_text text)
{
    unsigned atom = learned_shapes_atom(shapes, text);
    if (atom != ATOM_TABLE_NONE || memchr(text.data, '@', text.len) != NULL ||
        shapes->num_atoms == LEARNED_ATOMS || shapes->atom_bytes + text.len > ATOM_BYTES)
        return atom;
    char *copy = memcap_calloc(shapes->memcap, text.len + 1);
    if (copy == NULL)
        return ATOM_TABLE_NONE;
    memcpy(copy, text.data, text.len);
    uint16_t *place = atom_place(shapes, text);
    shapes->atoms[shapes->num_atoms++] = (struct ds_text){copy, text.len};
    shapes->atom_bytes += (uint32_t)text.len;
    *place = (uint16_t)shapes->num_atoms;
    return atom_table_num_texts + *place - 1;
}

struct ds_text learned_shapes_text(const struct learned_shapes *shapes, unsigned atom)
{
    return atom < atom_table_num_texts ? atom_table_text(atom)
                                       : shapes->atoms[atom - atom_table_num_texts];
}

static uint8_t code_of(double share)
{
    const double code = -CODES_A_BIT * log2(share);
    return (uint8_t)(code < 0 ? 0 : code > MOST_CODE ? MOST_CODE : code + 0.5);
}

/* weigh derives novelty, rarity and is_of_use of a context from its counts. */
static void weigh(struct context *context)
{
    const unsigned num_atoms = context->num_fillers + context->others;
    unsigned most = 0, known = 0, num_new = context->others;
    double all = 0, singles;
    for (unsigned i = 0; i < context->num_fillers; i++) {
        const unsigned num = context->fillers[i].num;
        most = num > most ? num : most;
        all += num;
        if (num_atoms > 1 && context->filler_runs[i] <= 1)
            num_new++;
        else
            known += num;
    }
    all = all > context->num ? all : context->num;
    singles = num_new;
    /* After one run, few atoms do not show whether each message has a new one. */
    if (context->runs <= 1 && context->others == 0 && num_atoms < FEW_ATOMS)
        singles = 0.2 * (num_atoms - 1);
    const double unseen = context->runs <= 1 && !context->has_names ? ONE_RUN : SEVERAL_RUNS;
    const double novelty = (singles + unseen + 0.25 / all) / (context->runs + 0.5);
    double rarity = (all - known) / all;
    rarity = rarity > 0.5 / all ? rarity : 0.5 / all;
    rarity = rarity > 1.0 / 64 ? rarity : 1.0 / 64;
    context->is_of_use = novelty * rarity < MOST_NEW && most >= ENOUGH_SHARE * all;
    context->novelty = code_of(novelty);
    context->rarity = code_of(rarity);
    context->is_weighed = true;
}

/* weighed returns a context with its derived values. */
static const struct context *weighed(const struct learned_shapes *shapes, uint32_t context)
{
    if (!shapes->contexts[context].is_weighed)
        weigh(&shapes->contexts[context]);
    return &shapes->contexts[context];
}

/* count_in counts an atom in a context. */
static void count_in(struct context *context, unsigned atom, bool is_node)
{
    enum { THIS_RUN = 1u << LEARNED_FILLERS };
    bool is_changed = (context->in_this_run & THIS_RUN) == 0;
    unsigned i = 0, before = context->others;
    if (is_changed && context->runs < UINT8_MAX)
        context->runs++;
    context->in_this_run |= THIS_RUN;
    if (context->num == UINT16_MAX)
        return;
    context->num++;
    while (i < context->num_fillers && context->fillers[i].atom != atom)
        i++;
    if (i == context->num_fillers && (atom == ATOM_TABLE_NONE || i == LEARNED_FILLERS)) {
        context->others = is_node && before != 0 ? context->others
                          : before < UINT8_MAX   ? (uint8_t)(before + 1)
                                                 : UINT8_MAX;
    } else {
        if (i == context->num_fillers) {
            context->num_fillers++;
            context->fillers[i] = (struct filler){(uint16_t)atom, 0};
            context->has_names = context->has_names || atom >= atom_table_num_texts;
            is_changed = true;
        }
        context->fillers[i].num++;
        if ((context->in_this_run & 1u << i) == 0 && context->filler_runs[i] < UINT8_MAX)
            context->filler_runs[i]++;
        context->in_this_run |= (uint8_t)(1u << i);
    }
    /* The derived values change little between powers of two. */
    if (is_changed || (context->num & (context->num - 1)) == 0 ||
        context->others != before)
        context->is_weighed = false;
}

void learned_shapes_count(struct learned_shapes *shapes, struct ds_text text, const uint32_t *keys,
                          unsigned num)
{
    const unsigned atom = atom_of(shapes, text);
    const bool is_node = memchr(text.data, '@', text.len) != NULL;
    for (unsigned i = 0; i < num; i++) {
        struct context *context = context_of(shapes, keys[i]);
        if (context != NULL)
            count_in(context, atom, is_node);
    }
}

/* whole_place returns the place of a message's shape, or a free one. */
static uint32_t whole_place(const struct learned_shapes *shapes, uint32_t whole)
{
    uint32_t at = spread(shapes, &whole, sizeof whole) % WHOLE_PLACES;
    while (shapes->wholes[at] != 0 && shapes->wholes[at] != whole)
        at = (at + 1) % WHOLE_PLACES;
    return at;
}

/* place_whole finds or adds the shape of a message; false if there is no room. */
static bool place_whole(struct learned_shapes *shapes, uint32_t whole, uint32_t *at)
{
    *at = whole_place(shapes, whole);
    if (whole == 0 || (shapes->wholes[*at] == 0 && shapes->num_wholes == LEARNED_WHOLES))
        return false;
    shapes->num_wholes += shapes->wholes[*at] == 0;
    shapes->wholes[*at] = whole;
    return true;
}

bool learned_shapes_wants(struct learned_shapes *shapes, uint32_t whole)
{
    uint32_t at;
    if (!place_whole(shapes, whole, &at))
        return true;
    shapes->times[at]++;
    if (shapes->times[at] < OFTEN)
        return true;
    if (shapes->times[at] < OFTEN + SELDOM)
        return false;
    shapes->times[at] = OFTEN - 1;
    return true;
}

bool learned_shapes_add_whole(struct learned_shapes *shapes, uint32_t whole)
{
    uint32_t at;
    if (!place_whole(shapes, whole, &at) || shapes->is_known[at])
        return false;
    shapes->num_known_wholes++;
    return shapes->is_known[at] = true;
}

bool learned_shapes_has_whole(const struct learned_shapes *shapes, uint32_t whole)
{
    const uint32_t at = whole_place(shapes, whole);
    return whole != 0 && shapes->wholes[at] == whole && shapes->is_known[at];
}

uint32_t learned_shapes_num_wholes(const struct learned_shapes *shapes)
{
    return shapes->num_known_wholes;
}

static bool is_loopback(const struct ds_addr *addr)
{
    static const uint8_t loopback[sizeof addr->bytes] = {[sizeof addr->bytes - 1] = 1};
    return addr->family == 4 ? addr->bytes[0] == 127
                             : memcmp(addr->bytes, loopback, sizeof loopback) == 0;
}

enum learned_names learned_shapes_names_at(const struct learned_shapes *shapes,
                                           const struct ds_addr *addr)
{
    enum learned_names names = LEARNED_NAMES_NONE;
    for (unsigned i = 0; i < shapes->num_nodes && !is_loopback(addr); i++) {
        const struct counted_node *node = &shapes->nodes[i];
        if (memcmp(&node->addr, addr, sizeof *addr) == 0 && node->names > names)
            names = node->names;
    }
    return names;
}

enum learned_names learned_shapes_names_of(const struct learned_shapes *shapes, struct ds_text name)
{
    enum learned_names names = LEARNED_NAMES_NONE;
    const uint32_t hash = fnv1a(name) | 1;
    for (unsigned i = 0; i < shapes->num_nodes; i++) {
        if (shapes->nodes[i].name == hash && shapes->nodes[i].names > names)
            names = shapes->nodes[i].names;
    }
    return names;
}

static void add_node(struct learned_shapes *shapes, struct counted_node node)
{
    for (unsigned i = 0; i < shapes->num_nodes; i++) {
        struct counted_node *same = &shapes->nodes[i];
        if (memcmp(&same->addr, &node.addr, sizeof node.addr) == 0 && same->name == node.name)
            return;
    }
    if (shapes->num_nodes < LEARNED_PLACES)
        shapes->nodes[shapes->num_nodes++] = node;
}

void learned_shapes_add_place(struct learned_shapes *shapes, const struct ds_addr *addr,
                              struct ds_text name)
{
    add_node(shapes, (struct counted_node){*addr, name.data != NULL ? fnv1a(name) | 1 : 0,
                                           LEARNED_NAMES_THIS_RUN});
}

/* is_for says whether a context may be used, considering its names. */
static bool is_for(const struct context *context, enum learned_names names)
{
    return !context->has_names || names == LEARNED_NAMES_ALL ||
           (names == LEARNED_NAMES_THIS_RUN && context->runs == 1 && context->in_this_run != 0);
}

uint32_t learned_shapes_find(const struct learned_shapes *shapes, uint32_t key, enum learned_names names)
{
    const uint16_t place = shapes->cap != 0 ? *place_of(shapes, key) : 0;
    if (place == 0)
        return LEARNED_NONE;
    const struct context *context = weighed(shapes, place - 1u);
    return context->is_of_use && is_for(context, names) ? place - 1u : LEARNED_NONE;
}

bool learned_shapes_has_names(const struct learned_shapes *shapes, uint32_t context)
{
    return shapes->contexts[context].has_names;
}

uint8_t learned_shapes_novelty(const struct learned_shapes *shapes, uint32_t context)
{
    return weighed(shapes, context)->novelty;
}

double learned_shapes_rarity(const struct learned_shapes *shapes, uint32_t context)
{
    return (double)weighed(shapes, context)->rarity / CODES_A_BIT;
}

unsigned learned_shapes_filler(const struct learned_shapes *shapes, uint32_t context, unsigned i)
{
    const struct context *c = &shapes->contexts[context];
    return i < c->num_fillers ? c->fillers[i].atom : ATOM_TABLE_NONE;
}

double learned_shapes_filler_rarity(const struct learned_shapes *shapes, uint32_t context, unsigned i)
{
    const struct context *c = &shapes->contexts[context];
    return (double)code_of((double)c->fillers[i].num / c->num) / CODES_A_BIT;
}

static void export_atoms(const struct learned_shapes *shapes, ds_learned_shape_fn give,
                         void *context, uint16_t *numbers)
{
    uint16_t num = 0;
    for (uint32_t c = 0; c < shapes->num; c++) {
        for (unsigned i = 0; i < shapes->contexts[c].num_fillers; i++) {
            const unsigned atom = shapes->contexts[c].fillers[i].atom;
            if (numbers[atom] != 0 || num == LOADED_ATOMS)
                continue;
            numbers[atom] = ++num;
            const struct ds_learned_shape out = {.kind = DS_LEARNED_ATOM,
                                                 .text = learned_shapes_text(shapes, atom)};
            give(context, &out);
        }
    }
}

/* A context as numbers: key, times, runs, other atoms; for each atom its number, times, runs. */
enum { HEAD_NUMBERS = 4, FILLER_NUMBERS = 3 };
/* A place: the hash of the node's name, the family and the bytes of the address. */
enum { PLACE_NUMBERS = 2 + sizeof((struct ds_addr){0}.bytes) };

static void export_context(const struct context *c, ds_learned_shape_fn give, void *context,
                           const uint16_t *numbers)
{
    uint32_t row[HEAD_NUMBERS + FILLER_NUMBERS * LEARNED_FILLERS] = {c->key, c->num, c->runs,
                                                                     c->others};
    size_t num = HEAD_NUMBERS;
    for (unsigned i = 0; i < c->num_fillers; i++) {
        if (numbers[c->fillers[i].atom] == 0)
            return;
        row[num++] = numbers[c->fillers[i].atom] - 1u;
        row[num++] = c->fillers[i].num;
        row[num++] = c->filler_runs[i];
    }
    const struct ds_learned_shape out = {.kind = DS_LEARNED_CONTEXT, .numbers = row, .num = num};
    give(context, &out);
}

void learned_shapes_each(const struct learned_shapes *shapes, ds_learned_shape_fn give, void *context)
{
    uint16_t *numbers = calloc(atom_table_num_texts + LEARNED_ATOMS, sizeof *numbers);
    if (numbers == NULL)
        return;
    export_atoms(shapes, give, context, numbers);
    for (uint32_t c = 0; c < shapes->num; c++)
        export_context(&shapes->contexts[c], give, context, numbers);
    free(numbers);
    for (uint32_t at = 0; at < WHOLE_PLACES; at++) {
        const struct ds_learned_shape out = {.kind = DS_LEARNED_WHOLE, .numbers = &shapes->wholes[at],
                                             .num = 1};
        if (shapes->is_known[at])
            give(context, &out);
    }
    for (unsigned i = 0; i < shapes->num_nodes; i++) {
        const struct counted_node *place = &shapes->nodes[i];
        uint32_t row[PLACE_NUMBERS] = {place->name, place->addr.family};
        for (size_t b = 0; b < sizeof place->addr.bytes; b++)
            row[2 + b] = place->addr.bytes[b];
        const struct ds_learned_shape out = {.kind = DS_LEARNED_PLACE, .numbers = row,
                                             .num = PLACE_NUMBERS};
        give(context, &out);
    }
}

static bool add_atom(struct learned_shapes *shapes, struct ds_text text)
{
    if (text.data == NULL || text.len > ATOM_MAX_LEN)
        return false;
    if (shapes->loaded == NULL)
        shapes->loaded = memcap_calloc(shapes->memcap, LOADED_ATOMS * sizeof *shapes->loaded);
    if (shapes->loaded == NULL || shapes->num_loaded == LOADED_ATOMS)
        return false;
    shapes->loaded[shapes->num_loaded++] = (uint16_t)atom_of(shapes, text);
    return true;
}

static bool add_context(struct learned_shapes *shapes, const uint32_t *row, size_t num)
{
    if (num < HEAD_NUMBERS || (num - HEAD_NUMBERS) % FILLER_NUMBERS != 0 || row[1] > UINT16_MAX ||
        row[1] == 0 || row[2] > UINT8_MAX || row[2] == 0 || row[3] > UINT8_MAX ||
        num > HEAD_NUMBERS + FILLER_NUMBERS * LEARNED_FILLERS)
        return false;
    struct context in = {.key = row[0], .num = (uint16_t)row[1], .runs = (uint8_t)row[2],
                         .others = (uint8_t)row[3]};
    uint64_t all = 0;
    for (size_t at = HEAD_NUMBERS; at < num; at += FILLER_NUMBERS) {
        if (row[at] >= shapes->num_loaded || row[at + 1] == 0 || row[at + 2] == 0 || row[at + 2] > in.runs)
            return false;
        all += row[at + 1];
        const uint16_t atom = shapes->loaded[row[at]];
        if (atom == ATOM_TABLE_NONE) {
            in.others = in.others < UINT8_MAX ? (uint8_t)(in.others + 1) : UINT8_MAX;
            continue;
        }
        in.filler_runs[in.num_fillers] = (uint8_t)row[at + 2];
        in.fillers[in.num_fillers++] = (struct filler){atom, (uint16_t)row[at + 1]};
        in.has_names = in.has_names || atom >= atom_table_num_texts;
    }
    if (all > in.num)
        return false;
    struct context *context = context_of(shapes, in.key);
    if (context == NULL || context->num != 0)
        return context == NULL; /* no room is not an error; a duplicate is one */
    *context = in;
    return true;
}

/* read_place adds a place from a file. */
static bool read_place(struct learned_shapes *shapes, const uint32_t *row, size_t num)
{
    struct counted_node node = {.names = LEARNED_NAMES_ALL};
    if (num != PLACE_NUMBERS || (row[1] != 4 && row[1] != 6))
        return false;
    node.name = row[0];
    node.addr.family = (uint8_t)row[1];
    for (size_t b = 0; b < sizeof node.addr.bytes; b++) {
        if (row[2 + b] > UINT8_MAX)
            return false;
        node.addr.bytes[b] = (uint8_t)row[2 + b];
    }
    add_node(shapes, node);
    return true;
}

bool learned_shapes_add(struct learned_shapes *shapes, const struct ds_learned_shape *in)
{
    switch (in->kind) {
    case DS_LEARNED_ATOM: return add_atom(shapes, in->text);
    case DS_LEARNED_CONTEXT: return add_context(shapes, in->numbers, in->num);
    case DS_LEARNED_PLACE: return read_place(shapes, in->numbers, in->num);
    case DS_LEARNED_WHOLE:
        if (in->num != 1 || in->numbers[0] == 0)
            return false;
        (void)learned_shapes_add_whole(shapes, in->numbers[0]);
        return true;
    }
    return false;
}
