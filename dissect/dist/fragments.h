/*
 * fragments.h - messages of one direction whose fragments have not all come yet (erl_ext_dist,
 * "Distribution Header for fragmented messages").
 */
#ifndef DISSECT_FRAGMENTS_H
#define DISSECT_FRAGMENTS_H

#include "conn/stream_buffer.h"
#include "dist/control.h"
#include "dist/dist_header.h"

/* fragmented is one of these messages. The sender chooses the sequence id: a process sends one
 * fragmented message at a time, so no two open messages of a direction have the same id. */
struct fragmented {
    uint64_t sequence;
    uint64_t next;          /* number of the next fragment; they count down to 1 */
    uint64_t size;          /* bytes on the wire with framing, so far */
    int64_t began_ns;       /* when its first byte came */
    uint32_t num_fragments; /* so far */
    uint32_t num_atoms;
    struct ds_atom *atoms;    /* copies of the cache's atoms when the first fragment came */
    size_t atoms_len;         /* size of these copies */
    struct stream_buffer body; /* control message and payload */
    uint64_t body_offset;     /* of the body's first byte in the first frame */
    uint64_t first_len;       /* of the first frame */
    uint64_t lost_before;     /* the channel's count of lost bytes when the last fragment came */
    struct damage damage;     /* why body is incomplete */
    struct fragmented *chain; /* the next one in the same bucket */
    struct fragmented *older, *newer; /* ordered by the last fragment that came */
};

enum { FRAGMENT_BUCKETS = 64 };

/* fragments is all such messages of a direction. Zero-initialise it. */
struct fragments {
    struct fragmented *bucket[FRAGMENT_BUCKETS];
    struct fragmented *oldest, *newest;
    uint64_t num;
};

/* fragments_find returns the open message with that sequence id, or NULL. */
struct fragmented *fragments_find(const struct fragments *fragments, uint64_t sequence);

/* fragments_open adds a message and copies the atoms. NULL if memory or the memory cap ran out. */
struct fragmented *fragments_open(struct fragments *fragments, struct dissect_ctx *env,
                                  uint64_t sequence, const struct ds_atom *atoms, uint32_t num_atoms);

/* fragments_add appends the bytes of the next fragment. Bytes beyond max_len or available memory
 * are dropped, which it records as damage; after damage nothing more is kept. */
void fragments_add(struct fragments *fragments, struct dissect_ctx *env, struct fragmented *message,
                   struct cursor bytes, uint64_t max_len);

/* fragments_close removes and frees a message. */
void fragments_close(struct fragments *fragments, struct dissect_ctx *env, struct fragmented *message);

#endif
