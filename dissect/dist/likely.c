/*
 * likely.c - see likely.h. If all atoms are known, this costs only a check of a count: the use of
 * atoms is recorded from the first unknown atom on, or if another session will need it.
 */
#include "dist/likely.h"

#include "atoms/atom_held.h"
#include "atoms/atom_inference.h"
#include "atoms/atom_shape_fit.h"
#include "atoms/atom_shapes.h"
#include "atoms/data_names.h"
#include "atoms/node_slot_names.h"
#include "dist/infer.h"

enum {
    LISTED = 100,   /* new atoms in one header: perhaps a list of all atoms, not a use of them */
    MAX_SEEN = 256, /* places of doubted atoms in one message */
    MAX_ENDS = 16,  /* ends whose node name is unknown, with a slot that is that name */
};

static uint64_t add_endpoint(uint64_t hash, const struct ds_endpoint *end)
{
    for (size_t i = 0; i < sizeof end->addr.bytes; i++)
        hash = (hash ^ end->addr.bytes[i]) * 1099511628211u;
    return (hash ^ end->port) * 1099511628211u;
}

/* find_book returns the book of the sender, NULL while the sender is not identified. */
static struct node_atoms *find_book(struct likely *likely, struct dissect_ctx *env,
                                    const struct conn *conn, int dir)
{
    const struct ds_endpoint *end = &conn->view.end[dir];
    if (env->books == NULL || end->creation == 0)
        return NULL;
    if (likely->book != NULL && node_atoms_is_of(likely->book, end)) {
        node_atoms_set_time(likely->book, conn->tcp->now_ns);
        return likely->book;
    }
    struct node_atoms *before = likely->book;
    node_atoms_leave(before, &likely->addr, likely->port);
    node_atoms_release(before);
    likely->book = all_node_atoms_find(env->books, env, end, &conn->view.end[1 - dir]);
    likely->addr = end->addr;
    likely->port = end->port;
    likely->has_told = likely->has_told && likely->book == before;
    if (likely->book != NULL)
        node_atoms_set_time(likely->book, conn->tcp->now_ns);
    likely->direction =
        add_endpoint(add_endpoint(1469598103934665603u, end), &conn->view.end[1 - dir]) | 1;
    return likely->book;
}

/* defines_as returns the direction's id when it defines an atom; 0 once its definitions say nothing
 * about what a slot contained before, because that first content is gone. */
static uint64_t defines_as(const struct likely *likely)
{
    return likely->has_listed ? 0 : likely->direction;
}

/* define_all adds the contents of a direction's slots to the book. Not if all existing atoms were
 * listed: then it is unknown which of them are used. */
static void define_all(struct likely *likely, struct dissect_ctx *env, const struct atom_cache *cache)
{
    likely->has_told = true;
    if (likely->has_listed)
        return;
    for (uint16_t slot = 0; slot < ATOM_SEGMENTS * ATOM_SEGMENT_SLOTS; slot++) {
        const struct ds_atom atom = atoms_get(cache, slot);
        /* A likely atom was sent once; or it is a node name, which need not have been sent. */
        if (atom.state == DS_ATOM_KNOWN ||
            (atom.state == DS_ATOM_LIKELY && memchr(atom.text, '@', atom.len) == NULL))
            node_atoms_define(likely->book, env, slot,
                              (struct ds_text){(const char *)atom.text, atom.len},
                              defines_as(likely), ATOM_BOOK_HEARSAY);
    }
}

/* is_taken_by_index says whether the atoms that a header defines are in consecutive slots: then
 * they were read from the sender's atom table by index, all of them (--print-refresh). */
static bool is_taken_by_index(const struct dist_header *header)
{
    uint32_t num_next = 0;
    for (uint32_t i = 1; i < header->num_refs; i++)
        num_next += header->refs[i].is_new &&
                    header->refs[i].slot == (header->refs[i - 1].slot + 1) % ATOM_SLOTS_USED;
    return num_next >= header->num_new / 2;
}

/* use_book returns the book of the sender, after adding what this direction knows; NULL: see
 * find_book. */
static struct node_atoms *use_book(struct likely *likely, struct dissect_ctx *env,
                                   const struct conn *conn, int dir, const struct atom_cache *cache)
{
    struct node_atoms *book = find_book(likely, env, conn, dir);
    if (book != NULL && !likely->has_told)
        define_all(likely, env, cache);
    return book;
}

