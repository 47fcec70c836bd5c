/*
 * detect_starts.c - a node restarts again and again (DS215): its name comes with one creation after
 * another, in handshakes, or in EPMD's answers to registrations. Hidden nodes, such as tools, come
 * and go. A node that registers again because its EPMD was restarted keeps its creation, and the
 * creation in EPMD's answer is ignored: a start counts only if the node itself ended the connection
 * of its previous registration.
 */
#include "analyse/findings/detect_parts.h"

#include "core/hash.h"

#include <inttypes.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define LOOP_NS (60 * SECOND)

enum {
    WARN_CHANGES = 2, /* within a minute: two restarts */
    LOOP_STARTS = 3,
    HIDDEN_TYPE = 72, /* node type at EPMD: a hidden node */
};

/* starts is the known incarnations of a node. */
enum { NUM_STARTS = 6 };
struct starts {
    struct table_entry entry;
    uint64_t key;
    uint64_t num;                /* distinct ones */
    uint32_t creation[NUM_STARTS]; /* of the latest ones */
    int64_t ts_ns[NUM_STARTS];
    uint64_t frame[NUM_STARTS];
    uint64_t conn;      /* of the registration */
    uint64_t short_key; /* a hash of its name before the @ */
    bool is_told;       /* the finding was reported, with this severity */
    uint8_t severity;
    bool is_first_seen; /* the first one is a start that was captured */
    bool has_ended;     /* the node has ended the connection of its registration */
};
TABLE_KEYED(struct starts, key);

enum { MAX_STARTS = 1024 };

struct starts_watch {
    struct table starts;
};

const struct detect_family detect_starts_family = {
    sizeof(struct starts_watch),
    {{offsetof(struct starts_watch, starts), sizeof(struct starts), MAX_STARTS}},
};

/* find finds or adds the entry of a name. EPMD shows only the part before the @. */
static struct starts *find(struct detect *d, uint64_t key, struct ds_text name)
{
    struct starts *s = table_find(&d->starts->starts, key);
    if (s != NULL)
        return s;
    s = table_find_or_put(&d->starts->starts, key);
    d->no_memory += s == NULL;
    if (s == NULL)
        return NULL;
    const char *at = memchr(name.data, '@', name.len);
    s->short_key = hash_short(19, text_of(name.data, at != NULL ? (size_t)(at - name.data) : name.len));
    return s;
}

static bool has_creation(const struct starts *s, uint32_t creation)
{
    for (size_t i = 0; i < NUM_STARTS && i < s->num; i++) {
        if (s->creation[i] == creation)
            return true;
    }
    return false;
}

/* count_recent counts the captured starts of the last minute: the first known one may be much
 * older, unless it was a registration at EPMD. */
static unsigned count_recent(const struct starts *s, int64_t now_ns, int64_t *since_ns)
{
    unsigned num = 0;
    *since_ns = now_ns;
    for (uint64_t back = 0; back < NUM_STARTS && back < s->num; back++) {
        const uint64_t n = s->num - 1 - back;
        if (now_ns - s->ts_ns[n % NUM_STARTS] > LOOP_NS || (n == 0 && !s->is_first_seen))
            break;
        *since_ns = s->ts_ns[n % NUM_STARTS];
        num++;
    }
    return num;
}

/* is_told says whether the same restarts were reported through their other trace, at least as
 * severely: EPMD gives a node the creation that it uses in handshakes. */
static bool is_told(const struct detect *d, const struct starts *s, enum severity severity)
{
    const struct table *all = &d->starts->starts;
    for (const struct starts *other = table_get(all, all->newest); other != NULL;
         other = table_get(all, other->entry.older)) {
        if (other == s || other->short_key != s->short_key || !other->is_told || other->severity > severity)
            continue;
        for (size_t i = 0; i < NUM_STARTS && i < s->num; i++) {
            if (has_creation(other, s->creation[i]))
                return true;
        }
    }
    return false;
}

