/*
 * test_record_queue_ends.c - the queue ends even if a disk is full, no process reads its pipe, or
 * records take long, and reports what it left out.
 */
#include "record_queue_run.h"
#include "core/clock.h"
#include "core/signals.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { MEGABYTE = 1024 * 1024 };

static void stops_when_nobody_can_write(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, "/dev/full"};
    struct run run = {.num_sinks = 1};
    struct sink *sink = &run.sinks[0];
    (void)state;
    assert_true(sink_open(sink, &format, &options));
    run.queue = start_relay(&run);
    assert_non_null(run.queue);
    for (int i = 0; i < 8; i++) /* more than is under way at once */
        read_capture(&run, "../pcaps/frag-29.pcap");
    assert_true(record_queue_stop(run.queue, NULL));
    assert_true(run.record_queue_failed);
    assert_true(sink->output.failed);
    sink_close(sink);
}

/* A full disk ends the run, and no record is written behind one that was not. */
static void stops_threads_when_nobody_can_write(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, "/dev/full"};
    struct run run = {.num_sinks = 1};
    uint64_t num_left = 0;
    (void)state;
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.queue = start_threads(&run, 3);
    assert_non_null(run.queue);
    for (int i = 0; i < 8; i++)
        read_capture(&run, "../pcaps/otp29-ops.pcap");
    assert_true(record_queue_stop(run.queue, &num_left));
    assert_true(run.record_queue_failed);
    assert_true(run.sinks[0].output.failed);
    assert_true(num_left != 0);
    free_drafts(&run);
    sink_close(&run.sinks[0]);
}

/* A pipe without a reader, and a user who wants to end. */
static void ends_though_nobody_reads(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, NULL};
    struct run run = {.num_sinks = 1};
    int ends[2];
    uint64_t num_left = 0;
    (void)state;
    signals_install(false);
    assert_int_equal(pipe(ends), 0);
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.sinks[0].output.fd = ends[1];
    const struct record_queue_target target = {.record = write_record, .flush = flush_sinks,
                                               .context = &run};
    run.queue = record_queue_start(&target, 64 * MEGABYTE);
    assert_non_null(run.queue);
    read_capture(&run, "../pcaps/frag-29.pcap");
    assert_int_equal(record_queue_num_lost(run.queue), 0);
    usleep(100000); /* until it hangs in write */
    stop_wanted = SIGINT;
    const int64_t begin_ns = clock_now_ns();
    assert_true(record_queue_stop(run.queue, &num_left));
    const int64_t passed_ns = clock_now_ns() - begin_ns;
    stop_wanted = 0;
    assert_true(passed_ns > 1000000000);
    assert_true(passed_ns < 6000000000);
    assert_true(run.sinks[0].output.failed && run.sinks[0].output.gave_up);
    assert_true(run.sinks[0].output.num_left != 0);
    assert_true(num_left != 0);
    sink_close(&run.sinks[0]); /* does not wait again */
    close(ends[0]);
}

static void *want_stop_soon(void *context)
{
    (void)context;
    usleep(300000);
    stop_wanted = SIGINT;
    return NULL;
}

/* The same while the decoder waits for room. */
static void ends_decoding_though_nobody_reads(void **state)
{
    const struct sink_config options = {.color = COLOR_NEVER};
    const struct sink_format format = {&sink_json, NULL};
    struct run run = {.num_sinks = 1};
    int ends[2];
    pthread_t thread;
    uint64_t num_left = 0;
    (void)state;
    signals_install(false);
    assert_int_equal(pipe(ends), 0);
    assert_true(sink_open(&run.sinks[0], &format, &options));
    run.sinks[0].output.fd = ends[1];
    run.queue = start_relay(&run);
    assert_non_null(run.queue);
    assert_int_equal(pthread_create(&thread, NULL, want_stop_soon, NULL), 0);
    for (int i = 0; i < 1000 && !run.record_queue_failed; i++)
        read_capture(&run, "../pcaps/frag-29.pcap");
    assert_true(run.record_queue_failed);
    assert_true(record_queue_stop(run.queue, &num_left));
    pthread_join(thread, NULL);
    stop_wanted = 0;
    assert_true(run.sinks[0].output.gave_up);
    assert_true(num_left != 0);
    sink_close(&run.sinks[0]);
    close(ends[0]);
}

/* burn uses 0.3 s of processor time for a record. */
static bool burn(void *context, const struct record *record)
{
    uint64_t *num_taken = context;
    struct timespec begin, now;
    (void)record;
    ++*num_taken;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 300000000);
    return true;
}

static bool flush_nothing(void *context)
{
    (void)context;
    return true;
}

/* Slow records are left out when the user wants to end. */
static void leaves_what_takes_long(void **state)
{
    uint64_t num_taken = 0, num_left = 0;
    const struct record_queue_target target = {.record = burn, .flush = flush_nothing,
                                               .context = &num_taken};
    const struct ds_conn conn = {.number = 1};
    const struct ds_event event = {.type = DS_EVENT_TICK, .conn = &conn};
    const struct record record = {.event = &event};
    (void)state;
    struct record_queue *queue = record_queue_start(&target, 0);
    assert_non_null(queue);
    for (int i = 0; i < 20; i++)
        assert_true(record_queue_record(queue, &record));
    stop_wanted = SIGTERM;
    assert_true(record_queue_stop(queue, &num_left));
    stop_wanted = 0;
    assert_in_range(num_taken, 1, 4);
    assert_int_equal(num_left, 20 - num_taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_when_nobody_can_write),
        cmocka_unit_test(stops_threads_when_nobody_can_write),
        cmocka_unit_test(ends_though_nobody_reads),
        cmocka_unit_test(ends_decoding_though_nobody_reads),
        cmocka_unit_test(leaves_what_takes_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
