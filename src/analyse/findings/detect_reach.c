/*
 * detect_reach.c - answers of EPMD about names and ports, and connections that never came up: EPMD
 * or a node cannot be reached, or EPMD does not know the node.
 */
#include "analyse/findings/detect_parts.h"

#include "analyse/findings/tools.h"
#include "core/hash.h"
#include "record/danger.h"

#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define EPMD_PATIENCE_NS (2 * SECOND) /* a node that finds no EPMD starts one */
#define OWN_PATIENCE_NS (10 * SECOND) /* on its own host, which may be busy */
#define ASKED_NS (60 * SECOND)        /* an answer of EPMD is used within this time */

static bool is_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* --- answers of EPMD --- */

static uint32_t hash_port(uint16_t port)
{
    const uint64_t key = port;
    return hash_key(&key, sizeof key);
}

static void note_asked(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const int server = event->dir; /* the server answers */
    if (epmd->name.data == NULL || epmd->name.len > sizeof((struct epmd_lookup *)NULL)->name)
        return;
    struct epmd_lookup *a = table_add_forgetting(&d->asked, hash_port(epmd->port));
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

/* detect_find_asked finds the latest answer of EPMD that led to this connection. */
const struct epmd_lookup *detect_find_asked(const struct detect *d, const struct ds_conn *conn,
                                            int64_t ts_ns, bool other_family)
{
    const struct ds_endpoint *to = &conn->end[1];
    const struct epmd_lookup *best = NULL;
    for (struct epmd_lookup *a = table_first(&d->asked, hash_port(to->port)); a != NULL;
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

const struct epmd_lookup *detect_find_told(const struct detect *d, const struct ds_endpoint *end)
{
    const struct epmd_lookup *best = NULL;
    for (struct epmd_lookup *a = table_first(&d->asked, hash_port(end->port)); a != NULL;
         a = table_next(&d->asked, a)) {
        if (a->port == end->port && is_same_addr(&a->server, &end->addr) &&
            (best == NULL || a->ts_ns > best->ts_ns))
            best = a;
    }
    return best;
}

/* is_one_host says whether two addresses are certainly of one host: they are equal, or both
 * loopback. A program that resolves "localhost" tries ::1 first, where EPMD may not listen, then
 * 127.0.0.1. */
static bool is_one_host(const struct ds_addr *a, const struct ds_addr *b)
{
    return is_same_addr(a, b) || (addr_scope_of(a) == ADDR_LOCAL && addr_scope_of(b) == ADDR_LOCAL);
}

static int64_t patience_of(const struct epmd_unreachable *r)
{
    return is_one_host(&r->client, &r->server) ? OWN_PATIENCE_NS : EPMD_PATIENCE_NS;
}

/* is_in_part says whether the capture lacks one direction of links, or the ends of packets. These
 * may contain an answer, and show that a host is gone. */
static bool is_in_part(const struct detect *d)
{
    return d->num_one_way + d->checks.one_way + d->checks.cut != 0;
}

static struct finding *begin_no_epmd(struct detect *d, const struct epmd_unreachable *r)
{
    struct finding *f = detect_begin(d, FINDING_DS106, NULL);
    f->evidence[0].conn = r->conn;
    f->evidence[0].ts_ns = r->began_ns;
    detect_since(d, r->began_ns);
    wording_say(&f->sentence, "a connection to EPMD of {epmd} {reason}", an_addr(&r->server),
                a_word(r->why));
    wording_say(&f->detail, "tried by {client}", an_addr(&r->client));
    detect_frame(f, r->frame, "the end of the attempt");
    if (r->close == DS_CLOSE_SYN_TIMEOUT && is_in_part(d))
        detect_unsure(f, CERTAINTY_POSSIBLE, "a capture of both directions, and of whole packets");
    else if (r->close == DS_CLOSE_SYN_TIMEOUT)
        detect_unsure(f, CERTAINTY_LIKELY, "whether that host answers anything (it may be gone)");
    return f;
}

/* report_reached reports that an EPMD can be reached again. Failures from other hosts remain an
 * error. */
static void report_reached(struct detect *d, const struct epmd_unreachable *r)
{
    for (size_t i = 0; i < MAX_REFUSED && r->close != DS_CLOSE_RESET; i++) {
        const struct epmd_unreachable *other = &d->refused[i];
        if (other->is_told && is_same_addr(&other->server, &r->server) &&
            !is_one_host(&other->client, &r->client))
            return;
    }
    struct finding *f = begin_no_epmd(d, r);
    f->severity = SEVERITY_WARNING;
    f->is_over = true;
    wording_say(&f->detail, "; it was reached {since} later", a_span(d->now_ns - r->ts_ns));
    if (r->is_told)
        detect_change(d, SEVERITY_WARNING);
    else
        detect_commit(d);
}

/* shows_that says whether a connection to an EPMD shows that another attempt could have succeeded.
 * A refused attempt found no EPMD; an unanswered one may not get through from its host. */
static bool shows_that(const struct ds_addr *client, const struct ds_addr *server,
                       const struct epmd_unreachable *r)
{
    return is_one_host(&r->server, server) &&
           (r->close == DS_CLOSE_RESET || is_one_host(&r->client, client));
}

/* on_reached records that an EPMD can be reached. Attempts that failed shortly before are not
 * reported. */
static void on_reached(struct detect *d, const struct ds_event *event)
{
    const struct ds_addr *client = &event->conn->end[0].addr, *server = &event->conn->end[1].addr;
    struct reached *place = &d->reached[0];
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct epmd_unreachable *r = &d->refused[i];
        if (!(r->is_used || r->is_told) || !shows_that(client, server, r))
            continue;
        if (r->is_told || event->ts_ns - r->ts_ns >= patience_of(r))
            report_reached(d, r);
        *r = (struct epmd_unreachable){0};
    }
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct reached *r = &d->reached[i];
        if (r->ts_ns != 0 && is_same_addr(&r->server, server) && is_same_addr(&r->client, client)) {
            place = r;
            break;
        }
        if (r->ts_ns < place->ts_ns)
            place = r;
    }
    *place = (struct reached){*client, *server, event->ts_ns};
}

/* was_reached says whether an EPMD was reached since a failed attempt began. */
static bool was_reached(const struct detect *d, const struct epmd_unreachable *attempt)
{
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        const struct reached *r = &d->reached[i];
        if (r->ts_ns > attempt->began_ns && shows_that(&r->client, &r->server, attempt))
            return true;
    }
    return false;
}

