/*
 * keylog_file.c - see keylog_file.h.
 */
#include "files/keylog_file.h"

#include "core/clock.h"
#include "core/complain.h"
#include "files/tail_file.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct keylog_files {
    struct ds_keylog *keylog;
    struct tail_file *files;
    size_t num_files;
    const struct keylog_config *config;
    int64_t looked_ns; /* when names were last checked */
    bool has_odd; /* some lines of capture files, which may be read twice, are not in the format of a
                     key log */
};

/* How often to check whether other files have the names now. */
#define LOOK_EVERY_NS INT64_C(20000000)

static void on_lines(void *context, const char *bytes, size_t len, bool is_rest)
{
    struct keylog_files *files = context;
    (is_rest ? ds_keylog_try : ds_keylog_add)(files->keylog, bytes, len);
}

static bool read_on(struct keylog_files *files, struct tail_file *file)
{
    const bool done = tail_file_read(file, files->config->grows, on_lines, files);
    if (!files->config->grows)
        ds_keylog_end(files->keylog);
    return done;
}

static void complain_of(const char *name, int error)
{
    if (error == ENOTSUP)
        complain("the key log %s is not a regular file", name);
    else
        complain("cannot read the key log %s: %s", name, strerror(error));
}

static bool open_file(struct keylog_files *files, const char *name)
{
    struct tail_file *file = &files->files[files->num_files];
    const struct ds_keylog_stats before = *ds_keylog_stats(files->keylog);
    if (!tail_file_open(file, name)) {
        complain_of(name, errno);
        return false;
    }
    files->num_files++;
    if (!read_on(files, file)) {
        complain_of(name, errno);
        return false;
    }
    const struct ds_keylog_stats *now = ds_keylog_stats(files->keylog);
    if (now->malformed != before.malformed) {
        complain("%s of %s: not key log lines; a key log line is NAME RANDOM SECRET, in "
                 "hexadecimal",
                 ds_counted(now->malformed - before.malformed, "lines").text, name);
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

void keylog_files_add_line(struct keylog_files *files, const char *line, size_t len)
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
        complain("some secrets in the input are not key log lines: NAME RANDOM SECRET, in "
                 "hexadecimal");
}

/* look_at_names checks whether other files have the names now. */
static void look_at_names(struct keylog_files *files)
{
    const int64_t now_ns = clock_now_ns();
    if (now_ns - files->looked_ns < LOOK_EVERY_NS)
        return;
    files->looked_ns = now_ns;
    for (size_t i = 0; i < files->num_files; i++) {
        const int error = tail_file_look(&files->files[i]);
        if (error != 0)
            complain_of(files->files[i].name, error);
    }
}

void keylog_files_read(struct keylog_files *files)
{
    look_at_names(files);
    for (size_t i = 0; i < files->num_files; i++)
        (void)read_on(files, &files->files[i]);
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
        tail_file_close(&files->files[i]);
    free(files->files);
    ds_keylog_free(files->keylog);
    free(files);
}
