/*
 * detect_scan.c - clients that are not nodes: they ask EPMD for the list of nodes on a host, or
 * send bytes to a node's port that begin no handshake. Port scanners do this (detect_handshake.c
 * finds send_names that no node sends).
 */
#include "analyse/findings/detect_parts.h"

#include "record/danger.h"

#include <string.h>

#define PATIENCE_NS INT64_C(10000000000) /* a client that asks for names may turn out to be a node */

/* knock is a client that asked EPMD for all names, and may be no node. */
enum { MAX_KNOCKS = 16 };
struct knock {
    bool is_used;
    struct ds_addr client, server;
    int64_t ts_ns;
    uint64_t frame, conn;
};

struct scan_watch {
    struct knock knock[MAX_KNOCKS];
    unsigned num_hosts; /* of nodes */
    struct ds_addr host[MAX_HOSTS];
};

const struct detect_family detect_scan_family = {sizeof(struct scan_watch), {{0}}};

static bool is_same(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_nodes_host(const struct scan_watch *s, const struct ds_addr *addr)
{
    for (unsigned i = 0; i < s->num_hosts; i++) {
        if (is_same(&s->host[i], addr))
            return true;
    }
    return s->num_hosts == MAX_HOSTS; /* there were more */
}

void detect_add_nodes_host(struct detect *d, const struct ds_addr *addr)
{
    struct scan_watch *s = d->scan;
    if (!is_nodes_host(s, addr))
        s->host[s->num_hosts++] = *addr;
}

/* on_names handles a list of nodes from EPMD. Any client on the same host may ask for it, and one
 * with a public address is reported at once (DS402). */
static void on_names(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    const int server = event->dir;
    struct scan_watch *s = d->scan;
    if (is_same(&end[0].addr, &end[1].addr) || addr_scope_of(&end[!server].addr) == ADDR_PUBLIC)
        return;
    struct knock *k = NULL;
    for (unsigned i = 0; i < MAX_KNOCKS; i++) {
        if (s->knock[i].is_used && is_same(&s->knock[i].client, &end[!server].addr))
            return;
        if (!s->knock[i].is_used && k == NULL)
            k = &s->knock[i];
    }
    if (k == NULL)
        return;
    d->has_knocks = true;
    *k = (struct knock){.is_used = true, .client = end[!server].addr, .server = end[server].addr,
                        .ts_ns = event->ts_ns, .frame = event->frame, .conn = event->conn->number};
}

void detect_scan_epmd(struct detect *d, const struct ds_event *event)
{
    const enum ds_epmd_op op = event->epmd.op;
    if (op == DS_EPMD_NAMES_RESP || op == DS_EPMD_DUMP_RESP)
        on_names(d, event);
    else if (op == DS_EPMD_ALIVE2_REQ || op == DS_EPMD_PORT_PLEASE2_REQ)
        detect_add_nodes_host(d, &event->conn->end[event->dir].addr);
}

static void report_knock(struct detect *d, const struct knock *k)
{
    struct finding *f = detect_begin(d, FINDING_DS116, NULL);
    f->evidence[0].conn = k->conn;
    f->evidence[0].ts_ns = k->ts_ns;
    wording_say(&f->sentence, "{address} asked EPMD of {epmd} for the names of its nodes",
                an_addr(&k->client), an_addr(&k->server));
    wording_add(&f->detail, "no node was seen at that address");
    detect_frame(f, k->frame, "names_resp");
    detect_unsure(f, CERTAINTY_POSSIBLE, "the owner of that address (monitoring asks for names as well)");
    detect_commit(d);
}

void detect_scan_time(struct detect *d, bool at_end)
{
    struct scan_watch *s = d->scan;
    if (!d->has_knocks)
        return;
    d->has_knocks = false;
    for (unsigned i = 0; i < MAX_KNOCKS; i++) {
        struct knock *k = &s->knock[i];
        if (k->is_used && (at_end || d->now_ns - k->ts_ns >= PATIENCE_NS)) {
            k->is_used = false;
            if (!is_nodes_host(s, &k->client))
                report_knock(d, k);
        }
        d->has_knocks |= k->is_used;
    }
}

void detect_scan_end(struct detect *d, const struct ds_event *event)
{
    const struct ds_conn *conn = event->conn;
    const struct epmd_lookup *told = detect_find_told(d, &conn->end[1]);
    if (told == NULL || conn->counters[0].bytes == 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS116, event);
    wording_say(&f->sentence, "{address} sends data that is not a handshake to the port of {node}",
                an_addr(&conn->end[0].addr), a_node(text_of(told->name, told->name_len)));
    detect_frame(f, told->frame, "port2_resp");
    detect_frame(f, event->frame, "the close");
    detect_unsure(f, CERTAINTY_LIKELY, "the owner of that address");
    detect_commit(d);
}
