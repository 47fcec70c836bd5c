/*
 * epmd_list.c - the text in the answers to NAMES and DUMP, one line per node:
 *
 *   name NAME at port PORT
 *   active name     <NAME> at port PORT, fd = FD
 *   old/unused name <NAME> at port PORT, fd = FD
 *
 * EPMD writes the angle brackets, although its documentation has none. A name may contain anything,
 * so the parser searches for the port from the end.
 */
#include "dist/epmd_list.h"

#include "conn/conn.h"
#include "dist/node_name.h"

/* find_last returns the offset of the last occurrence of text in c. */
static bool find_last(struct cursor c, const char *text, size_t *offset)
{
    const size_t len = strlen(text);
    struct cursor at = c;
    struct cursor piece;
    bool found = false;
    for (struct cursor here = at; cursor_child(&here, len, &piece); here = at) {
        if (memcmp(piece.at, text, len) == 0) {
            *offset = cursor_offset(&at, &c);
            found = true;
        }
        if (!cursor_skip(&at, 1))
            break;
    }
    return found;
}

static bool skip_text(struct cursor *c, const char *text)
{
    struct cursor here = *c;
    struct cursor piece;
    const size_t len = strlen(text);
    if (!cursor_child(&here, len, &piece) || memcmp(piece.at, text, len) != 0)
        return false;
    *c = here;
    return true;
}

static bool read_decimal(struct cursor *c, int64_t max, int64_t *out)
{
    uint8_t digit;
    int64_t value = 0;
    bool any = false;
    while (cursor_peek_u8(c, &digit) && digit >= '0' && digit <= '9') {
        value = value * 10 + (digit - '0');
        if (value > max || !cursor_skip(c, 1))
            return false;
        any = true;
    }
    *out = value;
    return any;
}

static bool read_line(struct cursor *c, struct cursor *line)
{
    uint8_t byte;
    struct cursor start = *c;
    struct cursor at = *c;
    while (cursor_read_u8(&at, &byte)) {
        if (byte == '\n') {
            size_t len = cursor_offset(&at, &start);
            return cursor_child(c, len, line);
        }
    }
    return false;
}

/* parse_line parses a line of NAMES or DUMP; *dump says which, if the line makes sense. */
static bool parse_line(struct cursor line, struct ds_epmd_node *node, bool *dump)
{
    static const char at_port[] = " at port ";
    struct cursor name;
    size_t name_len = 0;
    int64_t number;
    uint8_t first, last;
    bool is_dump = true;

    *node = (struct ds_epmd_node){.fd = -1, .active = true};
    if (skip_text(&line, "name ")) {
        is_dump = false;
    } else if (skip_text(&line, "active name ")) {
        while (skip_text(&line, " "))
            ;
    } else if (skip_text(&line, "old/unused name ")) {
        node->active = false;
    } else {
        return false;
    }
    if (!find_last(line, at_port, &name_len) || !cursor_child(&line, name_len, &name) ||
        !skip_text(&line, at_port) || !read_decimal(&line, UINT16_MAX, &number))
        return false;
    node->port = (uint16_t)number;
    node->name = cursor_text(name);
    if (is_dump) {
        if (name_len >= 2 && cursor_read_u8(&name, &first) && cursor_skip(&name, name_len - 2) &&
            cursor_read_u8(&name, &last) && first == '<' && last == '>')
            node->name = (struct ds_text){&node->name.data[1], name_len - 2};
        if (!skip_text(&line, ", fd = "))
            return false;
        if (skip_text(&line, "-")) {
            if (!read_decimal(&line, INT32_MAX, &number))
                return false;
            node->fd = -(int32_t)number;
        } else {
            if (!read_decimal(&line, INT32_MAX, &number))
                return false;
            node->fd = (int32_t)number;
        }
        (void)skip_text(&line, " ");
    }
    if (!skip_text(&line, "\n") || cursor_left(&line) != 0)
        return false;
    *dump = is_dump;
    return true;
}

bool epmd_read_list(struct cursor *at, struct arena *arena, struct ds_epmd *out, bool *dump,
                    const char **wrong)
{
    struct ds_epmd_node node;
    struct cursor line;
    struct cursor bad = *at;
    size_t num_nodes = 0;

    /* Count the lines that are nodes first: other lines cost a sender less than an entry costs
     * here. */
    for (struct cursor c = *at; read_line(&c, &line);)
        num_nodes += parse_line(line, &node, dump);
    struct ds_epmd_node *nodes = NULL;
    if (num_nodes != 0 && (nodes = arena_alloc(arena, num_nodes * sizeof *nodes)) == NULL)
        return false;
    out->nodes = nodes;
    while (read_line(at, &line)) {
        if (parse_line(line, &node, dump)) {
            if (!node_name_to_utf8(arena, &node.name))
                return false;
            nodes[out->num_nodes++] = node;
        } else if (*wrong == NULL) {
            *wrong = "not a line of a list of nodes";
            bad = line;
        }
    }
    if (*wrong != NULL)
        at->at = bad.at;
    else if (cursor_left(at) != 0)
        *wrong = "the list ends inside a line";
    return true;
}
