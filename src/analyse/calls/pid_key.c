/*
 * pid_key.c - keys of pids and references, see pid_key.h.
 */
#include "analyse/calls/pid_key.h"

#include <distsniff/otp.h>

#include <stdlib.h>

enum { LEAST = 256 }; /* number of texts for which there is always room */

void intern_init(struct intern *intern, uint64_t max)
{
    *intern = (struct intern){0};
    table_init(&intern->table, sizeof(struct interned),
               max < INTERN_UNKNOWN ? max : INTERN_UNKNOWN - 1);
    intern->max_bytes = (max > LEAST ? max : LEAST) * INTERN_BYTES_EACH;
}

void intern_free(struct intern *intern)
{
    for (struct interned *e = table_oldest(&intern->table); e != NULL;
         e = table_newer(&intern->table, e))
        free(e->text);
    table_free(&intern->table);
}

static uint32_t find(const struct intern *intern, struct ds_text text, uint32_t hash)
{
    struct interned *e = table_first(&intern->table, hash);
    for (; e != NULL; e = table_next(&intern->table, e))
        if (e->len == text.len && memcmp(e->text, text.data, text.len) == 0)
            return e->entry.number;
    return 0;
}

/* find_recent looks among the last few texts that were found: nearly all lookups are for one of two
 * nodes. A free place has the number 0. */
static inline uint32_t find_recent(const struct intern *intern, struct ds_text text)
{
    uint64_t ends[2];
    hash_text_ends(text, ends);
    for (unsigned i = 0; i < INTERN_RECENT; i++)
        if (intern->recent[i].ends[0] == ends[0] && intern->recent[i].ends[1] == ends[1] &&
            intern->recent[i].len == text.len &&
            (text.len <= sizeof ends || memcmp(intern->recent[i].text, text.data, text.len) == 0))
            return intern->recent[i].number;
    return 0;
}

static void note_recent(struct intern *intern, const struct interned *found, uint32_t number)
{
    const unsigned place = intern->num_recent++ % INTERN_RECENT;
    hash_text_ends((struct ds_text){found->text, found->len}, intern->recent[place].ends);
    intern->recent[place].text = found->text;
    intern->recent[place].len = found->len;
    intern->recent[place].number = number;
}

uint32_t intern_find(const struct intern *intern, struct ds_text text)
{
    if (text.data == NULL)
        return 0;
    const uint32_t number = find_recent(intern, text);
    return number != 0 ? number : find(intern, text, hash_text(text));
}

static __attribute__((noinline)) uint32_t find_or_add(struct intern *intern, struct ds_text text)
{
    const uint32_t hash = hash_text(text);
    const uint32_t number = find(intern, text, hash);
    if (number != 0) {
        note_recent(intern, table_get(&intern->table, number), number);
        return number;
    }
    if (text.len > intern->max_bytes - intern->num_bytes)
        return 0;
    char *copy = malloc(text.len + 1);
    struct interned *e = copy != NULL ? table_add(&intern->table, hash) : NULL;
    if (e == NULL) {
        free(copy);
        return 0;
    }
    if (text.len != 0)
        memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    e->text = copy;
    e->len = (uint32_t)text.len;
    intern->num_bytes += text.len;
    return e->entry.number;
}

uint32_t intern_add(struct intern *intern, struct ds_text text)
{
    if (text.data == NULL)
        return 0;
    const uint32_t number = find_recent(intern, text);
    return number != 0 ? number : find_or_add(intern, text);
}

/* node_number returns the number of a node; an unknown node is a different one on each connection. */
static uint32_t node_number(struct intern *nodes, struct ds_text node, uint64_t conn)
{
    return node.data != NULL ? intern_add(nodes, node) : INTERN_UNKNOWN | (uint32_t)conn;
}

bool pid_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct pid_key *out)
{
    struct ds_identity identity;
    if (!ds_term_get_pid(term, &identity))
        return false;
    const struct pid_key key = {node_number(nodes, identity.node, conn), identity.creation,
                                identity.word[0], identity.word[1]};
    if (key.node == 0 || key.serial == PID_KEY_NAMED)
        return false; /* the key would look like a name: such pids get no key */
    *out = key;
    return true;
}

bool ref_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct ref_key *out)
{
    struct ds_identity identity;
    if (!ds_term_get_reference(term, &identity))
        return false;
    *out = (struct ref_key){.node = node_number(nodes, identity.node, conn),
                            .creation = identity.creation,
                            .more = identity.num_words};
    for (uint32_t i = 0; i < DS_IDENTITY_MAX_WORDS; i++)
        out->word[i] = i < identity.num_words ? identity.word[i] : 0;
    return out->node != 0;
}

bool tag_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct tag_key *out)
{
    struct ds_term first, rest, word, alias;
    out->is_alias = false;
    if (ref_key_find(nodes, term, conn, &out->key)) {
        out->alias = out->key;
        return true;
    }
    if (ds_term_get_cons(term, &first, &rest)) {
        if (!ref_key_find(nodes, &rest, conn, &out->key))
            return false;
        out->is_alias = true;
        if (!ds_term_get_cons(&first, &word, &alias) ||
            !ref_key_find(nodes, &alias, conn, &out->alias))
            out->alias = out->key;
        return true;
    }
    if (!ds_term_get_pair(term, &first, &rest) || !ref_key_find(nodes, &first, conn, &out->key))
        return false;
    out->alias = out->key;
    /* Compare by value: an atom may be cached in one message and inline in another. */
    struct ds_text atom;
    if (!ds_term_get_node_atom(&rest, &atom))
        atom = (struct ds_text){(const char *)rest.data, rest.len};
    const uint32_t hash = hash_text(atom);
    out->key.more |= hash << 3 | 1u << 31; /* never equal to the key of the reference alone */
    return true;
}
