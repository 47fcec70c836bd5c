/*
 * clocks.c - see clocks.h.
 *
 * o(t) is the unknown offset. A late sample means o(t) <= ahead, an early one o(t) >= ahead. For a
 * steady clock, o(t) = o + r * t, only the convex hulls of both sets matter. For a given r the room
 * between them is
 *
 *     room(r) = min over late (ahead - r * t) - max over early (ahead - r * t)
 *
 * which is concave, so its maximum and its zeroes are found by bisection. If the maximum is negative,
 * the clock was not steady.
 */
#include "capture/clocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A quartz is off by up to 100 ppm, and NTP adds up to 500 ppm while it corrects. */
static const double MAX_DRIFT = 1e-3;
/* The points of a network stack where packets get time stamps differ slightly. */
static const double TOLERANCE_NS = 5000;
enum { SEARCH_STEPS = 90, OUTLIER_LOOKAHEAD = 8, MIN_PIECE_SAMPLES = 8, MAX_OUTLIERS = 64 };

struct bound {
    double t, ahead;
};

struct hull {
    struct bound *bounds;
    size_t num;
};

/* band is the set of lines that the samples of a period allow. */
struct band {
    struct hull late, early;
    double widen; /* both hulls are moved apart by this, to leave room */
};

/* hull_add appends a bound (times are ascending) and removes those that it makes irrelevant. side is 1
 * for the hull below the points, -1 for the one above. */
static void hull_add(struct hull *hull, struct bound b, double side)
{
    while (hull->num != 0) {
        const struct bound *last = &hull->bounds[hull->num - 1];
        if (last->t == b.t) {
            if (side * (b.ahead - last->ahead) >= 0)
                return;
        } else if (hull->num >= 2) {
            const struct bound *before = last - 1;
            double cross = (last->t - before->t) * (b.ahead - before->ahead) -
                           (last->ahead - before->ahead) * (b.t - before->t);
            if (side * cross > 0)
                break;
        } else {
            break;
        }
        hull->num--;
    }
    hull->bounds[hull->num++] = b;
}

/* highest returns the largest o(t) that the late samples allow with drift r. */
static double highest(const struct band *band, double r, double t)
{
    double least = INFINITY;
    for (size_t i = 0; i < band->late.num; i++)
        least = fmin(least, band->late.bounds[i].ahead + r * (t - band->late.bounds[i].t));
    return least + band->widen;
}

static double lowest(const struct band *band, double r, double t)
{
    double most = -INFINITY;
    for (size_t i = 0; i < band->early.num; i++)
        most = fmax(most, band->early.bounds[i].ahead + r * (t - band->early.bounds[i].t));
    return most - band->widen;
}

static double room(const struct band *band, double r)
{
    return highest(band, r, 0) - lowest(band, r, 0);
}

/* best_drift returns the drift that leaves the most room. */
static double best_drift(const struct band *band)
{
    double low = -MAX_DRIFT, high = MAX_DRIFT;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (room(band, a) < room(band, b))
            low = a;
        else
            high = b;
    }
    return (low + high) / 2;
}