void likely_define(struct likely *likely, struct dissect_ctx *env, const struct conn *conn, int dir,
                   const struct atom_cache *cache, const struct dist_header *header)
{
    const uint32_t num_new = header->num_new;
    likely->has_defined = false;
    likely->is_list = num_new >= LISTED && is_taken_by_index(header);
    if (likely->is_list)
        likely->has_listed = true;
    if (!env->atoms_in_doubt && !env->config.learn)
        return;
    likely->has_defined = num_new != 0;
    if ((num_new == 0 && likely->has_told) || !conn->creation_certain[dir])
        return;
    struct node_atoms *book = use_book(likely, env, conn, dir, cache);
    if (book == NULL)
        return;
    for (uint32_t i = 0; i < header->num_refs; i++) {
        const struct ds_atom *ref = &header->refs[i];
        if (ref->is_new)
            node_atoms_define(book, env, ref->slot,
                              (struct ds_text){(const char *)ref->text, ref->len},
                              defines_as(likely),
                              likely->is_list ? ATOM_BOOK_LISTED : ATOM_BOOK_USED);
    }
}

/* seen is a place in the current message of an atom that is in doubt. */
struct seen {
    uint16_t slot;
    struct seen_role role;
};

struct roles_of {
    struct node_atoms *book;
    struct dissect_ctx *env;
    bool may_learn; /* the message is certain, */
    bool may_tell;  /* and so is its sender */
    bool is_list;   /* the message lists hundreds of atoms */
    struct learned_shapes *learned; /* counts contexts; NULL: they are not counted */
    bool has_asked, is_counted; /* is_counted: this message is counted; valid once has_asked */
    uint32_t other; /* creation of the receiving node; 0: unknown */
    uint64_t this_direction, direction; /* direction: 0 if what it defines says nothing */
    unsigned counts_for; /* as many messages as this one stands for: shape_fit_wants */
    unsigned num_seen, num_ends;
    struct seen seen[MAX_SEEN];
    struct known_end ends[MAX_ENDS];
};

/* record_node marks a slot as a node name because of its place. Its uses had the shapes of other
 * atoms, so those are forgotten. */
static void record_node(struct node_atoms *book, uint16_t slot)
{
    if (node_slot_names_add(book, slot))
        shape_fit_forget(book);
}

static void set_text(struct ds_atom *ref, struct ds_text text)
{
    ref->text = (const uint8_t *)text.data;
    ref->len = text.data != NULL ? (uint16_t)text.len : 0;
    ref->looks = 0;
}

/* record_end records that an unknown slot is the name of the node at an end of a connection. */
static void record_end(struct roles_of *of, uint16_t slot, uint32_t creation)
{
    const struct ds_endpoint *end = node_slot_names_end_of(of->book, slot, creation);
    for (unsigned i = 0; end != NULL && i < of->num_ends; i++) {
        if (of->ends[i].slot == slot)
            return;
    }
    if (end != NULL && of->num_ends < MAX_ENDS)
        of->ends[of->num_ends++] = (struct known_end){*end, slot};
}

/* set_end sets an unknown reference to the address of the node that it names. */
static bool set_end(const struct roles_of *of, struct ds_atom *ref)
{
    unsigned i = 0;
    while (i < of->num_ends && of->ends[i].slot != ref->slot)
        i++;
    char text[INFER_ADDRESS_LEN];
    const size_t len = i < of->num_ends ? infer_address(&of->ends[i].end, text) : 0;
    char *copy = len != 0 ? arena_alloc(&of->env->arena, len) : NULL;
    if (copy == NULL)
        return false;
    memcpy(copy, text, len);
    set_text(ref, (struct ds_text){copy, len});
    ref->state = DS_ATOM_ADDRESS;
    return true;
}

static void record_role(void *context, const struct ds_atom *atom, const struct atom_role *role)
{
    struct roles_of *of = context;
    if (!of->may_learn && atom->state != DS_ATOM_LIKELY)
        return;
    if (atom->state == DS_ATOM_KNOWN && of->may_tell)
        node_atoms_see_known(of->book, atom->slot,
                             (struct ds_text){(const char *)atom->text, atom->len}, of->direction,
                             of->is_list, role);
    if (atom->state == DS_ATOM_UNKNOWN && role->creation != 0) {
        record_node(of->book, atom->slot);
        record_end(of, atom->slot, role->creation);
    }
    if (atom->state == DS_ATOM_UNKNOWN)
        node_atoms_see(of->book, of->env, atom->slot, of->this_direction, role);
    else if (atom->state == DS_ATOM_LIKELY && of->num_seen < MAX_SEEN)
        of->seen[of->num_seen++] = (struct seen){atom->slot, atom_role_seen(role)};
}

