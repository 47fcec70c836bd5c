/*
 * keylog_file.c - see keylog_file.h.
 */
#include "keylog_file.h"

#include "complain.h"
#include "counted.h"
#include "file_helper.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct keylog_files {
    struct ds_keylog *keylog;
    FILE **files;
    size_t num_files;
    const struct keylog_config *config;
    bool has_odd; /* some lines of capture files, which may be read twice, are none of a key log */
};

enum { CHUNK_LEN = 4096 };

/* read_on reads a file to its present end. A line that is still being written is left for the
 * next time. */
static bool read_on(struct keylog_files *files, FILE *file)
{
    char chunk[CHUNK_LEN];
    size_t len;
    struct stat status;
    clearerr(file);
    /* Who rotates the file may have emptied it. */
    if (files->config->grows && fstat(fileno(file), &status) == 0 && status.st_size < ftell(file))
        rewind(file);
    while ((len = fread(chunk, 1, sizeof chunk, file)) != 0) {
        const char *end = memrchr(chunk, '\n', len);
        const size_t whole = end != NULL ? (size_t)(end - chunk) + 1 : 0;
        const size_t rest = len - whole;
        if (files->config->grows && rest != 0 && (whole != 0 || len < sizeof chunk)) {
            ds_keylog_add(files->keylog, chunk, whole);
            if (fseek(file, -(long)rest, SEEK_CUR) != 0 || whole == 0)
                break;
        } else {
            ds_keylog_add(files->keylog, chunk, len);
        }
    }
    if (!files->config->grows)
        ds_keylog_end(files->keylog);
    explicit_bzero(chunk, sizeof chunk);
    return !ferror(file);
}

static bool open_file(struct keylog_files *files, const char *name)
{
    struct stat status;
    FILE *file = file_helper_fopen(name);
    if (file == NULL) {
        complain("cannot read the key log %s: %s", name, strerror(errno));
        return false;
    }
    /* The buffer of a FILE would keep secrets. */
    setvbuf(file, NULL, _IONBF, 0);
    files->files[files->num_files++] = file;
    if (fstat(fileno(file), &status) == 0 && !S_ISREG(status.st_mode)) {
        complain("the key log %s is no file: it has to be one, which may grow", name);
        return false;
    }
    const struct ds_keylog_stats before = *ds_keylog_stats(files->keylog);
    if (!read_on(files, file)) {
        complain("cannot read the key log %s: %s", name, strerror(errno));
        return false;
    }
    const struct ds_keylog_stats *now = ds_keylog_stats(files->keylog);
    if (now->malformed != before.malformed) {
        complain("%s of %s: no key log lines; such a line is NAME RANDOM SECRET, in hexadecimal",
                 counted(now->malformed - before.malformed, "lines").text, name);
        if (now->secrets == before.secrets && now->repeated == before.repeated)
            return false;
    }
    return true;
}

struct keylog_files *keylog_files_new(const struct keylog_config *config)
{
    struct keylog_files *files = calloc(1, sizeof *files);
    if (files != NULL) {
        files->config = config;
        files->keylog = ds_keylog_new(config->max_secrets);
        files->files = calloc(config->num_files + 1, sizeof *files->files);
    }
    if (files == NULL || files->keylog == NULL || files->files == NULL) {
        complain("out of memory");
        keylog_files_close(files);
        return NULL;
    }
    return files;
}

static void on_want(void *context)
{
    keylog_files_read(context);
}

bool keylog_files_open(struct keylog_files *files)
{
    if (files->config->grows)
        ds_keylog_on_want(files->keylog, on_want, files);
    for (size_t i = 0; i < files->config->num_files; i++) {
        if (!open_file(files, files->config->files[i]))
            return false;
    }
    return true;
}

void keylog_files_take(struct keylog_files *files, const char *line, size_t len)
{
    const uint64_t malformed = ds_keylog_stats(files->keylog)->malformed;
    ds_keylog_expect(files->keylog);
    ds_keylog_add(files->keylog, line, len);
    ds_keylog_end(files->keylog);
    files->has_odd |= ds_keylog_stats(files->keylog)->malformed != malformed;
}

void keylog_files_complain(const struct keylog_files *files)
{
    if (files->has_odd)
        complain("not all secrets in what was read are key log lines: NAME RANDOM SECRET, in "
                 "hexadecimal");
}

void keylog_files_read(struct keylog_files *files)
{
    for (size_t i = 0; i < files->num_files; i++)
        (void)read_on(files, files->files[i]);
}

struct ds_keylog *keylog_files_get(const struct keylog_files *files)
{
    return files->keylog;
}

void keylog_files_close(struct keylog_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->num_files; i++)
        fclose(files->files[i]);
    free(files->files);
    ds_keylog_free(files->keylog);
    free(files);
}
