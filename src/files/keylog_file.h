/*
 * keylog_file.h - the secrets of TLS connections: from the files of --keylog-file, which may still
 * grow, and from capture files.
 */
#ifndef SRC_KEYLOG_FILE_H
#define SRC_KEYLOG_FILE_H

#include <distsniff/keylog.h>

enum { MAX_KEYLOG_FILES = 64 };

struct keylog_config {
    const char **files;
    size_t num_files;
    uint64_t max_secrets;
    bool grows; /* more data will come, and more secrets may, too */
};

struct keylog_files;

/* keylog_files_new makes an empty set. NULL after an error message. */
struct keylog_files *keylog_files_new(const struct keylog_config *config);

/* keylog_files_open reads the files as far as they are written. Returns false after an error message. */
bool keylog_files_open(struct keylog_files *files);

/* keylog_files_read reads what was added since then, to these files or to others that have their names
 * now. */
void keylog_files_read(struct keylog_files *files);

/* keylog_files_add_line adds a line from a capture file; an empty one says that lines may follow. */
void keylog_files_add_line(struct keylog_files *files, const char *line, size_t len);

/* keylog_files_complain reports that some of these lines were invalid, if so. */
void keylog_files_complain(const struct keylog_files *files);

/* keylog_files_get returns what was read so far; it lives until keylog_files_close. */
struct ds_keylog *keylog_files_get(const struct keylog_files *files);

void keylog_files_close(struct keylog_files *files); /* NULL is allowed */

#endif
