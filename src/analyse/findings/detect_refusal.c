/*
 * detect_refusal.c - why a connection was closed in its handshake: by the last step, the end that
 * closed it, and what both ends had sent by then.
 */
#include "analyse/findings/detect_parts.h"

#include <string.h>

static struct ds_text host_of(struct ds_text name)
{
    const char *at = name.data != NULL ? memchr(name.data, '@', name.len) : NULL;
    if (at == NULL)
        return text_of(NULL, 0);
    return text_of(at + 1, name.len - (size_t)(at + 1 - name.data));
}

static bool has_dot(struct ds_text text)
{
    return text.data != NULL && memchr(text.data, '.', text.len) != NULL;
}

/* add_steps adds the steps of the handshake, and its end, to the evidence. */
static void add_steps(struct finding *f, const struct conn_watch *w, const struct ds_event *event)
{
    static const enum ds_handshake_step order[] = {
        DS_STEP_SEND_NAME, DS_STEP_STATUS, DS_STEP_CHALLENGE, DS_STEP_CHALLENGE_REPLY,
        DS_STEP_CHALLENGE_ACK};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        detect_frame(f, w->step_frame[order[i]], ds_handshake_step_name(order[i]));
    detect_frame(f, event->frame, "the close");
}

static void add_how(struct wording *wording, const struct ds_event *event, const struct conn_watch *w,
                    int closed_by)
{
    const bool reset = event->conn->link != NULL && event->conn->link->close == DS_CLOSE_RESET;
    wording_say(wording, "{closed_by}{}{since} after {step}", an_end(&event->conn->end[closed_by]),
                a_word(reset ? " reset the connection " : " closed the connection "),
                a_span(event->ts_ns - w->step_ns),
                a_word(w->last_step != DS_STEP_UNKNOWN ? ds_handshake_step_name(w->last_step)
                                                       : "it was opened"));
}

static void report_cookie(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                          int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    const int acceptor = !initiator;
    struct finding *f = detect_begin(d, FINDING_DS101, event);
    wording_say(&f->sentence, "{node} refused {peer}", an_end(&end[acceptor]), an_end(&end[initiator]));
    switch (w->cookie[initiator]) {
    case DS_COOKIE_WRONG:
        wording_say(&f->detail, "the digest of {wrong_cookie} was not made with the cookie of "
                    "--cookie-file; ", an_end(&end[initiator]));
        break;
    case DS_COOKIE_OK:
        wording_say(&f->detail, "the digest of {} was made with the cookie of --cookie-file, so "
                    "{wrong_cookie} has another; ", an_end(&end[initiator]), an_end(&end[acceptor]));
        break;
    case DS_COOKIE_UNCHECKED:
        detect_unsure(f, CERTAINTY_LIKELY, "either node's cookie, with --cookie-file");
        break;
    }
    add_how(&f->detail, event, w, acceptor);
    add_steps(f, w, event);
    detect_commit(d);
    if (w->cookie[initiator] != DS_COOKIE_OK)
        detect_guesses(d, event, initiator);
}

static void report_acks_cookie(struct detect *d, const struct ds_event *event,
                               const struct conn_watch *w, int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS101, event);
    wording_say(&f->sentence, "{node} refused {peer}", an_end(&end[initiator]), an_end(&end[!initiator]));
    wording_add(&f->detail, "the digest of the acknowledgement was not made with the cookie of "
                          "--cookie-file");
    add_steps(f, w, event);
    detect_commit(d);
}

/* report_flags names the missing flags. A status reports them, or only a close. */
static void report_flags(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                         int lacking, uint64_t missing, unsigned release)
{
    struct finding *f = detect_begin(d, FINDING_DS104, event);
    wording_say(&f->sentence, "{node} lacks capabilities that are mandatory since OTP {otp}",
                an_end(&event->conn->end[lacking]), a_number(release));
    const char *sends = ds_flags_release(w->flags[lacking]);
    if (sends != NULL)
        wording_say(&f->detail, "it sends the flags of {release}; ", a_word(sends));
    wording_add(&f->detail, "missing:");
    unsigned num = 0;
    for (unsigned bit = 0; bit < 64 && num < 8; bit++) {
        const char *name = (missing >> bit & 1) != 0 ? ds_flag_name(bit) : NULL;
        if (name != NULL) {
            wording_say(&f->detail, "{} {missing_flags}", a_word(num == 0 ? "" : ","), a_word(name));
            num++;
        }
    }
    if (event->handshake.step == DS_STEP_STATUS && event->type == DS_EVENT_HANDSHAKE) {
        detect_unsure(f, CERTAINTY_LIKELY, "the log of the other node, which names what is missing");
        detect_frame(f, w->step_frame[DS_STEP_SEND_NAME], "send_name");
        detect_frame(f, event->frame, "status");
    } else {
        add_steps(f, w, event);
    }
    detect_commit(d);
}

