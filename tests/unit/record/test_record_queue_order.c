/*
 * test_record_queue_order.c - records leave the queue as they entered it: for all records of real
 * captures, text and JSON are the same with the queue's threads as without.
 */
#include "record_queue_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct sink_kind *const kinds[NUM_KINDS] = {&sink_text, &sink_json, &sink_etf,
                                                         &sink_mermaid};

static void open_sinks(struct run *run, const struct sink_config *options)
{
    for (int i = 0; i < NUM_KINDS; i++) {
        strcpy(run->names[i], "/tmp/test_record_queue.XXXXXX");
        int fd = mkstemp(run->names[i]);
        assert_true(fd >= 0);
        close(fd);
        const struct sink_format format = {kinds[i], run->names[i]};
        assert_true(sink_open(&run->sinks[i], &format, options));
        run->sinks[i].time_digits = 9;
    }
    run->num_sinks = NUM_KINDS;
}

static char *read_file(const char *name, size_t *len)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *len = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*len + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *len, file), *len);
    fclose(file);
    return text;
}

enum correlation { AT_ONCE, IN_A_THREAD };

static void compare(const char *capture, unsigned num_threads, enum correlation correlation)
{
    const struct sink_config options = {
        .verbose = 2, .hex = true, .etf = true, .color = COLOR_NEVER};
    struct run at_once = {0}, relayed = {0};
    open_sinks(&at_once, &options);
    open_sinks(&relayed, &options);
    read_capture(&at_once, capture);
    relayed.queue = num_threads == 1 ? start_relay(&relayed) : start_threads(&relayed, num_threads);
    assert_non_null(relayed.queue);
    if (correlation == IN_A_THREAD)
        start_correlation(&relayed);
    read_capture(&relayed, capture);
    assert_true(record_queue_stop(relayed.queue, NULL));
    free_drafts(&relayed);
    assert_false(relayed.record_queue_failed);
    assert_true(at_once.num_records > 100);
    assert_int_equal(at_once.num_records, relayed.num_records);
    for (int i = 0; i < NUM_KINDS; i++) {
        sink_close(&at_once.sinks[i]);
        sink_close(&relayed.sinks[i]);
        size_t len, relayed_len;
        char *text = read_file(at_once.names[i], &len);
        char *relayed_text = read_file(relayed.names[i], &relayed_len);
        assert_true(len > 1000);
        assert_int_equal(len, relayed_len);
        assert_memory_equal(text, relayed_text, len);
        free(text);
        free(relayed_text);
        unlink(at_once.names[i]);
        unlink(relayed.names[i]);
    }
}

static void passes_everything_on(void **state)
{
    (void)state;
    for (unsigned num_threads = 1; num_threads <= MAX_THREADS; num_threads *= 2) {
        for (enum correlation where = AT_ONCE; where <= IN_A_THREAD; where++) {
            compare("../pcaps/otp29-ops.pcap", num_threads, where); /* seq_trace, fragments, all ops */
            compare("../pcaps/cnode.pcap", num_threads, where); /* no cache, a fault, a 100 kB frame */
            compare("../pcaps/frag-29.pcap", num_threads, where); /* messages of 300 kB */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_everything_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
