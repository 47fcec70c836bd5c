/*
 * resume_file.c - see resume_file.h. Text, one line each:
 *
 *     distsniff resume 1
 *     stream NAME
 *     shown NANOSECONDS     since 1970
 */
#include "app/run/resume_file.h"

#include "core/complain.h"
#include "files/replaced_file.h"
#include "send/nats/nats_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = NATS_MAX_WORD + 32 };

/* read_line reads a line that begins with word, and returns the text after that. */
static bool read_line(FILE *file, const char *word, char line[MAX_LINE], const char **rest)
{
    if (fgets(line, MAX_LINE, file) == NULL || strncmp(line, word, strlen(word)) != 0)
        return false;
    char *end = strchr(line, '\n');
    if (end != NULL)
        *end = '\0';
    *rest = line + strlen(word);
    return end != NULL;
}

/* read_all reads the file, which must be about that stream. False after a complaint. */
static bool read_all(FILE *file, const char *name, const char *stream, int64_t *shown_ns)
{
    char line[MAX_LINE];
    const char *rest;
    char *end = line;
    if (!read_line(file, "distsniff resume 1", line, &rest) || !read_line(file, "stream ", line, &rest)) {
        complain("%s is no file of --resume: name another one", name);
        return false;
    }
    if (strcmp(rest, stream) != 0) {
        complain("%s is of another stream than %s: give each stream another file of --resume", name,
                 stream);
        return false;
    }
    const bool has_time = read_line(file, "shown ", line, &rest);
    errno = 0;
    *shown_ns = has_time ? strtoll(rest, &end, 10) : 0;
    if (has_time && *shown_ns > 0 && *shown_ns < INT64_MAX && errno == 0 && *end == '\0')
        return true;
    complain("%s does not say how far the last run came: remove it", name);
    return false;
}

bool resume_file_read(const char *name, const char *stream, int64_t *shown_ns)
{
    FILE *file;
    *shown_ns = 0;
    if (!replaced_file_open(name, &file))
        return false;
    if (file == NULL)
        return true;
    const bool ok = read_all(file, name, stream, shown_ns);
    fclose(file);
    return ok;
}

bool resume_file_write(const char *name, const char *stream, int64_t shown_ns)
{
    struct ds_buffer text = {0};
    char *fresh = NULL;
    if (asprintf(&fresh, "%s.new", name) < 0) {
        complain("out of memory: %s is unchanged", name);
        return false;
    }
    ds_buffer_printf(&text, "distsniff resume 1\nstream %s\nshown %" PRId64 "\n", stream, shown_ns);
    const bool ok = !text.failed && replaced_file_put(fresh, OPEN_NEW, &text);
    if (!ok)
        complain("%s is unchanged: %s", name, text.failed ? "out of memory" : strerror(errno));
    ds_buffer_free(&text);
    free(fresh);
    return ok;
}
