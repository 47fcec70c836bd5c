/*
 * dist_header.h - the header before the control message: see dist_header.c.
 */
#ifndef DISSECT_DIST_HEADER_H
#define DISSECT_DIST_HEADER_H

#include "atoms/atom_cache.h"

enum {
    TERM_VERSION = 131,
    HEADER_PLAIN = 68,       /* a whole message */
    HEADER_FIRST = 69,       /* the first fragment of a message */
    HEADER_FURTHER = 70,     /* a further fragment: no references, no control message */
    FRAME_PASS_THROUGH = 112 /* no header at all, 131 before each term */
};

enum { HEADER_MAX_REFS = 255 };

/* dist_header is a header as read. It is large: leave refs uninitialised. */
struct dist_header {
    uint8_t type;
    uint64_t sequence, fragment; /* of fragments */
    uint32_t num_refs;           /* in refs; on failure, those read so far */
    uint32_t num_new;            /* number of refs that give a slot an atom: is_new */
    unsigned at_risk; /* on failure: segments with new entries that may not have been read */
    struct ds_atom refs[HEADER_MAX_REFS];
};

enum header_status {
    HEADER_OK,
    HEADER_CUT, /* the bytes end within the header */
    HEADER_MALFORMED,
};

/* dist_header_begin reads the header at *at, which begins with 131, up to its references, and
 * advances past that. On failure, at is where reading failed. */
enum header_status dist_header_begin(struct cursor *at, struct dist_header *header, const char **what);

/* dist_header_read_refs reads the references. It does not change the cache: a new entry is KNOWN
 * and its text points into the bytes; a reference to a slot is what the slot contains before this
 * header. */
enum header_status dist_header_read_refs(struct cursor *at, struct dist_header *header,
                                         const struct atom_cache *cache, const char **what);

/* dist_header_read reads the whole header against an empty cache. */
enum header_status dist_header_read(struct cursor *at, struct dist_header *header, const char **what);

/* dist_header_apply stores the new entries in the cache that the references were read against. All
 * texts stay valid until the cache changes or the arena is reset. latin1: UTF8_ATOMS was not
 * negotiated. */
void dist_header_apply(struct dist_header *header, struct atom_cache *cache, struct dissect_ctx *env,
                       bool latin1);

#endif