/* see_known_shape records the contexts of a known atom. */
static void see_known_shape(struct roles_of *of, struct ds_text text,
                            const struct atom_contexts *contexts)
{
    shape_fit_see_known(of->book, text, contexts);
    if (of->learned == NULL)
        return;
    if (!of->has_asked)
        of->is_counted = learned_shapes_wants(of->learned, contexts->whole);
    of->has_asked = true;
    if (of->is_counted)
        learned_shapes_count(of->learned, text, contexts->keys, contexts->num);
}

/* record_shape records the contexts of an atom. */
static void record_shape(void *context, const struct ds_atom *atom,
                         const struct atom_contexts *contexts)
{
    struct roles_of *of = context;
    if (atom->state == DS_ATOM_UNKNOWN)
        shape_fit_see(of->book, of->env, atom->slot, of->this_direction, contexts, of->counts_for);
    else if (atom->state == DS_ATOM_KNOWN && of->may_tell)
        see_known_shape(of, (struct ds_text){(const char *)atom->text, atom->len}, contexts);
}

/* add_roles collects the roles of a slot in the current message, first those that are new for it. */
static void add_roles(const struct roles_of *of, struct atom_held *held, uint16_t slot,
                      struct atom_doubt *doubt)
{
    const uint32_t before = doubt->roles;
    held->num_before = (unsigned)__builtin_popcount(doubt->kinds);
    for (int is_known = 0; is_known <= 1; is_known++) {
        for (unsigned i = 0; i < of->num_seen && held->num_roles < ATOM_HELD_ROLES; i++) {
            const uint32_t bit = 1u << of->seen[i].role.fine % 32;
            if (of->seen[i].slot != slot || ((before & bit) != 0) != (is_known != 0) ||
                (!is_known && (doubt->roles & bit) != 0))
                continue;
            const uint32_t kind = 1u << of->seen[i].role.coarse % 32;
            held->alike |= (doubt->kinds & kind) != 0 ? 1u << held->num_roles : 0;
            doubt->kinds |= kind;
            held->roles[held->num_roles++] = of->seen[i].role;
            held->num_new += !is_known;
            doubt->roles |= bit;
        }
    }
}

/* guess sets the unknown references to what they most likely are now. The text is copied, because
 * learning from the message may replace it in the book. */
static void guess(const struct roles_of *of, const struct likely *likely, struct ds_atom *refs,
                  uint32_t num_refs)
{
    for (uint32_t i = 0; i < num_refs; i++) {
        if (refs[i].state != DS_ATOM_UNKNOWN)
            continue;
        if (of->may_learn)
            node_atoms_request(of->book, of->env, refs[i].slot);
        if (of->env->config.is_ahead)
            continue;
        const struct ds_text text = atom_infer(of->book, refs[i].slot, likely->direction);
        char *copy = text.data != NULL ? arena_alloc(&of->env->arena, text.len + 1) : NULL;
        if (copy != NULL && text.len != 0)
            memcpy(copy, text.data, text.len);
        set_text(&refs[i], (struct ds_text){copy, text.len});
    }
}

/* teach records in the book the roles of a slot that certainly still has its old atom. */
static void teach(const struct roles_of *of, const struct ds_atom *ref)
{
    for (unsigned i = 0; i < of->num_seen && of->may_tell; i++) {
        if (of->seen[i].slot == ref->slot)
            node_atoms_see_held(of->book, ref->slot,
                                (struct ds_text){(const char *)ref->text, ref->len},
                                of->seen[i].role);
    }
}

/* judge_held re-evaluates a likely reference against what its slot contained before packets were
 * lost. Returns whether it changed. */
