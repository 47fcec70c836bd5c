/* The clock estimator against known clocks: every estimate must be within its stated uncertainty,
 * and the uncertainty must not be larger than the delays explain. */
#include "capture/clocks.h"
#include "failing_alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const int64_t START = 1700000000000000000;
static const double SECOND = 1e9;

/* world makes the samples that two points with known clocks would record. */
struct world {
    uint64_t random;
    double (*ahead)(double t); /* how far the clock is ahead, t nanoseconds after START in true time */
    double delay_to, delay_from; /* least, nanoseconds */
    double jitter;               /* exponential, on top */
    int64_t resolution_ns;
};

static double random_unit(struct world *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return ((double)(w->random >> 11) + 0.5) / 9007199254740992.0;
}

static double random_delay(struct world *w, double least)
{
    return least - w->jitter * log(random_unit(w));
}

static int64_t stamp(const struct world *w, double t)
{
    int64_t ns = START + llround(t);
    return ns - ns % w->resolution_ns;
}

/* see makes the sample of one packet that was sent at true time t. */
static struct clock_sample see(struct world *w, double t, bool to_point)
{
    double delay = random_delay(w, to_point ? w->delay_to : w->delay_from);
    double at_reference = to_point ? t : t + delay, at_point = to_point ? t + delay : t;
    int64_t point = stamp(w, at_point + w->ahead(at_point));
    return (struct clock_sample){
        .at_ns = point,
        .ahead_ns = point - stamp(w, at_reference),
        .group = 7,
        .reverse = !to_point,
    };
}

static size_t see_many(struct world *w, struct clock_sample *samples, size_t num, double span)
{
    for (size_t i = 0; i < num; i++) {
        const bool to_point = random_unit(w) < 0.5; /* in this order with any compiler */
        samples[i] = see(w, random_unit(w) * span, to_point);
    }
    return num;
}

/* worst_error compares the model with the truth over the whole span. */
static double worst_error(const struct world *w, const struct clock_model *model, double span)
{
    double worst = 0;
    for (int i = 0; i <= 1000; i++) {
        double t = span * i / 1000, truth = w->ahead(t);
        int64_t at = START + llround(t + truth);
        if (at < model->first_ns || at > model->last_ns)
            continue;
        worst = fmax(worst, fabs((double)clock_ahead(model, at) - truth));
    }
    return worst;
}

static double shifted(double t)
{
    (void)t;
    return 3.217 * SECOND;
}

static double behind_and_drifting(double t)
{
    return -40 * SECOND + 80e-6 * t;
}

static double set_in_between(double t)
{
    return t < 400 * SECOND ? 0.25 * SECOND : -1.5 * SECOND;
}

static double warming_up(double t)
{
    return 0.1 * SECOND + 30e-6 * t + 1e-17 * t * t;
}

static double decades(double t)
{
    return -1.6e18 + 20e-6 * t;
}

static struct clock_sample samples[20000];
static struct clock_model model;

static void estimates_a_shift(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct world w = {seed * 7919, shifted, 50e3, 80e3, 200e3, 1000};
        size_t num = see_many(&w, samples, 200, 2 * SECOND);
        assert_true(clock_estimate(samples, num, 1000, &model));
        assert_int_equal(model.state, CLOCK_KNOWN);
        assert_int_equal(model.num_late + model.num_early, num);
        assert_int_equal(model.num_pieces, 1);
        assert_true(worst_error(&w, &model, 2 * SECOND) <= clock_uncertainty(&model));
        assert_true(clock_uncertainty(&model) < 200e3);
        assert_true(clock_uncertainty(&model) >= (50e3 + 80e3) / 2);
    }
}

static void is_right_with_delays_that_differ(void **test)
{
    (void)test;
    struct world w = {99, shifted, 1e3, 900e3, 10e3, 1};
    size_t num = see_many(&w, samples, 2000, 10 * SECOND);
    assert_true(clock_estimate(samples, num, 1, &model));
    double error = worst_error(&w, &model, 10 * SECOND);
    assert_true(error > 400e3); /* nothing can know better */
    assert_true(error <= clock_uncertainty(&model));
}

static void follows_drift(void **test)
{
    (void)test;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w = {seed * 104729, behind_and_drifting, 300e3, 250e3, 1e6, 1000};
        size_t num = see_many(&w, samples, 5000, 3600 * SECOND);
        assert_true(clock_estimate(samples, num, 1000, &model));
        assert_int_equal(model.num_pieces, 1);
        assert_true(worst_error(&w, &model, 3600 * SECOND) <= clock_uncertainty(&model));
        assert_true(clock_uncertainty(&model) < 600e3);
        assert_true(fabs(clock_drift(&model) - 80e-6) < 1e-6);
    }
}

static void sees_no_drift_in_a_short_capture(void **test)
{
    (void)test;
    struct world w = {5, shifted, 20e3, 20e3, 30e3, 1000};
    size_t num = see_many(&w, samples, 30, 0.01 * SECOND);
    assert_true(clock_estimate(samples, num, 1000, &model));
    assert_true(clock_drift(&model) == 0);
    /* so an hour later the estimate is still not absurd */
    assert_true(llabs(clock_ahead(&model, START + 3600000000000) - 3217000000) < 100000);
}

static void follows_a_clock_that_is_set(void **test)
{
    (void)test;
    struct world w = {11, set_in_between, 100e3, 100e3, 100e3, 1};
    size_t num = see_many(&w, samples, 3000, 1000 * SECOND);
    assert_true(clock_estimate(samples, num, 1, &model));
    assert_int_equal(model.num_pieces, 2);
    int64_t before = START + (int64_t)(350.25 * SECOND), after = START + (int64_t)(450 * SECOND);
    assert_true(llabs(clock_ahead(&model, before) - 250000000) <= clock_uncertainty(&model));
    assert_true(llabs(clock_ahead(&model, after) + 1500000000) <= clock_uncertainty(&model));
    assert_true(clock_uncertainty(&model) < 300e3);
}

