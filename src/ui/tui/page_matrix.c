/*
 * page_matrix.c - how much each node sends to each other one: a row for each node that sends, a
 * column for each that receives, the busiest first. The numbers are sums over --report links.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_links.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_table.h"

#include "core/line_fit.h"
#include "core/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1024, MAX_COLUMNS = 32, COLUMN_WIDTH = 12, NAME_LEAST = 12 };

struct matrix_node {
    const char *name; /* in the snapshot */
    uint64_t bytes;   /* sent and received */
};

/* matrix_cell is what a node has sent to the nodes of a column. */
struct matrix_cell {
    uint64_t bytes;
    bool is_linked;
};

struct matrix {
    struct matrix_node nodes[MAX_NODES];
    size_t num;
    bool has_more;        /* nodes for which there is no room */
    uint64_t num_links;   /* that the book has */
    size_t num_columns;   /* if there are more nodes, the last column is that of the others */
    unsigned name_width;
    bool same_host, same_name; /* of all nodes: then it is left out */
    struct matrix_cell *cells; /* num rows of num_columns */
};

static struct matrix_node *find_node(struct matrix *m, const char *name)
{
    for (size_t i = 0; i < m->num; i++) {
        if (strcmp(m->nodes[i].name, name) == 0)
            return &m->nodes[i];
    }
    return NULL;
}

static void add_node(struct matrix *m, const char *name, uint64_t bytes)
{
    struct matrix_node *node = find_node(m, name);
    if (node == NULL && m->num == MAX_NODES) {
        m->has_more = true;
        return;
    }
    if (node == NULL) {
        node = &m->nodes[m->num++];
        *node = (struct matrix_node){.name = name};
    }
    node->bytes += bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct matrix_node *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : strcmp(x->name, y->name);
}

static const cJSON *links_of(const struct tui_facts *facts)
{
    return told_list(facts->snapshot.book[BOOK_LINKS], "rows");
}

static void find_nodes(struct matrix *m, const struct tui_facts *facts)
{
    for (const cJSON *link = links_of(facts); link != NULL; link = link->next) {
        m->num_links++;
        const uint64_t bytes =
            told_number(link_side(link, 0), "bytes") + told_number(link_side(link, 1), "bytes");
        for (int side = 0; side < 2; side++)
            add_node(m, told_text(link_side(link, side), "node"), bytes);
    }
    qsort(m->nodes, m->num, sizeof m->nodes[0], by_bytes);
}

/* lay_out finds the widths, and the common part of all names. */
static void lay_out(struct matrix *m, unsigned columns)
{
    const char *first = strchr(m->nodes[0].name, '@');
    const size_t first_len = first != NULL ? (size_t)(first - m->nodes[0].name) : 0;
    m->same_host = m->same_name = first != NULL && m->num > 1;
    for (size_t i = 0; i < m->num; i++) {
        const char *name = m->nodes[i].name, *at = strchr(name, '@');
        const unsigned width = (unsigned)strlen(name);
        m->same_host = m->same_host && at != NULL && strcmp(at, first) == 0;
        m->same_name = m->same_name && at != NULL && (size_t)(at - name) == first_len &&
                       memcmp(name, m->nodes[0].name, first_len) == 0;
        m->name_width = width > m->name_width ? width : m->name_width;
    }
    const unsigned most = columns / 3 > NAME_LEAST ? columns / 3 : NAME_LEAST;
    m->name_width = m->name_width < NAME_LEAST ? NAME_LEAST : m->name_width > most ? most : m->name_width;
    const size_t room = columns > m->name_width ? (columns - m->name_width) / (COLUMN_WIDTH + 1) : 0;
    m->num_columns = room < 1 ? 1 : room > MAX_COLUMNS ? MAX_COLUMNS : room;
    m->num_columns = m->num < m->num_columns ? m->num : m->num_columns;
}

static bool has_others(const struct matrix *m)
{
    return m->num > m->num_columns;
}

static bool add_up(struct matrix *m, const struct tui_facts *facts)
{
    m->cells = calloc(m->num * m->num_columns, sizeof *m->cells);
    if (m->cells == NULL)
        return false;
    for (const cJSON *link = links_of(facts); link != NULL; link = link->next) {
        const struct matrix_node *end[2];
        for (int side = 0; side < 2; side++)
            end[side] = find_node(m, told_text(link_side(link, side), "node"));
        for (int side = 0; side < 2 && end[0] != NULL && end[1] != NULL; side++) {
            const size_t from = (size_t)(end[side] - m->nodes), to = (size_t)(end[!side] - m->nodes);
            const size_t column = to < m->num_columns ? to : m->num_columns - 1;
            struct matrix_cell *cell = &m->cells[from * m->num_columns + column];
            cell->bytes += told_number(link_side(link, side), "bytes");
            cell->is_linked = true;
        }
    }
    return true;
}

