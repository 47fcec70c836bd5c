/*
 * detect_mesh.c - nodes that are not connected though both are connected to the same third one: in
 * a cluster whose nodes connect to all others, one of these links could not be made.
 *
 * Not all links need to pass the point of capture. So a pair is reported only if packets between
 * its hosts were captured, even of an attempt that failed.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"
#include "record/danger.h"

#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define MESH_NS (10 * SECOND) /* by then the nodes have connected */
#define TICKED_NS (65 * SECOND) /* by then an idle link from before the capture has sent a tick */

enum { MAX_NODES = 128, NAME_LEN = 128, MAX_LATE = 256 };

struct member {
    uint32_t hash;
    bool meets_all; /* its global has greeted a node: with -connect_all false it does not */
    struct ds_addr addr;
    size_t len;
    char name[NAME_LEN];
};

/* late is two hosts with a link between them that was up before the capture. Its nodes are unknown,
 * at least so far. */
struct late {
    struct ds_addr addr[2];
};

struct mesh {
    unsigned num;
    bool is_full;
    bool has_greetings;  /* messages can be read, and come from Erlang/OTP's nodes */
    bool is_new;         /* links have come up since the last check */
    int64_t changed_ns;
    struct member node[MAX_NODES];
    uint8_t up[MAX_NODES][MAX_NODES];   /* links that are up */
    bool was_up[MAX_NODES][MAX_NODES];  /* at any time */
    bool is_told[MAX_NODES][MAX_NODES];
    bool is_seen[MAX_NODES][MAX_NODES]; /* packets between their hosts, other than of a link */
    uint64_t failed[MAX_NODES][MAX_NODES]; /* connection of an attempt that failed, 0: none */
    struct {
        uint64_t conn, frame;
    } link[MAX_NODES][MAX_NODES]; /* the latest that came up */
    unsigned num_late; /* MAX_LATE: there may be more */
    struct late late[MAX_LATE];
};

void detect_mesh_free(struct detect *d)
{
    free(d->mesh);
    d->mesh = NULL;
}

static bool is_same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* find_node returns the index of a node, and adds it; -1: there is no room. */
static int find_node(struct mesh *mesh, const struct ds_endpoint *end)
{
    const uint32_t hash = hash_text(end->node);
    for (unsigned i = 0; i < mesh->num; i++) {
        if (mesh->node[i].hash == hash)
            return (int)i;
    }
    if (mesh->num == MAX_NODES || end->node.len > NAME_LEN) {
        mesh->is_full = true;
        return -1;
    }
    struct member *node = &mesh->node[mesh->num];
    node->hash = hash;
    node->meets_all = false;
    node->addr = end->addr;
    node->len = end->node.len;
    memcpy(node->name, end->node.data, end->node.len);
    return (int)mesh->num++;
}

/* has_full_names says whether both names are complete. EPMD shows only the part before the @, and
 * there is no more if handshakes are truncated, or only one direction is captured. */
static bool has_full_names(const struct ds_conn *conn)
{
    for (int i = 0; i < 2; i++) {
        const struct ds_text node = conn->end[i].node;
        if (node.data == NULL || memchr(node.data, '@', node.len) == NULL)
            return false;
    }
    return true;
}

static bool find_both(struct mesh *mesh, const struct ds_conn *conn, int at[2])
{
    for (int i = 0; i < 2; i++) {
        at[i] = conn->end[i].node.data != NULL ? find_node(mesh, &conn->end[i]) : -1;
        if (at[i] < 0)
            return false;
    }
    return at[0] != at[1];
}

/* get_mesh returns NULL if memory ran out. */
static struct mesh *get_mesh(struct detect *d)
{
    if (d->mesh == NULL && (d->mesh = calloc(1, sizeof *d->mesh)) == NULL)
        d->no_memory++;
    return d->mesh;
}

