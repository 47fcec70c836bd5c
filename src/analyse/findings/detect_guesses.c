/*
 * detect_guesses.c - cookies are guessed (DS407): one address is refused very often within a
 * minute, each time under other names. A node with the wrong cookie keeps its name and creation
 * however often it tries. Each run of a tool is another node, but no one runs a tool twice a
 * second.
 */
#include "analyse/findings/detect.h"

#include "core/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define WITHIN_NS (60 * SECOND)

enum { MAX_GUESSERS = 16, REFUSED_OFTEN = 100, MANY_NAMES = 50 };

struct guesser {
    struct ds_addr addr;
    int64_t first_ns, last_ns; /* last_ns 0: a free entry */
    uint64_t frame;
    unsigned num, num_names;
    uint64_t name[MANY_NAMES]; /* hashes of names and creations */
    uint64_t found;
};

struct guess_watch {
    struct guesser guesser[MAX_GUESSERS];
};

void detect_guesses_free(struct detect *d)
{
    free(d->guesses);
    d->guesses = NULL;
}

static struct guesser *find_guesser(struct detect *d, const struct ds_addr *addr,
                                    const struct ds_event *event)
{
    if (d->guesses == NULL && (d->guesses = calloc(1, sizeof *d->guesses)) == NULL) {
        d->no_memory++;
        return NULL;
    }
    struct guesser *at = &d->guesses->guesser[0];
    for (size_t i = 0; i < MAX_GUESSERS; i++) {
        struct guesser *g = &d->guesses->guesser[i];
        if (g->last_ns != 0 && g->addr.family == addr->family &&
            memcmp(g->addr.bytes, addr->bytes, sizeof addr->bytes) == 0) {
            at = g;
            break;
        }
        if (g->last_ns < at->last_ns)
            at = g;
    }
    const bool is_same = at->last_ns != 0 && at->addr.family == addr->family &&
                         memcmp(at->addr.bytes, addr->bytes, sizeof addr->bytes) == 0;
    if (!is_same || event->ts_ns - at->first_ns > WITHIN_NS)
        *at = (struct guesser){.addr = *addr,
                               .first_ns = event->ts_ns,
                               .frame = event->frame,
                               .found = is_same ? at->found : 0};
    at->last_ns = event->ts_ns;
    return at;
}

static void note_name(struct guesser *g, const struct ds_endpoint *end)
{
    const uint64_t key = end->node.data != NULL ? hash_short(end->creation + 59, end->node) : 0;
    for (unsigned i = 0; i < g->num_names; i++) {
        if (g->name[i] == key)
            return;
    }
    if (g->num_names < MANY_NAMES)
        g->name[g->num_names++] = key;
}

void detect_guesses(struct detect *d, const struct ds_event *event, int initiator)
{
    const struct ds_endpoint *end = &event->conn->end[initiator];
    struct guesser *g = find_guesser(d, &end->addr, event);
    if (g == NULL)
        return;
    g->num++;
    note_name(g, end);
    if (g->found != 0 || g->num < REFUSED_OFTEN || g->num_names < MANY_NAMES)
        return;
    struct finding *f = detect_begin(d, FINDING_DS407, event);
    detect_since(d, g->first_ns);
    f->node[0].len = f->node[1].len = 0;
    wording_say(&f->sentence, "{address} tries one cookie after the other", an_addr(&end->addr));
    wording_say(&f->detail, "{times} handshakes with a wrong digest within {within}, under {names} names "
                "or more, the latest at {node}", a_number(g->num), a_span(event->ts_ns - g->first_ns),
                a_number(g->num_names), an_end(&event->conn->end[!initiator]));
    detect_frame(f, g->frame, "the first that was refused");
    detect_frame(f, event->frame, "the latest");
    detect_unsure(f, CERTAINTY_LIKELY, "what runs at that address");
    g->found = detect_commit(d);
}
