/*
 * likely.c - see likely.h. Where all atoms are known this costs no more than a look at a count:
 * how atoms are used is of interest from the first one on that is not known, or where another
 * session is to know it.
 */
#include "likely.h"

enum {
    LISTED = 100,    /* new atoms in one header: a list of atoms, not a use of them */
    LISTED_ALL = 10, /* such messages: what was in the slots is gone */
};

static uint64_t add_endpoint(uint64_t hash, const struct ds_endpoint *end)
{
    for (size_t i = 0; i < sizeof end->addr.bytes; i++)
        hash = (hash ^ end->addr.bytes[i]) * 1099511628211u;
    return (hash ^ end->port) * 1099511628211u;
}

/* find_book returns the book of the sender, NULL as long as it is not known which. */
static struct atom_book *find_book(struct likely *likely, struct env *env, const struct conn *conn,
                                   int dir)
{
    const struct ds_endpoint *end = &conn->view.end[dir];
    if (env->books == NULL || end->creation == 0)
        return NULL;
    if (likely->book != NULL && atom_book_is_of(likely->book, end))
        return likely->book;
    atom_book_release(likely->book);
    likely->book = atom_books_find(env->books, env, end);
    likely->direction =
        add_endpoint(add_endpoint(1469598103934665603u, end), &conn->view.end[1 - dir]) | 1;
    return likely->book;
}

void likely_define(struct likely *likely, struct env *env, const struct conn *conn, int dir,
                   const struct dist_header *header)
{
    uint32_t num_new = 0;
    for (uint32_t i = 0; i < header->num_refs; i++)
        num_new += header->refs[i].state == DS_ATOM_KNOWN;
    likely->has_defined = num_new != 0;
    struct atom_book *book = num_new != 0 ? find_book(likely, env, conn, dir) : NULL;
    if (book == NULL)
        return;
    likely->num_listed += num_new >= LISTED;
    for (uint32_t i = 0; i < header->num_refs; i++) {
        const struct ds_atom *ref = &header->refs[i];
        if (ref->state == DS_ATOM_KNOWN)
            atom_book_define(book, env, ref->slot,
                             (struct ds_text){(const char *)ref->text, ref->len},
                             likely->num_listed < LISTED_ALL ? likely->direction : 0,
                             num_new < LISTED);
    }
}

struct roles_of {
    struct atom_book *book;
    struct env *env;
};

static void note_role(void *context, const struct ds_atom *atom, const struct atom_role *role)
{
    const struct roles_of *of = context;
    if (atom->state == DS_ATOM_KNOWN)
        atom_book_see_known(of->book, atom->slot,
                            (struct ds_text){(const char *)atom->text, atom->len}, role);
    else if (atom->state == DS_ATOM_UNKNOWN)
        atom_book_see(of->book, of->env, atom->slot, role);
}

static void count(struct ds_event *event, const struct ds_term *term)
{
    struct cursor at = cursor_make(term->data, term->data != NULL ? term->len : 0);
    const struct term_env env = {term->atoms, term->num_atoms};
    struct term_counts counts = {0};
    const char *what;
    if (term->data == NULL)
        return;
    (void)term_check_counted(&at, &env, &counts, &what); /* a damaged one counts as far as it goes */
    event->unknown_atoms += counts.unknown;
    event->inferred_atoms += counts.inferred;
    event->likely_atoms += counts.likely;
    event->message.atom_bytes += counts.atom_bytes;
}

void likely_resolve(struct likely *likely, struct env *env, const struct conn *conn,
                    struct ds_atom *refs, uint32_t num_refs, struct ds_event *event)
{
    const bool has_doubt = event->unknown_atoms != 0 || event->likely_atoms != 0;
    env->atoms_in_doubt = env->atoms_in_doubt || has_doubt || env->config.learn;
    if (refs == NULL || !(has_doubt || (likely->has_defined && env->atoms_in_doubt)))
        return;
    struct roles_of of = {find_book(likely, env, conn, event->dir), env};
    if (of.book == NULL)
        return;
    atom_roles_walk(&event->message, note_role, &of);
    bool any = false;
    for (uint32_t i = 0; i < num_refs; i++) {
        if (refs[i].state == DS_ATOM_LIKELY && !atom_book_trusts(of.book)) {
            refs[i] = (struct ds_atom){.slot = refs[i].slot, .state = DS_ATOM_UNKNOWN};
            any = true;
        }
        if (refs[i].state != DS_ATOM_UNKNOWN)
            continue;
        const struct ds_text text = atom_book_judge(of.book, refs[i].slot, likely->direction);
        if (text.data == NULL)
            continue;
        refs[i].text = (const uint8_t *)text.data;
        refs[i].len = (uint16_t)text.len;
        refs[i].state = DS_ATOM_LIKELY;
        any = true;
    }
    if (!any)
        return;
    event->unknown_atoms = event->inferred_atoms = event->likely_atoms = 0;
    event->message.atom_bytes = 0;
    count(event, &event->message.control);
    count(event, &event->message.payload);
}

void likely_free(struct likely *likely)
{
    atom_book_release(likely->book);
    likely->book = NULL;
}
