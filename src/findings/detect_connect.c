/*
 * detect_connect.c - findings of family 1: why nodes do not come to be connected. From EPMD's
 * answers, the steps of handshakes, and how connections end that never came up.
 */
#include "detect.h"

#include "hash.h"

#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define EPMD_PATIENCE_NS (2 * SECOND) /* a node that finds no EPMD starts one */
#define ACCEPTOR_NS (5 * SECOND)      /* an initiator waits for 7 s by default */
#define ASKED_NS (60 * SECOND)        /* an answer of EPMD is used at once, or soon */

/* Cookies that products have shipped with, and examples have. */
static const char *const known_cookies[] = {
    "monster", "emqxsecretcookie", "emqx_dist_cookie", "rabbit", "rabbitmq", "RABBITMQ",
    "vmq", "ejabberd", "couchdb", "riak", "cookie", "changeme", "secret_cookie", "mycookie",
};

static bool is_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* --- what EPMD says --- */

static uint32_t hash_port(uint16_t port)
{
    const uint64_t key = port;
    return hash_key(&key, sizeof key);
}

static void note_asked(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const int server = event->dir; /* it answers */
    if (epmd->name.data == NULL || epmd->name.len > sizeof((struct asked *)NULL)->name)
        return;
    if (table_is_full(&d->asked))
        table_remove(&d->asked, table_oldest(&d->asked));
    struct asked *a = table_add(&d->asked, hash_port(epmd->port));
    if (a == NULL) {
        d->no_memory++;
        return;
    }
    a->client = event->conn->end[!server].addr;
    a->server = event->conn->end[server].addr;
    a->port = epmd->port;
    a->ts_ns = event->ts_ns;
    a->frame = event->frame;
    a->conn = event->conn->number;
    a->name_len = epmd->name.len;
    memcpy(a->name, epmd->name.data, epmd->name.len);
}

/* find_asked finds the latest answer of EPMD that led to this connection. */
static const struct asked *find_asked(const struct detect *d, const struct ds_conn *conn,
                                      int64_t ts_ns, bool other_family)
{
    const struct ds_endpoint *to = &conn->end[1];
    const struct asked *best = NULL;
    for (struct asked *a = table_first(&d->asked, hash_port(to->port)); a != NULL;
         a = table_next(&d->asked, a)) {
        const bool fits = other_family ? a->server.family != to->addr.family
                                       : is_same_addr(&a->server, &to->addr) &&
                                             is_same_addr(&a->client, &conn->end[0].addr);
        if (a->port == to->port && fits && ts_ns - a->ts_ns < ASKED_NS &&
            (best == NULL || a->ts_ns > best->ts_ns))
            best = a;
    }
    return best;
}

static void take_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    struct watched *w = detect_watch(d, event->conn);
    struct finding *f;
    if (w == NULL)
        return;
    switch (epmd->op) {
    case DS_EPMD_PORT_PLEASE2_REQ:
    case DS_EPMD_ALIVE2_REQ:
        w->asked_len = epmd->name.len < sizeof w->asked ? epmd->name.len : sizeof w->asked;
        if (w->asked_len != 0)
            memcpy(w->asked, epmd->name.data, w->asked_len);
        w->step_frame[0] = event->frame;
        break;
    case DS_EPMD_PORT2_RESP:
        if (epmd->result == 0) {
            note_asked(d, event);
            break;
        }
        f = detect_begin(d, FINDING_DS107, event);
        wording_add(&f->sentence, "no node ");
        wording_put(&f->sentence, WORD_NODE, text_of(w->asked, w->asked_len));
        wording_add(&f->sentence, " is registered at EPMD of ");
        wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
        wording_add(&f->detail, "asked by ");
        wording_addr(&f->detail, &event->conn->end[!event->dir].addr);
        detect_frame(f, w->step_frame[0], "port_please2_req");
        detect_frame(f, event->frame, "port2_resp");
        detect_commit(d);
        break;
    case DS_EPMD_ALIVE2_RESP:
    case DS_EPMD_ALIVE2_X_RESP:
        if (epmd->result == 0)
            break;
        f = detect_begin(d, FINDING_DS108, event);
        wording_add(&f->sentence, "EPMD of ");
        wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
        wording_add(&f->sentence, " has another node by the name ");
        wording_put(&f->sentence, WORD_NODE, text_of(w->asked, w->asked_len));
        detect_frame(f, w->step_frame[0], "alive2_req");
        detect_frame(f, event->frame, "alive2_resp");
        detect_commit(d);
        break;
    default:
        break;
    }
    /* It can be reached, after all. */
    for (size_t i = 0; i < MAX_REFUSED && d->has_refused; i++) {
        if (d->refused[i].is_used &&
            is_same_addr(&d->refused[i].server, &event->conn->end[1].addr))
            d->refused[i].is_used = false;
    }
}

