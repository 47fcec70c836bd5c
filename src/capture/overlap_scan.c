/*
 * overlap_scan.c - see overlap_scan.h.
 */
#include "capture/overlap_scan.h"

#include "capture/packet_id.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SAMPLES = 1 << 18, /* of all points together */
    MIN_POINT_SAMPLES = 1024,
    ENOUGH_DATA = 3,    /* packets with payload, SYN or FIN that two points must share, at least ... */
    ENOUGH_PACKETS = 32 /* ... or of any kind: keepalives look alike forever */
};

/* Copies of a packet within this time come from one capture on several interfaces; those farther apart
 * were sent again. */
static const int64_t SAME_TIME_NS = 5000000;
/* Cost of an estimate without knowledge of the delay: to be avoided if possible. */
static const double ONE_WAY_COST = 1e15;
/* With larger values, calculations with time stamps could overflow. */
static const int64_t MAX_TIME_NS = (int64_t)1 << 62;

struct overlap_scan_sample {
    uint64_t key; /* hash of the headers */
    int64_t at_ns;
    uint32_t hosts;
    uint32_t content; /* hash of the payload */
    bool cut;         /* content covers only the part that the snap length left */
    bool reverse;
    bool has_data; /* it has payload, SYN or FIN */
};

/* edge says what two points have in common. */
struct edge {
    size_t a, b; /* a < b */
    double uncertainty_ns;
};

bool overlap_scan_init(struct overlap_scan *survey, size_t num_points)
{
    *survey = (struct overlap_scan){.num_points = num_points};
    survey->max_samples = MAX_SAMPLES / (num_points != 0 ? num_points : 1);
    if (survey->max_samples < MIN_POINT_SAMPLES)
        survey->max_samples = MIN_POINT_SAMPLES;
    survey->points = calloc(num_points != 0 ? num_points : 1, sizeof *survey->points);
    for (size_t i = 0; survey->points != NULL && i < num_points; i++) {
        survey->points[i].group = survey->points[i].parent = i;
        survey->points[i].group_size = 1;
    }
    return survey->points != NULL;
}

void overlap_scan_free(struct overlap_scan *survey)
{
    for (size_t i = 0; survey->points != NULL && i < survey->num_points; i++)
        free(survey->points[i].samples);
    free(survey->points);
    *survey = (struct overlap_scan){0};
}

/* thin_out keeps every other sample, the same ones at all points. */
static void thin_out(struct overlap_scan_point *p)
{
    size_t kept = 0;
    p->mask = p->mask << 1 | 1;
    for (size_t i = 0; i < p->num_samples; i++) {
        if ((p->samples[i].key & p->mask) == 0)
            p->samples[kept++] = p->samples[i];
    }
    p->num_samples = kept;
}

void overlap_scan_packet(struct overlap_scan *survey, size_t point, const struct ds_packet *packet)
{
    struct overlap_scan_point *p = &survey->points[point];
    struct packet_id id;

    if (packet->past.kind != DS_SNAPSHOT_NONE)
        return; /* not seen by any point */
    if (!p->looked_at)
        p->first_ns = p->last_ns = packet->ts_ns;
    p->looked_at = true;
    p->num_packets++;
    p->first_ns = packet->ts_ns < p->first_ns ? packet->ts_ns : p->first_ns;
    p->last_ns = packet->ts_ns > p->last_ns ? packet->ts_ns : p->last_ns;
    if (packet->ts_ns < 0 || packet->ts_ns > MAX_TIME_NS || !packet_id_read(packet, &id))
        return;
    p->fraction_ns |= packet->ts_ns % 1000;
    p->cuts |= id.cut;
    if ((id.header & p->mask) != 0)
        return;
    if (p->samples == NULL) {
        p->samples = malloc(survey->max_samples * sizeof *p->samples);
        if (p->samples == NULL) {
            survey->no_memory = true;
            p->mask = UINT64_MAX;
            return;
        }
    }
    while (p->num_samples == survey->max_samples && p->mask != UINT64_MAX)
        thin_out(p);
    if ((id.header & p->mask) != 0 || p->num_samples == survey->max_samples)
        return;
    p->samples[p->num_samples++] = (struct overlap_scan_sample){
        .key = id.header,
        .at_ns = packet->ts_ns,
        .hosts = id.hosts,
        .content = (uint32_t)packet_id_content(&id),
        .cut = id.cut,
        .reverse = id.reverse,
        .has_data = id.end != id.seq,
    };
}

