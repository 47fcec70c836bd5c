/*
 * learned_file.c - see learned_file.h. Text, one line each:
 *
 *     distsniff learned 2
 *     node CREATION FAMILY ADDRESS PORT NAME     numbers in hexadecimal; NAME may be empty; a node
 *                                                has one for each of its addresses
 *     SLOT ROLE,ROLE.. TEXT                      an atom of that node
 *     atom - TEXT                                of contexts, which refer to it by its index, from 0
 *     context NUMBER,NUMBER..                    in which atoms are used: ds_learned_shape
 *     shape NUMBER                               of whole messages
 *     place NUMBER,NUMBER..                      a node from which contexts were learned
 *
 * Version 1 is the same without the last four. In NAME and TEXT, bytes that are not printable
 * ASCII, spaces and % are written as %xx. An empty list is "-".
 */
#include "app/run/learned_file.h"

#include "core/complain.h"
#include "files/replaced_file.h"
#include "privsep/file_helper.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[] = "distsniff learned ";

/* MAX_LINES: more than are ever written. */
enum { MAX_LINE = 16384, MAX_TEXT = 4096, MAX_NUMBERS = 64, MAX_LINES = 4 * 1000 * 1000 };

/* The first words of lines, indexed by ds_learned_kind. */
static const char *const kind_words[] = {
    [DS_LEARNED_ATOM] = "atom ",
    [DS_LEARNED_CONTEXT] = "context ",
    [DS_LEARNED_WHOLE] = "shape ",
    [DS_LEARNED_PLACE] = "place ",
};
enum { NUM_KINDS = sizeof kind_words / sizeof kind_words[0] };

/* read_byte parses two hexadecimal digits. */
static bool read_byte(const char *in, unsigned *byte)
{
    return isxdigit((unsigned char)in[0]) != 0 && isxdigit((unsigned char)in[1]) != 0 &&
           sscanf(in, "%2x", byte) == 1;
}

static bool is_plain(unsigned char c)
{
    return c > ' ' && c <= '~' && c != '%';
}

/* decode replaces %xx; false if it is malformed, or has a byte that should have been written as
 * %xx. */
static bool decode(const char *in, char *out, size_t *len)
{
    *len = 0;
    for (; *in != '\0' && *in != '\n'; in++) {
        unsigned byte = (unsigned char)*in;
        if (*len == MAX_TEXT || (*in != '%' && !is_plain((unsigned char)*in)) ||
            (*in == '%' && !read_byte(in + 1, &byte)))
            return false;
        if (*in == '%')
            in += 2;
        out[(*len)++] = (char)byte;
    }
    return true;
}

static void encode(struct ds_buffer *out, struct ds_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (is_plain(c))
            ds_buffer_add(out, &text.data[i], 1);
        else
            ds_buffer_printf(out, "%%%02x", c);
    }
    ds_buffer_add(out, "\n", 1);
}

static bool read_node(const char *line, struct ds_endpoint *node, char *name)
{
    unsigned creation, family, port;
    char addr[33];
    int at = 0;
    *node = (struct ds_endpoint){0};
    if (sscanf(line, "node %8x %1u %32s %5x %n", &creation, &family, addr, &port, &at) != 4 ||
        at == 0 || (family != 4 && family != 6) || strlen(addr) != 32 || port > UINT16_MAX)
        return false;
    for (int i = 0; i < 16; i++) {
        unsigned byte;
        if (!read_byte(&addr[2 * i], &byte))
            return false;
        node->addr.bytes[i] = (uint8_t)byte;
    }
    node->addr.family = (uint8_t)family;
    node->port = (uint16_t)port;
    node->creation = creation;
    size_t len;
    if (!decode(line + at, name, &len))
        return false;
    if (len != 0)
        node->node = (struct ds_text){name, len};
    return true;
}

/* read_numbers parses a list of numbers ("-": empty), and returns the text after it; NULL:
 * malformed. */
