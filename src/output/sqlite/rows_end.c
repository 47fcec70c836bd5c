/*
 * rows_end.c - ends and findings as rows: calls, monitors and links, findings, losses. See rows.h.
 */
#ifdef DISTSNIFF_SQLITE

#include "output/sqlite/rows.h"

#include "core/term_show.h"
#include "output/finding_json.h"

#include <string.h>

struct party_columns {
    enum database_column node, name, process;
};

/* put_party sets a process: one without a registered name may have a title. */
static void put_party(struct rows *rows, const struct party *party, const struct party_columns *to)
{
    struct database *d = rows->database;
    database_escaped(d, to->node, party->node);
    if (party->name.data != NULL && !party->is_for)
        database_escaped(d, to->name, party->name);
    else if (party->titles != NULL && party->titles->num != 0)
        database_escaped(d, to->name, party->titles->text[0]);
    if (party->has_pid) {
        const size_t at = rows->text->len;
        party_print_pid(term_show_syntax(), party, rows->text);
        database_printed(d, to->process, at);
    }
}

static void put_function(struct rows *rows, const struct call *call)
{
    const struct note note = {.mod = call->mod, .fun = call->fun};
    size_t at = rows->text->len;
    if (call->mfa.data == NULL)
        return;
    call_print_mfa_as(term_show_syntax(), call, rows->text);
    database_printed(rows->database, COLUMN_call_mfa, at);
    const size_t len = rows->text->len - at;
    const char *mfa = len != 0 ? rows->text->data + at : "";
    const char *end = memchr(mfa, '(', len);
    const size_t name_len = end != NULL ? (size_t)(end - mfa) : len;
    at = rows->text->len;
    if (call->mod.data != NULL)
        note_print_function(&note, rows->text);
    else if (ds_buffer_reserve(rows->text, name_len))
        ds_buffer_add(rows->text, rows->text->data + at - len, name_len);
    database_printed(rows->database, COLUMN_call_function, at);
}

void rows_call(struct rows *rows, const struct call *call)
{
    static const struct party_columns caller = {COLUMN_call_caller_node, COLUMN_call_caller_name,
                                                COLUMN_call_caller};
    static const struct party_columns callee = {COLUMN_call_callee_node, COLUMN_call_callee_name,
                                                COLUMN_call_callee};
    struct database *d = rows->database;
    database_row(d, TABLE_call);
    database_number(d, COLUMN_call_call, (int64_t)call->number);
    database_number(d, COLUMN_call_start_ns, call->start_ns);
    database_number(d, COLUMN_call_end_ns, call->end_ns);
    if (call_has_end(call) && call_was_sent(call))
        database_number(d, COLUMN_call_latency_ns, call->end_ns - call->start_ns);
    database_number(d, COLUMN_call_start_frame, (int64_t)call->start_frame);
    database_number(d, COLUMN_call_end_frame, (int64_t)call->end_frame);
    database_number(d, COLUMN_call_conn, (int64_t)call->conn);
    database_word(d, COLUMN_call_label, call->label);
    put_party(rows, &call->caller, &caller);
    put_party(rows, &call->callee, &callee);
    put_function(rows, call);
    rows_put_term(rows, COLUMN_call_request, &call->request);
    if (call->request.data == NULL)
        database_number(d, COLUMN_call_request_bytes, (int64_t)call->request_len);
    database_word(d, COLUMN_call_outcome, call_outcome_name(call->outcome));
    if (call->certainty != CERTAINTY_SURE)
        database_word(d, COLUMN_call_certainty, certainty_name(call->certainty));
    if (call->likely_atoms != 0)
        database_number(d, COLUMN_call_likely_atoms, call->likely_atoms);
    rows_put_term(rows, COLUMN_call_result, &call->result);
    database_word(d, COLUMN_call_class, call->error_class);
    rows_put_term(rows, COLUMN_call_reason, &call->reason);
    if (call->parent != 0)
        database_number(d, COLUMN_call_parent, (int64_t)call->parent);
    if (call->parent_ambiguous)
        database_number(d, COLUMN_call_parent_ambiguous, 1);
    if (call->parent_inferred)
        database_number(d, COLUMN_call_parent_inferred, 1);
    database_end_row(d);
}

void rows_monitor(struct rows *rows, const struct monitor_end *m)
{
    static const struct party_columns watcher = {
        COLUMN_monitor_watcher_node, COLUMN_monitor_watcher_name, COLUMN_monitor_watcher};
    static const struct party_columns target = {COLUMN_monitor_target_node,
                                                COLUMN_monitor_target_name, COLUMN_monitor_target};
    struct database *d = rows->database;
    database_row(d, TABLE_monitor);
    database_word(d, COLUMN_monitor_kind, m->is_link ? "link" : "monitor");
    database_number(d, COLUMN_monitor_start_ns, m->start_ns);
    database_number(d, COLUMN_monitor_end_ns, m->end_ns);
    database_number(d, COLUMN_monitor_start_frame, (int64_t)m->start_frame);
    database_number(d, COLUMN_monitor_end_frame, (int64_t)m->end_frame);
    database_number(d, COLUMN_monitor_conn, (int64_t)m->conn);
    put_party(rows, &m->watcher, &watcher);
    put_party(rows, &m->target, &target);
    if (m->num_ref_words != 0) {
        const size_t at = rows->text->len;
        monitor_print_ref(m, rows->text);
        database_printed(d, COLUMN_monitor_ref, at);
    }
    database_word(d, COLUMN_monitor_outcome, monitor_outcome_name(m->outcome));
    rows_put_term(rows, COLUMN_monitor_reason, &m->reason);
    database_end_row(d);
}