static void on_up(struct detect *d, const struct ds_event *event)
{
    const struct conn_watch *w = detect_watch(d, event->conn);
    int at[2];
    if (w == NULL || !detect_is_published(w) || get_mesh(d) == NULL)
        return;
    struct mesh *mesh = d->mesh;
    if (!has_full_names(event->conn)) {
        d->checks.unnamed++;
        return;
    }
    if (!find_both(mesh, event->conn, at))
        return;
    for (int i = 0; i < 2; i++) {
        mesh->up[at[i]][at[!i]] += mesh->up[at[i]][at[!i]] < UINT8_MAX;
        mesh->was_up[at[i]][at[!i]] = true;
        mesh->link[at[i]][at[!i]].conn = event->conn->number;
        mesh->link[at[i]][at[!i]].frame = event->frame;
    }
    mesh->is_new = true;
    mesh->changed_ns = event->ts_ns;
}

static void on_end(struct detect *d, const struct ds_event *event)
{
    struct mesh *mesh = d->mesh;
    const struct conn_watch *w = detect_watch(d, event->conn);
    int at[2];
    if (w == NULL || !w->is_up || !detect_is_published(w) || !has_full_names(event->conn) ||
        !find_both(mesh, event->conn, at))
        return;
    for (int i = 0; i < 2; i++)
        mesh->up[at[i]][at[!i]] -= mesh->up[at[i]][at[!i]] != 0;
}

/* on_seen records that packets between two hosts pass the point of capture. */
static void on_seen(struct mesh *mesh, const struct ds_conn *conn, bool has_failed)
{
    for (unsigned i = 0; i < mesh->num; i++) {
        if (!is_same_addr(&mesh->node[i].addr, &conn->end[0].addr))
            continue;
        for (unsigned j = 0; j < mesh->num; j++) {
            if (i == j || !is_same_addr(&mesh->node[j].addr, &conn->end[1].addr))
                continue;
            mesh->is_seen[i][j] = mesh->is_seen[j][i] = true;
            if (has_failed)
                mesh->failed[i][j] = mesh->failed[j][i] = conn->number;
        }
    }
}

static bool is_between(const struct ds_addr addr[2], const struct ds_addr *a, const struct ds_addr *b)
{
    return (is_same_addr(&addr[0], a) && is_same_addr(&addr[1], b)) ||
           (is_same_addr(&addr[0], b) && is_same_addr(&addr[1], a));
}

/* has_late says whether a link between two hosts was up before the capture, or may have been. It
 * may connect any nodes on them. */
static bool has_late(const struct mesh *mesh, const struct ds_addr *a, const struct ds_addr *b)
{
    for (unsigned i = 0; i < mesh->num_late; i++) {
        if (is_between(mesh->late[i].addr, a, b))
            return true;
    }
    return mesh->num_late == MAX_LATE;
}

/* on_late records a link from before the capture, whose nodes may be unknown so far. */
static void on_late(struct detect *d, const struct ds_conn *conn)
{
    struct mesh *mesh = get_mesh(d);
    if (mesh == NULL || has_late(mesh, &conn->end[0].addr, &conn->end[1].addr))
        return;
    mesh->late[mesh->num_late++] = (struct late){{conn->end[0].addr, conn->end[1].addr}};
}

void detect_mesh(struct detect *d, const struct ds_event *event)
{
    const enum ds_conn_state state = event->change.state;
    if (state == DS_CONN_UP)
        on_up(d, event);
    else if (state == DS_CONN_JOINED_LATE)
        on_late(d, event->conn);
    else if (d->mesh != NULL && event->change.final && !event->change.unfollowed)
        on_end(d, event);
    if (d->mesh != NULL && event->change.final)
        on_seen(d->mesh, event->conn, state == DS_CONN_FAILED);
}

void detect_mesh_greeting(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *from = &event->conn->end[event->dir];
    if (d->mesh == NULL || from->node.data == NULL)
        return;
    const int at = find_node(d->mesh, from);
    if (at < 0)
        return;
    d->mesh->node[at].meets_all = true;
    d->mesh->has_greetings = true;
}

