/*
 * tail_file.h - reads a file of lines while another program writes it: it may grow, be truncated, or be
 * replaced by another file of that name, as programs that rotate files do.
 */
#ifndef SRC_TAIL_FILE_H
#define SRC_TAIL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tail_part is one file, and how much of it was read. */
struct tail_part {
    int fd; /* -1: none */
    int64_t at;
    uint64_t last; /* a hash of the bytes before that position: it differs if the file is another one */
};

struct tail_file {
    const char *name;
    /* before: the file that had the name before. Its writer may not know yet that it no longer has it. */
    struct tail_part now, before;
    bool is_out_of_reach; /* the file with that name now cannot be read */
};

/* tail_bytes_fn is called with bytes: complete lines if the file grows, except for excessively long lines;
 * with is_rest, the incomplete last line, which will be passed again. */
typedef void tail_bytes_fn(void *context, const char *bytes, size_t len, bool is_rest);

/* tail_file_open opens a file; name is not copied. On failure it returns false and sets errno: ENOTSUP
 * if it is not a regular file. */
bool tail_file_open(struct tail_file *file, const char *name);

/* tail_file_read reads what has not been read yet. grows: an incomplete line may continue. On failure
 * it returns false and sets errno. */
bool tail_file_read(struct tail_file *file, bool grows, tail_bytes_fn *take, void *context);

/* tail_file_look checks whether another file has the name now: then it is read, too. Returns 0, or,
 * once, an errno value if the file with that name cannot be read, ENOTSUP if it is not a regular file.
 * It is not an error if there is none: there may be one again. */
int tail_file_look(struct tail_file *file);

/* tail_file_close closes it. A zeroed one was never open, which is allowed. */
void tail_file_close(struct tail_file *file);

#endif
