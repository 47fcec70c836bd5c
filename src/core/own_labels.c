/*
 * own_labels.c - see own_labels.h.
 */
#include "core/own_labels.h"

#include "core/complain.h"
#include "core/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 20 };

struct own_labels {
    struct ds_otp_lines file;
    struct ds_otp_line *all; /* those of the file, followed by those of otp.def */
    size_t num;
};

static bool fail(const char *name, const char *why)
{
    complain("cannot read the labels file %s: %s", name, why);
    return false;
}

/* read_file reads a file completely. Returns false after an error message. */
static bool read_file(const char *name, struct ds_buffer *out)
{
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return fail(name, strerror(errno));
    while (ds_buffer_reserve(out, 65536) && out->len <= MAX_FILE) {
        const size_t n = fread(out->data + out->len, 1, 65536, file);
        out->len += n;
        if (n == 0)
            break;
    }
    const int trouble = ferror(file) ? errno : 0;
    fclose(file);
    if (trouble != 0)
        return fail(name, strerror(trouble));
    if (out->failed)
        return fail(name, "out of memory");
    return out->len <= MAX_FILE || fail(name, "it is larger than 1 MiB");
}

/* find_nearest returns the word that was probably meant. */
static const char *find_nearest(const struct ds_otp_read_error *error)
{
    const char *names[64];
    const char *name;
    size_t num = 0;
    while (num < 64 && (name = ds_otp_read_name(error->names, num)) != NULL)
        names[num++] = name;
    return error->word.len != 0 ? suggest_find(error->word.data, error->word.len, names, num)
                                : NULL;
}

static bool complain_of(const char *name, const struct ds_otp_read_error *error)
{
    const char *nearest = find_nearest(error);
    complain("%s: line %zu, column %zu: expected %s%s%s%s", name, error->line, error->column,
             error->expected, nearest != NULL ? ": did you mean " : "",
             nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    return false;
}

static bool join(struct own_labels *own, const char *name)
{
    size_t num_known;
    const struct ds_otp_line *known = ds_otp_lines(&num_known);
    own->num = own->file.num + num_known;
    own->all = calloc(own->num, sizeof *own->all);
    if (own->all == NULL)
        return fail(name, "out of memory");
    if (own->file.num != 0)
        memcpy(own->all, own->file.line, own->file.num * sizeof *own->all);
    memcpy(own->all + own->file.num, known, num_known * sizeof *known);
    return true;
}

struct own_labels *own_labels_read(const char *name)
{
    struct ds_buffer text = {0};
    struct ds_otp_read_error error;
    struct own_labels *own = calloc(1, sizeof *own);
    bool ok = own != NULL ? read_file(name, &text) : fail(name, "out of memory");
    if (ok && !ds_otp_read((struct ds_text){text.data, text.len}, &own->file, &error))
        ok = complain_of(name, &error);
    ok = ok && join(own, name);
    ds_buffer_free(&text);
    if (ok)
        return own;
    own_labels_free(own);
    return NULL;
}

const struct ds_otp_line *own_labels_lines(const struct own_labels *own, size_t *num_lines)
{
    if (own == NULL)
        return ds_otp_lines(num_lines);
    *num_lines = own->num;
    return own->all;
}

struct ds_otp *own_labels_table(const struct own_labels *own)
{
    return own != NULL ? ds_otp_new_with(own->file.line, own->file.num) : ds_otp_new_with(NULL, 0);
}

void own_labels_free(struct own_labels *own)
{
    if (own == NULL)
        return;
    ds_otp_lines_free(&own->file);
    free(own->all);
    free(own);
}

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void own_labels_print(const struct own_labels *own, FILE *out)
{
    size_t num;
    const struct ds_otp_line *lines = own_labels_lines(own, &num);
    for (size_t i = 0; i < num; i++) {
        fprintf(out, "LABEL(%s, \"%s\", \"%s\", ", ds_otp_kind_name(lines[i].kind), lines[i].group,
                lines[i].label);
        print_string(out, lines[i].to);
        fputs(", ", out);
        print_string(out, lines[i].pattern);
        fputs(")\n", out);
    }
}
