/*
 * rows_message.c - messages as rows. See rows.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/rows.h"

#include "core/term_show.h"

#include <inttypes.h>

/* The column of each role. */
enum {
    COLUMN_OF_FROM = COLUMN_message_sender,
    COLUMN_OF_TO = COLUMN_message_receiver,
    COLUMN_OF_TOKEN = COLUMN_message_token,
    COLUMN_OF_REF = COLUMN_message_ref,
    COLUMN_OF_FLAGS = COLUMN_message_flags,
    COLUMN_OF_LEADER = COLUMN_message_group_leader,
    COLUMN_OF_MFA = COLUMN_message_mfa,
    COLUMN_OF_OPTS = COLUMN_message_opts,
    COLUMN_OF_ID = COLUMN_message_link_id,
    COLUMN_OF_RESULT = COLUMN_message_result,
    COLUMN_OF_REASON = COLUMN_message_reason,
};

static const uint16_t role_columns[DS_ROLE_COUNT] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = COLUMN_OF_##id,
#include <distsniff/roles.def>
#undef ROLE
};

static void put_op(struct rows *rows, const struct ds_message *m)
{
    const size_t at = rows->text->len;
    if (m->op != NULL) {
        database_word(rows->database, COLUMN_message_op, m->op->name);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            rows_put_term(rows, (enum database_column)role_columns[role], &m->role[role]);
        return;
    }
    if (m->code >= 0)
        ds_buffer_printf(rows->text, "op_%" PRId64, m->code);
    else
        ds_buffer_add_text(rows->text, "unknown");
    database_printed(rows->database, COLUMN_message_op, at);
    rows_put_term(rows, COLUMN_message_control, &m->control);
}

static void put_note(struct rows *rows, const struct note *note, bool has_mfa)
{
    struct database *d = rows->database;
    if (note->role == NOTE_NONE)
        return;
    database_word(d, COLUMN_message_role, note_role_name(note->role));
    database_word(d, COLUMN_message_label, note->label);
    if (note->call != 0)
        database_number(d, COLUMN_message_call, (int64_t)note->call);
    if (note->has_latency)
        database_number(d, COLUMN_message_latency_ns, note->latency_ns);
    if (note->late)
        database_number(d, COLUMN_message_late, 1);
    if (note->mod.data != NULL && !has_mfa) {
        const size_t at = rows->text->len;
        note_print_mfa_as(term_show_syntax(), note, 0, rows->text);
        database_printed(d, COLUMN_message_mfa, at);
    }
    database_escaped(d, COLUMN_message_sender_name, note->from_name);
    database_escaped(d, COLUMN_message_receiver_name, note->to_name);
}

static bool has_room(const struct rows *rows, size_t at, size_t len)
{
    return !term_show_is_large(len) && (rows->max_row == 0 || at + len <= rows->max_row);
}

static void put_etf(struct rows *rows, enum database_column column, const struct ds_term *term)
{
    const size_t at = rows->text->len;
    if (term->data == NULL || term->damaged)
        return;
    /* A separate allocation that is freed again: with cached atoms written out it may be too large. */
    struct ds_buffer etf = {0};
    const bool is_read = has_room(rows, at, term->len);
    const bool is_whole = is_read && ds_term_copy_etf(term, &etf);
    const bool is_cut = !is_read || !has_room(rows, at, etf.len);
    if (is_whole && !is_cut) {
        ds_buffer_add(rows->text, etf.data, etf.len);
        database_bytes(rows->database, column, at);
    }
    if (is_cut)
        term_show_mark_cut();
    rows->text->failed |= etf.failed;
    ds_buffer_free(&etf);
}

static void put_atoms(struct rows *rows, const struct ds_event *event)
{
    struct database *d = rows->database;
    if (event->unknown_atoms != 0)
        database_number(d, COLUMN_message_unknown_atoms, event->unknown_atoms);
    if (event->inferred_atoms != 0)
        database_number(d, COLUMN_message_inferred_atoms, event->inferred_atoms);
    if (event->likely_atoms != 0)
        database_number(d, COLUMN_message_likely_atoms, event->likely_atoms);
    if (event->address_atoms != 0)
        database_number(d, COLUMN_message_address_atoms, event->address_atoms);
}

void rows_message(struct rows *rows, const struct ds_event *event, const struct note *note)
{
    struct database *d = rows->database;
    const struct ds_message *m = &event->message;
    database_row(d, TABLE_message);
    ROWS_PUT_EVENT(rows, message, event);
    rows_put_nodes(rows, event, COLUMN_message_src, COLUMN_message_dst);
    put_op(rows, m);
    put_note(rows, note, m->role[DS_ROLE_MFA].data != NULL);
    rows_put_term(rows, COLUMN_message_term, &m->payload);
    database_number(d, COLUMN_message_size, (int64_t)m->size);
    database_number(d, COLUMN_message_fragments, m->fragments);
    database_number(d, COLUMN_message_wire_ns, m->wire_ns);
    if (m->stalled_ns != 0)
        database_number(d, COLUMN_message_stalled_ns, m->stalled_ns);
    put_atoms(rows, event);
    ROWS_PUT_FAULT(rows, message, event);
    if (rows->etf) {
        put_etf(rows, COLUMN_message_ctl, &m->control);
        put_etf(rows, COLUMN_message_msg, &m->payload);
    }
    database_end_row(d);
}

#endif