static void report(struct detect *d, const struct ds_event *event, struct starts *s, struct ds_text name,
                   bool is_at_epmd)
{
    int64_t since_ns;
    const unsigned recent = count_recent(s, event->ts_ns, &since_ns);
    if (recent < WARN_CHANGES || s->num <= WARN_CHANGES)
        return;
    const enum severity severity = recent >= LOOP_STARTS ? SEVERITY_ERROR : SEVERITY_WARNING;
    if (is_told(d, s, severity))
        return;
    const bool is_again = s->is_told;
    s->is_told = true;
    s->severity = (uint8_t)severity;
    struct finding *f = detect_begin(d, FINDING_DS215, event);
    detect_since(d, since_ns);
    f->node[1].len = 0;
    f->node[0].len = is_at_epmd ? 0 : detect_keep(f->node[0].text, sizeof f->node[0].text, name);
    f->severity = severity;
    wording_say(&f->sentence, "{node}", a_node(name));
    if (is_at_epmd)
        wording_say(&f->sentence, " (as registered at EPMD of {epmd})",
                    an_addr(&event->conn->end[1].addr));
    wording_add(&f->sentence, " restarts repeatedly");
    wording_say(&f->detail, "{times} starts within {within}, each with another creation, the latest "
                "{creation}", a_number(recent), a_span(event->ts_ns - since_ns),
                a_number(s->creation[(s->num - 1) % NUM_STARTS]));
    for (uint64_t n = s->num > NUM_STARTS ? s->num - NUM_STARTS : 0; n < s->num; n++)
        detect_frame(f, s->frame[n % NUM_STARTS], is_at_epmd ? "registered" : "up");
    const uint64_t number = detect_commit(d);
    if (is_again && number != 0)
        detect_detail(d, number, &f->detail);
}

/* take records a creation, and returns whether it is a new one. */
static bool take(struct starts *s, const struct ds_event *event, uint32_t creation)
{
    if (creation == 0 || has_creation(s, creation))
        return false;
    const size_t at = s->num++ % NUM_STARTS;
    s->creation[at] = creation;
    s->ts_ns[at] = event->ts_ns;
    s->frame[at] = event->frame;
    return s->num > 1;
}

static void on_registered(struct detect *d, const struct ds_event *event)
{
    const struct ds_epmd *epmd = &event->epmd;
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w == NULL || w->asked_len == 0 || w->is_hidden || epmd->result != 0)
        return;
    const struct ds_text name = text_of(w->asked, w->asked_len);
    struct starts *s = find(d, hash_short(hash_more(13, event->conn->end[1].addr.bytes,
                                                    sizeof event->conn->end[1].addr.bytes), name), name);
    if (s == NULL)
        return;
    const bool goes_on = s->num != 0 && !s->has_ended; /* of another host, or EPMD was restarted */
    s->has_ended = false;
    s->conn = event->conn->number;
    if (goes_on) {
        s->num = 0; /* begin again */
        s->is_first_seen = false;
    } else if (s->num == 0) {
        s->is_first_seen = true;
    }
    if (take(s, event, epmd->creation))
        report(d, event, s, name, true);
}

static void note_type(struct detect *d, const struct ds_event *event)
{
    struct conn_watch *w = detect_find_watched(d, event->conn->number);
    if (w != NULL)
        w->is_hidden = event->epmd.node_type == HIDDEN_TYPE;
}

/* on_unregistered handles a node that ends the connection on which its registration depends. */
static void on_unregistered(struct detect *d, const struct ds_event *event)
{
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    const struct ds_tcp_stats *link = event->conn->link;
    if (w == NULL || w->asked_len == 0 || link == NULL || link->closed_by != 0)
        return;
    const uint64_t key = hash_short(hash_more(13, event->conn->end[1].addr.bytes,
                                              sizeof event->conn->end[1].addr.bytes),
                                    text_of(w->asked, w->asked_len));
    struct starts *s = table_find(&d->starts->starts, key);
    if (s != NULL && s->conn == event->conn->number)
        s->has_ended = true;
}

static void on_up(struct detect *d, const struct ds_event *event)
{
    const uint64_t published = 1;
    const struct conn_watch *w = detect_find_watched(d, event->conn->number);
    for (int end = 0; end < 2; end++) {
        const struct ds_endpoint *e = &event->conn->end[end];
        if (e->node.data == NULL || w == NULL || !w->has_flags[end] || (w->flags[end] & published) == 0)
            continue;
        struct starts *s = find(d, hash_short(17, e->node), e->node);
        if (s != NULL && take(s, event, e->creation))
            report(d, event, s, e->node, false);
    }
}

void detect_starts(struct detect *d, const struct ds_event *event)
{
    if (event->type == DS_EVENT_EPMD && event->dir == 1 &&
        (event->epmd.op == DS_EPMD_ALIVE2_RESP || event->epmd.op == DS_EPMD_ALIVE2_X_RESP))
        on_registered(d, event);
    else if (event->type == DS_EVENT_EPMD && event->epmd.op == DS_EPMD_ALIVE2_REQ)
        note_type(d, event);
    else if (event->type == DS_EVENT_CONN && event->conn->end[1].port == d->config.epmd_port)
        on_unregistered(d, event);
    else if (event->type == DS_EVENT_CONN && event->change.state == DS_CONN_UP)
        on_up(d, event);
}
