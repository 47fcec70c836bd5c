/*
 * tui_choose.c - see tui_choose.h.
 */
#include "ui/tui/tui_choose.h"

#include "core/term_show.h"
#include "output/event_text.h"
#include "ui/tui/tui_moment.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* find returns the number of the record that a target stands for: of a call its first message, or
 * its end. */
static uint64_t find(const struct tui_facts *facts, struct tui_target target)
{
    struct record_view view = {0};
    if (target.kind == TARGET_RECORD)
        return target.number;
    if (target.kind == TARGET_PACKET)
        return store_look_find_packet(&facts->records, target.number);
    for (uint64_t i = facts->records.first; target.kind == TARGET_CALL && i < facts->records.end; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        if (record != NULL && (record->call != NULL ? record->call->number
                               : record->event != NULL ? record->note.call
                                                       : 0) == target.number)
            return i;
    }
    return 0;
}

/* quote appends a text as a string of -Y. */
static void quote(struct ds_text text, struct ds_buffer *out)
{
    ds_buffer_add(out, "\"", 1);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '"' || text.data[i] == '\\')
            ds_buffer_add(out, "\\", 1);
        ds_buffer_add(out, text.data + i, 1);
    }
    ds_buffer_add(out, "\"", 1);
}

static void put_process(const struct record *record, struct ds_buffer *out)
{
    static const char *const fields[] = {"from", "to", "caller.pid", "callee.pid"};
    struct ds_buffer name = {0};
    if (record->call != NULL && record->call->caller.has_pid)
        party_print_pid(term_show_syntax(), &record->call->caller, &name);
    else if (record_is_message(record) && record->event->message.role[DS_ROLE_FROM].data != NULL)
        term_show(&record->event->message.role[DS_ROLE_FROM], NULL, &name);
    for (size_t i = 0; name.len != 0 && i < sizeof fields / sizeof fields[0]; i++) {
        ds_buffer_printf(out, "%s%s == ", i != 0 ? " || " : "", fields[i]);
        quote((struct ds_text){name.data, name.len}, out);
    }
    ds_buffer_free(&name);
}

static void put_node(const struct record *record, struct ds_buffer *out)
{
    const struct ds_text node = record->call != NULL ? record->call->caller.node
                                                     : record->event->conn->end[record->event->dir].node;
    if (node.data == NULL)
        return;
    ds_buffer_add_text(out, "node == ");
    quote(node, out);
}

static void put_call(const struct record *record, struct ds_buffer *out)
{
    const uint64_t call = record->call != NULL ? record->call->number : record->note.call;
    if (call != 0)
        ds_buffer_printf(out, "call == %" PRIu64, call);
    else
        ds_buffer_printf(out, "conn == %" PRIu64, record->event->conn->number);
}

/* put_named writes what takes messages and calls of a process that is called as --report top does:
 * "<node.1.2>", "name@node", or where only its node is known "node". */
static void put_named(const char *name, struct ds_buffer *out)
{
    static const char *const pids[] = {"from", "to", "caller.pid", "callee.pid"};
    static const char *const names[] = {"from_name", "to_name", "caller.name", "callee.name"};
    static const char *const nodes[] = {"src.node", "dst.node", "caller.node", "callee.node"};
    struct ds_buffer atom = {0};
    const bool is_quoted = name[0] == '\'';
    const char *at = name + is_quoted;
    for (; *at != '\0' && *at != (is_quoted ? '\'' : '@'); at++) {
        at += is_quoted && *at == '\\' && at[1] != '\0';
        ds_buffer_add(&atom, at, 1);
    }
    at += is_quoted && *at == '\'';
    const struct ds_text whole = {name, strlen(name)}, node = {at + 1, *at == '@' ? strlen(at + 1) : 0};
    if (name[0] == '<') {
        for (size_t i = 0; i < sizeof pids / sizeof pids[0]; i++) {
            ds_buffer_printf(out, "%s%s == ", i != 0 ? " || " : "", pids[i]);
            quote(whole, out);
        }
    } else if (memchr(node.data, '@', node.len) != NULL && atom.len != 0) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            ds_buffer_printf(out, "%s%s == ", i != 0 ? " || " : "", names[i]);
            quote((struct ds_text){atom.data, atom.len}, out);
            ds_buffer_printf(out, " && %s == ", nodes[i]);
            quote(node, out);
        }
    } else if (whole.len != 0 && whole.data[0] != '?') {
        ds_buffer_add_text(out, "node == ");
        quote(whole, out);
    }
    ds_buffer_free(&atom);
}