static const char *failure_text(const struct ds_conn *conn, char *out, size_t size)
{
    const struct ds_link *link = conn->link;
    switch (link != NULL ? link->close : DS_CLOSE_NOT) {
    case DS_CLOSE_RESET:
        return "is refused";
    case DS_CLOSE_ICMP:
        snprintf(out, size, "is answered by ICMP: %s", link->icmp != NULL ? link->icmp : "an error");
        return out;
    default:
        return "goes unanswered";
    }
}

static void take_no_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    struct refused *r = &d->refused[0];
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        if (!d->refused[i].is_used) {
            r = &d->refused[i];
            break;
        }
    }
    char text[sizeof r->why];
    d->has_refused = true;
    *r = (struct refused){.is_used = true,
                          .client = conn->end[0].addr,
                          .server = conn->end[1].addr,
                          .port = conn->end[1].port,
                          .ts_ns = event->ts_ns,
                          .frame = event->frame,
                          .conn = conn->number};
    snprintf(r->why, sizeof r->why, "%s", failure_text(conn, text, sizeof text));
}

static void report_no_epmd(struct detect *d, struct refused *r)
{
    struct finding *f = detect_begin(d, FINDING_DS106, NULL);
    r->is_used = false;
    f->evidence[0].conn = r->conn;
    f->evidence[0].ts_ns = r->ts_ns;
    wording_add(&f->sentence, "a connection to EPMD of ");
    wording_addr(&f->sentence, &r->server);
    wording_printf(&f->sentence, " %s", r->why);
    wording_add(&f->detail, "tried by ");
    wording_addr(&f->detail, &r->client);
    detect_frame(f, r->frame, "the end of the attempt");
    detect_commit(d);
}

/* --- connections that never came about --- */

static void take_unreachable(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct asked *asked = find_asked(d, conn, event->ts_ns, false);
    const struct asked *other = asked == NULL ? find_asked(d, conn, event->ts_ns, true) : NULL;
    char text[120];
    struct finding *f = detect_begin(d, other != NULL ? FINDING_DS110 : FINDING_DS105, event);
    const struct asked *by = asked != NULL ? asked : other;
    wording_add(&f->sentence, "a connection from ");
    wording_addr(&f->sentence, &conn->end[0].addr);
    wording_add(&f->sentence, " to ");
    if (by != NULL) {
        wording_put(&f->sentence, WORD_NODE, text_of(by->name, by->name_len));
        wording_add(&f->sentence, ", ");
    }
    wording_addr(&f->sentence, &conn->end[1].addr);
    wording_printf(&f->sentence, " port %u %s", (unsigned)conn->end[1].port,
                 failure_text(conn, text, sizeof text));
    if (other != NULL) {
        wording_add(&f->detail, "EPMD told that port over the other version of IP");
        detect_unsure(f, CERTAINTY_LIKELY, "what the node listens on: ss -ltn on its host");
    } else if (asked != NULL) {
        wording_add(&f->detail, "EPMD had told that port");
    } else {
        detect_unsure(f, CERTAINTY_LIKELY, "the answer of EPMD: port 4369 in the capture");
    }
    if (conn->link != NULL && conn->link->side[0].syns > 1)
        wording_printf(&f->detail, "%s%u SYNs", f->detail.len != 0 ? "; " : "",
                     (unsigned)conn->link->side[0].syns);
    if (by != NULL)
        detect_frame(f, by->frame, "port2_resp");
    detect_frame(f, event->frame, "the end of the attempt");
    detect_commit(d);
}

