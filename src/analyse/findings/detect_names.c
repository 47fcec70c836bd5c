/*
 * detect_names.c - hosts that do not resolve: DNS answers that there is no such name, or does not
 * answer.
 *
 * A resolver with a list of search domains asks for host.first.domain, host.second.domain and host,
 * and all but one of the answers may be negative: queries of a host for names with the same first
 * label in a row are one question. Its queries for names other than those of nodes look the same,
 * so a failure is an error only if a node on a host of that name is known.
 */
#include "analyse/findings/detect_parts.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define NO_NS SECOND           /* no other query, and no connection, followed a negative answer */
#define SILENCE_NS (6 * SECOND) /* glibc retries after 5 s */
#define FORGET_NS (30 * SECOND)

/* lookup is a host name that DNS was asked for, and has not resolved. */
enum { MAX_LOOKUPS = 64, LOOKUP_LEN = 120 };
struct lookup {
    bool is_used, has_failed;
    uint8_t code; /* of the latest answer, if has_failed */
    const char *icmp; /* the ICMP error instead of an answer; a static string, or NULL */
    unsigned questions;
    struct ds_addr client, server;
    int64_t asked_ns, last_ns;
    uint64_t frame[2]; /* of the first question, of the latest answer */
    size_t len;
    char name[LOOKUP_LEN];
};

/* names_watch is the open queries, and the hosts of nodes. */
struct names_watch {
    bool has_local; /* a connection to EPMD on a host that shows only its loopback address */
    struct lookup open[MAX_LOOKUPS];
    unsigned num_hosts, num_names;
    struct ds_addr host[MAX_HOSTS];
    struct host_name {
        size_t len;
        char text[LOOKUP_LEN];
    } name[MAX_HOSTS]; /* hosts in the names of nodes */
    struct host_name others; /* the first unresolved name of a host on which no node was seen */
};

const struct detect_family detect_names_family = {sizeof(struct names_watch), {{0}}};

