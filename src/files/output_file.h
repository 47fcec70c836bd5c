/*
 * output_file.h - a file that records are written to. Records gather in a buffer and go out in
 * large writes; the first failure is said once and ends the run. A reader that does not read
 * is waited for, but no longer than a moment once the user wants to end (signals.h), and one that
 * reads slowly not much longer.
 */
#ifndef SRC_OUTPUT_FILE_H
#define SRC_OUTPUT_FILE_H

#include <distsniff/term.h>

struct output_file {
    struct ds_buffer buffer; /* append a record here, then output_file_end_record */
    const char *name;        /* as the user wrote it, for complaints */
    int fd;                  /* -1: somebody else writes, from buffer or not */
    bool is_stdout;
    bool line_buffered;
    size_t partial_len; /* of buffer, which stays as it is when a write fails halfway */
    size_t part_len;    /* of a record that has not ended, and was written already */
    struct ds_buffer ends; /* of records in buffer: offsets, as size_t */
    bool failed;        /* nothing more is written */
    bool closed;        /* failed because the reader went away: no error */
    size_t num_left;    /* bytes not written then */
    bool gave_up;       /* failed because nobody reads and the user wants to end */
    int64_t until_ns;   /* how long a reader is waited for then; 0: not known yet */
};

/* output_file_open opens name for writing; NULL is standard output. A new file can be read by its
 * owner alone: what nodes say to each other holds secrets. What is there already is emptied and
 * keeps its mode, as everywhere; but in a folder where others may put files it must be nobody
 * else's, see safe_open.h. A FIFO is waited for until somebody reads it. False after a
 * complaint. */
bool output_file_open(struct output_file *output, const char *name, bool line_buffered);

/* output_file_open_script is output_file_open of a file that its owner may run. */
bool output_file_open_script(struct output_file *output, const char *name, bool line_buffered);

/* output_file_open_if does so if check says so, before anything is emptied: false after a
 * complaint. */
typedef bool output_file_check(const void *context, int fd, const char *name);
bool output_file_open_if(struct output_file *output, const char *name, bool line_buffered,
                         output_file_check *check, const void *context);

/* output_file_open_new creates a file that is not there yet. False, and errno is set, when it
 * cannot be created, EEXIST when there is one. */
bool output_file_open_new(struct output_file *output, const char *name);

/* output_file_find_new opens the file that has the name now, where that is another one than what is
 * written, as after a log was rotated; -1 where it is not, or after a complaint. What is no regular
 * file stays. */
int output_file_find_new(const struct output_file *output);

/* output_file_go_on writes out what has gathered, and has what follows written to fd, behind what is
 * there or in place of it. */
void output_file_go_on(struct output_file *output, int fd, bool behind);

/* output_file_end_record marks the end of a record, and writes when enough has gathered. Where a
 * disk becomes full, the file ends with the last record that it has room for. */
void output_file_end_record(struct output_file *output);

/* output_file_end_part writes when enough has gathered of a record that goes on. */
void output_file_end_part(struct output_file *output);

/* output_file_mark_end only marks it: of an output that another one takes from. */
void output_file_mark_end(struct output_file *output);

/* output_file_take adds the records that have gathered in the buffer of another output, which is
 * empty then, and writes as output_file_end_record does. */
void output_file_take(struct output_file *output, struct output_file *from);

/* output_file_forget throws away what has gathered. */
void output_file_forget(struct output_file *output);

/* output_file_flush writes what has gathered. */
void output_file_flush(struct output_file *output);

/* output_file_say_unread says what nobody wanted to read, if that was the case: num_records that
 * did not even come here, and bytes. */
void output_file_say_unread(const struct output_file *output, uint64_t num_records);


/* output_file_fail says that it cannot be written, and why; nothing more is. */
void output_file_fail(struct output_file *output, const char *why);

/* output_file_discard takes back what was written, where that can be done; nothing more is. */
void output_file_discard(struct output_file *output);

/* output_file_close flushes and closes; see failed for how it went. */
void output_file_close(struct output_file *output);

#endif