/* --- handshakes --- */

static bool status_is(struct ds_text status, const char *text)
{
    return status.data != NULL && status.len == strlen(text) &&
           memcmp(status.data, text, status.len) == 0;
}

/* take_status speaks of a refusal. */
static void take_status(struct detect *d, const struct ds_event *event, struct watched *w)
{
    const struct ds_endpoint *end = event->conn->end;
    const struct ds_handshake *h = &event->handshake;
    struct finding *f;
    if (status_is(h->status, "not_allowed")) {
        f = detect_begin(d, FINDING_DS113, event);
        wording_end(&f->sentence, &end[event->dir]);
        wording_add(&f->sentence, " does not allow ");
        wording_end(&f->sentence, &end[!event->dir]);
        wording_add(&f->sentence, " to connect");
    } else if (h->step == DS_STEP_STATUS_REPLY && status_is(h->status, "false")) {
        f = detect_begin(d, FINDING_DS118, event);
        wording_end(&f->sentence, &end[!event->dir]);
        wording_add(&f->sentence, " has a connection with ");
        wording_end(&f->sentence, &end[event->dir]);
        wording_add(&f->sentence, " already");
        wording_add(&f->detail, "which is then given up as false");
    } else {
        w->is_nok = status_is(h->status, "nok");
        w->is_refused = w->is_nok;
        return;
    }
    w->is_refused = true;
    detect_frame(f, w->step_frame[DS_STEP_SEND_NAME], "send_name");
    detect_frame(f, w->step_frame[DS_STEP_STATUS], "status");
    if (h->step == DS_STEP_STATUS_REPLY)
        detect_frame(f, event->frame, "status_reply");
    detect_commit(d);
}

static void check_known_cookies(struct detect *d, const struct ds_event *event,
                                const struct watched *w)
{
    const struct ds_handshake *h = &event->handshake;
    if (!h->has_digest || !w->has_challenge[!event->dir])
        return;
    for (size_t i = 0; i < sizeof known_cookies / sizeof known_cookies[0]; i++) {
        const struct ds_text cookie = {known_cookies[i], strlen(known_cookies[i])};
        if (ds_cookie_check(cookie, w->challenge[!event->dir], h->digest) != DS_COOKIE_OK)
            continue;
        struct finding *f = detect_begin(d, FINDING_DS117, event);
        wording_end(&f->sentence, &event->conn->end[event->dir]);
        wording_add(&f->sentence, " has a cookie that stands in a short list of well-known ones");
        detect_frame(f, event->frame, ds_handshake_step_name(h->step));
        detect_commit(d);
        return;
    }
}

/* is_scanners says whether a send_name is nobody's: the flags that no node lacks are missing and its
 * name is one letter over and over, or there are no flags at all. */
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

static void take_send_name(struct detect *d, const struct ds_event *event, struct watched *w)
{
    const struct ds_handshake *h = &event->handshake;
    w->initiator = event->dir;
    if (!is_scanners(h))
        return;
    struct finding *f = detect_begin(d, FINDING_DS116, event);
    wording_addr(&f->sentence, &event->conn->end[event->dir].addr);
    wording_add(&f->sentence, " sends a send_name that no node sends");
    wording_add(&f->detail, "its name is ");
    wording_put(&f->detail, WORD_NODE, h->name);
    detect_frame(f, event->frame, "send_name");
    detect_unsure(f, CERTAINTY_LIKELY, "who that address belongs to");
    detect_commit(d);
    w->is_explained = true;
}

