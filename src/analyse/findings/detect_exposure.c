/*
 * detect_exposure.c - findings of family 4: what outsiders can see or do.
 */
#include "analyse/findings/detect.h"

#include "record/danger.h"
#include "record/refresh_code.h"

static void on_up(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const enum addr_scope scope[2] = {addr_scope_of(&conn->end[0].addr), addr_scope_of(&conn->end[1].addr)};
    if (danger_is_one_host(conn) || conn->tls != NULL)
        return;
    struct finding *f = detect_begin(d, FINDING_DS401, event);
    const bool is_public = scope[0] == ADDR_PUBLIC || scope[1] == ADDR_PUBLIC;
    f->variant = is_public;
    wording_add(&f->sentence, is_public ? "links over public addresses have no TLS"
                                        : "links between hosts have no TLS");
    if (is_public)
        f->severity = SEVERITY_WARNING;
    for (unsigned end = 0; end < 2; end++)
        wording_say(&f->detail, "{}{nodes} ({addresses}",
                    a_word(end == 0 ? "first seen between " : ") and "),
                    an_end(&conn->end[end]), an_addr(&conn->end[end].addr));
    wording_add(&f->detail, ")");
    detect_frame(f, event->frame, "up");
    detect_commit(d);
}

static void on_names(struct detect *d, const struct ds_event *event)
{
    const struct ds_addr *to = &event->conn->end[!event->dir].addr;
    if (addr_scope_of(to) != ADDR_PUBLIC || event->epmd.num_nodes == 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS402, event);
    wording_say(&f->sentence, "EPMD of {epmd} sent the names of its nodes to {address}",
                an_addr(&event->conn->end[event->dir].addr), an_addr(to));
    detect_frame(f, event->frame, "names_resp");
    detect_commit(d);
}

static void on_handshake(struct detect *d, const struct ds_event *event)
{
    if (event->handshake.step != DS_STEP_SEND_NAME || !danger_is_old(&event->handshake))
        return;
    struct finding *f = detect_begin(d, FINDING_DS405, event);
    wording_say(&f->sentence, "{node} uses the old handshake, version 5",
                an_end(&event->conn->end[event->dir]));
    detect_frame(f, event->frame, "send_name");
    detect_commit(d);
}

/* --- code that is run, and text that is sent --- */

static bool is_hidden(struct detect *d, const struct ds_event *event)
{
    const uint64_t published = 1;
    const struct conn_watch *w = detect_watch(d, event->conn);
    return w != NULL && w->has_flags[event->dir] && (w->flags[event->dir] & published) == 0;
}

/* has_fun says whether a spawn request runs a fun that was sent: [Fun | _] or [_, Fun | _]. */
static bool has_fun(const struct ds_message *m)
{
    enum { FUN_EXT = 112, LOOK_AT = 2 };
    struct ds_term_list args;
    struct ds_term arg;
    if (ds_message_kind(m) != DS_KIND_SPAWN || !ds_term_get_list(&m->payload, &args))
        return false;
    for (int i = 0; i < LOOK_AT && ds_term_list_next(&args, &arg); i++) {
        if (arg.len != 0 && arg.data[0] == FUN_EXT)
            return true;
    }
    return false;
}

static void report_code(struct detect *d, const struct record *record, const char *what,
                        struct ds_text mod, struct ds_text fun)
{
    const struct ds_event *event = record->event;
    struct finding *f = detect_begin(d, FINDING_DS403, event);
    wording_say(&f->sentence, "{node} {action} on {peer}", an_end(&event->conn->end[event->dir]),
                a_word(what), an_end(&event->conn->end[!event->dir]));
    if (mod.data != NULL)
        wording_say(&f->sentence, ": {function}", a_function(mod, fun));
    if (record->note.label != NULL)
        wording_say(&f->detail, "by {label}", a_label(record->note.label));
    if (is_hidden(d, event))
        wording_say(&f->detail, "{}from a hidden node", a_word(f->detail.len != 0 ? ", " : ""));
    detect_frame(f, event->frame, "the request");
    detect_commit(d);
}