static const char *read_numbers(const char *at, uint32_t *numbers, size_t *num)
{
    char *end;
    *num = 0;
    if (*at == '-')
        return at + 1;
    do {
        const bool is_digit = isxdigit((unsigned char)*at) != 0;
        const unsigned long number = is_digit ? strtoul(at, &end, 16) : 0;
        if (!is_digit || *num == MAX_NUMBERS || number > UINT32_MAX)
            return NULL;
        numbers[(*num)++] = (uint32_t)number;
        at = end;
    } while (*at++ == ',');
    return at - 1;
}

static bool read_text(const char *line, struct ds_learned *learned, uint32_t *roles, char *text)
{
    char *end;
    const unsigned long slot = strtoul(line, &end, 16);
    if (end == line || *end != ' ' || slot > UINT16_MAX)
        return false;
    const char *at = read_numbers(end + 1, roles, &learned->num_roles);
    size_t len;
    learned->slot = (uint16_t)slot;
    learned->roles = roles;
    if (at == NULL || *at != ' ' || !decode(at + 1, text, &len))
        return false;
    learned->text = (struct ds_text){text, len};
    return true;
}

/* find_kind returns the kind of a line; NUM_KINDS: a line about a node. */
static unsigned find_kind(const char *line)
{
    unsigned kind = 0;
    while (kind < NUM_KINDS && strncmp(line, kind_words[kind], strlen(kind_words[kind])) != 0)
        kind++;
    return kind;
}

/* read_shape parses a line of that kind, and adds its contents to memory. */
static bool read_shape(const char *line, unsigned kind, uint32_t *numbers, char *text,
                       struct ds_atom_memory *memory)
{
    struct ds_learned_shape shape = {.kind = (enum ds_learned_kind)kind, .numbers = numbers};
    const char *at = read_numbers(line + strlen(kind_words[kind]), numbers, &shape.num);
    size_t len;
    if (at == NULL)
        return false;
    if (kind == DS_LEARNED_ATOM) {
        if (*at != ' ' || !decode(at + 1, text, &len))
            return false;
        shape.text = (struct ds_text){text, len};
    } else if (*at != '\n') {
        return false;
    }
    return ds_atom_memory_add_shape(memory, &shape);
}

/* read_version reads the first line, and complains about versions that this program cannot read. */
static bool read_version(FILE *file, const char *name)
{
    char line[64], *end;
    if (fgets(line, sizeof line, file) == NULL || strncmp(line, MAGIC, strlen(MAGIC)) != 0) {
        complain("%s is not a file of --learned: it does not begin with %s%d", name, MAGIC, LEARNED_FORMAT);
        return false;
    }
    const long version = strtol(line + strlen(MAGIC), &end, 10);
    if (*end == '\n' && version >= LEARNED_OLDEST && version <= LEARNED_FORMAT)
        return true;
    complain("%s is a file of --learned of format %ld, and this distsniff reads formats %d to %d: "
             "remove the file to start again",
             name, version, LEARNED_OLDEST, LEARNED_FORMAT);
    return false;
}

static bool read_lines(FILE *file, const char *name, struct ds_atom_memory *memory)
{
    static char line[MAX_LINE], node_name[MAX_TEXT], text[MAX_TEXT];
    struct ds_learned learned = {0};
    uint32_t numbers[MAX_NUMBERS];
    unsigned number = 1;
    bool has_node = false;
    if (!read_version(file, name))
        return false;
    while (fgets(line, sizeof line, file) != NULL) {
        const bool is_node = strncmp(line, "node ", 5) == 0;
        const unsigned kind = find_kind(line);
        number++;
        bool ok = strchr(line, '\n') != NULL && number <= MAX_LINES;
        if (ok && is_node)
            ok = has_node = read_node(line, &learned.node, node_name);
        else if (ok && kind != NUM_KINDS)
            ok = read_shape(line, kind, numbers, text, memory);
        else if (ok)
            ok = has_node && read_text(line, &learned, numbers, text);
        if (!ok) {
            complain("%s, line %u is invalid: remove the file to start again", name, number);
            return false;
        }
        if (is_node)
            learned.text = (struct ds_text){NULL, 0}; /* an address of the node */
        if (kind == NUM_KINDS)
            (void)ds_atom_memory_add(memory, &learned);
    }
    if (ferror(file) != 0) {
        complain("%s: %s", name, strerror(errno));
        return false;
    }
    return true;
}