static int by_key(const void *left, const void *right)
{
    const struct overlap_scan_sample *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? 1 : -1;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

/* keep_distinct sorts the samples and removes those of packets that were sent again: it is unknown
 * which transmission at one point is which at another. */
static void keep_distinct(struct overlap_scan_point *p)
{
    size_t kept = 0;
    if (p->num_samples != 0)
        qsort(p->samples, p->num_samples, sizeof *p->samples, by_key);
    for (size_t from = 0, end; from < p->num_samples; from = end) {
        for (end = from + 1; end < p->num_samples; end++) {
            if (p->samples[end].key != p->samples[from].key)
                break;
        }
        if (p->samples[end - 1].at_ns - p->samples[from].at_ns <= SAME_TIME_NS)
            p->samples[kept++] = p->samples[from];
    }
    p->num_samples = kept;
}

/* join makes clock samples from the packets that two points share: point against reference. Returns
 * their number, or 0 if they are too few to be significant. */
static size_t join(const struct overlap_scan_point *point, const struct overlap_scan_point *reference,
                   struct clock_sample *out)
{
    size_t num = 0, num_data = 0;
    for (size_t i = 0, k = 0; i < point->num_samples && k < reference->num_samples;) {
        const struct overlap_scan_sample *a = &point->samples[i], *b = &reference->samples[k];
        if (a->key < b->key) {
            i++;
        } else if (a->key > b->key) {
            k++;
        } else {
            if (a->content == b->content || a->cut || b->cut) {
                num_data += a->has_data;
                out[num++] = (struct clock_sample){
                    .at_ns = a->at_ns,
                    .ahead_ns = a->at_ns - b->at_ns,
                    .group = a->hosts,
                    .reverse = a->reverse,
                };
            }
            i++;
            k++;
        }
    }
    return num_data >= ENOUGH_DATA || num >= ENOUGH_PACKETS ? num : 0;
}

/* estimate compares the clock of one point with another's. */
static bool estimate(const struct overlap_scan *survey, size_t point, size_t reference,
                     struct clock_sample *scratch, struct clock_model *clock)
{
    const struct overlap_scan_point *a = &survey->points[point], *b = &survey->points[reference];
    int64_t resolution = a->fraction_ns == 0 || b->fraction_ns == 0 ? 1000 : 1;
    return clock_estimate(scratch, join(a, b, scratch), resolution, clock);
}

/* overlap_walk is the state of place. */
struct overlap_walk {
    struct overlap_scan *survey;
    const struct edge *edges;
    size_t num_edges;
    struct clock_sample *scratch;
    double *cost;
    double *ahead_ns; /* for each point of a group */
    bool *done;
};

/* spread visits all points that share packets with a reference, directly or through others, over the
 * links whose total uncertainty is smallest, and sets the group and parent of each (Dijkstra). */
static bool spread(struct overlap_walk *walk, size_t reference)
{
    struct overlap_scan *survey = walk->survey;
    double *cost = walk->cost;
    bool good = true;
    size_t at = reference, size = 0;
    for (size_t i = 0; i < survey->num_points; i++)
        cost[i] = INFINITY;
    cost[reference] = 0;
    survey->points[reference].parent = reference;
    survey->points[reference].uncertainty_ns = 0;
    while (good) {
        struct overlap_scan_point *p = &survey->points[at];
        walk->done[at] = true;
        p->group = reference;
        size++;
        if (at != reference) {
            good = estimate(survey, at, p->parent, walk->scratch, &p->clock);
            p->uncertainty_ns = survey->points[p->parent].uncertainty_ns +
                                clock_uncertainty(&p->clock);
        }
        for (size_t i = 0; i < walk->num_edges; i++) {
            const struct edge *edge = &walk->edges[i];
            if (edge->a != at && edge->b != at)
                continue;
            size_t other = edge->a == at ? edge->b : edge->a;
            double step = isinf(edge->uncertainty_ns) ? ONE_WAY_COST : edge->uncertainty_ns;
            if (!walk->done[other] && cost[at] + step < cost[other]) {
                cost[other] = cost[at] + step;
                survey->points[other].parent = at;
            }
        }
        size_t next = reference;
        for (size_t i = 0; i < survey->num_points; i++) {
            if (!walk->done[i] && !isinf(cost[i]) && (next == reference || cost[i] < cost[next]))
                next = i;
        }
        if (next == reference)
            break;
        at = next;
    }
    for (size_t i = 0; i < survey->num_points; i++) {
        if (survey->points[i].group == reference)
            survey->points[i].group_size = size;
    }
    return good;
}

static int by_number(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* choose_reference returns the reference of the group that spread visited from its first point. */
static size_t choose_reference(struct overlap_walk *walk, size_t first)
{
    struct overlap_scan *survey = walk->survey;
    size_t num = 0;
    for (size_t i = first; i < survey->num_points; i++) {
        if (survey->points[i].group != first)
            continue;
        if (!survey->points[i].is_listed)
            return i;
        walk->ahead_ns[num++] = i == first ? 0 : overlap_scan_get_ahead(survey, i);
    }
    qsort(walk->ahead_ns, num, sizeof *walk->ahead_ns, by_number);
    const double middle = walk->ahead_ns[(num - 1) / 2];
    for (size_t i = first; i < survey->num_points; i++) {
        if (survey->points[i].group == first &&
            (i == first ? 0 : overlap_scan_get_ahead(survey, i)) == middle)
            return i;
    }
    return first;
}

/* place determines the group of each point, and compares the clocks in it with the reference's clock. */
static bool place(struct overlap_scan *survey, const struct edge *edges, size_t num_edges,
                  struct clock_sample *scratch)
{
    struct overlap_walk walk = {
        .survey = survey,
        .edges = edges,
        .num_edges = num_edges,
        .scratch = scratch,
        .cost = malloc(survey->num_points * sizeof *walk.cost),
        .ahead_ns = malloc(survey->num_points * sizeof *walk.ahead_ns),
        .done = calloc(survey->num_points, sizeof *walk.done),
    };
    bool good = walk.cost != NULL && walk.ahead_ns != NULL && walk.done != NULL;
    for (size_t first = 0; good && first < survey->num_points; first++) {
        if (walk.done[first])
            continue;
        good = spread(&walk, first);
        const size_t reference = good ? choose_reference(&walk, first) : first;
        for (size_t i = 0; i < survey->num_points && reference != first; i++)
            walk.done[i] &= survey->points[i].group != first;
        good = good && (reference == first || spread(&walk, reference));
    }
    free(walk.cost);
    free(walk.ahead_ns);
    free(walk.done);
    return good;
}

bool overlap_scan_end(struct overlap_scan *survey)
{
    struct clock_sample *scratch = malloc(survey->max_samples * sizeof *scratch);
    struct clock_model *clock = malloc(sizeof *clock);
    struct edge *edges = NULL;
    size_t num_edges = 0, max_edges = 0;
    bool good = scratch != NULL && clock != NULL && !survey->no_memory;

    for (size_t i = 0; good && i < survey->num_points; i++)
        keep_distinct(&survey->points[i]);
    for (size_t b = 1; good && b < survey->num_points; b++) {
        for (size_t a = 0; good && a < b; a++) {
            good = estimate(survey, b, a, scratch, clock);
            if (!good || clock->state == CLOCK_UNKNOWN)
                continue;
            if (num_edges == max_edges) {
                max_edges = max_edges * 2 + 16;
                struct edge *more = realloc(edges, max_edges * sizeof *edges);
                good = more != NULL;
                if (!good)
                    continue;
                edges = more;
            }
            edges[num_edges++] = (struct edge){a, b, clock_uncertainty(clock)};
        }
    }
    good = good && place(survey, edges, num_edges, scratch);
    free(edges);
    free(clock);
    free(scratch);
    for (size_t i = 0; i < survey->num_points; i++) {
        free(survey->points[i].samples);
        survey->points[i].samples = NULL;
        survey->points[i].num_samples = 0;
    }
    return good;
}

bool overlap_scan_has_points(const struct overlap_scan *survey)
{
    for (size_t i = 0; i < survey->num_points; i++) {
        if (survey->points[i].group != i)
            return true;
    }
    return false;
}

int64_t overlap_scan_correct(const struct overlap_scan *survey, size_t point, int64_t ts_ns)
{
    if (ts_ns < 0 || ts_ns > MAX_TIME_NS)
        return ts_ns;
    const struct overlap_scan_point *p = &survey->points[point];
    bool microseconds = p->fraction_ns == 0 && survey->points[p->group].fraction_ns == 0;
    if (p->parent == point)
        return ts_ns;
    for (; survey->points[point].parent != point; point = survey->points[point].parent)
        ts_ns -= clock_ahead(&survey->points[point].clock, ts_ns);
    return microseconds ? (ts_ns + 500) / 1000 * 1000 : ts_ns;
}

static double ahead_at(const struct overlap_scan *survey, size_t point, int64_t ts_ns)
{
    return (double)(ts_ns - overlap_scan_correct(survey, point, ts_ns));
}

double overlap_scan_get_ahead(const struct overlap_scan *survey, size_t point)
{
    const struct clock_model *clock = &survey->points[point].clock;
    double first = ahead_at(survey, point, clock->first_ns);
    return first + (ahead_at(survey, point, clock->last_ns) - first) / 2;
}

double overlap_scan_get_drift(const struct overlap_scan *survey, size_t point)
{
    const struct clock_model *clock = &survey->points[point].clock;
    double span = (double)(clock->last_ns - clock->first_ns);
    if (span <= 0)
        return 0;
    return (ahead_at(survey, point, clock->last_ns) - ahead_at(survey, point, clock->first_ns)) /
           span;
}

struct overlap_scan_piece overlap_scan_get_piece(const struct overlap_scan *survey, size_t point,
                                                 size_t number)
{
    const struct overlap_scan_point *p = &survey->points[point];
    const struct clock_model *clock = &p->clock;
    const bool is_last = number + 1 == clock->num_pieces;
    struct overlap_scan_piece piece = {
        .from_ns = number == 0 ? clock->first_ns : clock->pieces[number].from_ns,
        .to_ns = is_last ? clock->last_ns : clock->pieces[number + 1].from_ns - 1,
        /* The path from the parent to the reference adds its uncertainty. */
        .uncertainty_ns =
            p->uncertainty_ns - clock_uncertainty(clock) + clock->pieces[number].uncertainty_ns,
    };
    const double first = ahead_at(survey, point, piece.from_ns);
    const double grown = ahead_at(survey, point, piece.to_ns) - first;
    piece.ahead_ns = first + grown / 2;
    if (piece.to_ns > piece.from_ns)
        piece.drift = grown / (double)(piece.to_ns - piece.from_ns);
    return piece;
}

size_t overlap_scan_stranger(const struct overlap_scan *survey, size_t point)
{
    const struct overlap_scan_point *p = &survey->points[point];
    for (size_t i = 0; i < point && p->looked_at && p->group == point; i++) {
        const struct overlap_scan_point *other = &survey->points[i];
        if (other->looked_at && other->group != point && other->first_ns < p->last_ns &&
            p->first_ns < other->last_ns)
            return i;
    }
    return point;
}