static bool is_same(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_loopback(const struct ds_addr *addr)
{
    static const uint8_t loopback6[16] = {[15] = 1};
    return addr->family == 4 ? addr->bytes[0] == 127
                             : memcmp(addr->bytes, loopback6, sizeof loopback6) == 0;
}

/* --- hosts that run nodes, and their names --- */

bool detect_add_host(struct detect *d, const struct ds_addr *addr)
{
    struct names_watch *l = d->names;
    if (is_loopback(addr)) {
        l->has_local = true;
        return false;
    }
    for (unsigned i = 0; i < l->num_hosts; i++) {
        if (is_same(&l->host[i], addr))
            return false;
    }
    if (l->num_hosts == MAX_HOSTS)
        return false;
    l->host[l->num_hosts++] = *addr;
    return true;
}

/* is_node_host says whether nodes run on a host. A node that registers with its own EPMD shows only
 * the loopback address. */
static bool is_node_host(const struct detect *d, const struct ds_addr *addr)
{
    const struct names_watch *l = d->names;
    for (unsigned i = 0; i < l->num_hosts; i++) {
        if (is_same(&l->host[i], addr))
            return true;
    }
    return l->has_local;
}

void detect_add_name(struct detect *d, struct ds_text name)
{
    struct names_watch *l = d->names;
    const char *at = name.data != NULL ? memchr(name.data, '@', name.len) : NULL;
    if (at == NULL)
        return;
    const struct ds_text host = text_of(at + 1, name.len - (size_t)(at + 1 - name.data));
    char lower[LOOKUP_LEN];
    const size_t len = detect_keep(lower, sizeof lower, host);
    for (size_t i = 0; i < len; i++)
        lower[i] = (char)(lower[i] >= 'A' && lower[i] <= 'Z' ? lower[i] + ('a' - 'A') : lower[i]);
    for (unsigned i = 0; i < l->num_names; i++) {
        if (l->name[i].len == len && memcmp(l->name[i].text, lower, len) == 0)
            return;
    }
    if (l->num_names == MAX_HOSTS || len == 0)
        return;
    l->name[l->num_names].len = len;
    memcpy(l->name[l->num_names++].text, lower, len);
}

/* begins says whether a name is the other one, or the other one followed by domains. */
static bool begins(struct ds_text name, struct ds_text with)
{
    return name.len >= with.len && memcmp(name.data, with.data, with.len) == 0 &&
           (name.len == with.len || name.data[with.len] == '.');
}

static bool is_node_name(const struct detect *d, struct ds_text name)
{
    const struct names_watch *l = d->names;
    for (unsigned i = 0; i < l->num_names; i++) {
        if (begins(name, text_of(l->name[i].text, l->name[i].len)))
            return true;
    }
    return false;
}

/* --- questions and answers --- */

static struct ds_text first_label(struct ds_text name)
{
    const char *dot = memchr(name.data, '.', name.len);
    return text_of(name.data, dot != NULL ? (size_t)(dot - name.data) : name.len);
}

static struct lookup *find(struct detect *d, const struct ds_addr *client, struct ds_text name)
{
    for (unsigned i = 0; i < MAX_LOOKUPS; i++) {
        struct lookup *l = &d->names->open[i];
        if (l->is_used && is_same(&l->client, client) &&
            begins(text_of(l->name, l->len), first_label(name)))
            return l;
    }
    return NULL;
}

static struct lookup *make(struct detect *d)
{
    struct lookup *oldest = &d->names->open[0];
    for (unsigned i = 0; i < MAX_LOOKUPS; i++) {
        struct lookup *l = &d->names->open[i];
        if (!l->is_used)
            return l;
        if (l->last_ns < oldest->last_ns)
            oldest = l;
    }
    return oldest;
}

static void on_question(struct detect *d, const struct ds_event *event)
{
    const struct ds_lookup *asked = &event->lookup;
    const struct ds_addr *client = &event->conn->end[0].addr;
    struct lookup *l = find(d, client, asked->name);
    d->checks.questions++;
    if (l == NULL) {
        l = make(d);
        *l = (struct lookup){.is_used = true, .client = *client, .asked_ns = event->ts_ns,
                             .frame = {event->frame}};
        l->len = detect_keep(l->name, sizeof l->name, asked->name);
        d->has_lookups = true;
    }
    l->server = event->conn->end[1].addr;
    l->last_ns = event->ts_ns;
    l->has_failed = false;
    l->questions++;
    if (asked->name.len < l->len) /* the host itself, or with a shorter domain */
        l->len = detect_keep(l->name, sizeof l->name, asked->name);
}

static void on_answer(struct detect *d, const struct ds_event *event)
{
    const struct ds_lookup *told = &event->lookup;
    struct lookup *l = find(d, &event->conn->end[0].addr, told->name);
    d->checks.lookups++;
    d->checks.resolved += told->has_address;
    if (l == NULL)
        return;
    if (told->has_address) {
        l->is_used = false;
        return;
    }
    l->last_ns = event->ts_ns;
    l->has_failed = true;
    l->code = told->code;
    l->frame[1] = event->frame;
}

/* on_icmp handles an ICMP error about a query. */
static void on_icmp(struct detect *d, const struct ds_event *event)
{
    struct lookup *l = find(d, &event->conn->end[0].addr, event->lookup.name);
    if (l == NULL)
        return;
    l->last_ns = event->ts_ns;
    l->has_failed = true;
    l->icmp = event->lookup.icmp;
    l->frame[1] = event->frame;
}

void detect_lookup(struct detect *d, const struct ds_event *event)
{
    const struct ds_lookup *lookup = &event->lookup;
    if (lookup->type != DS_LOOKUP_A && lookup->type != DS_LOOKUP_AAAA)
        return;
    if (lookup->is_answer)
        on_answer(d, event);
    else if (lookup->icmp != NULL)
        on_icmp(d, event);
    else
        on_question(d, event);
}

void detect_dials(struct detect *d, const struct ds_addr *client)
{
    for (unsigned i = 0; d->has_lookups && i < MAX_LOOKUPS; i++) {
        struct lookup *l = &d->names->open[i];
        if (l->is_used && is_same(&l->client, client))
            l->is_used = false;
    }
}

/* --- results --- */

static const char *answer_text(const struct lookup *l)
{
    static const char *const codes[] = {
        "the name has no address",      "DNS cannot read the query (FORMERR)",
        "DNS fails (SERVFAIL)",         "there is no such name (NXDOMAIN)",
        "DNS does not support the query (NOTIMP)", "DNS refuses the query (REFUSED)",
    };
    if (!l->has_failed)
        return "DNS does not answer";
    if (l->icmp != NULL)
        return "DNS cannot be reached";
    return l->code < sizeof codes / sizeof codes[0] ? codes[l->code] : "DNS answers with an error";
}

static void report(struct detect *d, const struct lookup *l)
{
    const struct ds_text name = text_of(l->name, l->len);
    struct finding *f = detect_begin(d, FINDING_DS109, NULL);
    f->evidence[0].ts_ns = l->asked_ns;
    wording_say(&f->sentence, "{host} does not resolve: {reason}", a_node(name), a_word(answer_text(l)));
    wording_say(&f->detail, "{client} asked {server}", an_addr(&l->client), an_addr(&l->server));
    if (l->questions > 1)
        wording_say(&f->detail, ", {times} times", a_number(l->questions));
    wording_icmp(&f->detail, l->icmp);
    detect_frame(f, l->frame[0], "the query");
    detect_frame(f, l->frame[1], l->icmp != NULL ? "the ICMP message" : "the answer");
    if (is_node_name(d, name)) {
        wording_add(&f->detail, "; a node has that host in its name");
        detect_unsure(f, CERTAINTY_LIKELY, "the log of the node on the host that asked");
    } else {
        f->severity = SEVERITY_WARNING;
        detect_unsure(f, CERTAINTY_POSSIBLE,
                      "whether a node should run there (hosts also look up names for other "
                      "reasons)");
    }
    detect_commit(d);
}

struct ds_text detect_unresolved(const struct detect *d)
{
    return text_of(d->names->others.text, d->names->others.len);
}

/* note_others counts a name that may belong to a host without nodes. */
static void note_others(struct detect *d, const struct lookup *l)
{
    struct host_name *first = &d->names->others;
    if (d->checks.others_names++ == 0)
        first->len = detect_keep(first->text, sizeof first->text, text_of(l->name, l->len));
}

void detect_lookup_time(struct detect *d, bool at_end)
{
    if (!d->has_lookups)
        return;
    d->has_lookups = false;
    for (unsigned i = 0; i < MAX_LOOKUPS; i++) {
        struct lookup *l = &d->names->open[i];
        const int64_t passed_ns = d->now_ns - l->last_ns;
        if (!l->is_used)
            continue;
        const bool is_due = l->has_failed ? at_end || passed_ns >= NO_NS
                                          : l->questions > 1 &&
                                                (at_end || d->now_ns - l->asked_ns >= SILENCE_NS);
        l->is_used = !is_due && passed_ns < FORGET_NS;
        if (is_due && is_node_host(d, &l->client))
            report(d, l);
        else if (is_due)
            note_others(d, l);
        d->has_lookups |= l->is_used;
    }
}
