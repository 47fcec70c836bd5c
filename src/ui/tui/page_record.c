/*
 * page_record.c - the page of a message or another event: what it is, its term, its bytes, and the
 * records before and after it on its connection.
 */
#include "ui/tui/tui_pages.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/term_show.h"
#include "core/timestamp.h"
#include "output/hexdump.h"
#include "ui/tui/tui_fold.h"
#include "ui/tui/tui_record.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NEAR = 5, LOOKED_AT = 20000, TERM_LEN = 1 << 20, SHOWN_BYTES = 65536 };

/* put_line moves a text into a line of the page. */
static void put_line(struct tui_page *page, enum style style, unsigned indent, struct ds_buffer *text)
{
    ds_buffer_add(text, "", 1);
    if (!text->failed)
        tui_page_line(page, style, indent, text->data);
    page->is_cut |= text->failed;
    ds_buffer_free(text);
}

static void put_record(struct tui_page *page, const struct tui_facts *facts, const struct record *record,
                       uint64_t number, enum style style)
{
    struct ds_buffer text = {0};
    tui_record_print_fit(facts, record, facts->columns > 4 ? facts->columns - 4 : 0, &text);
    put_line(page, style, 2, &text);
    tui_page_lead(page, (struct tui_target){TARGET_RECORD, number});
}

static bool is_of_conn(const struct record *record, uint64_t conn)
{
    return record != NULL && tui_record_is_listed(record) && record->event->conn->number == conn;
}

/* put_near writes the records before and after it on its connection. */
static void put_near(struct tui_page *page, const struct tui_facts *facts, uint64_t number, uint64_t conn)
{
    const struct store_look *look = &facts->records;
    struct record_view view = {0};
    uint64_t before[NEAR];
    unsigned num = 0;
    const uint64_t least = number > look->first + LOOKED_AT ? number - LOOKED_AT : look->first;
    const uint64_t most = look->end - number > LOOKED_AT ? number + LOOKED_AT : look->end;
    for (uint64_t i = number; i > least && num < NEAR; i--) {
        if (is_of_conn(store_look_get(look, i - 1, &view), conn))
            before[num++] = i - 1;
    }
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "On this connection");
    page->cuts = true;
    while (num-- > 0)
        put_record(page, facts, store_look_get(look, before[num], &view), before[num], STYLE_DIM);
    put_record(page, facts, store_look_get(look, number, &view), number, STYLE_STRONG);
    num = 0;
    for (uint64_t i = number + 1; i < most && num < NEAR; i++) {
        const struct record *record = store_look_get(look, i, &view);
        if (!is_of_conn(record, conn))
            continue;
        put_record(page, facts, record, i, STYLE_DIM);
        num++;
    }
}

static void put_bytes(struct tui_page *page, const char *title, const uint8_t *bytes, size_t len)
{
    struct ds_buffer text = {0};
    if (bytes == NULL)
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_printf(page, STYLE_STRONG, 0, "%s, %s%s", title, ds_counted(len, "bytes").text,
                    len > SHOWN_BYTES ? ", of which these are the first" : "");
    hexdump_print(bytes, len < SHOWN_BYTES ? len : SHOWN_BYTES, &text);
    for (size_t at = 0; !text.failed && at < text.len;) {
        char *end = memchr(text.data + at, '\n', text.len - at);
        if (end == NULL)
            break;
        *end = '\0';
        tui_page_line(page, STYLE_PLAIN, 2, text.data + at);
        at = (size_t)(end - text.data) + 1;
    }
    page->is_cut |= text.failed;
    ds_buffer_free(&text);
}