static bool judge_held(const struct roles_of *of, struct dissect_ctx *env, const struct likely *likely,
                       struct atom_cache *cache, struct ds_atom *ref)
{
    const struct ds_atom now = atoms_get(cache, ref->slot);
    struct atom_doubt *doubt = atoms_doubt_of(cache, ref->slot);
    struct atom_held held = {.text = {(const char *)ref->text, ref->len}};
    struct ds_text text = held.text;
    enum atom_held_verdict verdict = ATOM_HELD_DOUBTFUL;
    /* Fragments come late, with copies of texts: the slot may have another atom by now. */
    const bool is_held = now.state == DS_ATOM_LIKELY && now.len == ref->len && doubt != NULL &&
                         (ref->len == 0 || memcmp(now.text, ref->text, ref->len) == 0);
    held.changed = doubt != NULL ? atoms_changed(cache, doubt, &held.lost) : 0;
    if (of->book != NULL && !node_atoms_trusts(of->book)) {
        text.data = NULL;
    } else if (held.changed == 0) {
        if (of->book != NULL && is_held)
            teach(of, ref);
        return false;
    } else if (of->book != NULL && is_held) {
        held.weight = doubt->weight;
        held.again = doubt->again;
        const struct atom_doubt before = *doubt;
        add_roles(of, &held, ref->slot, doubt);
        verdict = atom_infer_held(of->book, ref->slot, likely->direction, &held, &text);
        doubt->weight = (float)held.weight;
        doubt->again = (float)held.again;
        if (!of->may_learn)
            *doubt = before;
    } else if (held.changed > 1 - ATOM_LIKELY_FROM) {
        text.data = NULL;
    }
    if (verdict == ATOM_HELD_STILL)
        teach(of, ref);
    const bool stays = text.data == (const char *)ref->text && verdict != ATOM_HELD_GONE;
    if (verdict != ATOM_HELD_DOUBTFUL && of->may_learn)
        atoms_settle(cache, env, ref->slot, verdict == ATOM_HELD_STILL);
    if (stays)
        return false;
    if (verdict == ATOM_HELD_GONE && text.data == (const char *)ref->text)
        text.data = NULL;
    set_text(ref, text);
    ref->state = text.data != NULL ? DS_ATOM_LIKELY : DS_ATOM_UNKNOWN;
    return true;
}

static void count(struct ds_event *event, const struct ds_term *term)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    const struct term_env env = {term->atoms, term->num_atoms};
    struct term_counts counts = {0};
    const char *what;
    if (term->data == NULL)
        return;
    (void)term_check_counted(&at, &env, &counts, &what); /* a damaged term counts as far as it goes */
    event->unknown_atoms += counts.unknown;
    event->inferred_atoms += counts.inferred;
    event->likely_atoms += counts.likely;
    event->address_atoms += counts.address;
    event->message.atom_bytes += counts.atom_bytes;
}

static bool is_node_slot(void *context, uint16_t slot)
{
    const struct roles_of *of = context;
    return node_slot_names_is_node(of->book, slot);
}

/* hash_of_atoms returns a hash that messages of one direction share if they have the same atoms, known or
 * not, in the same order. */