/* find_missing returns the flags that the peer of an end requires and the end lacks. */
static uint64_t find_missing(const struct conn_watch *w, int end, unsigned *release)
{
    static const unsigned releases[] = {25, 26};
    for (size_t i = 0; w->has_flags[end] && i < sizeof releases / sizeof releases[0]; i++) {
        const uint64_t missing = ds_flags_missing(w->flags[end], releases[i]);
        *release = releases[i];
        if (missing != 0)
            return missing;
    }
    return 0;
}

/* detect_lacking: a node answers not_allowed to a peer that lacks flags required by OTP 25. A list
 * of allowed nodes causes the same answer to a peer that lacks those of OTP 26: that is left to
 * DS113. */
bool detect_lacking(struct detect *d, const struct ds_event *event, const struct conn_watch *w)
{
    unsigned release = 0;
    const uint64_t missing = find_missing(w, !event->dir, &release);
    if (missing == 0 || release != 25)
        return false;
    if (!w->is_explained) /* not from a scanner (DS116) */
        report_flags(d, event, w, !event->dir, missing, release);
    return true;
}

/* report_name reports an initiator that rejected the name in the challenge. */
static void report_name(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                        int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    const int acceptor = !initiator;
    const struct ds_text hosts[2] = {host_of(end[initiator].node), host_of(end[acceptor].node)};
    const bool differ = hosts[0].data != NULL && hosts[1].data != NULL &&
                        has_dot(hosts[0]) != has_dot(hosts[1]);
    const struct epmd_lookup *asked = detect_find_asked(d, event->conn, event->ts_ns, false);
    struct finding *f = detect_begin(d, differ ? FINDING_DS103 : FINDING_DS102, event);
    if (differ) {
        wording_say(&f->sentence, "{node} has a {} name, {peer} a {} one", an_end(&end[initiator]),
                    a_word(has_dot(hosts[0]) ? "long" : "short"), an_end(&end[acceptor]),
                    a_word(has_dot(hosts[1]) ? "long" : "short"));
    } else {
        wording_say(&f->sentence, "{node} reached another node than it wanted: {peer}",
                    an_end(&end[initiator]), an_end(&end[acceptor]));
        const struct ds_text name = end[acceptor].node;
        const bool is_other = asked != NULL && name.data != NULL &&
                              (name.len < asked->name_len ||
                               memcmp(name.data, asked->name, asked->name_len) != 0 ||
                               (name.len > asked->name_len && name.data[asked->name_len] != '@'));
        if (is_other) {
            wording_say(&f->detail, "EPMD was asked for {name}; ",
                        a_node(text_of(asked->name, asked->name_len)));
        } else {
            detect_unsure(f, CERTAINTY_LIKELY,
                          "the log of the initiator, which has the name that it wanted");
        }
    }
    add_how(&f->detail, event, w, initiator);
    if (asked != NULL)
        detect_frame(f, asked->frame, "port2_resp");
    detect_frame(f, w->step_frame[DS_STEP_SEND_NAME], "send_name");
    detect_frame(f, w->step_frame[DS_STEP_CHALLENGE], "challenge");
    detect_frame(f, event->frame, "the close");
    detect_commit(d);
}

/* add_told names the node that was called: with TLS no node sends its name in clear. */
static void add_told(const struct detect *d, struct finding *f, const struct ds_event *event)
{
    const struct epmd_lookup *told = detect_find_told(d, &event->conn->end[1]);
    if (told == NULL || event->conn->end[1].node.data != NULL)
        return;
    wording_say(&f->detail, "; {} is {name} according to EPMD", an_end(&event->conn->end[1]),
                a_node(text_of(told->name, told->name_len)));
}