static void follows_a_clock_that_changes_its_pace(void **test)
{
    (void)test;
    struct world w = {13, warming_up, 100e3, 150e3, 50e3, 1};
    size_t num = see_many(&w, samples, 20000, 3600 * SECOND);
    assert_true(clock_estimate(samples, num, 1, &model));
    assert_true(model.num_pieces > 1 && model.num_pieces < CLOCK_MAX_PIECES);
    assert_true(worst_error(&w, &model, 3600 * SECOND) <= 2 * clock_uncertainty(&model));
    assert_true(clock_uncertainty(&model) < 400e3);
}

static void leaves_out_what_contradicts_all_else(void **test)
{
    (void)test;
    struct world w = {17, shifted, 50e3, 50e3, 50e3, 1};
    size_t num = see_many(&w, samples, 1000, 100 * SECOND);
    for (size_t i = 100; i < 110; i++) /* sent again; each point missed another copy */
        samples[i].ahead_ns += samples[i].reverse ? 200000000 : -200000000;
    assert_true(clock_estimate(samples, num, 1, &model));
    assert_in_range(model.num_outliers, 8, 12);
    assert_true(worst_error(&w, &model, 100 * SECOND) <= clock_uncertainty(&model));
    assert_true(clock_uncertainty(&model) < 200e3);
}

static void keeps_each_pair_of_hosts_apart(void **test)
{
    (void)test;
    struct world w = {19, shifted, 50e3, 60e3, 50e3, 1};
    size_t num = see_many(&w, samples, 1000, 10 * SECOND);
    for (size_t i = 0; i < num; i += 2) { /* the other pair is in the opposite order */
        samples[i].group = 3;
        samples[i].reverse = !samples[i].reverse;
    }
    assert_true(clock_estimate(samples, num, 1, &model));
    assert_int_equal(model.num_late + model.num_early, num);
    assert_int_equal(model.num_pieces, 1);
    assert_true(worst_error(&w, &model, 10 * SECOND) <= clock_uncertainty(&model));
}

static void says_when_one_direction_is_all_there_is(void **test)
{
    (void)test;
    struct world w = {23, shifted, 50e3, 60e3, 50e3, 1};
    for (size_t i = 0; i < 100; i++)
        samples[i] = see(&w, (double)i * 1e6, true);
    assert_true(clock_estimate(samples, 100, 1, &model));
    assert_int_equal(model.state, CLOCK_ONE_WAY);
    assert_true(isinf(clock_uncertainty(&model)));
    assert_true(llabs(clock_ahead(&model, START) - 3217000000) < 1000000);
    assert_true(clock_estimate(samples, 0, 1, &model));
    assert_int_equal(model.state, CLOCK_UNKNOWN);
    assert_int_equal(clock_ahead(&model, START), 0);
}

static void stands_a_clock_of_another_age(void **test)
{
    (void)test;
    struct world w = {29, decades, 50e3, 60e3, 50e3, 1};
    size_t num = see_many(&w, samples, 1000, 1000 * SECOND);
    assert_true(clock_estimate(samples, num, 1, &model));
    assert_true(worst_error(&w, &model, 1000 * SECOND) <= clock_uncertainty(&model) + 512);
    assert_true(clock_uncertainty(&model) < 200e3);
}

static void stands_nonsense(void **test)
{
    (void)test;
    struct world w = {31, shifted, 0, 0, 0, 1};
    for (size_t i = 0; i < 5000; i++) {
        samples[i] = (struct clock_sample){
            .at_ns = (int64_t)(random_unit(&w) * 4.6e18),
            .ahead_ns = (int64_t)((random_unit(&w) - 0.5) * 9e18),
            .group = (uint32_t)(random_unit(&w) * 4),
            .reverse = random_unit(&w) < 0.5,
        };
    }
    assert_true(clock_estimate(samples, 5000, 1, &model));
    assert_true(model.num_pieces > 0);
    for (size_t i = 0; i < 100; i++)
        samples[i] = (struct clock_sample){START, 5, 1, i % 2, 0};
    assert_true(clock_estimate(samples, 100, 1, &model));
    assert_int_equal(clock_ahead(&model, START), 5);
}

static void estimate_once(void *context)
{
    (void)context;
    struct world w = {37, shifted, 50e3, 60e3, 50e3, 1};
    size_t num = see_many(&w, samples, 100, SECOND);
    bool good = clock_estimate(samples, num, 1, &model);
    assert_int_equal(good, !failing_alloc_failed());
}

static void says_when_memory_runs_out(void **test)
{
    (void)test;
    assert_int_equal(failing_alloc_each(estimate_once, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_a_shift),
        cmocka_unit_test(is_right_with_delays_that_differ),
        cmocka_unit_test(follows_drift),
        cmocka_unit_test(sees_no_drift_in_a_short_capture),
        cmocka_unit_test(follows_a_clock_that_is_set),
        cmocka_unit_test(follows_a_clock_that_changes_its_pace),
        cmocka_unit_test(leaves_out_what_contradicts_all_else),
        cmocka_unit_test(keeps_each_pair_of_hosts_apart),
        cmocka_unit_test(says_when_one_direction_is_all_there_is),
        cmocka_unit_test(stands_a_clock_of_another_age),
        cmocka_unit_test(stands_nonsense),
        cmocka_unit_test(says_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