/* name_of returns what the books call something that has an id of its text; "": they do not have it. */
static const char *name_of(const struct tui_facts *facts, struct tui_target target)
{
    if (target.kind == TARGET_NODE) {
        const cJSON *link = told_list(facts->snapshot.book[BOOK_LINKS], "rows");
        for (; link != NULL; link = link->next) {
            for (const cJSON *side = told_list(link, "side"); side != NULL; side = side->next) {
                if (tui_id(told_text(side, "node")) == target.number)
                    return told_text(side, "node");
            }
        }
        return "";
    }
    const bool is_callee = target.kind == TARGET_CALLEE;
    const cJSON *row = told_list(facts->snapshot.book[is_callee ? BOOK_LATENCY : BOOK_TOP],
                                 is_callee ? "callee" : "rows");
    while (row != NULL && tui_id(told_text(row, "what")) != target.number)
        row = row->next;
    return told_text(row, "what");
}

/* put_other writes what takes all of something that is no record. */
static void put_other(const struct tui_facts *facts, struct tui_target target, enum tui_request request,
                      struct ds_buffer *out)
{
    if (target.kind == TARGET_CONN && request == REQUEST_ONLY_CALL) {
        ds_buffer_printf(out, "conn == %" PRIu64, target.number);
    } else if (target.kind == TARGET_NODE ? request == REQUEST_ONLY_NODE
                                   : (target.kind == TARGET_PROCESS || target.kind == TARGET_CALLEE) &&
                                         request == REQUEST_ONLY_PROCESS) {
        put_named(name_of(facts, target), out);
    }
}

bool tui_choose_filter(const struct tui_facts *facts, struct tui_target target, enum tui_request request,
                       char *text, size_t len)
{
    struct record_view view = {0};
    struct ds_buffer out = {0};
    const struct record *record = store_look_get(&facts->records, find(facts, target), &view);
    if (record == NULL)
        put_other(facts, target, request, &out);
    else if (record->finding != NULL)
        return false;
    else if (request == REQUEST_ONLY_CALL)
        put_call(record, &out);
    else if (request == REQUEST_ONLY_PROCESS)
        put_process(record, &out);
    else
        put_node(record, &out);
    const bool ok = out.len != 0 && out.len < len && !out.failed;
    if (ok)
        snprintf(text, len, "%.*s", (int)out.len, out.data);
    ds_buffer_free(&out);
    return ok;
}

int64_t tui_choose_time(const struct tui_facts *facts, struct tui_target target)
{
    struct record_view view = {0};
    if (target.kind == TARGET_MOMENT)
        return tui_moment_time(facts, target.number);
    const struct record *record = store_look_get(&facts->records, find(facts, target), &view);
    return record != NULL ? record_time(record) : 0;
}

static bool mark(struct tui_marks *marks, uint64_t number, bool on)
{
    unsigned i = 0;
    while (i < marks->num && marks->number[i] != number)
        i++;
    if (i < marks->num && !on)
        marks->number[i] = marks->number[--marks->num];
    if (i < marks->num || !on)
        return true;
    if (marks->num == TUI_MARKS)
        return false;
    marks->number[marks->num++] = number;
    return true;
}

bool tui_choose_mark(const struct tui_facts *facts, struct tui_target target, struct tui_marks *marks)
{
    struct record_view view = {0};
    const uint64_t first = find(facts, target);
    const bool on = first != 0 && !tui_is_marked(marks, first);
    bool ok = true;
    if (first == 0 || target.kind != TARGET_CALL)
        return first == 0 || mark(marks, first, on);
    for (uint64_t i = first; ok && i < facts->records.end; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        if (record != NULL && tui_record_is_listed(record) && record->note.call == target.number)
            ok = mark(marks, i, on);
    }
    return ok;
}

void tui_choose_print(const struct tui_facts *facts, struct tui_target target, struct ds_buffer *out)
{
    struct record_view view = {0};
    const struct record *record = store_look_get(&facts->records, find(facts, target), &view);
    struct event_text *whole = event_text_new_shown(2);
    if (record != NULL && whole != NULL && tui_record_is_listed(record))
        event_text_print_shown(whole, record, out);
    else if (record != NULL)
        tui_record_print(facts, record, out);
    event_text_free(whole);
}
