/*
 * text_message.c - a control message as text: its call, its op, sender and receiver, and its other
 * elements that carry information.
 */
#include "output/text_line.h"

#include "core/duration.h"
#include "core/label_show.h"
#include "core/term_show.h"
#include "output/text_words.h"
#include <distsniff/counted.h>
#include <inttypes.h>

/* shown_role defines how a role is shown after the names of sender and receiver. */
struct shown_role {
    struct ds_text before; /* NULL: it is shown elsewhere */
    int verbose;           /* number of -v from which on it is shown */
    bool empty_too;
};
#define BEFORE(text) {text, sizeof(text) - 1}
#define SHOWN_FROM {{NULL, 0}, 0, false}
#define SHOWN_TO {{NULL, 0}, 0, false}
#define SHOWN_TOKEN {{NULL, 0}, 0, false}
#define SHOWN_REF {BEFORE(" "), 0, true}
#define SHOWN_FLAGS {BEFORE(text_word_flags), 0, true}
#define SHOWN_LEADER {BEFORE(text_word_leader), 1, true}
#define SHOWN_MFA {BEFORE(" "), 0, true}
#define SHOWN_OPTS {BEFORE(text_word_opts), 0, false}
#define SHOWN_ID {BEFORE(" id "), 1, true}
#define SHOWN_RESULT {BEFORE(" "), 0, true}
#define SHOWN_REASON {BEFORE(" "), 0, true}

static const struct shown_role shown_roles[DS_ROLE_COUNT] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = SHOWN_##id,
#include <distsniff/roles.def>
#undef ROLE
};