void detect_node_starts(struct detect *d, const struct ds_addr *addr)
{
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct epmd_unreachable *r = &d->refused[i];
        if (r->is_used && r->close == DS_CLOSE_RESET && is_same_addr(&r->server, addr))
            r->is_used = false;
    }
}

/* explain_unregistered makes it a note if the node is a tool, which comes and goes, or has left,
 * which is reported. */
static void explain_unregistered(const struct detect *d, struct finding *f, struct ds_text name,
                                 const struct ds_addr *epmd)
{
    const struct presence_node *node = presence_find_at(&d->presence, name, epmd);
    f->is_aside = tools_have_name(name) || (node != NULL && presence_is_gone(node));
    if (!f->is_aside)
        return;
    f->severity = SEVERITY_NOTE;
    if (node != NULL && presence_is_gone(node)) {
        wording_add(&f->detail, "it left at ");
        wording_clock(&f->detail, node->left_ns);
        wording_add(&f->detail, "; ");
    }
}

void detect_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    struct conn_watch *w = detect_watch(d, event->conn);
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
        explain_unregistered(d, f, text_of(w->asked, w->asked_len), &event->conn->end[event->dir].addr);
        if (tools_have_name(text_of(w->asked, w->asked_len))) { /* each has another name */
            f->variant = 1;
            wording_add(&f->sentence, "tools are not registered at EPMD of ");
            wording_say(&f->detail, "first {name}, ", a_node(text_of(w->asked, w->asked_len)));
        } else if (w->asked_len == 0) {
            wording_add(&f->sentence, "a node whose name was not captured is not registered at EPMD of ");
        } else {
            wording_say(&f->sentence, "node {name} is not registered at EPMD of ",
                        a_node(text_of(w->asked, w->asked_len)));
        }
        wording_say(&f->sentence, "{epmd}", an_addr(&event->conn->end[event->dir].addr));
        wording_say(&f->detail, "asked by {client}", an_addr(&event->conn->end[!event->dir].addr));
        detect_frame(f, w->step_frame[0], "port_please2_req");
        detect_frame(f, event->frame, "port2_resp");
        detect_commit(d);
        break;
    case DS_EPMD_ALIVE2_RESP:
    case DS_EPMD_ALIVE2_X_RESP:
        if (epmd->result == 0)
            break;
        f = detect_begin(d, FINDING_DS108, event);
        wording_say(&f->sentence, "EPMD of {epmd} already has a node named {name}",
                    an_addr(&event->conn->end[event->dir].addr),
                    a_node(text_of(w->asked, w->asked_len)));
        detect_frame(f, w->step_frame[0], "alive2_req");
        detect_frame(f, event->frame, "alive2_resp");
        detect_commit(d);
        break;
    default:
        break;
    }
    on_reached(d, event);
}

/* detect_epmd_left handles a client that got no answer from EPMD, after EPMD, or the kernel for it,
 * accepted its connection. */
