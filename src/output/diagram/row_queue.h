/*
 * row_queue.h - rows of bytes in the order in which they came: in memory as far as there is room,
 * what is more in a temporary file.
 */
#ifndef SRC_ROW_QUEUE_H
#define SRC_ROW_QUEUE_H

#include <distsniff/term.h>

#include <stdio.h>

/* Each row has its length before it, as uint32_t. */
struct row_queue {
    FILE *file;             /* NULL: there is none */
    int no_file;            /* why, as errno has it */
    bool is_file_full;      /* or cannot be written, which was said: no more is put there */
    size_t max_memory;      /* bytes that front and back have together before some are written */
    struct ds_buffer front; /* the first rows, from front_at on */
    size_t front_at;
    long read_to, written_to; /* what the file holds of the rows in the middle */
    struct ds_buffer back;    /* the last rows */
    bool failed;              /* rows could not be read again, and are lost */
};

/* row_queue_init creates the file. Where that cannot be done it is said when memory is full. */
void row_queue_init(struct row_queue *queue, size_t max_memory);

/* row_queue_put puts a row behind the others. False when memory ran out: then it is not there. */
bool row_queue_put(struct row_queue *queue, const struct ds_buffer *row);

/* row_queue_is_full says whether there is more than has room, as the file takes no more. */
bool row_queue_is_full(const struct row_queue *queue);

/* row_queue_first returns the first row, which lives until the next call of another function; absent
 * when there is none. row_queue_drop_first drops it. */
struct ds_text row_queue_first(struct row_queue *queue);
void row_queue_drop_first(struct row_queue *queue);

/* row_queue_is_empty says whether there is none. */
bool row_queue_is_empty(const struct row_queue *queue);

void row_queue_free(struct row_queue *queue);

#endif
