/*
 * detect_handshake.c - findings from the steps of a handshake as it goes on: refusals, well-known
 * cookies, scanners. It also records the steps for the end of the handshake (detect_refusal.c).
 */
#include "analyse/findings/detect_parts.h"

#include <string.h>

/* Default cookies of products, and cookies from examples. */
static const char *const known_cookies[] = {
    "monster", "emqxsecretcookie", "emqx_dist_cookie", "rabbit", "rabbitmq", "RABBITMQ",
    "vmq", "ejabberd", "couchdb", "riak", "cookie", "changeme", "secret_cookie", "mycookie",
};

static bool status_is(struct ds_text status, const char *text)
{
    return status.data != NULL && status.len == strlen(text) &&
           memcmp(status.data, text, status.len) == 0;
}

/* begin_alive begins the finding that the acceptor still has an old connection, which the initiator
 * has lost or does not want to replace. */
static struct finding *begin_alive(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    const bool is_replaced = status_is(event->handshake.status, "true");
    struct finding *f = detect_begin(d, FINDING_DS118, event);
    f->variant = is_replaced;
    wording_say(&f->sentence, "{node}{}{peer}", an_end(&end[!event->dir]),
                a_word(is_replaced ? " still held an old connection with " : " has a connection with "),
                an_end(&end[event->dir]));
    if (!is_replaced) {
        wording_add(&f->sentence, " already");
        wording_add(&f->detail, "so the new one is closed");
        return f;
    }
    f->severity = SEVERITY_NOTE;
    wording_say(&f->detail, "{peer} had lost it (no close arrived), and replaces it",
                an_end(&end[event->dir]));
    return f;
}

/* on_status reports a refusal. */
static void on_status(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_endpoint *end = event->conn->end;
    const struct ds_handshake *h = &event->handshake;
    struct finding *f;
    if (status_is(h->status, "not_allowed") && detect_lacking(d, event, w)) {
        w->is_refused = true;
        return;
    }
    if (status_is(h->status, "not_allowed")) {
        f = detect_begin(d, FINDING_DS113, event);
        wording_say(&f->sentence, "{node} does not allow {peer} to connect", an_end(&end[event->dir]),
                    an_end(&end[!event->dir]));
    } else if (h->step == DS_STEP_STATUS_REPLY &&
               (status_is(h->status, "false") || status_is(h->status, "true"))) {
        detect_idle_held(d, event, !event->dir);
        f = begin_alive(d, event);
    } else {
        w->is_nok = status_is(h->status, "nok");
        w->is_refused = w->is_nok;
        if (w->is_nok || status_is(h->status, "ok_simultaneous"))
            detect_dialled(d, event, !w->is_nok);
        return;
    }
    w->is_refused = f->severity != SEVERITY_NOTE;
    detect_frame(f, w->step_frame[DS_STEP_SEND_NAME], "send_name");
    detect_frame(f, w->step_frame[DS_STEP_STATUS], "status");
    if (h->step == DS_STEP_STATUS_REPLY)
        detect_frame(f, event->frame, "status_reply");
    detect_commit(d);
}

static void check_known_cookies(struct detect *d, const struct ds_event *event,
                                const struct conn_watch *w)
{
    const struct ds_handshake *h = &event->handshake;
    if (!h->has_digest || !w->has_challenge[!event->dir])
        return;
    for (size_t i = 0; i < sizeof known_cookies / sizeof known_cookies[0]; i++) {
        const struct ds_text cookie = {known_cookies[i], strlen(known_cookies[i])};
        if (ds_cookie_check(cookie, w->challenge[!event->dir], h->digest) != DS_COOKIE_OK)
            continue;
        struct finding *f = detect_begin(d, FINDING_DS117, event);
        wording_say(&f->sentence, "{node} uses a well-known cookie",
                    an_end(&event->conn->end[event->dir]));
        detect_frame(f, event->frame, ds_handshake_step_name(h->step));
        detect_commit(d);
        return;
    }
}

/* is_scanners says whether no node sends this send_name: it lacks flags that every node has and its
 * name is one letter repeated, or there are no flags at all. */
static bool is_scanners(const struct ds_handshake *h)
{
    if (!h->has_flags || h->name.data == NULL || h->name.len < 3 || h->version == 0)
        return false;
    if (h->flags == 0)
        return true;
    size_t same = 0;
    while (same < h->name.len && h->name.data[same] == h->name.data[0])
        same++;
    return same >= 4 && same < h->name.len && h->name.data[same] == '@';
}

static void on_send_name(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_handshake *h = &event->handshake;
    w->initiator = event->dir;
    if (!is_scanners(h))
        return;
    struct finding *f = detect_begin(d, FINDING_DS116, event);
    wording_say(&f->sentence, "{address} sends a send_name that no real node sends",
                an_addr(&event->conn->end[event->dir].addr));
    wording_say(&f->detail, "its name is {name}", a_node(h->name));
    detect_frame(f, event->frame, "send_name");
    detect_unsure(f, CERTAINTY_LIKELY, "the owner of that address");
    detect_commit(d);
    w->is_explained = true;
}

/* has_tls_alert says whether a malformed answer to a handshake message is a TLS alert or handshake. */
static bool has_tls_alert(const struct ds_event *event, const struct conn_watch *w)
{
    return w->step_frame[DS_STEP_SEND_NAME] != 0 && event->dir != w->initiator &&
           event->fault.kind == DS_FAULT_MALFORMED && event->bytes != NULL &&
           event->bytes_len >= 3 && (event->bytes[0] == 21 || event->bytes[0] == 22) &&
           event->bytes[1] == 3 && event->bytes[2] <= 4;
}

void detect_handshake(struct detect *d, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL)
        return;
    if (h->has_flags) {
        w->flags[event->dir] = h->flags;
        w->has_flags[event->dir] = true;
    }
    if (h->version != 0)
        w->version[event->dir] = h->version;
    if (h->has_digest) {
        w->cookie[event->dir] = h->cookie;
        check_known_cookies(d, event, w);
    }
    if (h->has_challenge) {
        w->challenge[event->dir] = h->challenge;
        w->has_challenge[event->dir] = true;
    }
    if (h->step != DS_STEP_UNKNOWN && event->fault.kind == DS_FAULT_NONE) {
        w->step_frame[h->step] = event->frame;
        w->last_step = h->step;
        w->step_end = event->dir;
        w->step_ns = event->ts_ns;
    }
    w->alert |= has_tls_alert(event, w);
    if (h->step == DS_STEP_SEND_NAME && event->fault.kind == DS_FAULT_NONE)
        on_send_name(d, event, w);
    else if (h->step == DS_STEP_STATUS || h->step == DS_STEP_STATUS_REPLY)
        on_status(d, event, w);
}