static void put_term(struct tui_page *page, const struct tui_facts *facts, const char *title,
                     const struct ds_term *term)
{
    const struct ds_term_print_options options = {.max_len = TERM_LEN};
    const enum ds_syntax syntax = (term_show_syntax() == DS_SYNTAX_ELIXIR) != page->has_other_syntax
                                      ? DS_SYNTAX_ELIXIR
                                      : DS_SYNTAX_ERLANG;
    struct ds_buffer text = {0};
    if (term->data == NULL)
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, title);
    page->is_cut |= !term_show_as(syntax, term, &options, &text);
    if (text.len != 0)
        tui_fold_term(page, 2, facts->columns, (struct ds_text){text.data, text.len});
    ds_buffer_free(&text);
}

static void put_call(struct tui_page *page, const struct note *note)
{
    struct ds_buffer text = {0};
    if (note->call == 0)
        return;
    ds_buffer_printf(&text, "call         #%" PRIu64 ", its %s", note->call, note_role_name(note->role));
    if (note->label != NULL) {
        ds_buffer_add_text(&text, ", ");
        label_show(note->label, &text);
    }
    if (note->has_latency) {
        ds_buffer_add_text(&text, ", after ");
        duration_print(note->latency_ns, &text);
    }
    put_line(page, STYLE_PLAIN, 2, &text);
    tui_page_lead(page, (struct tui_target){TARGET_CALL, note->call});
}

static void put_end(struct ds_buffer *text, const struct ds_endpoint *end)
{
    struct ds_buffer name = {0};
    ds_endpoint_print(end, &name);
    ds_buffer_add(text, name.data, name.len);
    ds_buffer_free(&name);
}

static void put_head(struct tui_page *page, const struct tui_facts *facts, const struct record *record)
{
    const struct ds_event *event = record->event;
    struct timestamp_cache clock = {0};
    struct ds_buffer text = {0};
    tui_record_print(facts, record, &text);
    page->cuts = event->type == DS_EVENT_MESSAGE; /* its term is below */
    put_line(page, tui_record_style(record), 0, &text);
    page->cuts = false;
    ds_buffer_add_text(&text, "time         ");
    timestamp_print_local(&clock, event->ts_ns, facts->time_digits, true, &text);
    put_line(page, STYLE_PLAIN, 2, &text);
    if (event->conn->number != 0) {
        ds_buffer_printf(&text, "connection   %" PRIu64 ", from ", event->conn->number);
        put_end(&text, &event->conn->end[event->dir]);
        ds_buffer_add_text(&text, " to ");
        put_end(&text, &event->conn->end[!event->dir]);
        put_line(page, STYLE_PLAIN, 2, &text);
        tui_page_lead(page, (struct tui_target){TARGET_CONN, event->conn->number});
    }
    if (event->type != DS_EVENT_MESSAGE)
        return;
    tui_page_printf(page, STYLE_PLAIN, 2, "size         %s%s",
                    ds_counted(event->message.size, "bytes").text,
                    event->message.fragments > 1 ? ", in fragments" : "");
    put_call(page, &record->note);
}

void tui_page_record(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    struct record_view view = {0};
    char title[sizeof page->title];
    const struct record *record = store_look_get(&facts->records, target.number, &view);
    if (record == NULL || !tui_record_is_listed(record))
        return;
    const struct ds_event *event = record->event;
    const bool is_message = event->type == DS_EVENT_MESSAGE;
    const uint64_t conn = event->conn->number;
    snprintf(title, sizeof title, "%s in packet %" PRIu64, is_message ? "message" : "event", event->frame);
    tui_page_begin(page, title);
    put_head(page, facts, record);
    if (is_message) {
        put_term(page, facts, "Message", &event->message.payload);
        put_term(page, facts, "Control message", &event->message.control);
    }
    if (is_message && page->shows_bytes) {
        put_bytes(page, "Bytes of the message", event->message.payload.data, event->message.payload.len);
        put_bytes(page, "Bytes of the control message", event->message.control.data,
                  event->message.control.len);
    }
    put_near(page, facts, target.number, conn);
}

void tui_page_packet(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    const uint64_t number = store_look_find_packet(&facts->records, target.number);
    if (number != 0)
        tui_page_record(page, facts, (struct tui_target){TARGET_RECORD, number});
}
