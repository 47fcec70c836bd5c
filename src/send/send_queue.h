/*
 * send_queue.h - the queue between the process that looks at packets and the one that talks to
 * servers (sender.h): a ring of fixed size in shared memory.
 *
 *     entry: struct send_entry, then id and body, padded to a multiple of 8; contiguous in the ring.
 *     Bytes that are left at the end of the ring are skipped.
 *
 * Positions are bytes since the beginning, and never decrease. The writer appends at the head; the
 * reader reads between tail and head, and advances the tail.
 *
 * A peer or a server may take control of either process. Neither process reads or writes outside of
 * the ring, whatever the other one puts into that memory: the size is also kept outside of it, and
 * the fields of an entry are checked after they were copied.
 *
 * The ring can be a file (a spool, send_spool.h): entries that are left when a run ends are there
 * when the next one begins.
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
    uint32_t size; /* the whole entry */
    uint8_t type;  /* of the caller */
    uint8_t id_len;
    uint8_t passed_over; /* it is empty: skip it */
    uint32_t body_len;
    char bytes[]; /* id, 0, body */
};

/* send_entry is an entry as it was read. */
struct send_entry {
    uint32_t size, body_len;
    uint8_t type;
    char id[SEND_MAX_ID + 1];
    const char *body; /* points into the ring */
};

/* send_counts count what happened to entries. */
struct send_counts {
    _Atomic uint64_t stored;     /* acknowledged */
    _Atomic uint64_t known;      /* the part of them that the server already had, from another host */
    _Atomic uint64_t too_large;  /* for the server */
    _Atomic uint64_t refused;    /* by the server, permanently */
    _Atomic uint64_t sent_again;
};

/* send_shared is the memory of both processes. */
struct send_shared {
    uint64_t magic; /* of a file, otherwise 0 */
    uint64_t size; /* of bytes[] */
    _Atomic uint64_t head, tail;
    _Atomic bool is_ready;     /* the reader has read all that it needs from this host */
    _Atomic bool is_ending;    /* no more entries come */
    _Atomic bool is_abandoned; /* no process waits any more */
    _Atomic bool is_asleep;    /* the reader wants a wake-up */
    struct send_counts counts;
    _Alignas(8) uint8_t bytes[];
};

/* send_queue is a process's view of it. */
struct send_queue {
    struct send_shared *shared;
    uint64_t size; /* of shared->bytes, a multiple of 8 */
    bool is_file;
};

/* send_queue_new returns a queue that a child process shares; NULL if memory ran out. */
struct send_queue *send_queue_new(size_t size);

/* send_queue_open returns a queue in an open file, which a child process shares. The file may
 * contain entries of an earlier run; such a file keeps its size, any other is given room for size
 * bytes. *is_cut: something in it was invalid, and was dropped with all that followed. NULL, with
 * errno set, if there is no room. The caller keeps fd.
 */
struct send_queue *send_queue_open(int fd, size_t size, bool *is_cut);

/* send_queue_count counts the entries between tail and head. */
uint64_t send_queue_count(const struct send_queue *queue);
void send_queue_free(struct send_queue *queue);

/* send_queue_keep hides the memory from processes that are started later. */
void send_queue_keep(const struct send_queue *queue);

/* send_queue_push appends an entry. False if there is no room, or there never can be. One thread at
 * a time may call it. */
bool send_queue_push(struct send_queue *queue, unsigned type, const char *id, const void *body,
                     size_t body_len);

/* send_queue_fits says whether an entry of this size can be queued at all. */
bool send_queue_fits(const struct send_queue *queue, size_t id_len, size_t body_len);

/* send_queue_is_roomy says whether an eighth of it is free. */
bool send_queue_is_roomy(const struct send_queue *queue);

/* send_queue_at reads the entry at a position, and advances the position to where the entry really
 * begins. False if there is none yet, or it is invalid. The body is valid until send_queue_release
 * moves the tail past it. */
bool send_queue_at(const struct send_queue *queue, uint64_t *position, struct send_entry *entry);
void send_queue_release(struct send_queue *queue, uint64_t position);

/* send_queue_wake reads the wake-up. If the other end is closed, the queue is ending, and *wake_fd
 * becomes -1. */
void send_queue_wake(struct send_queue *queue, int *wake_fd);

#endif