/* put_name appends a name in this many columns, at the left or the right. */
static void put_name(struct ds_buffer *out, const char *name, unsigned columns, bool is_right)
{
    struct ds_buffer shown = {0}, fit = {0};
    printable_text((struct ds_text){name, strlen(name)}, &shown);
    line_shorten((struct ds_text){shown.data, shown.len}, columns, &fit);
    const unsigned taken = line_columns((struct ds_text){fit.data, fit.len});
    const int blanks = taken < columns ? (int)(columns - taken) : 0;
    ds_buffer_printf(out, "%*s", is_right ? blanks : 0, "");
    ds_buffer_add(out, fit.data, fit.len);
    ds_buffer_printf(out, "%*s", is_right ? 0 : blanks, "");
    out->failed |= shown.failed || fit.failed;
    ds_buffer_free(&shown);
    ds_buffer_free(&fit);
}

static void put_titles(const struct matrix *m, struct ds_buffer *out)
{
    char name[256];
    put_name(out, "FROM / TO", m->name_width, false);
    for (size_t i = 0; i < m->num_columns; i++) {
        const char *whole = m->nodes[i].name, *at = strchr(whole, '@');
        const bool is_others = has_others(m) && i + 1 == m->num_columns;
        if (m->same_host && !m->same_name)
            snprintf(name, sizeof name, "%.*s", (int)(at - whole), whole);
        else
            snprintf(name, sizeof name, "%s", m->same_name && !m->same_host ? at : whole);
        ds_buffer_add_text(out, " ");
        put_name(out, is_others ? "others" : name, COLUMN_WIDTH, true);
    }
}

static void put_row(const struct matrix *m, size_t row, struct ds_buffer *out)
{
    put_name(out, m->nodes[row].name, m->name_width, false);
    for (size_t i = 0; i < m->num_columns; i++) {
        const struct matrix_cell *cell = &m->cells[row * m->num_columns + i];
        const bool is_itself = i == row && !(has_others(m) && i + 1 == m->num_columns);
        ds_buffer_printf(out, " %*s", COLUMN_WIDTH,
                         cell->is_linked ? tui_bytes(cell->bytes).text : is_itself ? "." : "-");
    }
}

/* add_line appends a line to the page, and empties the buffer. */
static bool add_line(struct tui_page *page, enum style style, struct ds_buffer *line)
{
    ds_buffer_add(line, "", 1);
    if (line->failed)
        return false;
    tui_page_line(page, style, 0, line->data);
    line->len = 0;
    return true;
}

/* begin_page writes the title, which says if the book does not have all links. */
static void begin_page(struct tui_page *page, const struct tui_facts *facts, const struct matrix *m)
{
    const uint64_t all = told_number(facts->snapshot.book[BOOK_LINKS], "links");
    char title[sizeof page->title];
    if (all > m->num_links)
        snprintf(title, sizeof title, "bytes sent over the first %" PRIu64 " of %" PRIu64 " links",
                 m->num_links, all);
    else
        snprintf(title, sizeof title, "bytes that each node has sent to each other");
    tui_page_begin(page, title);
}

static void write_matrix(struct tui_page *page, const struct tui_facts *facts, const struct matrix *m)
{
    struct ds_buffer line = {0};
    bool ok;
    begin_page(page, facts, m);
    page->cuts = true;
    put_titles(m, &line);
    ok = add_line(page, STYLE_TITLE, &line);
    page->num_sticky = 1;
    for (size_t row = 0; row < m->num && ok; row++) {
        put_row(m, row, &line);
        ok = add_line(page, STYLE_PLAIN, &line);
        tui_page_lead(page, (struct tui_target){TARGET_NODE, tui_id(m->nodes[row].name)});
    }
    page->is_cut = page->is_cut || !ok || m->has_more;
    ds_buffer_free(&line);
}

void tui_page_matrix(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    struct matrix *m = calloc(1, sizeof *m);
    (void)target;
    if (m != NULL)
        find_nodes(m, facts);
    if (m != NULL && m->num != 0) {
        lay_out(m, facts->columns);
        if (add_up(m, facts))
            write_matrix(page, facts, m);
        free(m->cells);
    }
    free(m);
}
