/*
 * detect_simultaneous.c - two nodes that dial each other at the same moment: the acceptor's status
 * selects the attempt that goes on, and that one has to come up.
 */
#include "analyse/findings/detect_parts.h"
#include "analyse/findings/tools.h"

#include <string.h>

#define SECOND INT64_C(1000000000)
#define PATIENCE_NS (10 * SECOND) /* longer than any handshake */

/* dialled is an attempt whose status says that it has to give way to the one from the other side,
 * or that the other one gives way. */
struct dialled {
    bool is_used, is_kept; /* is_kept: this attempt goes on, not the other one */
    uint64_t conn, frame;
    int64_t ts_ns;
    struct ds_addr addr; /* of the acceptor */
    size_t len[2];
    char name[2][128]; /* initiator, acceptor; len 0: unknown */
};

enum { MAX_DIALLED = 16 };

struct simultaneous_watch {
    struct dialled dialled[MAX_DIALLED];
};

const struct detect_family detect_simultaneous_family = {sizeof(struct simultaneous_watch), {{0}}};

/* is_end says whether an end is that node, by its name; EPMD shows only the part before the '@'. */
static bool is_end(const struct dialled *t, int i, const struct ds_endpoint *end)
{
    const struct ds_text node = end->node;
    if (node.data == NULL || node.len > t->len[i] || memcmp(node.data, t->name[i], node.len) != 0)
        return false;
    return node.len == t->len[i] || t->name[i][node.len] == '@';
}

static bool is_acceptor(const struct dialled *t, const struct ds_endpoint *end)
{
    return t->len[1] != 0 && end->node.data != NULL
               ? is_end(t, 1, end)
               : end->addr.family == t->addr.family &&
                     memcmp(end->addr.bytes, t->addr.bytes, sizeof t->addr.bytes) == 0;
}

/* is_between says whether a connection is between those two, whichever dialled. */
static bool is_between(const struct dialled *t, const struct ds_endpoint end[2])
{
    return (is_end(t, 0, &end[0]) && is_acceptor(t, &end[1])) ||
           (is_end(t, 0, &end[1]) && is_acceptor(t, &end[0]));
}

void detect_dialled(struct detect *d, const struct ds_event *event, bool is_kept)
{
    const struct ds_endpoint *end = event->conn->end;
    const int acceptor = event->dir;
    struct dialled *t = &d->simultaneous->dialled[0];
    if (end[!acceptor].node.data == NULL)
        return;
    for (size_t i = 0; i < MAX_DIALLED; i++) {
        if (!d->simultaneous->dialled[i].is_used) {
            t = &d->simultaneous->dialled[i];
            break;
        }
    }
    d->has_dialled = true;
    *t = (struct dialled){.is_used = true, .is_kept = is_kept, .conn = event->conn->number,
                          .frame = event->frame, .ts_ns = event->ts_ns,
                          .addr = end[acceptor].addr};
    t->len[0] = detect_keep(t->name[0], sizeof t->name[0], end[!acceptor].node);
    /* A name from EPMD is without its host. */
    const struct ds_text name = end[acceptor].node;
    if (name.data != NULL && memchr(name.data, '@', name.len) != NULL)
        t->len[1] = detect_keep(t->name[1], sizeof t->name[1], name);
}

static bool is_tool_end(const struct detect *d, const struct ds_event *event, int end)
{
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    return tools_have_name(event->conn->end[end].node) ||
           (w != NULL && w->has_flags[end] && tools_are_hidden(w->flags[end]));
}

void detect_dialled_up(struct detect *d, const struct ds_event *event)
{
    const struct ds_endpoint *end = event->conn->end;
    bool is_one = false;
    uint64_t frame = 0;
    for (size_t i = 0; d->has_dialled && i < MAX_DIALLED; i++) {
        struct dialled *t = &d->simultaneous->dialled[i];
        if (!t->is_used || !is_between(t, end))
            continue;
        t->is_used = false;
        is_one = true;
        frame = t->frame;
    }
    if (!is_one)
        return;
    struct finding *f = detect_begin(d, FINDING_DS114, event);
    f->severity = SEVERITY_NOTE;
    /* One line for all: at the start of a cluster most pairs do that, and tools come by the dozen. */
    const bool is_tool = is_tool_end(d, event, 0) || is_tool_end(d, event, 1);
    f->variant = is_tool;
    wording_say(&f->sentence, "{} connected to each other at the same time, and one attempt succeeded "
                "each time", a_word(is_tool ? "tools and nodes" : "nodes"));
    wording_say(&f->detail, "first {node} and {peer}", an_end(&end[0]), an_end(&end[1]));
    detect_frame(f, frame, "status");
    detect_frame(f, event->frame, "up");
    detect_commit(d);
}

bool detect_gave_way(const struct detect *d, const struct ds_conn *conn)
{
    for (size_t i = 0; d->has_dialled && i < MAX_DIALLED; i++) {
        const struct dialled *t = &d->simultaneous->dialled[i];
        if (t->is_used && t->is_kept && t->conn != conn->number && is_between(t, conn->end))
            return true;
    }
    return false;
}

static void report_stuck(struct detect *d, const struct dialled *t)
{
    struct finding *f = detect_begin(d, FINDING_DS114, NULL);
    f->evidence[0].conn = t->conn;
    f->evidence[0].ts_ns = t->ts_ns;
    for (int i = 0; i < 2; i++) {
        f->node[i].len = t->len[i];
        memcpy(f->node[i].text, t->name[i], t->len[i]);
    }
    wording_say(&f->sentence, "{node} and ", a_node(text_of(t->name[0], t->len[0])));
    if (t->len[1] != 0)
        wording_say(&f->sentence, "{peer}", a_node(text_of(t->name[1], t->len[1])));
    else
        wording_say(&f->sentence, "a node of {address}", an_addr(&t->addr));
    wording_add(&f->sentence, " connected to each other at the same time, and no attempt succeeded");
    const int by = t->is_kept || t->len[1] == 0 ? 0 : 1;
    wording_say(&f->detail, "the attempt of {}", a_node(text_of(t->name[by], t->len[by])));
    if (!t->is_kept && t->len[1] == 0)
        wording_add(&f->detail, " should have been abandoned: the other node is stuck");
    else
        wording_add(&f->detail, t->is_kept ? " should have continued: the node that accepted it is stuck"
                                           : " should have continued: that node is stuck");
    detect_frame(f, t->frame, "status");
    detect_unsure(f, CERTAINTY_LIKELY, "a capture of both attempts, and the logs of both nodes");
    detect_commit(d);
}

void detect_dialled_time(struct detect *d)
{
    if (!d->has_dialled)
        return;
    d->has_dialled = false;
    for (size_t i = 0; i < MAX_DIALLED; i++) {
        struct dialled *t = &d->simultaneous->dialled[i];
        if (t->is_used && d->now_ns - t->ts_ns >= PATIENCE_NS) {
            t->is_used = false;
            report_stuck(d, t);
        }
        d->has_dialled |= t->is_used;
    }
}
