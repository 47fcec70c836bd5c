/*
 * followed_file.h - a file of lines that is read on while somebody else writes it: it grows, is
 * emptied, or another file takes its name, as programs that rotate files do.
 */
#ifndef SRC_FOLLOWED_FILE_H
#define SRC_FOLLOWED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* followed_part is one file, and how far it was read. */
struct followed_part {
    int fd; /* -1: there is none */
    int64_t at;
    uint64_t last; /* a hash of what stands before that: it is another where the file is another */
};

struct followed_file {
    const char *name;
    /* before: what had the name once. Who writes it may not know yet that it has it no more. */
    struct followed_part now, before;
    bool is_out_of_reach; /* what has the name now */
};

/* followed_take takes bytes: whole lines where the file grows, but for lines too long for any use; or,
 * where is_rest, what there is of a last line without an end, which is given again. */
typedef void followed_take(void *context, const char *bytes, size_t len, bool is_rest);

/* followed_file_open opens a file; name must stay. False, and errno is set, when it cannot: to ENOTSUP
 * where it is no regular file. */
bool followed_file_open(struct followed_file *file, const char *name);

/* followed_file_read reads what there is of it that was not read yet. grows: a line without an end may
 * go on. False, and errno is set, when it could not. */
bool followed_file_read(struct followed_file *file, bool grows, followed_take *take, void *context);

/* followed_file_look looks whether another file has taken the name: that is read too from then on.
 * Returns 0, or, once, an error of errno where what has the name now cannot be read, ENOTSUP where it
 * is no regular file. That nothing has it is no error: something may again. */
int followed_file_look(struct followed_file *file);

/* followed_file_close closes it; one that is all zero was never open. */
void followed_file_close(struct followed_file *file);

#endif
