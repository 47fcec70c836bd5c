/*
 * pid_key.h - pids and references as short keys of fixed size. The text of their node is replaced
 * by a number (intern), so that equal keys have equal bytes, and references of different nodes
 * never do.
 */
#ifndef DISTSNIFF_PID_KEY_H
#define DISTSNIFF_PID_KEY_H

#include "core/hash.h"
#include "core/table.h"

#include <distsniff/identity.h>

#include <string.h>

/* intern numbers texts: names of nodes, registered names. */
enum { INTERN_RECENT = 4 };

struct interned {
    struct table_entry entry;
    uint32_t len;
    char *text;
};

struct intern {
    struct table table;
    struct {
        const char *text;
        uint64_t ends[2]; /* its first and last bytes */
        uint32_t len, number;
    } recent[INTERN_RECENT];
    uint32_t num_recent;
    uint64_t num_bytes, max_bytes; /* of all texts together */
};

/* Average room for a text, and the longest text: an atom has at most 255 characters. */
enum { INTERN_BYTES_EACH = 256, INTERN_TEXT_MAX = 1020 };

/* Numbers from here on are not of texts: each stands for the unknown node of a connection. No peer
 * can choose a name that is taken for one. */
#define INTERN_UNKNOWN (UINT32_C(1) << 31)

void intern_init(struct intern *intern, uint64_t max);
void intern_free(struct intern *intern);

/* intern_has_room says whether there is room for so many texts, even if each has the maximum
 * length. */
static inline bool intern_has_room(const struct intern *intern, uint64_t num)
{
    return intern->table.num + num <= intern->table.max &&
           num * INTERN_TEXT_MAX <= intern->max_bytes - intern->num_bytes;
}

/* intern_add returns the number of a text, from 1; 0 if it is absent, the cap was reached or memory
 * ran out. */
uint32_t intern_add(struct intern *intern, struct ds_text text);

/* intern_find is intern_add for texts that were added before; else 0. */
uint32_t intern_find(const struct intern *intern, struct ds_text text);

/* intern_text returns the text; absent for 0 and for unknown nodes. Valid until intern_free. */
static inline struct ds_text intern_text(const struct intern *intern, uint32_t number)
{
    const struct interned *e =
        number < INTERN_UNKNOWN ? table_get(&intern->table, number) : NULL;
    return e != NULL ? (struct ds_text){e->text, e->len} : (struct ds_text){NULL, 0};
}

/* pid_key identifies a process. node 0: none. serial NAMED: not a pid but the process that is
 * registered as id (interned) on that node. */
struct pid_key {
    uint32_t node, creation, id, serial;
};

enum { PID_KEY_NAMED = UINT32_MAX };

/* ref_key identifies a call: a reference, alone or in a tuple with something else, or a process
 * that waits for one kind of answer from one node. */
struct ref_key {
    uint32_t node, creation;
    uint32_t word[DS_IDENTITY_MAX_WORDS];
    uint32_t more; /* num_words, and a hash of what is beside the reference */
};

_Static_assert(sizeof(struct pid_key) == 16 && sizeof(struct ref_key) == 32, "no holes");

static inline bool pid_key_equal(const struct pid_key *a, const struct pid_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline bool ref_key_equal(const struct ref_key *a, const struct ref_key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* pid_key_find and ref_key_find make keys of terms. conn replaces the node if that is an unknown
 * atom. False if the term is no pid or reference, if it is a pid with the serial PID_KEY_NAMED, or
 * if there is no more room for names: then a pid_key is left unchanged. */
bool pid_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct pid_key *out);
bool ref_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct ref_key *out);

/* tag_key is a gen tag: the key of the call, and the reference to which the answer may be sent if
 * the caller has an alias. */
struct tag_key {
    struct ref_key key, alias;
    bool is_alias; /* the tag itself says so: users' own messages do not look like it */
};

/* tag_key_find makes the keys of a gen tag: a reference, [alias | Ref], [[alias | Ref] | Ref2],
 * or a tuple that begins with a reference. */
bool tag_key_find(struct intern *nodes, const struct ds_term *term, uint64_t conn, struct tag_key *out);

#endif
