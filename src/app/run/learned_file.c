/*
 * learned_file.c - see learned_file.h. Text, a line each:
 *
 *     distsniff learned 1
 *     node CREATION FAMILY ADDRESS PORT NAME     numbers in hexadecimal; NAME may be empty; a node
 *                                                has one for each place where it was
 *     SLOT ROLE,ROLE.. TEXT                      of that node
 *
 * In NAME and TEXT, bytes that are no printable ASCII, spaces and % are %xx. An empty list of
 * roles is "-".
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

static const char MAGIC[] = "distsniff learned 1\n";

enum { MAX_LINE = 16384, MAX_TEXT = 4096, MAX_ROLES = 64 };

/* read_byte reads two hexadecimal digits. */
static bool read_byte(const char *in, unsigned *byte)
{
    return isxdigit((unsigned char)in[0]) != 0 && isxdigit((unsigned char)in[1]) != 0 &&
           sscanf(in, "%2x", byte) == 1;
}

static bool is_plain(unsigned char c)
{
    return c > ' ' && c <= '~' && c != '%';
}

/* decode replaces %xx; false when it makes no sense: whatever is not plain is written so. */
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

static bool read_text(const char *line, struct ds_learned *learned, uint32_t *roles, char *text)
{
    char *end;
    const unsigned long slot = strtoul(line, &end, 16);
    if (end == line || *end != ' ' || slot > UINT16_MAX)
        return false;
    const char *at = end + 1;
    learned->slot = (uint16_t)slot;
    learned->roles = roles;
    learned->num_roles = 0;
    if (*at == '-') {
        at++;
    } else {
        do {
            if (learned->num_roles == MAX_ROLES)
                return false;
            const unsigned long role = strtoul(at, &end, 16);
            if (end == at || role > UINT32_MAX)
                return false;
            roles[learned->num_roles++] = (uint32_t)role;
            at = end;
        } while (*at++ == ',');
        at--;
    }
    size_t len;
    if (*at != ' ' || !decode(at + 1, text, &len))
        return false;
    learned->text = (struct ds_text){text, len};
    return true;
}

static bool read_lines(FILE *file, const char *name, struct ds_atom_memory *memory)
{
    static char line[MAX_LINE], node_name[MAX_TEXT], text[MAX_TEXT];
    struct ds_learned learned = {0};
    uint32_t roles[MAX_ROLES];
    unsigned number = 1;
    bool has_node = false;
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, MAGIC) != 0) {
        complain("%s is not a file of --learned: it does not begin with %.*s", name,
                 (int)strlen(MAGIC) - 1, MAGIC);
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const bool is_node = strncmp(line, "node ", 5) == 0;
        number++;
        bool ok = strchr(line, '\n') != NULL;
        if (ok && is_node)
            ok = has_node = read_node(line, &learned.node, node_name);
        else if (ok)
            ok = has_node && read_text(line, &learned, roles, text);
        if (!ok) {
            complain("%s, line %u is invalid: remove the file to start again", name, number);
            return false;
        }
        if (is_node)
            learned.text = (struct ds_text){NULL, 0}; /* this is where the node was */
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
    FILE *file = file_helper_fopen(name);
    if (file == NULL && errno == ENOENT)
        return true;
    if (file == NULL) {
        complain("%s: %s", name, strerror(errno));
        return false;
    }
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
    if (learned->num_roles == 0)
        ds_buffer_add(&w->text, "-", 1);
    for (size_t i = 0; i < learned->num_roles; i++)
        ds_buffer_printf(&w->text, "%s%" PRIx32, i != 0 ? "," : "", learned->roles[i]);
    ds_buffer_add(&w->text, " ", 1);
    encode(&w->text, learned->text);
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
    ds_buffer_add_text(&w->text, MAGIC);
    ds_atom_memory_each(memory, write_one, w);
    const bool ok = !w->text.failed && replaced_file_put(fresh, OPEN_NEW, &w->text);
    if (!ok)
        complain("%s is unchanged: %s", name,
                 w->text.failed ? "out of memory" : strerror(errno));
    ds_buffer_free(&w->text);
    free(fresh);
    free(w);
    return ok;
}