static void report_tls(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                       bool initiator_has_tls, int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS111, event);
    f->variant = initiator_has_tls;
    wording_say(&f->sentence, "{node}{}{peer}{}", an_end(&end[initiator]),
                a_word(initiator_has_tls ? " speaks TLS, but " : " speaks plain distribution, "),
                an_end(&end[!initiator]), a_word(initiator_has_tls ? " does not answer it" : " TLS"));
    if (initiator_has_tls) {
        wording_add(&f->detail, "its ClientHello was not answered");
        add_told(d, f, event);
        detect_unsure(f, CERTAINTY_LIKELY,
                      "another connection to that port, with a plain or a TLS handshake");
    }
    add_steps(f, w, event);
    detect_commit(d);
}

static void report_stalled(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                           int initiator, int64_t silent_ns)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS115, event);
    wording_say(&f->sentence, "{node} accepted the connection of {peer} but did not continue the "
                "handshake", an_end(&end[!initiator]), an_end(&end[initiator]));
    wording_say(&f->detail, "it was silent for {silent} after {step}, until the initiator stopped waiting",
                a_span(silent_ns), a_word(ds_handshake_step_name(w->last_step)));
    add_steps(f, w, event);
    if (silent_ns < ACCEPTOR_NS) /* the initiator may have ended */
        detect_unsure(f, CERTAINTY_LIKELY, "net_setuptime of the initiator, and its log");
    detect_commit(d);
}

/* on_left reports an initiator that closed before it got an answer, even if one came then. */
static void on_left(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                    int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS119, event);
    wording_say(&f->sentence, "{node} closed the connection with {peer} during the handshake, after "
                "send_name", an_end(&end[initiator]), an_end(&end[!initiator]));
    wording_say(&f->detail, "it waited {waited} for an answer", a_span(w->left_ns));
    add_steps(f, w, event);
    detect_commit(d);
}

static void report_other(struct detect *d, const struct ds_event *event, const struct conn_watch *w,
                         int closed_by)
{
    struct finding *f = detect_begin(d, FINDING_DS119, event);
    wording_say(&f->sentence, "{node} closed the connection with {peer} during the handshake, after "
                "{step}", an_end(&event->conn->end[closed_by]), an_end(&event->conn->end[!closed_by]),
                a_word(ds_handshake_step_name(w->last_step)));
    add_how(&f->detail, event, w, closed_by);
    if (closed_by == w->step_end && event->ts_ns - w->step_ns >= STALLED_NS)
        wording_say(&f->detail, ": {peer} had not continued, or did not get it; {node} reached its "
                    "net_setuptime, or stopped for another reason",
                    an_end(&event->conn->end[!closed_by]), an_end(&event->conn->end[closed_by]));
    if (event->ts_ns - w->opened_ns >= STALLED_NS)
        wording_say(&f->detail, "; the whole attempt took {lasted}", a_span(event->ts_ns - w->opened_ns));
    add_steps(f, w, event);
    detect_commit(d);
}

/* report_certificate looks for an alert (RFC 8446, section 6) about a certificate. It ignores an
 * alert before both hellos, as no certificate can have been shown. False: there is none. */
static bool report_certificate(struct detect *d, const struct ds_event *event)
{
    enum { BAD_CERTIFICATE = 42, CERTIFICATE_UNKNOWN = 46, UNKNOWN_CA = 48, REQUIRED = 116 };
    const struct ds_tls *tls = event->conn->tls;
    for (int end = 0; end < 2; end++) {
        const unsigned code = tls->alert_code[end];
        if (!tls->has_alert[end] || !((code >= BAD_CERTIFICATE && code <= CERTIFICATE_UNKNOWN) ||
                                      code == UNKNOWN_CA || code == REQUIRED) ||
            !tls->has_hello[0] || !tls->has_hello[1])
            continue;
        struct finding *f = detect_begin(d, FINDING_DS112, event);
        wording_say(&f->sentence, "{node} refused the certificate of {peer}",
                    an_end(&event->conn->end[end]), an_end(&event->conn->end[!end]));
        wording_say(&f->detail, "TLS alert {}", a_word(tls->alert[end] != NULL ? tls->alert[end] : ""));
        add_told(d, f, event);
        if (tls->valid_until[!end] == 0)
            detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that sent the alert");
        detect_frame(f, event->frame, "the close");
        detect_commit(d);
        return true;
    }
    return false;
}

