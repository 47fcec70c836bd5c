/*
 * output_file.h - a file to which records are written. Records are collected in a buffer and written in
 * large pieces; the first error is reported once and ends the run. Writes wait for a slow reader, but
 * only for a moment after the user wants to stop (signals.h), or a little longer if it still reads.
 */
#ifndef SRC_OUTPUT_FILE_H
#define SRC_OUTPUT_FILE_H

#include <distsniff/term.h>

struct output_file {
    struct ds_buffer buffer; /* append a record here, then call output_file_end_record */
    const char *name;        /* as the user wrote it, for error messages */
    int fd;                  /* -1: other code writes the data, from buffer or not */
    bool is_stdout;
    bool line_buffered;
    size_t partial_len; /* bytes of buffer that were written; buffer keeps all of them when a write
                           fails halfway */
    size_t part_len;    /* bytes of an unfinished record that were written already */
    struct ds_buffer ends; /* ends of the records in buffer: offsets, as size_t */
    bool failed;        /* nothing more is written */
    bool closed;        /* failed because the reader closed the pipe: not an error */
    size_t num_left;    /* bytes not written because of that */
    bool gave_up;       /* failed because the reader does not read and the user wants to stop */
    int64_t until_ns;   /* until when to wait for the reader in that case; 0: not decided yet */
};

/* output_file_open opens name for writing; NULL is standard output. A new file can be read by its owner
 * alone: messages of nodes contain secrets. An existing file is emptied and keeps its mode, as usual;
 * but in a folder where others may create files it must not belong to another user, see safe_open.h.
 * For a FIFO it waits until there is a reader. Returns false after an error message. */
bool output_file_open(struct output_file *output, const char *name, bool line_buffered);

/* output_file_open_script does the same for a file that its owner may execute. */
bool output_file_open_script(struct output_file *output, const char *name, bool line_buffered);

/* output_file_open_if does the same if check returns true, which is called before anything is emptied.
 * check returns false after an error message. */
typedef bool output_file_check(const void *context, int fd, const char *name);
bool output_file_open_if(struct output_file *output, const char *name, bool line_buffered,
                         output_file_check *check, const void *context);

/* output_file_open_new creates a file that does not exist yet. On failure it returns false and sets
 * errno, to EEXIST if the file exists. */
bool output_file_open_new(struct output_file *output, const char *name);

/* output_file_find_new opens the file that has the name now, if that is another file than the open one,
 * for example after a log was rotated. It returns -1 if it is the same, or after an error message. If
 * it is not a regular file, the open one is kept. */
int output_file_find_new(const struct output_file *output);

/* output_file_go_on writes out the buffer, and writes what follows to fd, after its contents or
 * replacing them. */
void output_file_go_on(struct output_file *output, int fd, bool behind);

/* output_file_end_record marks the end of a record, and writes the buffer when it is large enough. If a
 * disk becomes full, the file ends with the last complete record. */
void output_file_end_record(struct output_file *output);

/* output_file_end_part writes the buffer, within a record that continues, when it is large enough. */
void output_file_end_part(struct output_file *output);

/* output_file_mark_end only marks it, in an output whose records another output takes over. */
void output_file_mark_end(struct output_file *output);

/* output_file_move moves the records in the buffer of another output to this one, and writes as
 * output_file_end_record does. */
void output_file_move(struct output_file *output, struct output_file *from);

/* output_file_forget discards the buffer. */
void output_file_forget(struct output_file *output);

/* output_file_flush writes the buffer. */
void output_file_flush(struct output_file *output);

/* output_file_say_unread reports what a stuck reader did not read, if anything: num_records that were
 * never added here, and bytes. */
void output_file_say_unread(const struct output_file *output, uint64_t num_records);


/* output_file_fail reports that it cannot be written, and why; nothing more is written. */
void output_file_fail(struct output_file *output, const char *why);

/* output_file_discard removes what was written, if possible; nothing more is written. */
void output_file_discard(struct output_file *output);

/* output_file_close flushes and closes; `failed` says whether there was an error. */
void output_file_close(struct output_file *output);

#endif
