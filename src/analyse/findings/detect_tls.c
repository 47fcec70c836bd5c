/*
 * detect_tls.c - findings about TLS: why its handshake fails, certificates that expire soon or have
 * expired, keys that are renewed too often. Explicit refusals of certificates, and TLS against
 * plain distribution, are found where the end of a connection is explained (detect_connect.c).
 */
#include "analyse/findings/detect.h"

#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define STALL_NS (5 * SECOND)   /* a handshake has 7 s by default */
#define RENEW_NS (60 * SECOND)  /* with the defaults a renewal comes every 388 GB */

enum {
    DAY_S = 24 * 60 * 60,
    SOON_S = 14 * DAY_S,
    MANY_UPDATES = 4,
};
#define RENEW_BYTES (UINT64_C(4) << 30)

/* Alerts of RFC 8446, section 6. */
enum {
    ALERT_CLOSE_NOTIFY = 0,
    ALERT_HANDSHAKE_FAILURE = 40,
    ALERT_PROTOCOL_VERSION = 70,
    ALERT_INSUFFICIENT_SECURITY = 71,
    ALERT_INAPPROPRIATE_FALLBACK = 86,
};

/* What was reported of a connection. */
enum { TOLD_CERTIFICATE = 1, TOLD_RENEWAL = 4 }; /* a bit for each end */

static void add_alert(struct finding *f, const struct ds_event *event, int end)
{
    const struct ds_tls *tls = event->conn->tls;
    const char *offered = ds_tls_version_name(tls->offered);
    wording_add(&f->detail, "TLS alert ");
    if (tls->alert[end] != NULL)
        wording_say(&f->detail, "{alert}", a_word(tls->alert[end]));
    else
        wording_say(&f->detail, "{alert_code}", a_number(tls->alert_code[end]));
    wording_say(&f->detail, " of {}", an_end(&event->conn->end[end]));
    if (tls->version == 0 && offered != NULL)
        wording_say(&f->detail, "; TLS {offered} and older was offered", a_word(offered));
    detect_frame(f, event->frame, "the close");
}

/* was_spoken_to says whether an alert of that end can be about a message of the other one: an
 * outsider may send alerts to an end that has sent nothing. */
static bool was_spoken_to(const struct ds_tls *tls, int end)
{
    return tls->has_hello[!end];
}

static void report_nothing_common(struct detect *d, const struct ds_event *event, int end,
                                  const char *what)
{
    struct finding *f = detect_begin(d, FINDING_DS120, event);
    wording_say(&f->sentence, "{node} has no TLS {lacking} in common with {peer}",
                an_end(&event->conn->end[end]), a_word(what), an_end(&event->conn->end[!end]));
    add_alert(f, event, end);
    if (event->conn->tls->alert_code[end] == ALERT_HANDSHAKE_FAILURE)
        detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that sent the alert");
    detect_commit(d);
}

/* report_host reports a refused certificate. If the certificate does not name the requested host,
 * OTP sends the same alert as for many other faults. */
static void report_host(struct detect *d, const struct ds_event *event, int end)
{
    struct finding *f = detect_begin(d, FINDING_DS112, event);
    wording_say(&f->sentence, "{node} refused the certificate of {peer}",
                an_end(&event->conn->end[end]), an_end(&event->conn->end[!end]));
    add_alert(f, event, end);
    detect_unsure(f, CERTAINTY_LIKELY, "the log of the node that sent the alert");
    detect_commit(d);
}

/* explain_alert explains an alert before the nodes could send anything. False: it cannot. */
static bool explain_alert(struct detect *d, const struct ds_event *event)
{
    const struct ds_tls *tls = event->conn->tls;
    for (int end = 0; end < 2; end++) {
        if (!tls->has_alert[end] || !was_spoken_to(tls, end))
            continue;
        switch (tls->alert_code[end]) {
        case ALERT_PROTOCOL_VERSION:
        case ALERT_INAPPROPRIATE_FALLBACK:
            report_nothing_common(d, event, end, "version");
            return true;
        case ALERT_INSUFFICIENT_SECURITY:
            report_nothing_common(d, event, end, "suite, group or signature");
            return true;
        case ALERT_HANDSHAKE_FAILURE:
            if (tls->version == 0)
                report_nothing_common(d, event, end, "suite, group or signature");
            else if (tls->valid_until[!end] != 0)
                report_host(d, event, end);
            else
                continue;
            return true;
        default:
            break;
        }
    }
    return false;
}

static bool has_alert(const struct ds_tls *tls)
{
    return (tls->has_alert[0] && tls->alert_code[0] != ALERT_CLOSE_NOTIFY) ||
           (tls->has_alert[1] && tls->alert_code[1] != ALERT_CLOSE_NOTIFY);
}

