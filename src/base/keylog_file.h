/*
 * keylog_file.h - the files of --keylog-file: secrets of TLS connections, which may still grow.
 */
#ifndef SRC_KEYLOG_FILE_H
#define SRC_KEYLOG_FILE_H

#include <distsniff/keylog.h>

enum { MAX_KEYLOG_FILES = 64 };

struct keylog_config {
    const char **files;
    size_t num_files;
    uint64_t max_secrets;
    bool grows; /* a line without an end is still being written */
};

struct keylog_files;

/* keylog_files_open reads the files as far as they go. NULL after a complaint. */
struct keylog_files *keylog_files_open(const struct keylog_config *config);

/* keylog_files_read reads what was added since. */
void keylog_files_read(struct keylog_files *files);

/* keylog_files_get returns what the files hold; it lives as long as they. */
struct ds_keylog *keylog_files_get(const struct keylog_files *files);

void keylog_files_close(struct keylog_files *files); /* NULL is allowed */

#endif