/* has_tls_alert says whether bytes that are no handshake message are a TLS alert or handshake. */
static bool has_tls_alert(const struct ds_event *event)
{
    return event->fault.kind == DS_FAULT_MALFORMED && event->bytes != NULL &&
           event->bytes_len >= 3 && (event->bytes[0] == 21 || event->bytes[0] == 22) &&
           event->bytes[1] == 3 && event->bytes[2] <= 4;
}

static void take_handshake(struct detect *d, const struct ds_event *event)
{
    const struct ds_handshake *h = &event->handshake;
    struct watched *w = detect_watch(d, event->conn);
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
        w->step_ns = event->ts_ns;
    }
    w->alert |= has_tls_alert(event);
    if (h->step == DS_STEP_SEND_NAME && event->fault.kind == DS_FAULT_NONE)
        take_send_name(d, event, w);
    else if (h->step == DS_STEP_STATUS || h->step == DS_STEP_STATUS_REPLY)
        take_status(d, event, w);
}

/* --- how handshakes end --- */

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
static void add_steps(struct finding *f, const struct watched *w, const struct ds_event *event)
{
    static const enum ds_handshake_step order[] = {
        DS_STEP_SEND_NAME, DS_STEP_STATUS, DS_STEP_CHALLENGE, DS_STEP_CHALLENGE_REPLY,
        DS_STEP_CHALLENGE_ACK};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        detect_frame(f, w->step_frame[order[i]], ds_handshake_step_name(order[i]));
    detect_frame(f, event->frame, "the close");
}

static void add_how(struct wording *wording, const struct ds_event *event, const struct watched *w,
                    int closer)
{
    const bool reset = event->conn->link != NULL && event->conn->link->close == DS_CLOSE_RESET;
    wording_end(wording, &event->conn->end[closer]);
    wording_add(wording, reset ? " reset the connection " : " closed the connection ");
    wording_span(wording, event->ts_ns - w->step_ns);
    wording_add(wording, " after ");
    wording_add(wording, w->last_step != DS_STEP_UNKNOWN ? ds_handshake_step_name(w->last_step)
                                                     : "it was opened");
}

static void report_cookie(struct detect *d, const struct ds_event *event, const struct watched *w,
                          int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    const int acceptor = !initiator;
    struct finding *f = detect_begin(d, FINDING_DS101, event);
    wording_end(&f->sentence, &end[acceptor]);
    wording_add(&f->sentence, " refused ");
    wording_end(&f->sentence, &end[initiator]);
    switch (w->cookie[initiator]) {
    case DS_COOKIE_WRONG:
        wording_add(&f->detail, "the digest of ");
        wording_end(&f->detail, &end[initiator]);
        wording_add(&f->detail, " was not made with the cookie of --cookie-file; ");
        break;
    case DS_COOKIE_OK:
        wording_add(&f->detail, "the digest of ");
        wording_end(&f->detail, &end[initiator]);
        wording_add(&f->detail, " was made with the cookie of --cookie-file, so ");
        wording_end(&f->detail, &end[acceptor]);
        wording_add(&f->detail, " has another; ");
        break;
    case DS_COOKIE_UNCHECKED:
        detect_unsure(f, CERTAINTY_LIKELY, "the cookie of either node, by --cookie-file");
        break;
    }
    add_how(&f->detail, event, w, acceptor);
    add_steps(f, w, event);
    detect_commit(d);
}

static void report_acks_cookie(struct detect *d, const struct ds_event *event,
                               const struct watched *w, int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS101, event);
    wording_end(&f->sentence, &end[initiator]);
    wording_add(&f->sentence, " refused ");
    wording_end(&f->sentence, &end[!initiator]);
    wording_add(&f->detail, "the digest of the acknowledgement was not made with the cookie of "
                          "--cookie-file");
    add_steps(f, w, event);
    detect_commit(d);
}