/* explain_stall finds a handshake that both sides had begun, and one did not continue. */
static bool explain_stall(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct ds_tls *tls = conn->tls;
    const struct ds_tcp_stats *link = conn->link;
    if (has_alert(tls) || !tls->has_hello[0] || !tls->has_hello[1] || tls->version == 0 || link == NULL ||
        ds_tcp_unseen(link) >= 0 ||
        (tls->data_records[0] != 0 && tls->data_records[1] != 0))
        return false;
    const int silent = link->side[0].last_data_ns > link->side[1].last_data_ns ? 1 : 0;
    const int64_t silence_ns = event->ts_ns - link->side[!silent].last_data_ns;
    if (link->side[!silent].last_data_ns == 0 || silence_ns < STALL_NS || tls->is_amid[!silent])
        return false;
    struct finding *f = detect_begin(d, FINDING_DS122, event);
    wording_say(&f->sentence, "{node} stopped in the TLS handshake with {peer}",
                an_end(&conn->end[silent]), an_end(&conn->end[!silent]));
    wording_say(&f->detail, "it was silent for {silent}", a_span(silence_ns));
    if (link->closed_by >= 0) {
        wording_say(&f->detail, ", until {closed_by} closed the connection",
                    an_end(&conn->end[link->closed_by]));
    } else {
        wording_add(&f->detail, ", and nothing more was seen");
    }
    if (!tls->has_ended[!silent])
        detect_unsure(f, CERTAINTY_LIKELY, "the log of either node (whose turn it was is unknown)");
    detect_frame(f, event->frame, "the end");
    detect_commit(d);
    return true;
}

static void add_date(struct wording *wording, int64_t seconds)
{
    char text[32];
    struct tm parts;
    const time_t at = (time_t)seconds;
    if (gmtime_r(&at, &parts) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts) != 0)
        wording_printf(wording, "%s UTC", text);
}

/* check_certificate checks the dates of the certificate that an end has sent. */
static void check_certificate(struct detect *d, const struct ds_event *event, struct conn_watch *w,
                              int end)
{
    const struct ds_tls *tls = event->conn->tls;
    const int64_t now = event->ts_ns / SECOND;
    const unsigned told = (unsigned)TOLD_CERTIFICATE << end;
    if (tls->valid_until[end] == 0 || (w->tls_told & told) != 0)
        return;
    w->tls_told |= told;
    const bool is_over = now > tls->valid_until[end];
    const bool is_early = now < tls->valid_from[end];
    if (!is_over && !is_early && tls->valid_until[end] - now > SOON_S)
        return;
    struct finding *f = detect_begin(d, FINDING_DS121, event);
    f->variant = is_over ? 1 : is_early ? 2 : 0;
    wording_say(&f->sentence, "the certificate of {node}{}", an_end(&event->conn->end[end]),
                a_word(is_over ? " has expired" : is_early ? " is not valid yet" : " is about to expire"));
    if (is_over || is_early)
        f->severity = SEVERITY_ERROR;
    wording_add(&f->detail, "it ");
    if (tls->certificate[end].data != NULL)
        wording_say(&f->detail, "names {certificate} and ", a_node(tls->certificate[end]));
    wording_add(&f->detail, is_early ? "is valid from " : is_over ? "was valid until " : "is valid until ");
    add_date(&f->detail, is_early ? tls->valid_from[end] : tls->valid_until[end]);
    detect_frame(f, event->frame, "a packet after it");
    detect_commit(d);
}

/* check_renewals: each renewal of keys delays data. Its interval in bytes is configured, so the
 * first few renewals are enough for a finding; their number is known at the end. */
static void check_renewals(struct detect *d, const struct ds_event *event, struct conn_watch *w)
{
    const struct ds_conn *conn = event->conn;
    const uint64_t num = conn->tls->key_updates[0] + conn->tls->key_updates[1];
    const int64_t span_ns = event->ts_ns - w->opened_ns;
    const uint64_t bytes = conn->counters[0].bytes + conn->counters[1].bytes;
    const bool was_told = (w->tls_told & TOLD_RENEWAL) != 0;
    if (num < MANY_UPDATES || span_ns / (int64_t)num > RENEW_NS || bytes / num > RENEW_BYTES)
        return;
    w->tls_told |= TOLD_RENEWAL;
    struct finding *f = detect_begin(d, FINDING_DS213, event);
    wording_say(&f->sentence, "{node} and {peer} renew their TLS keys too often", an_end(&conn->end[0]),
                an_end(&conn->end[1]));
    wording_say(&f->detail, "{times} times in {within}, every {bytes} on average", a_number(num),
                a_span(span_ns), a_size(bytes / num));
    detect_frame(f, event->frame, "a packet after them");
    if (was_told)
        detect_complete(d);
    else
        detect_commit(d);
}

void detect_tls_message(struct detect *d, const struct ds_event *event)
{
    const struct ds_tls *tls = event->conn->tls;
    if (tls == NULL || tls->key_updates[0] + tls->key_updates[1] < MANY_UPDATES)
        return;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w != NULL && (w->tls_told & TOLD_RENEWAL) == 0)
        check_renewals(d, event, w);
}

void detect_tls(struct detect *d, const struct ds_event *event)
{
    if (event->conn->tls == NULL)
        return;
    d->looks_closer = true;
    struct conn_watch *w = detect_watch(d, event->conn);
    if (w == NULL)
        return;
    for (int end = 0; end < 2; end++)
        check_certificate(d, event, w, end);
    const enum ds_conn_state state = event->change.state;
    if (state != DS_CONN_HALF_CLOSED && !event->change.final)
        return;
    check_renewals(d, event, w);
    if (!w->is_up && !w->is_explained && w->last_step == DS_STEP_UNKNOWN &&
        !detect_has_gaps(event->conn))
        w->is_explained = explain_alert(d, event) || explain_stall(d, event);
}