/* The names of ops; a fixed number of bytes is copied each time, but only len bytes count. */
enum { OP_TEXT_LEN = 31 };
static const struct {
    char text[OP_TEXT_LEN];
    uint8_t len;
} op_names[] = {
    {"socket_send", sizeof "socket_send" - 1}, /* a message without a control tuple */
#define OP(code, id, lower, kind, roles, payload, from, ref) [code] = {#lower, sizeof #lower - 1},
#include <distsniff/ops.def>
#undef OP
};
#define OP(code, id, lower, kind, roles, payload, from, ref)                                       \
    _Static_assert(sizeof #lower <= OP_TEXT_LEN, #lower " is longer than there is room for");
#include <distsniff/ops.def>
#undef OP

static inline void add_op(struct text_state *s, const struct ds_op *op)
{
    struct ds_buffer *out = s->out;
    if (out->cap - out->len < OP_TEXT_LEN && !ds_buffer_reserve(out, OP_TEXT_LEN))
        return;
    memcpy(out->data + out->len, op_names[op->code].text, OP_TEXT_LEN);
    out->len += op_names[op->code].len;
}

enum { TAG_NIL = 106 };

static bool is_nil(const struct ds_term *term)
{
    return term->len == 1 && term->data[0] == TAG_NIL;
}

static void add_token(struct text_state *s, const struct ds_token *token)
{
    text_add(s, text_word_trace_label);
    if (token->label.data != NULL)
        text_add_term(s, &token->label);
    ds_buffer_printf(s->out, "%s%" PRId64 "%s", text_word_serial, token->serial, text_word_from);
    if (token->from.data != NULL)
        text_add_term(s, &token->from);
    ds_buffer_printf(s->out, "%s%" PRId64 "]", text_word_flags, token->flags);
}

/* add_note adds "#17 gen:call " before a request, "#17 reply after 412 us " before what ends a
 * call, "#17 late reply after 6.20 s " before an answer that comes after the end. */
static void add_note(struct text_state *s, const struct sink *sink, const struct note *note)
{
    const bool has_label = note->label != NULL && (note->call != 0 || sink->config->verbose != 0);
    if (note->call == 0 && !has_label)
        return;
    text_paint(s, PAINT_CALL);
    if (note->call != 0)
        text_add_call_number(s, note->call);
    if (!note->has_latency) {
        label_show(note->role == NOTE_SPAWNED ? text_word_spawned : note->label, s->out);
        text_add(s, note->role == NOTE_FORWARD ? text_word_forward : " ");
        if (note->outcome != CALL_OPEN)
            ds_buffer_printf(s->out, "%s ", call_outcome_name(note->outcome));
    } else {
        const bool ok = note->outcome == CALL_OK || note->late;
        text_add(s, note->late ? text_word_late : "");
        text_add(s, ok ? note->role == NOTE_DOWN ? text_word_result : note_role_name(note->role)
                       : call_outcome_name(note->outcome));
        text_add(s, text_word_after);
        duration_print(note->latency_ns, s->out);
        text_add(s, " ");
    }
    text_paint(s, PAINT_OFF);
}

/* add_titled adds "echo pg:all <85.0>", or for a process that answered for a name "<85.0> for
 * echo". */
static __attribute__((noinline)) void add_titled(struct text_state *s, const struct ds_term *process,
                                                 struct ds_text name, bool is_for,
                                                 const struct titles *titles)
{
    if (name.data != NULL && !is_for) {
        term_show_name(name, s->out);
        text_add(s, " ");
    }
    titles_print(titles, s->out);
    text_add_term(s, process);
    if (name.data != NULL && is_for) {
        text_add(s, text_word_for);
        term_show_name(name, s->out);
    }
}

/* add_process does the same in the usual case: "echo <85.0>" at most. */
static inline void add_process(struct text_state *s, const struct ds_term *process, struct ds_text name,
                               bool is_for, const struct titles *titles)
{
    if (titles != NULL || is_for) {
        add_titled(s, process, name, is_for, titles);
        return;
    }
    if (name.data != NULL) {
        term_show_name(name, s->out);
        text_add(s, " ");
    }
    text_add_term(s, process);
}

static void add_role(struct text_state *s, const struct shown_role *role, const struct ds_term *term,
                     int verbose)
{
    if (role->before.data == NULL || verbose < role->verbose || (is_nil(term) && !role->empty_too))
        return;
    ds_buffer_add(s->out, role->before.data, role->before.len);
    text_add_term(s, term);
}

void text_add_message(struct text_state *s, const struct sink *sink, const struct ds_event *event)
{
    const struct ds_message *m = &event->message;
    const struct ds_term *from = &m->role[DS_ROLE_FROM];
    const struct ds_term *to = &m->role[DS_ROLE_TO];
    int verbose = sink->config->verbose;

    add_note(s, sink, s->note);
    text_paint(s, PAINT_OP);
    if (m->op != NULL)
        add_op(s, m->op);
    else if (m->code >= 0)
        ds_buffer_printf(s->out, "%s%" PRId64, text_word_op, m->code);
    else
        text_add(s, text_word_no_op);
    text_paint(s, PAINT_OFF);
    if (from->data != NULL) {
        text_add(s, " ");
        add_process(s, from, s->note->from_name, s->note->from_is_for, s->note->from_titles);
    }
    if (to->data != NULL) {
        text_add(s, " > ");
        add_process(s, to, s->note->to_name, s->note->to_is_for, s->note->to_titles);
    }
    const uint32_t shown_elsewhere = (2u << DS_ROLE_TOKEN) - 1;
    for (uint32_t left = ds_message_roles(m) & ~shown_elsewhere; left != 0; left &= left - 1) {
        const unsigned role = (unsigned)__builtin_ctz(left);
        if (m->role[role].data != NULL)
            add_role(s, &shown_roles[role], &m->role[role], verbose);
    }
    if (m->op == NULL && m->control.data != NULL) {
        text_add(s, " ");
        text_add_term(s, &m->control);
    }
    if (m->payload.data != NULL) {
        text_add(s, " ");
        text_add_term(s, &m->payload);
    }
    if (m->token.present)
        add_token(s, &m->token);
    else if (m->role[DS_ROLE_TOKEN].data != NULL && !is_nil(&m->role[DS_ROLE_TOKEN])) {
        text_add(s, text_word_trace);
        text_add_term(s, &m->role[DS_ROLE_TOKEN]);
        text_add(s, "]");
    }
    if (m->stalled_ns != 0) {
        text_paint(s, PAINT_TROUBLE);
        text_add(s, text_word_stall);
        duration_print(m->stalled_ns, s->out);
        text_add(s, "]");
        text_paint(s, PAINT_OFF);
    }
    if (m->fragments > 1)
        ds_buffer_printf(s->out, " (%" PRIu32 " %s)", m->fragments, text_word_fragments);
    if (verbose != 0) {
        if (m->op != NULL && m->control.data != NULL) {
            text_add(s, text_word_control);
            text_add_term(s, &m->control);
        }
        ds_buffer_printf(s->out, " (%s)", ds_counted(m->size, text_word_bytes).text);
    }
}