static uint32_t hash_of_atoms(const struct roles_of *of, const struct ds_event *event,
                              const struct ds_atom *refs, uint32_t num_refs)
{
    uint64_t hash = of->this_direction ^ (uint64_t)event->message.code << 32;
    for (uint32_t i = 0; i < num_refs; i++)
        hash = (hash ^ refs[i].slot) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* learn_by_shape learns from the shape of a message, and from data in it. */
static void learn_by_shape(struct roles_of *of, const struct ds_event *event, const struct ds_atom *refs,
                           uint32_t num_refs)
{
    of->counts_for = shape_fit_wants(of->book, hash_of_atoms(of, event, refs, num_refs));
    if (of->counts_for != 0) {
        const uint32_t whole = atom_shapes_walk(&event->message, record_shape, is_node_slot, of);
        shape_fit_see_whole(of->book, whole);
        if (of->learned != NULL && event->unknown_atoms == 0 && event->likely_atoms == 0)
            shape_fit_learn_whole(of->book, whole);
    }
    /* If the capture is read again, later messages help as well. */
    if ((event->unknown_atoms | event->address_atoms) != 0 || of->env->config.learn)
        data_names_see(of->book, of->env, of->this_direction, of->other, &event->message);
}

/* record_nodes marks the slots that are, by their place, the node at an end. */
static void record_nodes(struct node_atoms *book, const struct ds_endpoint *end, int dir,
                         const struct ds_atom *refs, uint32_t num_refs)
{
    char text[2][INFER_ADDRESS_LEN];
    size_t len[2] = {0, 0};
    for (uint32_t i = 0; i < num_refs; i++) {
        const bool is_by_place = refs[i].state == DS_ATOM_INFERRED || refs[i].state == DS_ATOM_LIKELY;
        if (refs[i].state == DS_ATOM_ADDRESS ||
            (is_by_place && refs[i].len != 0 && memchr(refs[i].text, '@', refs[i].len) != NULL))
            record_node(book, refs[i].slot);
        for (int e = 0; e < 2 && refs[i].state == DS_ATOM_ADDRESS; e++) {
            if (len[e] == 0)
                len[e] = infer_address(&end[e], text[e]);
            if (refs[i].len != len[e] || memcmp(refs[i].text, text[e], len[e]) != 0)
                continue;
            if (e == dir)
                node_atoms_set_own(book, refs[i].slot);
            else
                node_slot_names_add_end(book, refs[i].slot, &end[e]);
        }
    }
}

static __attribute__((noinline)) void resolve(struct likely *likely, struct dissect_ctx *env,
                                              const struct conn *conn, struct atom_cache *cache,
                                              struct ds_atom *refs, uint32_t num_refs,
                                              bool may_learn, struct ds_event *event)
{
    struct roles_of of;
    event->message.atom_texts = 0; /* texts may belong to the book, or to this event alone */
    of.may_tell = may_learn && conn->creation_certain[event->dir];
    of.book = of.may_tell ? use_book(likely, env, conn, event->dir, cache)
                        : find_book(likely, env, conn, event->dir);
    likely->has_told = likely->has_told && of.may_tell;
    of.env = env;
    of.may_learn = may_learn;
    of.is_list = likely->is_list;
    of.other = conn->view.end[1 - event->dir].creation;
    of.this_direction = likely->direction;
    of.direction = defines_as(likely);
    of.num_seen = of.num_ends = 0;
    of.learned = env->config.learn && of.may_tell && !of.is_list && of.book != NULL
                     ? all_node_atoms_shapes(env->books)
                     : NULL;
    of.has_asked = of.is_counted = false;
    if (of.book != NULL) {
        if (may_learn)
            record_nodes(of.book, conn->view.end, event->dir, refs, num_refs);
        guess(&of, likely, refs, num_refs); /* this helps to classify the atoms beside them */
        atom_roles_walk(&event->message, record_role, &of);
        if (may_learn)
            learn_by_shape(&of, event, refs, num_refs);
    }
    bool any = false;
    for (uint32_t i = 0; i < num_refs; i++) {
        if (refs[i].state == DS_ATOM_LIKELY) {
            any = judge_held(&of, env, likely, cache, &refs[i]) || any;
            continue;
        }
        if (refs[i].state != DS_ATOM_UNKNOWN || of.book == NULL)
            continue;
        if (!env->config.is_ahead)
            set_text(&refs[i], atom_infer(of.book, refs[i].slot, likely->direction));
        if (refs[i].text != NULL)
            refs[i].state = DS_ATOM_LIKELY;
        any = refs[i].text != NULL || set_end(&of, &refs[i]) || any;
    }
    if (!any)
        return;
    event->unknown_atoms = event->inferred_atoms = event->likely_atoms = event->address_atoms = 0;
    event->message.atom_bytes = 0;
    count(event, &event->message.control);
    count(event, &event->message.payload);
}

/* add_guesses reports what the atoms that stay unknown may be. */
static void add_guesses(const struct likely *likely, struct dissect_ctx *env,
                        const struct ds_atom *refs, uint32_t num_refs, struct ds_event *event)
{
    struct ds_guess *guesses = NULL;
    uint32_t num = 0;
    for (uint32_t i = 0; i < num_refs; i++) {
        struct ds_guess guess;
        if (refs[i].state != DS_ATOM_UNKNOWN)
            continue;
        atom_infer_guess(likely->book, refs[i].slot, likely->direction, &guess);
        if (guess.num != 0 && guesses == NULL)
            guesses = arena_alloc(&env->arena, (num_refs - i) * sizeof *guesses);
        if (guess.num != 0 && guesses != NULL)
            guesses[num++] = guess;
    }
    event->message.guesses = guesses;
    event->message.num_guesses = num;
}

void likely_resolve(struct likely *likely, struct dissect_ctx *env, const struct conn *conn,
                    struct atom_cache *cache, struct ds_atom *refs, uint32_t num_refs,
                    bool may_learn, struct ds_event *event)
{
    const bool has_doubt =
        (event->unknown_atoms | event->likely_atoms | event->address_atoms) != 0;
    env->atoms_in_doubt = env->atoms_in_doubt || has_doubt;
    if (refs != NULL && (has_doubt || likely->has_defined || env->config.learn))
        resolve(likely, env, conn, cache, refs, num_refs, may_learn, event);
    if (env->config.guesses && event->unknown_atoms != 0 && likely->book != NULL && refs != NULL)
        add_guesses(likely, env, refs, num_refs, event);
}

void likely_free(struct likely *likely)
{
    node_atoms_leave(likely->book, &likely->addr, likely->port);
    node_atoms_release(likely->book);
    likely->book = NULL;
}
