/*
 * send_queue.h - what is to be sent, between the process that looks at packets and the one that talks
 * to servers (sender.h): a ring of fixed size in memory that both have.
 *
 *     entry: struct send_entry, then id and body, up to a multiple of 8; whole within the ring. What is
 *     left at its end is passed over.
 *
 * Positions are bytes since the beginning, and never go back. Who writes adds at the head; who reads
 * looks at what is between tail and head, and moves the tail on.
 *
 * Either process may be taken over, by a peer or by a server. Neither reads or writes outside of the ring,
 * whatever the other one puts into that memory: its size is kept beside it, and what an entry says of
 * itself is checked once it is copied.
 *
 * It can be a file (a spool, send_spool.h): what nobody has taken when a run ends is there when the next
 * one begins.
 */
#ifndef SRC_SEND_QUEUE_H
#define SRC_SEND_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEND_MAX_ID = 160 };

/* send_stored is an entry in the ring. */
struct send_stored {
    uint32_t size; /* with all of it */
    uint8_t type;  /* as it was given */
    uint8_t id_len;
    uint8_t passed_over; /* there is nothing in it */
    uint32_t body_len;
    char bytes[]; /* id, 0, body */
};

/* send_entry is what is read of one. */
struct send_entry {
    uint32_t size, body_len;
    uint8_t type;
    char id[SEND_MAX_ID + 1];
    const char *body; /* in the ring */
};

/* send_counts are what became of entries. */
struct send_counts {
    _Atomic uint64_t stored;     /* acknowledged */
    _Atomic uint64_t known;      /* of these, what the server had already, by another host */
    _Atomic uint64_t too_large;  /* for the server */
    _Atomic uint64_t refused;    /* by the server, for good */
    _Atomic uint64_t sent_again;
};

/* send_shared is what both processes have. */
struct send_shared {
    uint64_t magic; /* of a file, else 0 */
    uint64_t size; /* of bytes */
    _Atomic uint64_t head, tail;
    _Atomic bool is_ready;     /* the reader has all that it needs of this host */
    _Atomic bool is_ending;    /* nothing more comes */
    _Atomic bool is_abandoned; /* nobody waits any more */
    _Atomic bool is_asleep;    /* the reader wants to be woken */
    struct send_counts counts;
    _Alignas(8) uint8_t bytes[];
};

/* send_queue is what a process knows of it. */
struct send_queue {
    struct send_shared *shared;
    uint64_t size; /* of shared->bytes, a multiple of 8 */
    bool is_file;
};

/* send_queue_new returns one that a child shares; NULL when memory ran out. */
struct send_queue *send_queue_new(size_t size);

/* send_queue_open returns one that a child shares, in an open file, which may hold what an earlier run has
 * left. Such a file keeps its size; any other gets room for so many bytes. is_cut: something in it made no
 * sense, and was dropped with all that followed. NULL and errno when there is no room. fd stays the
 * caller's.
 */
struct send_queue *send_queue_open(int fd, size_t size, bool *is_cut);

/* send_queue_count counts the entries between tail and head. */
uint64_t send_queue_count(const struct send_queue *queue);
void send_queue_free(struct send_queue *queue);

/* send_queue_keep has no process that is started later share it. */
void send_queue_keep(const struct send_queue *queue);

/* send_queue_push adds an entry. False when there is no room, or never will be. One thread at a time. */
bool send_queue_push(struct send_queue *queue, unsigned type, const char *id, const void *body,
                     size_t body_len);

/* send_queue_fits says whether an entry can have that much in it at all. */
bool send_queue_fits(const struct send_queue *queue, size_t id_len, size_t body_len);

/* send_queue_is_roomy says whether an eighth of it is free. */
bool send_queue_is_roomy(const struct send_queue *queue);

/* send_queue_at reads the entry at a position, which it moves to where the entry really begins. False:
 * there is none yet, or what is there makes no sense. Its body stays there until send_queue_release moves
 * the tail on behind it. */
bool send_queue_at(const struct send_queue *queue, uint64_t *position, struct send_entry *entry);
void send_queue_release(struct send_queue *queue, uint64_t position);

/* send_queue_wake reads what woke the reader. Where the other end is closed the queue is ending, and
 * *wake_fd is -1. */
void send_queue_wake(struct send_queue *queue, int *wake_fd);

#endif
