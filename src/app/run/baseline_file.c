/*
 * baseline_file.c - see baseline_file.h.
 */
#include "app/run/baseline_file.h"

#include "compare/profile_file.h"
#include "core/complain.h"
#include "files/replaced_file.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *option_of(const struct compare *c)
{
    return c->config->finds_new ? "--baseline" : "--compare";
}

static bool parse(struct compare *c, struct ds_text text)
{
    char why[PROFILE_WHY];
    if (text.len == 0) {
        complain("%s is empty, not a %s", c->config->file,
                 c->config->finds_new ? "baseline" : "capture file");
        return false;
    }
    if (!profile_file_read(text, &c->before, why)) {
        complain("%s %s: %s", option_of(c), c->config->file, why);
        return false;
    }
    c->has_before = true;
    compare_begin(c);
    return true;
}

/* read_whole reads a file up to PROFILE_FILE_MAX, and one byte more if it is longer. */
static bool read_whole(FILE *file, struct ds_buffer *out)
{
    enum { PIECE = 65536 };
    size_t len = 1;
    while (len != 0 && out->len <= PROFILE_FILE_MAX) {
        if (!ds_buffer_reserve(out, PIECE))
            return false;
        len = fread(out->data + out->len, 1, PIECE, file);
        out->len += len;
    }
    return ferror(file) == 0;
}

bool baseline_file_read(struct compare *c)
{
    if (c->document.len == 0 && c->config->file != NULL) {
        FILE *file = file_helper_fopen(c->config->file);
        const bool is_read = file != NULL && read_whole(file, &c->document);
        if (!is_read)
            complain("%s %s: %s", option_of(c), c->config->file,
                     c->document.failed ? "out of memory" : strerror(errno));
        if (file != NULL)
            fclose(file);
        if (!is_read)
            return false;
    }
    const bool ok =
        c->config->file == NULL ||
        parse(c, (struct ds_text){c->document.len != 0 ? c->document.data : "", c->document.len});
    ds_buffer_free(&c->document);
    return ok;
}

bool baseline_file_write(const char *name, const struct compare *c)
{
    struct ds_buffer text = {0};
    char *fresh = NULL;
    profile_file_print(&c->after, &text);
    if (text.failed || asprintf(&fresh, "%s.new", name) < 0) {
        ds_buffer_free(&text);
        complain("out of memory: %s is unchanged", name);
        return false;
    }
    const bool ok = replaced_file_put(fresh, OPEN_NEW, &text);
    if (!ok)
        complain("%s is unchanged: %s", name, strerror(errno));
    ds_buffer_free(&text);
    free(fresh);
    return ok;
}
