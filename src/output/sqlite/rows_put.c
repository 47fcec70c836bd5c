/*
 * rows_put.c - common parts of rows: terms, nodes, and faults. See rows.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/rows.h"

#include "core/printable.h"
#include "core/term_show.h"

#include <distsniff/dissect.h>

void rows_print_node(const struct ds_conn *conn, unsigned end, struct ds_buffer *out)
{
    const struct ds_endpoint *endpoint = &conn->end[end];
    char addr[DS_ADDR_LEN];
    if (endpoint->node.data != NULL) {
        printable_text(endpoint->node, out);
        return;
    }
    ds_addr_print(&endpoint->addr, addr);
    ds_buffer_printf(out, "%s.%u", addr, endpoint->port);
}

/* rows_put_term limits the terms of a row, which is in memory twice, as text and as SQLite's
 * record: one large term has as much text as in other outputs, further ones what is left. */
void rows_put_term(struct rows *rows, enum database_column column, const struct ds_term *term)
{
    enum { SMALL_ROW = 65536, BYTE_TEXT_LEN = 4 };
    const size_t at = rows->text->len;
    struct ds_term_print_options limits = rows->limits;
    if (term->data == NULL)
        return;
    const bool is_cut = rows->max_row != 0 && at > SMALL_ROW && term_show_bounds(term);
    if (is_cut) {
        const uint64_t left = at < rows->max_row ? rows->max_row - at : 0;
        limits.max_len = left / 2 + 1;
        limits.max_bytes = (uint32_t)(limits.max_len / BYTE_TEXT_LEN < UINT32_MAX
                                          ? limits.max_len / BYTE_TEXT_LEN + 1 : UINT32_MAX);
        term_show_mark_cut();
    }
    term_show(term, &limits, rows->text);
    database_printed(rows->database, column, at);
}

void rows_put_nodes(struct rows *rows, const struct ds_event *event, enum database_column src,
                    enum database_column dst)
{
    database_static(rows->database, src, endpoint_cache_get(rows->nodes, event->conn, event->dir));
    database_static(rows->database, dst, endpoint_cache_get(rows->nodes, event->conn, !event->dir));
}

void rows_put_fault(struct rows *rows, const struct ds_event *event, enum database_column kind,
                    enum database_column offset, enum database_column what)
{
    if (event->fault.kind == DS_FAULT_NONE)
        return;
    database_word(rows->database, kind, ds_fault_kind_name(event->fault.kind));
    database_number(rows->database, offset, (int64_t)event->fault.offset);
    database_word(rows->database, what, event->fault.what);
}

#endif