void detect_epmd_left(struct detect *d, const struct ds_event *event)
{
    const enum ds_conn_state state = event->change.state;
    const struct ds_tcp_stats *link = event->conn->link;
    const struct ds_endpoint *end = event->conn->end;
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w == NULL || w->is_explained || link == NULL || link->closed_by != 0 ||
        link->side[1].segments == 0 || event->conn->counters[1].bytes != 0 ||
        event->conn->counters[1].gaps != 0 || /* it has answered, but that is truncated or missing */
        (state != DS_CONN_OPEN_AT_END && state != DS_CONN_CLOSED && state != DS_CONN_FAILED))
        return;
    const int64_t waited_ns = link->side[0].last_ns - w->opened_ns; /* its last packet is the close */
    if (waited_ns < STALLED_NS)
        return;
    w->is_explained = true;
    struct finding *f = detect_begin(d, FINDING_DS106, event);
    wording_say(&f->sentence, "EPMD of {epmd} accepts connections, but does not answer",
                an_addr(&end[1].addr));
    wording_say(&f->detail, "{client} waited {waited} and then closed the connection",
                an_addr(&end[0].addr), a_span(waited_ns));
    detect_frame(f, w->step_frame[0], "the query");
    detect_commit(d);
}

static const char *failure_text(const struct ds_conn *conn, char *out, size_t size)
{
    const struct ds_tcp_stats *link = conn->link;
    switch (link != NULL ? link->close : DS_CLOSE_NOT) {
    case DS_CLOSE_RESET:
        return "is refused";
    case DS_CLOSE_ICMP:
        snprintf(out, size, "is rejected by ICMP: "
                            "%s", link->icmp != NULL ? link->icmp : "an error");
        return out;
    default:
        return "goes unanswered";
    }
}

/* on_no_epmd handles a failed attempt. It counts from its first SYN, which may be long before the
 * failure. */
static void on_no_epmd(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const int64_t syn_ns = conn->link != NULL ? conn->link->side[0].first_ns : 0;
    struct epmd_unreachable attempt = {.is_used = true,
                                       .close = conn->link != NULL ? conn->link->close : DS_CLOSE_NOT,
                                       .client = conn->end[0].addr,
                                       .server = conn->end[1].addr,
                                       .port = conn->end[1].port,
                                       .began_ns = syn_ns != 0 ? syn_ns : event->ts_ns,
                                       .ts_ns = event->ts_ns,
                                       .frame = event->frame,
                                       .conn = conn->number};
    if (was_reached(d, &attempt))
        return;
    struct epmd_unreachable *place = &d->refused[0];
    for (size_t i = 0; i < MAX_REFUSED && (place->is_used || place->is_told); i++) {
        struct epmd_unreachable *r = &d->refused[i];
        if (!r->is_used && (place->is_used || !r->is_told))
            place = r;
    }
    char text[sizeof attempt.why];
    snprintf(attempt.why, sizeof attempt.why, "%s", failure_text(conn, text, sizeof text));
    d->has_refused = true;
    *place = attempt;
}

void detect_add_gone(struct detect *d, const struct ds_addr *addr, int64_t from_ns, int64_t to_ns)
{
    struct gone *place = &d->gone[d->num_gone++ % MAX_GONE];
    *place = (struct gone){*addr, from_ns, to_ns};
}

/* is_host_gone says whether a host was unreachable while EPMD was tried there, which another
 * finding reports: then the state of its EPMD is unknown. */
static bool is_host_gone(const struct detect *d, const struct epmd_unreachable *r)
{
    for (size_t i = 0; i < MAX_GONE; i++) {
        const struct gone *g = &d->gone[i];
        if (g->to_ns >= r->began_ns && g->from_ns <= r->ts_ns && is_same_addr(&g->addr, &r->server))
            return true;
    }
    return false;
}

/* is_undecided says whether packets to that host are not acknowledged now: whether it is gone will
 * be known later. */
static bool is_undecided(const struct detect *d, const struct epmd_unreachable *r)
{
    for (size_t i = 0; r->close != DS_CLOSE_RESET && d->has_fading && i < MAX_FADING; i++) {
        if (d->fading[i].is_used && is_same_addr(&d->fading[i].addr[1], &r->server))
            return true;
    }
    return false;
}

static void report_no_epmd(struct detect *d, struct epmd_unreachable *r, bool at_end)
{
    r->is_used = false;
    if (r->close != DS_CLOSE_RESET && is_host_gone(d, r))
        return;
    struct finding *f = begin_no_epmd(d, r);
    r->is_told = true;
    if (r->close == DS_CLOSE_SYN_TIMEOUT)
        f->severity = is_in_part(d) ? SEVERITY_WARNING : f->severity;
    else if (at_end && d->now_ns - r->ts_ns < patience_of(r))
        detect_unsure(f, CERTAINTY_LIKELY, "a longer capture (a node that finds no EPMD starts one)");
    detect_commit(d);
}