/* report_refresh makes it a note: distsniff itself advised this. */
static void report_refresh(struct detect *d, const struct ds_event *event)
{
    struct finding *f = detect_begin(d, FINDING_DS403, event);
    f->severity = SEVERITY_NOTE;
    f->advice = "Nothing, if you have run it. All atoms are known from then on.";
    wording_add(&f->sentence, "nodes run the code of distsniff --print-refresh");
    wording_say(&f->detail, "first {node} on {peer}", an_end(&event->conn->end[event->dir]),
                an_end(&event->conn->end[!event->dir]));
    detect_frame(f, event->frame, "the request");
    detect_commit(d);
}

static __attribute__((noinline)) void take_code(struct detect *d, const struct record *record)
{
    const struct note *note = &record->note;
    struct ds_text mod, fun;
    if (note->mod.data != NULL && ds_term_get_atom(&note->mod, &mod) &&
        ds_term_get_atom(&note->fun, &fun)) {
        const struct danger *danger = danger_find(mod, fun);
        if (danger != NULL && danger->runs && refresh_code_is(&note->args))
            report_refresh(d, record->event);
        else if (danger != NULL && danger->runs)
            report_code(d, record, danger->what, mod, fun);
    } else if (has_fun(&record->event->message) && is_hidden(d, record->event)) {
        report_code(d, record, "runs its own fun", text_of(NULL, 0), text_of(NULL, 0));
    }
}

static __attribute__((noinline)) void take_cookie(struct detect *d, const struct ds_event *event)
{
    struct finding *f = detect_begin(d, FINDING_DS404, event);
    wording_say(&f->sentence, "{node} sends the cookie in messages",
                an_end(&event->conn->end[event->dir]));
    wording_add(&f->detail, "as nodes before OTP 21 do");
    detect_frame(f, event->frame, "such a message");
    detect_commit(d);
}

/* Usual keys of secrets. */
static const struct ds_text secret_keys[] = {
#define KEY(word) {word, sizeof(word) - 1}
    KEY("password"),    KEY("passwd"),        KEY("passphrase"), KEY("secret"),
    KEY("secret_key"),  KEY("client_secret"), KEY("api_key"),    KEY("private_key"),
    KEY("auth_token"),  KEY("access_token"),
#undef KEY
};

/* take_secret looks for keys whose values are secrets, in unencrypted messages. */
static __attribute__((noinline)) void take_secret(struct detect *d, const struct ds_event *event)
{
    const int key = ds_term_find_key(&event->message.payload, secret_keys,
                                     sizeof secret_keys / sizeof secret_keys[0]);
    if (key < 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS404, event);
    wording_say(&f->sentence, "{node} sends a value named {name} to {peer}, unencrypted",
                an_end(&event->conn->end[event->dir]), a_word(secret_keys[key].data),
                an_end(&event->conn->end[!event->dir]));
    detect_frame(f, event->frame, "such a message");
    detect_unsure(f, CERTAINTY_LIKELY,
                  "a look at the value (--redact removes it before you share a capture)");
    detect_commit(d);
}

/* is_seen says whether the messages of a connection leave the host. */
static bool is_seen(struct detect *d, const struct ds_conn *conn)
{
    if (d->place.conn != conn->number) {
        d->place.conn = conn->number;
        d->place.is_one_host = danger_is_one_host(conn);
    }
    return !d->place.is_one_host;
}

void detect_exposure_message(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (danger_is_run(&record->note))
        take_code(d, record);
    if (event->conn->tls != NULL)
        return; /* it is encrypted */
    if (danger_has_cookie(&event->message))
        take_cookie(d, event);
    if (event->message.payload.data != NULL && is_seen(d, event->conn))
        take_secret(d, event);
}

void detect_exposure(struct detect *d, const struct ds_event *event)
{
    if (event->type == DS_EVENT_CONN &&
        (event->change.state == DS_CONN_UP || event->change.state == DS_CONN_JOINED_LATE))
        on_up(d, event);
    else if (event->type == DS_EVENT_EPMD && event->epmd.op == DS_EPMD_NAMES_RESP)
        on_names(d, event);
    else if (event->type == DS_EVENT_HANDSHAKE)
        on_handshake(d, event);
}
