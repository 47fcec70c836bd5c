/*
 * static_atoms_file.c - see static_atoms_file.h. Text, one line each, in the order of the indices:
 *
 *     ATOM("text")    in UTF-8; \" \\ and \ooo, an octal number of three digits, represent a byte
 *
 * Empty lines, and lines that begin with a comment of C, are ignored.
 */
#include "app/run/static_atoms_file.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LINE = 8192,
    MAX_LINES = 4 * DS_STATIC_ATOMS_MAX, /* of any kind: an endless file is not valid */
    LEAST = 500, /* atoms: any release has more than a thousand */
};

static const char REMEDY[] = "scripts/otp_static_atoms, run with that OTP, makes such a file";

struct reading {
    const char *name;
    unsigned line;
    struct ds_text atoms[DS_STATIC_ATOMS_MAX];
    unsigned lines[DS_STATIC_ATOMS_MAX]; /* where they are */
    size_t num;
};

/* read_byte parses one byte of a text, with escapes; false if it is malformed. */
static bool read_byte(const char **in, char *out)
{
    const char *at = *in;
    if (*at != '\\') {
        *out = *at;
        *in = at + 1;
        return *at != '\0' && *at != '\n';
    }
    if (at[1] == '"' || at[1] == '\\') {
        *out = at[1];
        *in = at + 2;
        return true;
    }
    unsigned byte = 0;
    for (int i = 1; i <= 3; i++) {
        if (at[i] < '0' || at[i] > '7')
            return false;
        byte = byte * 8 + (unsigned)(at[i] - '0');
    }
    *out = (char)byte;
    *in = at + 4;
    return byte <= 0377;
}

/* add_line parses ATOM("text"); it returns an error, or NULL. */
static const char *add_line(struct reading *r, const char *line)
{
    static const char BEGIN[] = "ATOM(\"", END[] = "\")";
    char text[MAX_LINE];
    size_t len = 0;
    const char *at = line + strlen(BEGIN);
    if (strncmp(line, BEGIN, strlen(BEGIN)) != 0)
        return "is not ATOM(\"text\")";
    while (*at != '"') {
        if (!read_byte(&at, &text[len++]))
            return "is not ATOM(\"text\")";
    }
    if (strncmp(at, END, strlen(END)) != 0 || strspn(at + strlen(END), " \r\n") != strlen(at) - 2)
        return "is not ATOM(\"text\")";
    if (r->num == DS_STATIC_ATOMS_MAX)
        return "is one atom too many";
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return "was not read: out of memory";
    memcpy(copy, text, len);
    r->lines[r->num] = r->line;
    r->atoms[r->num++] = (struct ds_text){copy, len};
    return NULL;
}

static bool read_lines(struct reading *r, FILE *file)
{
    static char line[MAX_LINE];
    while (fgets(line, sizeof line, file) != NULL) {
        const bool is_text = line[0] != '\0';
        const char *wrong = ++r->line > MAX_LINES ? "is too many" : NULL;
        if (wrong == NULL && is_text &&
            (line[strspn(line, " \r\n")] == '\0' || strncmp(line, "/*", 2) == 0))
            continue;
        if (wrong == NULL)
            wrong = add_line(r, line);
        if (wrong != NULL) {
            complain("%s, line %u %s: %s", r->name, r->line, wrong, REMEDY);
            return false;
        }
    }
    if (ferror(file) != 0) {
        complain("%s: %s", r->name, strerror(errno));
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct ds_text *x = *(const struct ds_text *const *)a;
    const struct ds_text *y = *(const struct ds_text *const *)b;
    const size_t len = x->len < y->len ? x->len : y->len;
    const int order = memcmp(x->data, y->data, len);
    if (order != 0 || x->len != y->len)
        return order != 0 ? order : x->len < y->len ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* is_whole says whether a node can begin with these atoms: there are enough, and each occurs once. */
static bool is_whole(const struct reading *r)
{
    static const struct ds_text *sorted[DS_STATIC_ATOMS_MAX];
    if (r->num < LEAST) {
        complain("%s has %zu atoms, but nodes start with several thousand: %s", r->name, r->num, REMEDY);
        return false;
    }
    for (size_t i = 0; i < r->num; i++)
        sorted[i] = &r->atoms[i];
    qsort(sorted, r->num, sizeof sorted[0], compare);
    for (size_t i = 1; i < r->num; i++) {
        if (sorted[i]->len != sorted[i - 1]->len ||
            memcmp(sorted[i]->data, sorted[i - 1]->data, sorted[i]->len) != 0)
            continue;
        complain("%s, line %u repeats the atom of line %u: %s",
                 r->name, r->lines[sorted[i] - r->atoms], r->lines[sorted[i - 1] - r->atoms],
                 REMEDY);
        return false;
    }
    return true;
}

bool static_atoms_file_read(const char *name, struct ds_atom_memory *memory)
{
    if (name == NULL)
        return true;
    FILE *file = file_helper_fopen(name);
    struct reading *r = file != NULL ? calloc(1, sizeof *r) : NULL;
    if (r == NULL) {
        complain("%s: %s", name, file != NULL ? "out of memory" : strerror(errno));
        if (file != NULL)
            fclose(file);
        return false;
    }
    r->name = name;
    bool ok = read_lines(r, file) && is_whole(r);
    if (ok && !ds_atom_memory_add_static(memory, r->atoms, r->num)) {
        complain("%s: out of memory, or a text is longer than an atom's can be", name);
        ok = false;
    }
    while (r->num != 0)
        free((void *)(uintptr_t)r->atoms[--r->num].data);
    free(r);
    fclose(file);
    return ok;
}
