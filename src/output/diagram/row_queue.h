/*
 * row_queue.h - a queue of rows of bytes: in memory as far as there is room, the rest in a
 * temporary file.
 */
#ifndef SRC_ROW_QUEUE_H
#define SRC_ROW_QUEUE_H

#include <distsniff/term.h>

#include <stdio.h>

/* Each row is preceded by its length, as uint32_t. */
struct row_queue {
    FILE *file;             /* NULL: none */
    int no_file;            /* the reason, an errno */
    bool is_file_full;      /* or cannot be written, after a complaint: it is not written any more */
    size_t max_memory;      /* limit of front and back together, above which rows are written */
    struct ds_buffer front; /* the first rows, from front_at on */
    size_t front_at;
    long read_to, written_to; /* the part of the file that contains rows */
    struct ds_buffer back;    /* the last rows */
    bool failed;              /* rows could not be read back, and are lost */
};

/* row_queue_init creates the file. It complains about a failure only when memory is full. */
void row_queue_init(struct row_queue *queue, size_t max_memory);

/* row_queue_put appends a row. False if memory ran out: then the row was not added. */
bool row_queue_put(struct row_queue *queue, const struct ds_buffer *row);

/* row_queue_is_full says whether the limit is exceeded, because the file cannot be written. */
bool row_queue_is_full(const struct row_queue *queue);

/* row_queue_first returns the first row, valid until the next call of another function; absent if
 * the queue is empty. row_queue_drop_first removes it. */
struct ds_text row_queue_first(struct row_queue *queue);
void row_queue_drop_first(struct row_queue *queue);

/* row_queue_is_empty says whether there are no rows. */
bool row_queue_is_empty(const struct row_queue *queue);

void row_queue_free(struct row_queue *queue);

#endif
