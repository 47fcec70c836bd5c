/*
 * redact.c - see redact.h. redact_event.h redacts events; this file redacts the data of the correlation.
 */
#include "redact/redact.h"

#include "core/complain.h"
#include "redact/redact_event.h"
#include "core/message_frame.h"
#include "redact/redact_frame.h"
#include "redact/redact_title.h"
#include "core/signals.h"

#include <arpa/inet.h>
#include <distsniff/dissect.h>
#include <stdlib.h>
#include <string.h>

struct redact {
    struct redact_parts parts; /* memory of the records below */
    struct record record;
    struct ds_event event;
    struct call call;
    struct monitor_end monitor;
    struct finding finding;
    bool reencode, pass_through;
    struct record frame;
    struct ds_event frame_event;
};

static void replace_titles(struct redact_parts *p, const struct titles **titles)
{
    struct titles *copy = *titles != NULL ? redact_allocate(p, sizeof *copy) : NULL;
    if (copy != NULL)
        *copy = **titles;
    for (size_t i = 0; copy != NULL && i < copy->num; i++) {
        const struct ds_text elixir = copy->elixir[i];
        copy->elixir[i] = elixir.data != NULL ? copy->text[i] : elixir;
        redact_part_text(p, redact_title, &copy->text[i]);
        redact_part_text(p, redact_title_elixir, &copy->elixir[i]);
    }
    *titles = copy;
}

static void replace_party(struct redact_parts *p, struct party *party)
{
    replace_titles(p, &party->titles);
    redact_part_text(p, redact_node, &party->node);
    redact_part_text(p, redact_atom, &party->name);
}

static void replace_note(struct redact_parts *p, struct note *note)
{
    redact_part_term(p, &note->body);
    redact_part_term(p, &note->mod);
    redact_part_term(p, &note->fun);
    redact_part_term(p, &note->args);
    redact_part_text(p, redact_atom, &note->from_name);
    redact_part_text(p, redact_atom, &note->to_name);
    replace_titles(p, &note->from_titles);
    replace_titles(p, &note->to_titles);
}

/* replace_call redacts a call. The text of its function is made again from the redacted terms. */
static void replace_call(struct redact_parts *p, struct call *call)
{
    struct note note = {.mod = call->mod, .fun = call->fun, .args = call->args};
    replace_party(p, &call->caller);
    replace_party(p, &call->callee);
    redact_part_term(p, &call->request);
    redact_part_term(p, &call->result);
    redact_part_term(p, &call->reason);
    replace_note(p, &note);
    call->mod = note.mod;
    call->fun = note.fun;
    call->args = note.args;
    call->mfa_elixir = (struct ds_text){NULL, 0};
    if (call->mfa.data == NULL)
        return;
    call->mfa = (struct ds_text){NULL, 0};
    p->scratch.len = 0;
    note_print_mfa_as(DS_SYNTAX_ERLANG, &note, CALL_MFA_LEN, &p->scratch);
    if (p->scratch.len != 0)
        call->mfa.data = redact_get_scratch(p, &call->mfa.len);
}

static void replace_monitor(struct redact_parts *p, struct monitor_end *monitor)
{
    replace_party(p, &monitor->watcher);
    replace_party(p, &monitor->target);
    redact_part_term(p, &monitor->reason);
}

static void put_replaced(struct redact_parts *p, const struct wording *wording, size_t i,
                         struct wording *out)
{
    const enum word_kind kind = (enum word_kind)wording->part[i].kind;
    const struct ds_text text = {wording->bytes + wording->part[i].at, wording->part[i].len};
    p->scratch.len = 0;
    if (kind == WORD_PLAIN) {
        redact_put(p, text.data, text.len);
    } else if (kind == WORD_ADDR) {
        char name[DS_ADDR_LEN] = "";
        struct ds_addr addr = {0};
        memcpy(name, text.data, text.len < sizeof name ? text.len : sizeof name - 1);
        addr.family = inet_pton(AF_INET, name, addr.bytes) == 1 ? 4 : 6;
        if (addr.family == 4 || inet_pton(AF_INET6, name, addr.bytes) == 1)
            redact_address(p->values, addr.bytes, addr.family == 6 ? 16 : 4);
        ds_addr_print(&addr, name);
        redact_put(p, name, strlen(name));
    } else if (kind == WORD_NODE) {
        redact_node(p->values, text, &p->scratch);
    } else {
        redact_atom(p->values, text, &p->scratch);
    }
    p->failed |= p->scratch.failed;
    wording_append(out, wording, i, (struct ds_text){p->scratch.data, p->scratch.len});
}

