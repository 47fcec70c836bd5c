/*
 * late_notice.c - see late_notice.h.
 */
#include "app/run/late_notice.h"

#include "app/options/late_hints.h"
#include "core/line_fit.h"
#include "core/screen.h"

#include <distsniff/dissect.h>
#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { ENOUGH_MESSAGES = 100 };

static void print_links(const struct late_notice *n, const struct ds_conn *conn, struct ds_buffer *out)
{
    const double seconds = (double)(n->last_ns - n->first_ns) / 1e9;
    ds_buffer_printf(out, "%s open before the capture",
                     n->conns == 1 ? "1 connection was" : ds_counted(n->conns, "connections were").text);
    if (conn != NULL && n->may_name) {
        ds_buffer_add_text(out, n->conns == 1 ? ": " : ", for example ");
        ds_endpoint_print(&conn->end[0], out);
        ds_buffer_add_text(out, " and ");
        ds_endpoint_print(&conn->end[1], out);
    }
    ds_buffer_printf(out, ". So far: %s", ds_counted(n->messages, "messages").text);
    ds_buffer_printf(out, ", %s", ds_counted(n->bytes, "bytes").text);
    if (seconds > 0)
        ds_buffer_printf(out, " in %.1f s", seconds);
    ds_buffer_add_text(out, ".\n");
}

/* print_three prints what is known, what is not, and what to do. */
static void print_three(const struct late_notice *n, const struct ds_conn *conn)
{
    struct ds_buffer text = {0}, wrapped = {0};
    print_links(n, conn, &text);
    const uint64_t read = n->messages - n->unread; /* percentages are rounded down: 100 % means all */
    ds_buffer_printf(&text, "%" PRIu64 " %% of the messages are readable", read * 100 / n->messages);
    if (n->guessed != 0)
        ds_buffer_printf(&text, ", of these %" PRIu64 " %% with guessed atoms (?name)",
                         n->guessed * 100 / read);
    ds_buffer_add_text(&text, ". Messages that are not readable have unknown atoms, which were sent before "
                              "('?atom:N').\n");
    ds_buffer_add_text(&text, "To make all readable, run the code of distsniff --print-refresh on one "
                              "node. --report links works without it.\n");
    const unsigned columns = screen_width(STDERR_FILENO);
    if (columns != 0 && !text.failed)
        lines_wrap((struct ds_text){text.data, text.len}, columns, &wrapped);
    const struct ds_buffer *shown = columns != 0 ? &wrapped : &text;
    if (!text.failed && !shown->failed)
        fwrite(shown->data, 1, shown->len, stderr);
    ds_buffer_free(&text);
    ds_buffer_free(&wrapped);
}

static void print(struct late_notice *n, const struct ds_conn *conn)
{
    n->is_printed = true;
    if (n->on_terminal && n->unread * 2 > n->messages)
        print_three(n, conn);
    else
        late_hints_joined();
}

void late_notice_event(struct late_notice *n, const struct ds_event *event)
{
    if (n->is_printed)
        return;
    if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_JOINED_LATE &&
        event->conn->proto == NULL)
        n->conns++;
    if (n->conns != 0 && !n->on_terminal)
        print(n, event->conn);
    if (n->conns == 0 || n->is_printed || event->type != DS_EVENT_MESSAGE)
        return;
    n->first_ns = n->messages == 0 ? event->ts_ns : n->first_ns;
    n->last_ns = event->ts_ns;
    n->messages++;
    n->bytes += event->message.size;
    n->unread += event->unknown_atoms != 0;
    n->guessed += event->unknown_atoms == 0 && event->likely_atoms != 0;
    if (n->messages == ENOUGH_MESSAGES)
        print(n, event->conn);
}

void late_notice_end(struct late_notice *n)
{
    if (n->conns != 0 && !n->is_printed)
        print(n, NULL);
}
