/*
 * nats_queue.h - what is to be sent, between the process that looks at packets and the one that talks
 * to NATS: a ring of fixed size in memory that both have.
 *
 *     entry: struct nats_entry, then id and body, up to a multiple of 8; whole within the ring. What is
 *     left at its end is passed over.
 *
 * Positions are bytes since the beginning, and never go back. Who writes adds at the head; who reads
 * looks at what is between tail and head, and moves the tail on.
 */
#ifndef SRC_NATS_QUEUE_H
#define SRC_NATS_QUEUE_H

#include "nats_type.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { NATS_MAX_ID = 160 };

struct nats_entry {
    uint32_t size; /* with all of it */
    uint8_t type;  /* enum nats_type */
    uint8_t id_len;
    uint8_t passed_over; /* there is nothing in it */
    uint32_t body_len;
    char bytes[]; /* id, 0, body */
};

/* nats_counts are what became of entries. */
struct nats_counts {
    _Atomic uint64_t stored;     /* acknowledged */
    _Atomic uint64_t known;      /* of these, what the stream had already, by another host */
    _Atomic uint64_t too_large;  /* for the server */
    _Atomic uint64_t sent_again;
};

struct nats_queue {
    uint64_t size; /* of bytes */
    _Atomic uint64_t head, tail;
    _Atomic bool is_ready;     /* the reader has all that it needs of this host */
    _Atomic bool is_ending;    /* nothing more comes */
    _Atomic bool is_abandoned; /* nobody waits any more */
    _Atomic bool is_asleep;    /* the reader wants to be woken */
    struct nats_counts counts;
    _Alignas(8) uint8_t bytes[];
};

/* nats_queue_new returns one that a child shares; NULL when memory ran out. */
struct nats_queue *nats_queue_new(size_t size);
void nats_queue_free(struct nats_queue *queue);

/* nats_queue_push adds an entry. False when there is no room, or never will be. One thread at a time. */
bool nats_queue_push(struct nats_queue *queue, enum nats_type type, const char *id, const void *body,
                     size_t body_len);

/* nats_queue_fits says whether an entry can have that much in it at all. */
bool nats_queue_fits(const struct nats_queue *queue, size_t id_len, size_t body_len);

/* nats_queue_is_roomy says whether an eighth of it is free. */
bool nats_queue_is_roomy(const struct nats_queue *queue);

/* nats_queue_at returns the entry at a position, which it moves to where the entry really begins;
 * NULL: there is none yet. It stays there until nats_queue_release moves the tail on behind it. */
const struct nats_entry *nats_queue_at(const struct nats_queue *queue, uint64_t *position);
void nats_queue_release(struct nats_queue *queue, uint64_t position);

static inline const char *nats_entry_id(const struct nats_entry *entry)
{
    return entry->bytes;
}

static inline const char *nats_entry_body(const struct nats_entry *entry)
{
    return entry->bytes + entry->id_len + 1;
}

#endif