static void report_pair(struct detect *d, unsigned a, unsigned b, unsigned third)
{
    const struct member *node = d->mesh->node;
    const uint64_t failed = d->mesh->failed[a][b];
    struct finding *f = detect_begin(d, FINDING_DS211, NULL);
    const unsigned both[2] = {a, b};
    detect_since(d, d->mesh->changed_ns);
    d->mesh->is_told[a][b] = true;
    for (int i = 0; i < 2; i++) {
        f->node[i].len = node[both[i]].len;
        memcpy(f->node[i].text, node[both[i]].name, node[both[i]].len);
    }
    f->evidence[0].conn = failed;
    wording_say(&f->sentence, "{node} and {peer} are not connected to each other",
                a_node(text_of(node[a].name, node[a].len)), a_node(text_of(node[b].name, node[b].len)));
    wording_say(&f->detail, "although both are connected to {third}",
                a_node(text_of(node[third].name, node[third].len)));
    if (failed != 0)
        wording_add(&f->detail, "; an attempt between their hosts failed");
    else
        f->evidence[0].conn = d->mesh->link[a][third].conn;
    detect_frame(f, d->mesh->link[a][third].frame, "the first node's link to the third");
    detect_frame(f, d->mesh->link[b][third].frame, "the second node's");
    detect_unsure(f, failed != 0 ? CERTAINTY_LIKELY : CERTAINTY_POSSIBLE,
                  d->mesh->has_greetings
                      ? "nodes() on both"
                      : "nodes() on both; with -connect_all false nodes need no such link");
    detect_commit(d);
}

/* check_pair looks for a third node that both are connected to. */
static void check_pair(struct detect *d, unsigned a, unsigned b)
{
    const struct mesh *mesh = d->mesh;
    const bool one_host = is_same_addr(&mesh->node[a].addr, &mesh->node[b].addr);
    if (mesh->was_up[a][b] || has_late(mesh, &mesh->node[a].addr, &mesh->node[b].addr) ||
        (mesh->has_greetings && !(mesh->node[a].meets_all && mesh->node[b].meets_all)))
        return;
    for (unsigned third = 0; third < mesh->num; third++) {
        if (mesh->up[a][third] == 0 || mesh->up[b][third] == 0)
            continue;
        const bool is_seen =
            mesh->is_seen[a][b] ||
            (one_host && is_same_addr(&mesh->node[a].addr, &mesh->node[third].addr));
        const bool may_be_idle = mesh->failed[a][b] == 0 && d->now_ns - d->first_ns < TICKED_NS;
        if (is_seen && mesh->is_told[a][b])
            return;
        if (is_seen && !may_be_idle)
            report_pair(d, a, b, third);
        else
            d->checks.unseen_pairs++;
        return;
    }
}

unsigned detect_mesh_cap(const struct detect *d)
{
    return d->mesh != NULL && d->mesh->is_full ? MAX_NODES : 0;
}

static __attribute__((noinline)) void check_pairs(struct detect *d)
{
    const struct mesh *mesh = d->mesh;
    d->checks.unseen_pairs = 0;
    if (d->checks.unnamed != 0)
        return; /* the unnamed links may be between any of them */
    for (unsigned a = 0; a < mesh->num; a++) {
        for (unsigned b = a + 1; b < mesh->num; b++)
            check_pair(d, a, b);
    }
}

void detect_mesh_time(struct detect *d, bool at_end)
{
    struct mesh *mesh = d->mesh;
    (void)at_end;
    if (mesh == NULL || !mesh->is_new || d->now_ns - mesh->changed_ns < MESH_NS)
        return;
    mesh->is_new = false;
    check_pairs(d);
    /* Check again, when links from before the capture have had time to send a tick. */
    if (d->now_ns - d->first_ns < TICKED_NS && mesh->num > 2) {
        mesh->is_new = true;
        mesh->changed_ns = d->first_ns + TICKED_NS - MESH_NS;
    }
}