static void replace_words(struct redact_parts *p, struct wording *wording)
{
    struct wording new = {.is_cut = false};
    for (size_t i = 0; i < wording->num && !p->failed; i++)
        put_replaced(p, wording, i, &new);
    new.is_cut |= wording->is_cut;
    *wording = new;
}

static void replace_finding(struct redact_parts *p, struct finding *finding)
{
    if (finding->is_redacted)
        return;
    replace_words(p, &finding->sentence);
    replace_words(p, &finding->detail);
    for (int i = 0; i < 2; i++) {
        struct ds_text node = finding_node(finding, i);
        redact_part_text(p, redact_node, &node);
        finding->node[i].len = node.len < sizeof finding->node[i].text ? node.len : 0;
        if (node.data != NULL)
            memcpy(finding->node[i].text, node.data, finding->node[i].len);
    }
}

enum redact_status redact_record(struct redact *r, const struct record *record,
                                 const struct record **out)
{
    bool shown = true;
    redact_parts_begin(&r->parts);
    r->record = *record;
    if (record->event != NULL) {
        r->event = *record->event;
        if (r->event.type == DS_EVENT_MESSAGE)
            r->event.message.atom_texts = 0; /* texts of atoms are new for each event */
        r->record.event = &r->event;
        r->pass_through = message_frame_is_pass_through(record->event);
        shown = redact_event(&r->parts, &r->event);
    }
    replace_note(&r->parts, &r->record.note);
    if (record->call != NULL) {
        r->call = *record->call;
        r->record.call = &r->call;
        replace_call(&r->parts, &r->call);
    }
    if (record->monitor != NULL) {
        r->monitor = *record->monitor;
        r->record.monitor = &r->monitor;
        replace_monitor(&r->parts, &r->monitor);
    }
    if (record->finding != NULL) {
        r->finding = *record->finding;
        r->record.finding = &r->finding;
        replace_finding(&r->parts, &r->finding);
    }
    if (redact_failed(r))
        return REDACT_FAILED;
    *out = &r->record;
    return shown ? REDACT_OK : REDACT_DROP;
}

const struct record *redact_get_frame(struct redact *r)
{
    const struct record *record = &r->record;
    if (!r->reencode || record->event == NULL || record->call != NULL || record->monitor != NULL ||
        !redact_frame(&r->parts, record->event, r->pass_through, &r->frame_event))
        return NULL;
    r->frame = (struct record){.event = &r->frame_event, .left_out = record->left_out};
    return &r->frame;
}

bool redact_failed(struct redact *r)
{
    return redact_parts_failed(&r->parts);
}

struct redact *redact_new(const struct redact_config *config)
{
    struct redact *r = calloc(1, sizeof *r);
    if (r == NULL) {
        complain("out of memory");
        return NULL;
    }
    r->reencode = config->reencode;
    r->parts.scratch.is_stopped = stop_is_overdue;
    r->parts.values = redact_values_new(config);
    if (r->parts.values == NULL) {
        free(r);
        return NULL;
    }
    return r;
}

uint64_t redact_num_given_up(const struct redact *r)
{
    return redact_values_num_given_up(r->parts.values);
}

void redact_free(struct redact *r)
{
    if (r == NULL)
        return;
    redact_parts_free(&r->parts);
    free(r);
}