/* last_drift returns the drift that is farthest from inside, towards outside, and leaves room. */
static double last_drift(const struct band *band, double inside, double outside)
{
    if (room(band, outside) >= 0)
        return outside;
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double middle = (inside + outside) / 2;
        if (room(band, middle) >= 0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* most_ahead returns the largest o(t) that any drift between low and high allows, least_ahead the
 * smallest. */
static double most_ahead(const struct band *band, double low, double high, double t)
{
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (highest(band, a, t) < highest(band, b, t))
            low = a;
        else
            high = b;
    }
    return highest(band, (low + high) / 2, t);
}

static double least_ahead(const struct band *band, double low, double high, double t)
{
    for (int i = 0; i < SEARCH_STEPS; i++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (lowest(band, a, t) > lowest(band, b, t))
            low = a;
        else
            high = b;
    }
    return lowest(band, (low + high) / 2, t);
}

/* fit is the state of an estimate from one set of samples, sorted by time. */
struct fit {
    struct clock_sample *samples;
    size_t num;
    int64_t base_ns;
    int64_t ahead_ns;
    double tolerance;
    int64_t resolution_ns;
    struct band band; /* has memory for all samples */
};

static struct bound fit_bound(const struct fit *fit, size_t i)
{
    return (struct bound){(double)(fit->samples[i].at_ns - fit->base_ns),
                          (double)(fit->samples[i].ahead_ns - fit->ahead_ns)};
}

/* fit_band makes the band of samples [from, end). */
static void fit_band(struct fit *fit, size_t from, size_t end)
{
    fit->band.late.num = fit->band.early.num = 0;
    fit->band.widen = 0;
    for (size_t i = from; i < end; i++) {
        if (fit->samples[i].late)
            hull_add(&fit->band.late, fit_bound(fit, i), 1);
        else
            hull_add(&fit->band.early, fit_bound(fit, i), -1);
    }
}

/* is_steady says whether samples [from, end) are possible with one steady clock. */
static bool is_steady(struct fit *fit, size_t from, size_t end)
{
    fit_band(fit, from, end);
    if (fit->band.late.num == 0 || fit->band.early.num == 0)
        return true;
    return room(&fit->band, best_drift(&fit->band)) >= -fit->tolerance;
}

/* steady_end returns the end of the samples, from `from` on, during which the clock was steady. */
static size_t steady_end(struct fit *fit, size_t from)
{
    if (is_steady(fit, from, fit->num))
        return fit->num;
    size_t good = from + 1, bad = fit->num;
    while (bad - good > 1) {
        size_t middle = good + (bad - good) / 2;
        if (is_steady(fit, from, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* remove_sample removes a sample that contradicts all others around it: a packet that was sent twice,
 * and each point missed another copy. */
static void remove_sample(struct fit *fit, size_t at)
{
    fit->num--;
    memmove(&fit->samples[at], &fit->samples[at + 1],
            (fit->num - at) * sizeof fit->samples[0]);
}

static bool is_outlier(struct fit *fit, size_t from, size_t at)
{
    struct clock_sample kept = fit->samples[at];
    size_t end = at + OUTLIER_LOOKAHEAD;
    if (end >= fit->num)
        end = fit->num - 1;
    size_t later = end - at;
    memmove(&fit->samples[at], &fit->samples[at + 1], later * sizeof kept);
    bool steady = later != 0 && is_steady(fit, from, at + later);
    memmove(&fit->samples[at + 1], &fit->samples[at], later * sizeof kept);
    fit->samples[at] = kept;
    return steady;
}

/* fit_piece makes an estimate from samples [from, end), which include both kinds. */
static void fit_piece(struct fit *fit, size_t from, size_t end, struct clock_piece *piece)
{
    struct band *band = &fit->band;
    fit_band(fit, from, end);
    double best = best_drift(band), left = room(band, best);
    if (left < 0)
        band->widen = -left / 2;
    double low = last_drift(band, best, -MAX_DRIFT), high = last_drift(band, best, MAX_DRIFT);
    double t0 = fit_bound(fit, from).t, t1 = fit_bound(fit, end - 1).t;
    double most0 = most_ahead(band, low, high, t0), least0 = least_ahead(band, low, high, t0);
    double most1 = most_ahead(band, low, high, t1), least1 = least_ahead(band, low, high, t1);
    double half0 = (most0 - least0) / 2, half1 = (most1 - least1) / 2;
    double ahead0 = least0 + half0, ahead1 = least1 + half1;

    piece->from_ns = fit->samples[from].at_ns;
    piece->base_ns = piece->from_ns;
    if (t1 > t0 && fabs(ahead1 - ahead0) > half0 + half1) {
        piece->ahead_ns = ahead0;
        piece->drift = (ahead1 - ahead0) / (t1 - t0);
        piece->uncertainty_ns = fmax(half0, half1);
    } else { /* no drift is visible: none is the best guess, also outside of the samples */
        double most = fmax(most0, most1), least = fmin(least0, least1);
        piece->ahead_ns = (most + least) / 2;
        piece->drift = 0;
        piece->uncertainty_ns = (most - least) / 2;
    }
    piece->uncertainty_ns += band->widen + (double)fit->resolution_ns;
}

static int by_value(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* half_round_trip returns half of a typical (share 0.5) or the smallest (share 0) round-trip time, from
 * adjacent samples in opposite directions. scratch has room for all samples. */
static double half_round_trip(const struct fit *fit, double share, double *scratch)
{
    size_t num = 0;
    for (size_t i = 1; i < fit->num; i++) {
        const struct clock_sample *a = &fit->samples[i - 1], *b = &fit->samples[i];
        double trip = (double)(a->ahead_ns - b->ahead_ns) * (a->late ? 1 : -1);
        if (a->late != b->late)
            scratch[num++] = fmax(trip, 0);
    }
    if (num == 0)
        return 0;
    qsort(scratch, num, sizeof *scratch, by_value);
    return scratch[(size_t)(share * (double)(num - 1))] / 2;
}

static bool has_both(const struct fit *fit, size_t from, size_t end)
{
    bool late = false, early = false;
    for (size_t i = from; i < end && !(late && early); i++) {
        late |= fit->samples[i].late;
        early |= !fit->samples[i].late;
    }
    return late && early;
}

static void fit_pieces(struct fit *fit, struct clock_model *model)
{
    size_t from = 0;
    while (from < fit->num && model->num_pieces < CLOCK_MAX_PIECES) {
        size_t end = steady_end(fit, from);
        while (end < fit->num && model->num_outliers < MAX_OUTLIERS &&
               is_outlier(fit, from, end)) {
            remove_sample(fit, end);
            model->num_outliers++;
            end = steady_end(fit, from);
        }
        if (model->num_pieces == CLOCK_MAX_PIECES - 1)
            end = fit->num;
        bool last = end == fit->num;
        bool small = end - from < MIN_PIECE_SAMPLES;
        if (has_both(fit, from, end) && !(small && (!last || model->num_pieces != 0)))
            fit_piece(fit, from, end, &model->pieces[model->num_pieces++]);
        from = end;
    }
    if (model->num_pieces == 0) /* all samples contradict each other: use the best line there is */
        fit_piece(fit, 0, fit->num, &model->pieces[model->num_pieces++]);
}

static int by_time(const void *left, const void *right)
{
    const struct clock_sample *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static int by_group(const void *left, const void *right)
{
    const struct clock_sample *a = left, *b = right;
    if (a->group != b->group)
        return a->group > b->group ? 1 : -1;
    return by_time(left, right);
}

static int by_ahead(const void *left, const void *right)
{
    const struct clock_sample *a = left, *b = right;
    return (a->ahead_ns > b->ahead_ns) - (a->ahead_ns < b->ahead_ns);
}

/* orient determines which packets of each group came from the reference's side: those that seem to need
 * more time. It removes groups with packets in one direction alone. Returns how many samples are left. */
static size_t orient(struct clock_sample *samples, size_t num)
{
    size_t kept = 0;
    qsort(samples, num, sizeof samples[0], by_group);
    for (size_t from = 0, end; from < num; from = end) {
        int64_t votes = 0;
        size_t num_reverse = 0;
        for (end = from; end < num && samples[end].group == samples[from].group; end++) {
            num_reverse += samples[end].reverse;
            if (end == from || samples[end].reverse == samples[end - 1].reverse)
                continue;
            bool later = samples[end].ahead_ns > samples[end - 1].ahead_ns;
            if (samples[end].ahead_ns != samples[end - 1].ahead_ns)
                votes += later == samples[end].reverse ? 1 : -1;
        }
        if (num_reverse == 0 || num_reverse == end - from)
            continue;
        for (size_t i = from; i < end; i++) {
            samples[kept] = samples[i];
            samples[kept++].late = samples[i].reverse == (votes > 0);
        }
    }
    return kept;
}

/* guess_one_way makes the best estimate that is possible without packets in both directions. */
static void guess_one_way(struct clock_sample *samples, size_t num, struct clock_model *model)
{
    qsort(samples, num, sizeof samples[0], by_ahead);
    model->state = CLOCK_ONE_WAY;
    model->ahead_ns = samples[num / 2].ahead_ns;
    model->first_ns = model->last_ns = samples[num / 2].at_ns;
    model->num_late = num;
    model->num_pieces = 1;
    model->pieces[0].uncertainty_ns = INFINITY;
}

bool clock_estimate(struct clock_sample *samples, size_t num, int64_t resolution_ns,
                    struct clock_model *model)
{
    memset(model, 0, sizeof *model);
    if (num == 0)
        return true;
    size_t kept = orient(samples, num);
    if (kept == 0) {
        guess_one_way(samples, num, model);
        return true;
    }
    qsort(samples, kept, sizeof samples[0], by_time);

    struct fit fit = {
        .samples = samples,
        .num = kept,
        .base_ns = samples[0].at_ns,
        .ahead_ns = samples[0].ahead_ns,
        .tolerance = TOLERANCE_NS + 2 * (double)resolution_ns,
        .resolution_ns = resolution_ns,
    };
    struct bound *bounds = malloc(2 * kept * sizeof *bounds);
    if (bounds == NULL)
        return false;
    fit.band.late.bounds = bounds;
    fit.band.early.bounds = bounds + kept;
    model->state = CLOCK_KNOWN;
    model->ahead_ns = fit.ahead_ns;
    model->first_ns = samples[0].at_ns;
    model->last_ns = samples[kept - 1].at_ns;
    fit_pieces(&fit, model);

    for (size_t i = 0; i < fit.num; i++) {
        model->num_late += samples[i].late;
        model->num_early += !samples[i].late;
    }
    /* A clock that is not quite steady can leave no room; then the delays are a better estimate. */
    double least = half_round_trip(&fit, model->num_pieces > 1 ? 0.5 : 0, (double *)bounds);
    for (size_t i = 0; i < model->num_pieces; i++)
        model->pieces[i].uncertainty_ns =
            fmax(model->pieces[i].uncertainty_ns, least + (double)resolution_ns);
    free(bounds);
    return true;
}

int64_t clock_ahead(const struct clock_model *model, int64_t at_ns)
{
    if (model->num_pieces == 0)
        return 0;
    size_t i = model->num_pieces - 1;
    while (i > 0 && model->pieces[i].from_ns > at_ns)
        i--;
    const struct clock_piece *piece = &model->pieces[i];
    double ahead = piece->ahead_ns;
    if (piece->drift != 0)
        ahead += piece->drift * (double)(at_ns - piece->base_ns);
    return model->ahead_ns + llround(ahead);
}

double clock_uncertainty(const struct clock_model *model)
{
    double most = 0;
    for (size_t i = 0; i < model->num_pieces; i++)
        most = fmax(most, model->pieces[i].uncertainty_ns);
    return most;
}

double clock_drift(const struct clock_model *model)
{
    if (model->num_pieces <= 1)
        return model->num_pieces == 0 ? 0 : model->pieces[0].drift;
    if (model->last_ns == model->first_ns)
        return 0;
    return (double)(clock_ahead(model, model->last_ns) - clock_ahead(model, model->first_ns)) /
           (double)(model->last_ns - model->first_ns);
}
