/*
 * tui_choose.c - see tui_choose.h.
 */
#include "ui/tui/tui_choose.h"

#include "core/term_show.h"
#include "output/event_text.h"
#include "select/simple_filter.h"
#include "ui/tui/tui_moment.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOKED_AT = 20000 };

/* find returns the number of the record that a target is about: for a call, its first message or
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

/* quote appends a text as a string literal of -Y. */
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

/* is_same_text says whether both exist and are equal. */
static bool is_same_text(struct ds_text a, struct ds_text b)
{
    return a.data != NULL && b.data != NULL && a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* find_rest finds, in the latest messages, the name of a process, or the pid of one whose name is
 * known. The name is stored in a buffer. */
static void find_rest(const struct tui_facts *facts, struct party *who, struct ds_buffer *name)
{
    const struct store_look *look = &facts->records;
    const uint64_t least = look->end > look->first + LOOKED_AT ? look->end - LOOKED_AT : look->first;
    struct record_view at = {0};
    for (uint64_t i = look->end; i > least && (who->name.data == NULL || !who->has_pid); i--) {
        const struct record *record = store_look_get(look, i - 1, &at);
        struct ds_identity pid;
        if (record == NULL || !record_is_message(record) || record->note.from_name.data == NULL ||
            record->note.from_is_for ||
            !ds_term_get_identity(&record->event->message.role[DS_ROLE_FROM], &pid) ||
            pid.kind != DS_IDENTITY_PID || !is_same_text(pid.node, who->node))
            continue;
        if (who->has_pid && pid.word[0] == who->id && pid.word[1] == who->serial) {
            ds_buffer_add(name, record->note.from_name.data, record->note.from_name.len);
            who->name = (struct ds_text){name->data, name->len};
        } else if (!who->has_pid && is_same_text(record->note.from_name, who->name)) {
            who->has_pid = true;
            who->id = pid.word[0];
            who->serial = pid.word[1];
        }
    }
}

/* put_party writes an expression that matches messages and calls of a process: by its pid, and by
 * its name. */
static void put_party(const struct tui_facts *facts, struct party who, struct ds_buffer *out)
{
    static const char *const pids[] = {"from", "to", "caller.pid", "callee.pid"};
    static const char *const names[] = {"from", "to", "caller.name", "callee.name"};
    static const char *const nodes[] = {"src.node", "dst.node", "caller.node", "callee.node"};
    struct ds_buffer name = {0}, pid = {0};
    if (who.is_for)
        who.name = (struct ds_text){NULL, 0};
    find_rest(facts, &who, &name);
    if (who.has_pid)
        party_print_pid(DS_SYNTAX_ERLANG, &who, &pid);
    for (size_t i = 0; pid.len != 0 && i < sizeof pids / sizeof pids[0]; i++) {
        ds_buffer_printf(out, "%s%s == ", i != 0 ? " || " : "", pids[i]);
        quote((struct ds_text){pid.data, pid.len}, out);
    }
    for (size_t i = 0; who.name.len != 0 && who.node.len != 0 && i < sizeof names / sizeof names[0]; i++) {
        ds_buffer_printf(out, "%s%s == ", i != 0 || pid.len != 0 ? " || " : "", names[i]);
        quote(who.name, out);
        ds_buffer_printf(out, " && %s == ", nodes[i]);
        quote(who.node, out);
    }
    ds_buffer_free(&name);
    ds_buffer_free(&pid);
}

static void put_process(const struct tui_facts *facts, const struct record *record, struct ds_buffer *out)
{
    struct ds_identity pid;
    if (record->call != NULL && record->call->caller.has_pid)
        put_party(facts, record->call->caller, out);
    else if (record_is_message(record) && record->event->message.role[DS_ROLE_FROM].data != NULL &&
             ds_term_get_identity(&record->event->message.role[DS_ROLE_FROM], &pid) &&
             pid.kind == DS_IDENTITY_PID)
        put_party(facts,
                  (struct party){.node = pid.node,
                                 .name = record->note.from_name,
                                 .is_for = record->note.from_is_for,
                                 .has_pid = true,
                                 .id = pid.word[0],
                                 .serial = pid.word[1]},
                  out);
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

/* put_named writes an expression that matches messages and calls of a process, given its name in
 * --report top: "<node.1.2>", "name@node", or "node" if only its node is known. */
static void put_named(const struct tui_facts *facts, const char *name, struct ds_buffer *out)
{
    struct ds_buffer atom = {0};
    struct pick_process pid;
    const bool is_quoted = name[0] == '\'';
    const char *at = name + is_quoted;
    for (; *at != '\0' && *at != (is_quoted ? '\'' : '@'); at++) {
        at += is_quoted && *at == '\\' && at[1] != '\0';
        ds_buffer_add(&atom, at, 1);
    }
    at += is_quoted && *at == '\'';
    const struct ds_text whole = {name, strlen(name)}, node = {at + 1, *at == '@' ? strlen(at + 1) : 0};
    if (name[0] == '<') {
        if (pick_process_parse(&pid, name) && pid.name.data == NULL)
            put_party(facts,
                      (struct party){
                          .node = pid.node, .has_pid = true, .id = pid.id, .serial = pid.serial},
                      out);
    } else if (memchr(node.data, '@', node.len) != NULL && atom.len != 0) {
        put_party(facts, (struct party){.node = node, .name = {atom.data, atom.len}}, out);
    } else if (whole.len != 0 && whole.data[0] != '?') {
        ds_buffer_add_text(out, "node == ");
        quote(whole, out);
    }
    ds_buffer_free(&atom);
}

/* name_of returns the name in the books of a target whose id is the hash of its name; "": it is not
 * there. */
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

/* put_other writes an expression for a target that is no record. */
static void put_other(const struct tui_facts *facts, struct tui_target target, enum tui_request request,
                      struct ds_buffer *out)
{
    if (target.kind == TARGET_CONN && request == REQUEST_ONLY_CALL) {
        ds_buffer_printf(out, "conn == %" PRIu64, target.number);
    } else if (target.kind == TARGET_NODE ? request == REQUEST_ONLY_NODE
                                   : (target.kind == TARGET_PROCESS || target.kind == TARGET_CALLEE) &&
                                         request == REQUEST_ONLY_PROCESS) {
        put_named(facts, name_of(facts, target), out);
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
        put_process(facts, record, &out);
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
