/*
 * tail_file.h - a file of lines that is read on while somebody else writes it: it grows, is
 * emptied, or another file takes its name, as programs that rotate files do.
 */
#ifndef SRC_TAIL_FILE_H
#define SRC_TAIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tail_part is one file, and how far it was read. */
struct tail_part {
    int fd; /* -1: there is none */
    int64_t at;
    uint64_t last; /* a hash of what stands before that: it is another where the file is another */
};

struct tail_file {
    const char *name;
    /* before: what had the name once. Who writes it may not know yet that it has it no more. */
    struct tail_part now, before;
    bool is_out_of_reach; /* what has the name now */
};

/* tail_take takes bytes: whole lines where the file grows, but for lines too long for any use; or,
 * where is_rest, what there is of a last line without an end, which is given again. */
typedef void tail_take(void *context, const char *bytes, size_t len, bool is_rest);

/* tail_file_open opens a file; name must stay. False, and errno is set, when it cannot: to ENOTSUP
 * where it is no regular file. */
bool tail_file_open(struct tail_file *file, const char *name);

/* tail_file_read reads what there is of it that was not read yet. grows: a line without an end may
 * go on. False, and errno is set, when it could not. */
bool tail_file_read(struct tail_file *file, bool grows, tail_take *take, void *context);

/* tail_file_look looks whether another file has taken the name: that is read too from then on.
 * Returns 0, or, once, an error of errno where what has the name now cannot be read, ENOTSUP where it
 * is no regular file. That nothing has it is no error: something may again. */
int tail_file_look(struct tail_file *file);

/* tail_file_close closes it; one that is all zero was never open. */
void tail_file_close(struct tail_file *file);

#endif