/* ends_sealed says whether an end answered in TLS 1.3 only with an alert, as far as its length
 * shows. The alert is encrypted, but at that point it is nearly always about the certificate. */
static bool ends_sealed(const struct ds_tls *tls, int end)
{
    return tls->answers[end] == 1 && tls->ends_like_alert[end] && !tls->has_alert[end] &&
           tls->has_hello[0] && tls->has_hello[1];
}

static void report_sealed(struct detect *d, const struct ds_event *event)
{
    const struct ds_tls *tls = event->conn->tls;
    const int end = ends_sealed(tls, 0) ? 0 : 1;
    if (!ends_sealed(tls, end))
        return;
    struct finding *f = detect_begin(d, FINDING_DS112, event);
    wording_say(&f->sentence, "{node} refused the certificate of {peer}",
                an_end(&event->conn->end[end]), an_end(&event->conn->end[!end]));
    wording_add(&f->detail, "its only answer was an encrypted record as long as an alert");
    add_told(d, f, event);
    detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that sent the alert, or --keylog-file");
    detect_frame(f, event->frame, "the close");
    detect_commit(d);
}

/* report_step explains why an end closed the connection after this step. */
static void report_step(struct detect *d, const struct ds_event *event, struct conn_watch *w, int initiator,
                        int closed_by)
{
    const bool by_initiator = closed_by == initiator;
    const int64_t waited_ns = event->ts_ns - w->step_ns;
    unsigned release = 0;
    uint64_t missing;
    switch (w->last_step) {
    case DS_STEP_SEND_NAME:
        missing = find_missing(w, initiator, &release);
        if (!by_initiator && missing != 0)
            report_flags(d, event, w, initiator, missing, release);
        else if (by_initiator && waited_ns >= STALLED_NS)
            report_stalled(d, event, w, initiator, waited_ns);
        else
            report_other(d, event, w, closed_by);
        return;
    case DS_STEP_CHALLENGE:
        missing = find_missing(w, !initiator, &release);
        if (by_initiator && missing != 0)
            report_flags(d, event, w, !initiator, missing, release);
        else if (by_initiator && waited_ns < STALLED_NS) /* immediately: it did not wait */
            report_name(d, event, w, initiator);
        else
            report_other(d, event, w, closed_by);
        return;
    case DS_STEP_CHALLENGE_REPLY:
        if (!by_initiator)
            report_cookie(d, event, w, initiator);
        else if (waited_ns >= STALLED_NS)
            report_stalled(d, event, w, initiator, waited_ns);
        else
            report_other(d, event, w, closed_by);
        return;
    case DS_STEP_CHALLENGE_ACK:
        if (by_initiator && w->cookie[!initiator] == DS_COOKIE_WRONG)
            report_acks_cookie(d, event, w, initiator);
        return;
    case DS_STEP_STATUS:
        if (by_initiator && waited_ns >= STALLED_NS) {
            report_stalled(d, event, w, initiator, waited_ns);
            return;
        }
        report_other(d, event, w, closed_by);
        return;
    case DS_STEP_UNKNOWN: /* no handshake at all: the client is no node */
        detect_scan_end(d, event);
        return;
    default:
        report_other(d, event, w, closed_by);
    }
}

/* detect_refusal reports why an end closed a connection in its handshake. */
void detect_refusal(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_conn *conn = event->conn;
    const struct ds_tcp_stats *link = conn->link;
    const int closed_by = link != NULL && link->closed_by >= 0 ? link->closed_by : -1;
    const int initiator = w->initiator >= 0 ? w->initiator : 0;
    if (closed_by < 0 || w->is_explained || (closed_by == initiator && detect_gave_way(d, conn)))
        return;
    if (w->alert) {
        report_tls(d, event, w, false, initiator);
        return;
    }
    if (ds_tcp_unseen(link) >= 0)
        return; /* the messages of the other end are unknown */
    if (conn->tls != NULL && w->last_step == DS_STEP_UNKNOWN) {
        if (link->side[1].data_bytes == 0)
            report_tls(d, event, w, true, 0);
        else if (!report_certificate(d, event))
            report_sealed(d, event);
        return;
    }
    if (w->is_refused || w->is_up || conn->counters[initiator].bytes == 0)
        return;
    if (w->left_ns != 0) {
        on_left(d, event, w, initiator);
        return;
    }
    report_step(d, event, w, initiator, closed_by);
}
