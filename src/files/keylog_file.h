/*
 * keylog_file.h - the secrets of TLS connections: what the files of --keylog-file hold, which may
 * still grow, and what a capture file does.
 */
#ifndef SRC_KEYLOG_FILE_H
#define SRC_KEYLOG_FILE_H

#include <distsniff/keylog.h>

enum { MAX_KEYLOG_FILES = 64 };

struct keylog_config {
    const char **files;
    size_t num_files;
    uint64_t max_secrets;
    bool grows; /* what is to be opened is still to come, and so may be secrets */
};

struct keylog_files;

/* keylog_files_new makes them, with nothing read. NULL after a complaint. */
struct keylog_files *keylog_files_new(const struct keylog_config *config);

/* keylog_files_open reads the files as far as they go. False after a complaint. */
bool keylog_files_open(struct keylog_files *files);

/* keylog_files_read reads what was added since, to these files or to others that have their names by
 * now. */
void keylog_files_read(struct keylog_files *files);

/* keylog_files_take takes a line that stands in a capture file; an empty one says that there may
 * be lines. */
void keylog_files_take(struct keylog_files *files, const char *line, size_t len);

/* keylog_files_complain says so where some of these lines made no sense. */
void keylog_files_complain(const struct keylog_files *files);

/* keylog_files_get returns what was read so far; it lives as long as they. */
struct ds_keylog *keylog_files_get(const struct keylog_files *files);

void keylog_files_close(struct keylog_files *files); /* NULL is allowed */

#endif
