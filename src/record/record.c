/*
 * record.c - names and texts for record.h.
 */
#include "record/record.h"

#include "core/duration.h"
#include "core/printable.h"
#include "core/term_show.h"

#include <distsniff/counted.h>
#include <inttypes.h>

bool call_has_end(const struct call *call)
{
    return call->outcome == CALL_OK || call_outcome_is_failure(call->outcome);
}

bool call_was_sent(const struct call *call)
{
    return (call->outcome != CALL_TIMEOUT && call->outcome != CALL_ABANDONED) || call->start_frame == 0 ||
           call->start_frame != call->end_frame || call->start_ns != call->end_ns;
}

void call_print_span(const struct call *call, struct ds_buffer *out)
{
    ds_buffer_add_text(out, call_was_sent(call) ? "after " : "before it was sent");
    if (call_was_sent(call))
        duration_print(call->end_ns - call->start_ns, out);
}

size_t record_terms_len(const struct record *record)
{
    const struct call *call = record->call;
    if (call != NULL)
        return call->request.len + call->result.len + call->reason.len;
    if (record->monitor != NULL)
        return record->monitor->reason.len;
    if (record->finding != NULL || record->event->type != DS_EVENT_MESSAGE)
        return 0;
    return record->event->message.control.len + record->event->message.payload.len;
}

const char *record_type_name(enum ds_event_type type)
{
    static const char *const names[] = {
        [DS_EVENT_EPMD] = "epmd",       [DS_EVENT_HANDSHAKE] = "handshake",
        [DS_EVENT_CONN] = "conn",       [DS_EVENT_MESSAGE] = "message",
        [DS_EVENT_TICK] = "tick",       [DS_EVENT_GAP] = "gap",
        [DS_EVENT_STALL] = "stall",     [DS_EVENT_STREAM] = "stream",
    };
    return (size_t)type < sizeof names / sizeof names[0] ? names[type] : NULL;
}

void held_print(const struct waited *held, struct ds_buffer *out)
{
    if (held->num_messages == 0)
        return;
    ds_buffer_printf(out, "%s of %s", ds_counted(held->num_messages, "messages").text,
                     ds_counted(held->num_bytes, "bytes").text);
    if (held->num_calls != 0)
        ds_buffer_printf(out, " for %s", ds_counted(held->num_calls, "calls").text);
    for (unsigned i = 0; i < held->num; i++) {
        const struct waited_message *m = &held->message[i];
        const char *before = i == 0 ? ":" : i == 1 && held->has_head ? ", behind it" : ",";
        const char *what = m->role != NOTE_NONE ? note_role_name(m->role) : m->op;
        ds_buffer_printf(out, "%s packet %" PRIu64 " ", before, m->frame);
        if (m->call != 0)
            ds_buffer_printf(out, "#%" PRIu64 " ", m->call);
        ds_buffer_add_text(out, what != NULL ? what : "a message");
        if (i == 0 && held->has_head)
            ds_buffer_printf(out, " of %s", ds_counted(m->size, "bytes").text);
    }
    if (held->num < held->num_messages)
        ds_buffer_printf(out, " and %" PRIu64 " more", held->num_messages - held->num);
}

const char *note_role_name(enum note_role role)
{
    static const char *const names[] = {
#define NOTE_ROLE(id, name) name,
#include "record/note_role.def"
#undef NOTE_ROLE
    };
    return (unsigned)role < NOTE_ROLE_COUNT ? names[role] : NULL;
}

const char *call_outcome_name(enum call_outcome outcome)
{
    static const char *const names[] = {
#define OUTCOME(id, name, fate) name,
#include "record/outcome.def"
#undef OUTCOME
    };
    return (unsigned)outcome < CALL_OUTCOME_COUNT ? names[outcome] : NULL;
}

bool call_outcome_is_failure(enum call_outcome outcome)
{
    enum { ANSWERED, FAILED, UNDECIDED };
    static const uint8_t fates[] = {
#define OUTCOME(id, name, fate) fate,
#include "record/outcome.def"
#undef OUTCOME
    };
    return fates[outcome] == FAILED;
}

const char *monitor_outcome_name(enum monitor_outcome outcome)
{
    static const char *const names[] = {
#define MONITOR_OUTCOME(id, name) name,
#include "record/monitor_outcome.def"
#undef MONITOR_OUTCOME
    };
    return (unsigned)outcome < MONITOR_OUTCOME_COUNT ? names[outcome] : NULL;
}

static void add_number(const char *before, uint64_t number, struct ds_buffer *out)
{
    char text[DS_DIGITS_MAX];
    ds_buffer_add_text(out, before);
    ds_buffer_add(out, text, (size_t)(ds_digits_put(text, number) - text));
}

struct ds_text titles_text(const struct titles *titles, size_t i, enum ds_syntax syntax)
{
    const struct ds_text *elixir = &titles->elixir[i];
    return syntax == DS_SYNTAX_ELIXIR && elixir->data != NULL ? *elixir : titles->text[i];
}

void titles_print(const struct titles *titles, struct ds_buffer *out)
{
    for (size_t i = 0; titles != NULL && i < titles->num; i++) {
        const struct ds_text title = titles_text(titles, i, term_show_syntax());
        ds_buffer_add(out, title.data, title.len);
        ds_buffer_add(out, " ", 1);
    }
}