bool learned_file_read(const char *name, struct ds_atom_memory *memory)
{
    FILE *file;
    if (!replaced_file_open(name, &file))
        return false;
    if (file == NULL)
        return true;
    const bool ok = read_lines(file, name, memory);
    fclose(file);
    return ok;
}

struct writing {
    struct ds_buffer text;
    struct ds_endpoint last;
    char last_name[MAX_TEXT];
    bool has_last;
};

static bool is_last(const struct writing *w, const struct ds_endpoint *node)
{
    return w->has_last && w->last.creation == node->creation && w->last.port == node->port &&
           memcmp(&w->last.addr, &node->addr, sizeof node->addr) == 0 &&
           w->last.node.len == node->node.len &&
           (node->node.len == 0 || memcmp(w->last_name, node->node.data, node->node.len) == 0);
}

static void write_numbers(struct ds_buffer *text, const uint32_t *numbers, size_t num)
{
    if (num == 0)
        ds_buffer_add(text, "-", 1);
    for (size_t i = 0; i < num; i++)
        ds_buffer_printf(text, "%s%" PRIx32, i != 0 ? "," : "", numbers[i]);
}

static void write_one(void *context, const struct ds_learned *learned)
{
    struct writing *w = context;
    const struct ds_endpoint *node = &learned->node;
    if (node->node.len > MAX_TEXT || learned->text.len > MAX_TEXT)
        return;
    if (!is_last(w, node)) {
        ds_buffer_printf(&w->text, "node %" PRIx32 " %u ", node->creation, node->addr.family);
        for (int i = 0; i < 16; i++)
            ds_buffer_printf(&w->text, "%02x", node->addr.bytes[i]);
        ds_buffer_printf(&w->text, " %x ", node->port);
        encode(&w->text, node->node);
        w->last = *node;
        if (node->node.len != 0)
            memcpy(w->last_name, node->node.data, node->node.len);
        w->has_last = true;
    }
    if (learned->text.data == NULL)
        return;
    ds_buffer_printf(&w->text, "%x ", learned->slot);
    write_numbers(&w->text, learned->roles, learned->num_roles);
    ds_buffer_add(&w->text, " ", 1);
    encode(&w->text, learned->text);
}

static void write_shape(void *context, const struct ds_learned_shape *shape)
{
    struct ds_buffer *text = context;
    ds_buffer_add_text(text, kind_words[shape->kind]);
    write_numbers(text, shape->numbers, shape->num);
    if (shape->kind == DS_LEARNED_ATOM) {
        ds_buffer_add(text, " ", 1);
        encode(text, shape->text);
    } else {
        ds_buffer_add(text, "\n", 1);
    }
}

bool learned_file_write(const char *name, const struct ds_atom_memory *memory)
{
    struct writing *w = calloc(1, sizeof *w);
    char *fresh = NULL;
    if (w == NULL || asprintf(&fresh, "%s.new", name) < 0) {
        free(w);
        complain("out of memory: %s is unchanged", name);
        return false;
    }
    ds_buffer_printf(&w->text, "%s%d\n", MAGIC, LEARNED_FORMAT);
    ds_atom_memory_each(memory, write_one, w);
    ds_atom_memory_each_shape(memory, write_shape, &w->text);
    const bool ok = !w->text.failed && replaced_file_put(fresh, OPEN_NEW, &w->text);
    if (!ok)
        complain("%s is unchanged: %s", name,
                 w->text.failed ? "out of memory" : strerror(errno));
    ds_buffer_free(&w->text);
    free(fresh);
    free(w);
    return ok;
}