static void put_words(struct rows *rows, enum database_column column, const struct wording *wording)
{
    const size_t at = rows->text->len;
    if (wording->len == 0)
        return;
    wording_print(wording, rows->text);
    database_printed(rows->database, column, at);
}

static void put_params(struct rows *rows, const struct finding *f)
{
    const size_t at = rows->text->len;
    if (!finding_has_params(f))
        return;
    finding_params_print(f, rows->text);
    database_printed(rows->database, COLUMN_finding_params, at);
}

static void evidence_row(struct rows *rows, const struct finding *f, size_t set, unsigned packet)
{
    enum { IDS_OF_ONE = 64, IDS_OF_SET = 16 };
    _Static_assert((int)FINDING_SETS * IDS_OF_SET <= (int)IDS_OF_ONE &&
                       (int)FINDING_FRAMES <= (int)IDS_OF_SET, "ids are unique");
    struct database *d = rows->database;
    const struct evidence *e = &f->evidence[set];
    database_row(d, TABLE_evidence);
    database_number(d, COLUMN_evidence_id,
                    (int64_t)f->number * IDS_OF_ONE + (int64_t)set * IDS_OF_SET + packet);
    database_number(d, COLUMN_evidence_finding, (int64_t)f->number);
    if (e->conn != 0)
        database_number(d, COLUMN_evidence_conn, (int64_t)e->conn);
    database_number(d, COLUMN_evidence_frame, (int64_t)e->packet[packet].frame);
    database_word(d, COLUMN_evidence_what, e->packet[packet].what);
    database_end_row(d);
}

/* checked_row numbers the rows of checks from the greatest number down. */
static void checked_row(struct rows *rows, const struct finding *f)
{
    struct database *d = rows->database;
    database_row(d, TABLE_checked);
    database_number(d, COLUMN_checked_id, (int64_t)(UINT64_MAX - f->number));
    database_word(d, COLUMN_checked_severity, severity_name(f->severity));
    put_words(rows, COLUMN_checked_text, &f->sentence);
    database_end_row(d);
}

void rows_finding(struct rows *rows, const struct finding *f)
{
    struct database *d = rows->database;
    if (f->kind == NULL) {
        checked_row(rows, f);
        return;
    }
    database_row(d, TABLE_finding);
    database_number(d, COLUMN_finding_id, (int64_t)f->number);
    database_word(d, COLUMN_finding_code, f->kind->code);
    database_word(d, COLUMN_finding_severity, severity_name(f->severity));
    database_word(d, COLUMN_finding_certainty, certainty_name(f->certainty));
    database_word(d, COLUMN_finding_proof, f->proof);
    database_word(d, COLUMN_finding_title, f->kind->title);
    put_words(rows, COLUMN_finding_text, &f->sentence);
    put_words(rows, COLUMN_finding_detail, &f->detail);
    put_params(rows, f);
    database_word(d, COLUMN_finding_advice, finding_advice(f));
    database_number(d, COLUMN_finding_count, (int64_t)f->count);
    database_number(d, COLUMN_finding_first_ns, f->first_ns);
    database_number(d, COLUMN_finding_last_ns, f->last_ns);
    database_escaped(d, COLUMN_finding_node, finding_node(f, 0));
    database_escaped(d, COLUMN_finding_other_node, finding_node(f, 1));
    database_word(d, COLUMN_finding_rank, finding_rank_name(f->kind->rank));
    database_number(d, COLUMN_finding_place, finding_place(f));
    database_end_row(d);
    for (size_t i = 0; i < f->num_evidence; i++) {
        for (unsigned j = 0; j < f->evidence[i].num; j++)
            evidence_row(rows, f, i, j);
    }
}

void rows_lost(struct rows *rows, const struct loss *loss)
{
    struct database *d = rows->database;
    database_row(d, TABLE_lost);
    database_number(d, COLUMN_lost_first_ns, loss->first_ns);
    database_number(d, COLUMN_lost_last_ns, loss->last_ns);
    database_word(d, COLUMN_lost_cause, loss_cause_name(loss->cause));
    database_word(d, COLUMN_lost_unit, loss_unit(loss->cause));
    database_number(d, COLUMN_lost_count, (int64_t)loss->count);
    if (loss->messages != 0)
        database_number(d, COLUMN_lost_messages, (int64_t)loss->messages);
    database_end_row(d);
}

#endif
