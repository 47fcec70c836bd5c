/*
 * detect_registry.c - registries that repeat themselves (DS607).
 *
 * Phoenix.Tracker: a replica whose clocks show that it lacks something asks another one for its
 * full state:
 *     {forward_to_local, Topic, {pub, transfer_req, Ref, Name, Clocks}, Dispatcher}
 * The answer is transfer_ack, after which it need not ask again. If it does, with each heartbeat,
 * the two never agree.
 *
 * syn: a process gets a name, and each node is informed. If two nodes give the name to two
 * processes in turn, neither gives way:
 *     {'3.0', sync_register, Name, Pid, Meta, Time, Reason}
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define QUIET_NS (15 * SECOND) /* a later request or registration is a new case */
#define LONG_NS (20 * SECOND)

enum { MAX_CIRCLES = 64, TIMES = 10, TURNS = 6 };

/* circle is a replica that asks another one, or a name. */
struct circle {
    uint64_t key; /* 0: a free entry */
    bool is_name;
    int64_t first_ns, last_ns;
    uint64_t frame;
    unsigned num; /* requests, or how often another process got the name */
    uint64_t pid; /* hash of the process with the name */
    uint64_t found;
};

struct registry_watch {
    struct circle circle[MAX_CIRCLES];
};

void detect_registry_free(struct detect *d)
{
    free(d->registry);
    d->registry = NULL;
}

/* find_circle finds the entry of a key, restarted if it was quiet for long. For a new one it evicts
 * the one that was quiet for longest. NULL if memory ran out. */
static struct circle *find_circle(struct detect *d, uint64_t key, const struct ds_event *event)
{
    if (d->registry == NULL && (d->registry = calloc(1, sizeof *d->registry)) == NULL) {
        d->no_memory++;
        return NULL;
    }
    struct circle *at = &d->registry->circle[0];
    for (size_t i = 0; i < MAX_CIRCLES; i++) {
        struct circle *c = &d->registry->circle[i];
        if (c->key == key) {
            at = c;
            break;
        }
        if (c->last_ns < at->last_ns)
            at = c;
    }
    if (at->key != key || event->ts_ns - at->last_ns > QUIET_NS)
        *at = (struct circle){.key = key, .first_ns = event->ts_ns, .frame = event->frame};
    at->last_ns = event->ts_ns;
    return at;
}

static void end_report(struct detect *d, struct finding *f, const struct circle *c,
                       const struct ds_event *event, const char *what)
{
    detect_since(d, c->first_ns);
    wording_say(&f->detail, "{times} times within {within}", a_number(c->num),
                a_span(event->ts_ns - c->first_ns));
    detect_frame(f, c->frame, what);
    detect_frame(f, event->frame, "the latest");
}

static void on_transfer(struct detect *d, const struct ds_event *event, struct ds_text topic)
{
    const struct ds_text from = event->conn->end[event->dir].node,
                         to = event->conn->end[!event->dir].node;
    if (from.data == NULL || to.data == NULL)
        return;
    struct circle *c =
        find_circle(d, hash_short(hash_short(hash_short(43, from), to), topic) | 1, event);
    if (c == NULL)
        return;
    c->num++;
    if (c->num < TIMES || event->ts_ns - c->first_ns < LONG_NS || c->found != 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS607, event);
    wording_say(&f->sentence, "{node} repeatedly asks {peer} for the state of Phoenix.Tracker in {topic}",
                a_node(from), a_node(to), an_atom(topic)); /* so that it is redacted */
    end_report(d, f, c, event, "transfer_req");
    detect_unsure(f, CERTAINTY_LIKELY, "the presences that both nodes list for that topic");
    c->found = detect_commit(d);
}

static uint64_t hash_name(const struct ds_term *term)
{
    struct ds_text text;
    if (ds_term_get_atom(term, &text) || ds_term_get_binary(term, &text))
        return hash_short(47, text) | 1;
    return 0;
}

static void on_register(struct detect *d, const struct ds_event *event, const struct ds_term *said)
{
    struct ds_term name, pid;
    struct ds_identity who;
    if (!ds_term_get_element(said, 2, &name) || !ds_term_get_element(said, 3, &pid) ||
        !ds_term_get_pid(&pid, &who) || hash_name(&name) == 0)
        return;
    const uint64_t key = hash_name(&name);
    const uint32_t words[] = {who.creation, who.word[0], who.word[1], 0};
    const uint64_t pid_key = hash_more(53, words, sizeof words) | 1;
    struct circle *c = find_circle(d, key, event);
    if (c == NULL || c->pid == pid_key)
        return;
    c->num += c->pid != 0;
    c->pid = pid_key;
    if (c->num < TURNS || c->found != 0)
        return;
    struct finding *f = detect_begin(d, FINDING_DS607, event);
    struct ds_text text = {NULL, 0};
    wording_add(&f->sentence, "syn gives the name ");
    if (ds_term_get_atom(&name, &text) || ds_term_get_binary(&name, &text))
        wording_say(&f->sentence, "{name}", an_atom(text)); /* so that it is redacted */
    wording_add(&f->sentence, " to one process after the other");
    end_report(d, f, c, event, "sync_register");
    detect_unsure(f, CERTAINTY_LIKELY, "what syn has for that name on the nodes");
    c->found = detect_commit(d);
}

void detect_registry(struct detect *d, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct ds_term *said = &event->message.payload;
    struct ds_term word, topic, published;
    struct ds_text text;
    if (said->data == NULL || !ds_term_get_element(said, 0, &word))
        return;
    if (detect_is_atom(&word, "forward_to_local") && ds_term_get_element(said, 1, &topic) &&
        ds_term_get_binary(&topic, &text) && ds_term_get_element(said, 2, &published) &&
        ds_term_get_element(&published, 1, &word) && detect_is_atom(&word, "transfer_req"))
        on_transfer(d, event, text);
    else if (detect_is_atom(&word, "3.0") && ds_term_get_element(said, 1, &word) &&
             detect_is_atom(&word, "sync_register"))
        on_register(d, event, said);
}