/* --- connections that never came up --- */

static bool has_accepted(const struct detect *d, const struct ds_endpoint *end)
{
    for (size_t i = 0; i < MAX_HOSTS; i++) {
        if (d->accepted[i].port == end->port && is_same_addr(&d->accepted[i].addr, &end->addr))
            return true;
    }
    return false;
}

void detect_accepts(struct detect *d, const struct ds_endpoint *end)
{
    if (!has_accepted(d, end))
        d->accepted[d->num_accepted++ % MAX_HOSTS] = (struct accepted){end->addr, end->port};
}

/* is_lone_syn says whether the capture shows one SYN only. Without an answer a SYN is
 * retransmitted, so other packets may be missing from the capture too. */
static bool is_lone_syn(const struct ds_tcp_stats *link)
{
    return link != NULL && link->close == DS_CLOSE_SYN_TIMEOUT && link->side[0].syns == 1;
}

static void on_unreachable(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct epmd_lookup *asked = detect_find_asked(d, conn, event->ts_ns, false);
    const bool listened = has_accepted(d, &conn->end[1]); /* it listened on this IP before */
    const struct epmd_lookup *other =
        asked == NULL && !listened ? detect_find_asked(d, conn, event->ts_ns, true) : NULL;
    /* A node that listens on IPv6 listens on IPv4 as well, but not the reverse. */
    const bool is_v4_only = asked != NULL && !listened && conn->end[1].addr.family == 6 &&
                            conn->link != NULL && conn->link->close == DS_CLOSE_RESET;
    char text[120];
    struct finding *f =
        detect_begin(d, other != NULL || is_v4_only ? FINDING_DS110 : FINDING_DS105, event);
    const struct epmd_lookup *by = asked != NULL ? asked : other;
    if (conn->link != NULL && conn->link->side[0].first_ns != 0)
        detect_since(d, conn->link->side[0].first_ns);
    wording_say(&f->sentence, "a connection from {client} to ", an_addr(&conn->end[0].addr));
    if (by != NULL)
        wording_say(&f->sentence, "{name}, ", a_node(text_of(by->name, by->name_len)));
    wording_say(&f->sentence, "{server} port {port} {reason}", an_addr(&conn->end[1].addr),
                a_number(conn->end[1].port), a_word(failure_text(conn, text, sizeof text)));
    if (conn->link != NULL && conn->link->close == DS_CLOSE_SYN_TIMEOUT)
        detect_add_gone(d, &conn->end[1].addr, conn->link->side[0].first_ns, event->ts_ns);
    if (other != NULL) {
        wording_add(&f->detail, "EPMD gave that port over the other IP version");
        detect_unsure(f, CERTAINTY_LIKELY, "ss -ltn on its host, which shows what the node listens on");
    } else if (is_v4_only) {
        wording_add(&f->detail,
                    "EPMD gave that port; a node with -proto_dist inet_tcp listens only on IPv4");
        detect_unsure(f, CERTAINTY_LIKELY, "ss -ltn on its host, which shows what the node listens on");
    } else if (asked != NULL) {
        wording_add(&f->detail, "EPMD gave that port");
    } else {
        detect_unsure(f, CERTAINTY_LIKELY, "EPMD's answer, by a capture that includes port 4369");
    }
    if (is_lone_syn(conn->link)) {
        f->severity = SEVERITY_WARNING;
        wording_printf(&f->detail, "%sthe SYN was not retransmitted", f->detail.len != 0 ? "; " : "");
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "its retransmissions, which were not captured (nor may the answer have been)");
    }
    if (conn->link != NULL && conn->link->side[0].syns > 1)
        wording_say(&f->detail, "{}{syns} SYNs {}", a_word(f->detail.len != 0 ? "; " : ""),
                    a_number(conn->link->side[0].syns),
                    a_word(conn->link->close == DS_CLOSE_SYN_TIMEOUT ? "went unanswered" : "were sent"));
    if (by != NULL)
        detect_frame(f, by->frame, "port2_resp");
    detect_frame(f, event->frame, "the end of the attempt");
    detect_commit(d);
}

void detect_unreachable(struct detect *d, const struct ds_event *event)
{
    if (event->conn->end[1].port == d->config.epmd_port)
        on_no_epmd(d, event);
    else
        on_unreachable(d, event);
}

void detect_reach_time(struct detect *d, bool at_end)
{
    if (!d->has_refused)
        return;
    d->has_refused = false;
    for (size_t i = 0; i < MAX_REFUSED; i++) {
        struct epmd_unreachable *r = &d->refused[i];
        if (r->is_used &&
            (at_end || (d->now_ns - r->ts_ns >= patience_of(r) && !is_undecided(d, r))))
            report_no_epmd(d, r, at_end);
        d->has_refused |= r->is_used;
    }
}