/* report_flags names what is missing. */
static void report_flags(struct detect *d, const struct ds_event *event, const struct watched *w,
                         int lacking, uint64_t missing, unsigned release)
{
    struct finding *f = detect_begin(d, FINDING_DS104, event);
    wording_end(&f->sentence, &event->conn->end[lacking]);
    wording_printf(&f->sentence, " lacks capabilities that are mandatory since OTP %u", release);
    const char *sends = ds_flags_release(w->flags[lacking]);
    if (sends != NULL)
        wording_printf(&f->detail, "it sends the flags of %s; ", sends);
    wording_add(&f->detail, "missing:");
    unsigned num = 0;
    for (unsigned bit = 0; bit < 64 && num < 8; bit++) {
        const char *name = (missing >> bit & 1) != 0 ? ds_flag_name(bit) : NULL;
        if (name != NULL) {
            wording_printf(&f->detail, "%s %s", num == 0 ? "" : ",", name);
            num++;
        }
    }
    add_steps(f, w, event);
    detect_commit(d);
}

/* find_missing returns the flags that the peer of an end needs and does not get. */
static uint64_t find_missing(const struct watched *w, int end, unsigned *release)
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

/* report_name is of an initiator that did not like the name in the challenge. */
static void report_name(struct detect *d, const struct ds_event *event, const struct watched *w,
                        int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    const int acceptor = !initiator;
    const struct ds_text hosts[2] = {host_of(end[initiator].node), host_of(end[acceptor].node)};
    const bool differ = hosts[0].data != NULL && hosts[1].data != NULL &&
                        has_dot(hosts[0]) != has_dot(hosts[1]);
    const struct asked *asked = find_asked(d, event->conn, event->ts_ns, false);
    struct finding *f = detect_begin(d, differ ? FINDING_DS103 : FINDING_DS102, event);
    if (differ) {
        wording_end(&f->sentence, &end[initiator]);
        wording_printf(&f->sentence, " has a %s name, ", has_dot(hosts[0]) ? "long" : "short");
        wording_end(&f->sentence, &end[acceptor]);
        wording_printf(&f->sentence, " a %s one", has_dot(hosts[1]) ? "long" : "short");
    } else {
        wording_end(&f->sentence, &end[initiator]);
        wording_add(&f->sentence, " wanted another node than the one that calls itself ");
        wording_end(&f->sentence, &end[acceptor]);
        const struct ds_text name = end[acceptor].node;
        const bool is_other = asked != NULL && name.data != NULL &&
                              (name.len < asked->name_len ||
                               memcmp(name.data, asked->name, asked->name_len) != 0 ||
                               (name.len > asked->name_len && name.data[asked->name_len] != '@'));
        if (is_other) {
            wording_add(&f->detail, "EPMD was asked for ");
            wording_put(&f->detail, WORD_NODE, text_of(asked->name, asked->name_len));
            wording_add(&f->detail, "; ");
        } else {
            detect_unsure(f, CERTAINTY_LIKELY, "the name that was dialled: the log of the initiator");
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

static void report_tls(struct detect *d, const struct ds_event *event, const struct watched *w,
                       bool initiator_has_tls, int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS111, event);
    wording_end(&f->sentence, &end[initiator]);
    wording_add(&f->sentence, initiator_has_tls ? " speaks TLS, " : " speaks plain distribution, ");
    wording_end(&f->sentence, &end[!initiator]);
    wording_add(&f->sentence, initiator_has_tls ? " does not answer it" : " TLS");
    if (initiator_has_tls)
        detect_unsure(f, CERTAINTY_LIKELY,
                      "another connection to that port: in its handshake or in TLS");
    add_steps(f, w, event);
    detect_commit(d);
}

static void report_stalled(struct detect *d, const struct ds_event *event, const struct watched *w,
                           int initiator)
{
    const struct ds_endpoint *end = event->conn->end;
    struct finding *f = detect_begin(d, FINDING_DS115, event);
    wording_end(&f->sentence, &end[!initiator]);
    wording_add(&f->sentence, " accepted the connection of ");
    wording_end(&f->sentence, &end[initiator]);
    wording_add(&f->sentence, " and did not go on with it");
    wording_add(&f->detail, "it was silent for ");
    wording_span(&f->detail, event->ts_ns - w->step_ns);
    wording_printf(&f->detail, " after %s, until the initiator gave up",
                 ds_handshake_step_name(w->last_step));
    add_steps(f, w, event);
    detect_commit(d);
}

static void report_other(struct detect *d, const struct ds_event *event, const struct watched *w,
                         int closer)
{
    struct finding *f = detect_begin(d, FINDING_DS119, event);
    wording_end(&f->sentence, &event->conn->end[closer]);
    wording_add(&f->sentence, " closed the connection with ");
    wording_end(&f->sentence, &event->conn->end[!closer]);
    wording_add(&f->sentence, " in the handshake, after ");
    wording_add(&f->sentence, ds_handshake_step_name(w->last_step));
    add_how(&f->detail, event, w, closer);
    add_steps(f, w, event);
    detect_commit(d);
}

/* report_certificate looks for an alert (RFC 8446, section 6) that is about a certificate. */
static void report_certificate(struct detect *d, const struct ds_event *event)
{
    enum { BAD_CERTIFICATE = 42, CERTIFICATE_UNKNOWN = 46, UNKNOWN_CA = 48, REQUIRED = 116 };
    const struct ds_tls *tls = event->conn->tls;
    for (int end = 0; end < 2; end++) {
        const unsigned code = tls->alert_code[end];
        if (!tls->has_alert[end] || !((code >= BAD_CERTIFICATE && code <= CERTIFICATE_UNKNOWN) ||
                                      code == UNKNOWN_CA || code == REQUIRED))
            continue;
        struct finding *f = detect_begin(d, FINDING_DS112, event);
        wording_end(&f->sentence, &event->conn->end[end]);
        wording_add(&f->sentence, " refused the certificate of ");
        wording_end(&f->sentence, &event->conn->end[!end]);
        wording_printf(&f->detail, "TLS alert %s", tls->alert[end] != NULL ? tls->alert[end] : "");
        detect_frame(f, event->frame, "the close");
        detect_commit(d);
        return;
    }
}

/* explain says why an end closed a connection in its handshake. */
static void explain(struct detect *d, const struct ds_event *event, struct watched *w)
{
    const struct ds_conn *conn = event->conn;
    const struct ds_link *link = conn->link;
    const int closer = link != NULL && link->closer >= 0 ? link->closer : -1;
    const int initiator = w->initiator >= 0 ? w->initiator : 0;
    const bool by_initiator = closer == initiator;
    unsigned release = 0;
    uint64_t missing;
    if (closer < 0 || w->is_explained)
        return;
    if (w->alert) {
        report_tls(d, event, w, false, initiator);
        return;
    }
    if (conn->tls != NULL && w->last_step == DS_STEP_UNKNOWN) {
        if (link->side[1].data_bytes == 0)
            report_tls(d, event, w, true, 0);
        else
            report_certificate(d, event);
        return;
    }
    if (w->is_refused || w->is_up || conn->counters[initiator].bytes == 0)
        return;
    switch (w->last_step) {
    case DS_STEP_SEND_NAME:
        missing = find_missing(w, initiator, &release);
        if (!by_initiator && missing != 0)
            report_flags(d, event, w, initiator, missing, release);
        else if (by_initiator && event->ts_ns - w->step_ns >= ACCEPTOR_NS)
            report_stalled(d, event, w, initiator);
        else
            report_other(d, event, w, closer);
        return;
    case DS_STEP_CHALLENGE:
        missing = find_missing(w, !initiator, &release);
        if (by_initiator && missing != 0)
            report_flags(d, event, w, !initiator, missing, release);
        else if (by_initiator && event->ts_ns - w->step_ns < ACCEPTOR_NS)
            report_name(d, event, w, initiator);
        else
            report_other(d, event, w, closer);
        return;
    case DS_STEP_CHALLENGE_REPLY:
        if (!by_initiator)
            report_cookie(d, event, w, initiator);
        else if (event->ts_ns - w->step_ns >= ACCEPTOR_NS)
            report_stalled(d, event, w, initiator);
        else
            report_other(d, event, w, closer);
        return;
    case DS_STEP_CHALLENGE_ACK:
        if (by_initiator && w->cookie[!initiator] == DS_COOKIE_WRONG)
            report_acks_cookie(d, event, w, initiator);
        return;
    case DS_STEP_STATUS:
        if (by_initiator && event->ts_ns - w->step_ns >= ACCEPTOR_NS) {
            report_stalled(d, event, w, initiator);
            return;
        }
        report_other(d, event, w, closer);
        return;
    case DS_STEP_UNKNOWN:
        return; /* no handshake at all: whoever that was, it was no node */
    default:
        report_other(d, event, w, closer);
    }
}

/* answer_is_due says whether an initiator that closed after its send_name may be answered yet: where
 * both nodes connect at once, one of them gives its connection up before it reads `nok`. */
static bool answer_is_due(const struct ds_event *event, const struct watched *w)
{
    const struct ds_link *link = event->conn->link;
    return event->change.state == DS_CONN_HALF_CLOSED && w->last_step == DS_STEP_SEND_NAME &&
           link != NULL && link->closer == (w->initiator >= 0 ? w->initiator : 0);
}

static void take_conn(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn_change *change = &event->change;
    const bool is_epmd = event->conn->end[1].port == d->config.epmd_port;
    if (change->state == DS_CONN_FAILED && event->conn->link != NULL &&
        event->conn->link->side[1].syns == 0 &&
        event->conn->counters[0].bytes + event->conn->counters[1].bytes == 0) {
        if (change->unfollowed)
            return;
        if (is_epmd)
            take_no_epmd(d, event);
        else
            take_unreachable(d, event);
        return;
    }
    if (is_epmd)
        return;
    struct watched *w = detect_watch(d, event->conn);
    if (w == NULL)
        return;
    switch (change->state) {
    case DS_CONN_UP:
        w->is_up = true;
        w->up_ns = event->ts_ns;
        return;
    case DS_CONN_JOINED_LATE:
        w->is_up = w->is_late = true;
        return;
    case DS_CONN_HALF_CLOSED:
    case DS_CONN_FAILED:
    case DS_CONN_CLOSED:
    case DS_CONN_OPEN_AT_END:
        if (answer_is_due(event, w))
            return;
        if (event->conn->counters[0].gaps + event->conn->counters[1].gaps == 0)
            explain(d, event, w);
        w->is_explained = true;
        return;
    default:
        return;
    }
}

void detect_connect(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    if (event == NULL || record->call != NULL || record->monitor != NULL)
        return;
    if (event->type == DS_EVENT_EPMD)
        take_epmd(d, event);
    else if (event->type == DS_EVENT_HANDSHAKE)
        take_handshake(d, event);
    else if (event->type == DS_EVENT_CONN)
        take_conn(d, event);
}

void detect_connect_time(struct detect *d, bool at_end)
{
    if (!d->has_refused)
        return;
    d->has_refused = false;
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct refused *r = &d->refused[i];
        if (r->is_used && (at_end || d->now_ns - r->ts_ns >= EPMD_PATIENCE_NS))
            report_no_epmd(d, r);
        d->has_refused |= r->is_used;
    }
}
