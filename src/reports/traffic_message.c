/* traffic_message.c - see traffic_message.h. */
#include "reports/traffic_message.h"

#include "core/label_show.h"
#include "core/term_show.h"

#include <distsniff/dissect.h>

#include <inttypes.h>
#include <string.h>

/* is_result says whether an exit reason is the answer to a call. */
static bool is_result(const struct note *note)
{
    return note->role == NOTE_DOWN && note->call != 0 && note->outcome == CALL_OK;
}

static bool is_answer(const struct note *note)
{
    return note->role == NOTE_REPLY || note->role == NOTE_DOWN || note->role == NOTE_EXIT ||
           note->role == NOTE_SPAWNED;
}

void traffic_message_read(struct traffic_message *message, const struct record *record,
                          struct talkers *talkers, enum traffic_by by)
{
    message->record = record;
    message->note = &record->note;
    message->m = &record->event->message;
    message->body = record->note.body.data != NULL ? record->note.body : message->m->payload;
    message->has_function = record->note.mod.data != NULL &&
                            ds_term_get_atom(&record->note.mod, &message->mod) &&
                            ds_term_get_atom(&record->note.fun, &message->fun);
    message->arity = 0;
    if (message->has_function)
        ds_term_get_length(&record->note.args, &message->arity);
    talkers_get(talkers, record, &message->from, &message->to);
    if (by == TRAFFIC_BY_NODE)
        message->from.name = message->to.name = 0;
}

static uint64_t hash_add(uint64_t hash, struct ds_text text)
{
    return text.data != NULL ? hash_short(hash, text) : hash;
}

static struct ds_text label_of(const struct note *note)
{
    return (struct ds_text){note->label, note->label != NULL ? strlen(note->label) : 0};
}

bool traffic_message_has_shape(const struct traffic_message *message)
{
    return !message->has_function && message->body.data != NULL;
}

static uint64_t hash_function(uint64_t hash, const struct traffic_message *message)
{
    hash = hash_add(hash_add(hash, message->mod), message->fun);
    return hash_more(hash, &message->arity, sizeof message->arity);
}

static uint64_t hash_shape(struct traffic_message *message)
{
    const struct note *note = message->note;
    const struct ds_shape_head *head = &message->head;
    message->head = (struct ds_shape_head){0};
    if (traffic_message_has_shape(message))
        ds_shape_get_head(&message->body, &message->head);
    const uint64_t role =
        (uint64_t)note->role << 32 | (note->role == NOTE_NONE ? (uint64_t)message->m->code : 0);
    const uint64_t name =
        (uint64_t)is_result(note) << 32 | (is_answer(note) ? message->from.name : message->to.name);
    uint64_t hash = hash_words(hash_words(3, role, name), head->form, head->inner_form);
    hash = hash_add(hash, label_of(note));
    return message->has_function ? hash_function(hash, message)
                                 : hash_add(hash_add(hash, head->word), head->inner_word);
}

uint64_t traffic_message_hash(struct traffic_message *message, enum traffic_by by)
{
    switch (by) {
    case TRAFFIC_BY_PROCESS:
        return talker_process_hash(message->record, TALKER_FROM, &message->from);
    case TRAFFIC_BY_NODE: {
        const uint64_t nodes[2] = {message->from.node, message->to.node};
        return hash_more(4, nodes, sizeof nodes);
    }
    case TRAFFIC_BY_LABEL:
        return hash_add(5, label_of(message->note));
    case TRAFFIC_BY_MFA:
        return message->has_function ? hash_function(6, message) : 7;
    case TRAFFIC_BY_SHAPE:
    case TRAFFIC_BY_COUNT:
        break;
    }
    return hash_shape(message);
}

static void print_function(const struct traffic_message *message, struct ds_buffer *out)
{
    term_show_call(message->mod, message->fun, out);
    ds_buffer_printf(out, "/%" PRIu32, message->arity);
}

/* print_role writes the purpose of a message: "call", "cast", "monitor", or "op_99". */
static void print_role(const struct traffic_message *message, struct ds_buffer *out)
{
    const enum note_role role = message->note->role;
    if (role == NOTE_REQUEST)
        ds_buffer_add_text(out, "call");
    else if (is_result(message->note))
        ds_buffer_add_text(out, "result");
    else if (role != NOTE_NONE)
        ds_buffer_add_text(out, note_role_name(role));
    else if (message->m->op != NULL)
        ds_buffer_add_text(out, message->m->op->name);
    else
        ds_buffer_printf(out, "op_%" PRId64, message->m->code);
}

void traffic_message_print_before(const struct traffic_message *message, struct ds_buffer *out)
{
    print_role(message, out);
    if (message->has_function) {
        ds_buffer_add_text(out, " ");
        print_function(message, out);
    }
}

static void print_label(const char *label, struct ds_buffer *out)
{
    ds_buffer_add_text(out, " (");
    label_show(label, out);
    ds_buffer_add_text(out, ")");
}

void traffic_message_print_after(const struct traffic_message *message, const struct talkers *talkers,
                                 struct ds_buffer *out)
{
    const bool answers = is_answer(message->note);
    const uint32_t name = answers ? message->from.name : message->to.name;
    if (message->note->label != NULL)
        print_label(message->note->label, out);
    if (name == 0)
        return;
    ds_buffer_add_text(out, answers ? " from " : " to ");
    term_show_name(intern_text(talkers->texts, name), out);
}

void traffic_message_print(const struct traffic_message *message, const struct talkers *talkers,
                           enum traffic_by by, struct ds_buffer *out)
{
    switch (by) {
    case TRAFFIC_BY_PROCESS:
        talker_process_print(talkers, message->record, TALKER_FROM, &message->from, out);
        break;
    case TRAFFIC_BY_NODE:
        break; /* sender and receiver say it */
    case TRAFFIC_BY_LABEL:
        label_show(message->note->label != NULL ? message->note->label : "(none)", out);
        break;
    case TRAFFIC_BY_MFA:
        if (message->has_function)
            print_function(message, out);
        else
            ds_buffer_add_text(out, "(no function)");
        break;
    case TRAFFIC_BY_SHAPE:
    case TRAFFIC_BY_COUNT:
        traffic_message_print_before(message, out);
        break;
    }
}