void party_print(const struct party *party, struct ds_buffer *out)
{
    party_print_as(term_show_syntax(), party, out);
}

void party_print_pid(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out)
{
    ds_buffer_add_text(out, syntax == DS_SYNTAX_ELIXIR ? "#PID<" : "<");
    if (party->node.data != NULL)
        printable_text(party->node, out); /* without quotes, as in terms */
    else
        ds_buffer_add_text(out, "?");
    add_number(".", party->id, out);
    add_number(".", party->serial, out);
    ds_buffer_add(out, ">", 1);
}

void party_print_as(enum ds_syntax syntax, const struct party *party, struct ds_buffer *out)
{
    const bool has_name = party->name.data != NULL && !party->is_for;
    const bool has_title = !has_name && party->titles != NULL;
    if (has_name)
        ds_term_print_atom_as(party->name, syntax, out);
    if (has_title) {
        const struct ds_text title = titles_text(party->titles, 0, syntax);
        ds_buffer_add(out, title.data, title.len);
    }
    if (party->has_pid) {
        if (has_name || has_title)
            ds_buffer_add(out, " ", 1);
        party_print_pid(syntax, party, out);
    } else if (party->node.data != NULL) {
        if (party->name.data != NULL)
            ds_buffer_add_text(out, "@");
        printable_text(party->node, out);
    } else if (party->name.data == NULL) {
        ds_buffer_add_text(out, "?");
    }
    if (party->is_for && party->name.data != NULL) {
        ds_buffer_add_text(out, " for ");
        ds_term_print_atom_as(party->name, syntax, out);
    }
}

void monitor_print_ref(const struct monitor_end *monitor, struct ds_buffer *out)
{
    if (monitor->num_ref_words == 0)
        return;
    ds_buffer_add_text(out, "#Ref<");
    if (monitor->watcher.node.data != NULL)
        printable_text(monitor->watcher.node, out);
    else
        ds_buffer_add_text(out, "?");
    for (uint32_t i = monitor->num_ref_words; i > 0; i--) {
        add_number(".", monitor->ref[i - 1], out);
    }
    ds_buffer_add_text(out, ">");
}

/* print_function appends "lists:seq". After the dot of Elixir, a name is not written as an atom. */
static void print_function(enum ds_syntax syntax, const struct note *note,
                           const struct ds_term_print_options *limits, struct ds_buffer *out)
{
    struct ds_text mod, fun;
    if (syntax == DS_SYNTAX_ELIXIR && ds_term_get_atom(&note->mod, &mod) &&
        ds_term_get_atom(&note->fun, &fun)) {
        ds_term_print_call(mod, fun, syntax, out);
        return;
    }
    term_show_as(syntax, &note->mod, limits, out);
    ds_buffer_add_text(out, syntax == DS_SYNTAX_ELIXIR ? "." : ":");
    term_show_as(syntax, &note->fun, limits, out);
}

void note_print_function(const struct note *note, struct ds_buffer *out)
{
    static const struct ds_term_print_options limits = {.max_bytes = 64, .max_len = 100};
    print_function(term_show_syntax(), note, &limits, out);
}

void call_print_mfa_as(enum ds_syntax syntax, const struct call *call, struct ds_buffer *out)
{
    const struct note note = {.mod = call->mod, .fun = call->fun, .args = call->args};
    if (syntax == DS_SYNTAX_ELIXIR && call->mfa_elixir.data != NULL)
        ds_buffer_add(out, call->mfa_elixir.data, call->mfa_elixir.len);
    else if (syntax == DS_SYNTAX_ERLANG || call->mod.data == NULL)
        ds_buffer_add(out, call->mfa.data, call->mfa.len);
    else
        note_print_mfa_as(syntax, &note, CALL_MFA_LEN, out);
}

void note_print_mfa(const struct note *note, size_t max_len, struct ds_buffer *out)
{
    note_print_mfa_as(term_show_syntax(), note, max_len, out);
}

void note_print_mfa_as(enum ds_syntax syntax, const struct note *note, size_t max_len,
                       struct ds_buffer *out)
{
    if (note->mod.data == NULL || note->fun.data == NULL)
        return;
    const struct ds_term_print_options all = {.no_string = true};
    const struct ds_term_print_options some = {
        .max_bytes = 64, .max_items = 16, .max_depth = 4, .max_len = max_len, .no_string = true};
    const struct ds_term_print_options *limits = max_len != 0 ? &some : &all;
    print_function(syntax, note, limits, out);
    ds_buffer_add_text(out, "(");
    if (note->args.data != NULL) {
        /* The arguments are a list: print it without the brackets. A shortened list has no closing one.
         * If a peer sent something else than a list, show that. */
        struct ds_buffer list = {0};
        if (term_show_as(syntax, &note->args, limits, &list) && list.len != 0) {
            bool opens = list.data[0] == '[';
            bool closes = opens && list.data[list.len - 1] == ']';
            ds_buffer_add(out, list.data + opens, list.len - opens - closes);
        }
        ds_buffer_free(&list);
    }
    ds_buffer_add_text(out, ")");
}

_Static_assert(CALL_OPEN == 0 && NOTE_NONE == 0, "a zeroed note says nothing");
