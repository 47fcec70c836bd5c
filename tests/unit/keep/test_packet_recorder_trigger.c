/*
 * test_packet_recorder_trigger.c - which packets are in the files of --trigger: how long before and
 * after, with clocks that are set, and what is reported missing. tests/keep decodes the files of
 * real captures.
 */
#include "recorder_bench.h"

/* 50 packets a second; the clock of their stamps is set at one of them. Returns the number of
 * packets in the file that packet 100 triggers. */
static uint64_t record_with_jump(int64_t jump_ns, size_t at)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    prepare(&b, true);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", NULL, &error);
    b.options.before_ns = SECOND;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50 + (i >= at ? jump_ns : 0);
        clock_shows_ns = (int64_t)i * SECOND / 50;
        take(&b, &packet);
    }
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    return num;
}

static void ends_a_file_though_the_clock_is_set(void **state)
{
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    const uint64_t usual = record_with_jump(0, 0);
    assert_in_range(usual, 90, 130); /* 50 before, 50 after, and the snapshot of the time before */
    assert_in_range(record_with_jump(-3600 * SECOND, 120), usual - 1, usual + 60);
    assert_in_range(record_with_jump(3600 * SECOND, 120), usual - 1, usual + 60);
    /* Kept packets have the same age, before and after. */
    for (size_t at = 60; at <= 100; at += 10) {
        assert_in_range(record_with_jump(-3600 * SECOND, at), usual - 1, usual + 1);
        assert_in_range(record_with_jump(3600 * SECOND, at), usual - 1, usual + 1);
    }
    unload();
}

static void takes_any_time_after(void **state)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    prepare(&b, true);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", NULL, &error);
    b.options.after_ns = INT64_MAX;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++)
        take(&b, &packets[i]);
    recorder_flush(b.recorder);
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    assert_true(num > 190);
    unload();
}

/* A full store in the past does not make later files incomplete. */
static void says_only_what_is_lacking(void **state)
{
    struct bench b;
    struct filter_error error;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    for (int late = 0; late < 2; late++) {
        struct ds_stats stats = {0};
        prepare(&b, true);
        b.options.write_file = file_name;
        b.options.trigger = filter_parse(late ? "frame == 390" : "frame == 150", NULL, &error);
        b.options.before_ns = 2 * SECOND;
        b.options.limits[DS_LIMIT_KEPT] = 20000;
        assert_true(begin(&b));
        for (size_t i = 0; i < num_packets; i++) {
            struct ds_packet packet = packets[i];
            packet.ts_ns = clock_shows_ns = (int64_t)i * (i < 200 ? 1000 : SECOND / 10);
            take(&b, &packet);
        }
        end(&b);
        recorder_add_stats(b.recorder, &stats);
        assert_int_equal(stats.limits_hit[DS_LIMIT_KEPT], late ? 0 : 1);
        clean_up(&b);
        assert_int_equal(remove_files(NULL), 1);
    }
    unload();
}

/* The age of the packets that had been evicted when packet 300 triggered a file that wants
 * before_ns, and whether the file was reported as incomplete. */
static int64_t age_of_lacking(int64_t before_ns, bool *lacks)
{
    struct bench b;
    struct filter_error error;
    struct ds_stats stats = {0};
    int64_t age_ns = 0;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 300", NULL, &error);
    b.options.before_ns = before_ns;
    b.options.limits[DS_LIMIT_KEPT] = 20000;
    assert_true(begin(&b));
    for (size_t i = 0; i < 300; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50;
        take(&b, &packet);
        if (b.recorder->store.full_ns != INT64_MIN)
            age_ns = packet.ts_ns - b.recorder->store.full_ns;
    }
    end(&b);
    recorder_add_stats(b.recorder, &stats);
    *lacks = stats.limits_hit[DS_LIMIT_KEPT] != 0;
    clean_up(&b);
    assert_int_equal(remove_files(NULL), 1);
    return age_ns;
}

/* A packet that is as old as --keep is wanted; an older one is not. */
static void lacks_what_is_just_old_enough(void **state)
{
    bool lacks = false;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    const int64_t age_ns = age_of_lacking(100 * SECOND, &lacks);
    assert_true(lacks);
    assert_int_equal(age_of_lacking(age_ns, &lacks), age_ns);
    assert_true(lacks);
    age_of_lacking(age_ns - 1, &lacks);
    assert_false(lacks);
    unload();
}

/* Returns the number of packets in the file that packet 100 triggers, if the stamps go back from
 * packet 120 on. */
static uint64_t record_set_back(int64_t before_ns, int64_t after_ns, int64_t back_ns)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", NULL, &error);
    b.options.before_ns = before_ns;
    b.options.after_ns = after_ns;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50 - (i >= 120 ? back_ns : 0);
        take(&b, &packet);
    }
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    return num;
}

static uint64_t record_between(int64_t before_ns, int64_t after_ns)
{
    return record_set_back(before_ns, after_ns, 0);
}

/* Both ends of the time span belong to it. */
static void keeps_packets_at_both_ends(void **state)
{
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    const uint64_t num = record_between(SECOND, SECOND);
    assert_int_equal(record_between(SECOND - 1, SECOND), num - 1);
    assert_int_equal(record_between(SECOND, SECOND - 1), num - 1);
    assert_int_equal(record_between(SECOND + 1, SECOND + 1), num);
    /* Up to a second back is disorder, and the file goes on; more is another clock. */
    assert_true(record_set_back(SECOND, SECOND, SECOND) > num + 20);
    assert_in_range(record_set_back(SECOND, SECOND, SECOND * 11 / 10), num - 1, num + 1);
    unload();
}

/* Runs the recorder over the capture, 50 packets a second. Returns the number of files. */
static int record_all(const char *trigger, uint64_t max_files, struct ds_stats *stats)
{
    struct bench b;
    struct filter_error error;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse(trigger, NULL, &error);
    assert_non_null(b.options.trigger);
    b.options.before_ns = SECOND / 10;
    b.options.limits[DS_LIMIT_FILES] = max_files;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50;
        take(&b, &packet);
    }
    end(&b);
    *stats = (struct ds_stats){0};
    recorder_add_stats(b.recorder, stats);
    assert_int_equal(recorder_get_stop(b.recorder), STOP_NONE);
    clean_up(&b);
    return remove_files(NULL);
}

static void records_again_and_again(void **state)
{
    struct ds_stats stats;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    /* Six seconds of triggers: all within a second are in one file. */
    assert_in_range(record_all("frame >= 100", 100, &stats), 6, 7);
    assert_int_equal(stats.limits_hit[DS_LIMIT_FILES], 0);
    assert_int_equal(record_all("frame >= 100", 3, &stats), 3);
    assert_true(stats.limits_hit[DS_LIMIT_FILES] != 0);
    assert_int_equal(record_all("frame == 400", 100, &stats), 1); /* the last packet */
    /* EPMD's connection, and then the end of the capture, once for all connections that it closes. */
    assert_int_equal(record_all("state == \"closed\" || state == \"open_at_end\"", 100, &stats), 2);
    assert_int_equal(record_all("frame > 400", 100, &stats), 0);
    unload();
}

/* A finding by the clock triggers a file at once: until the next packet, its evidence might become
 * too old. */
static void waits_for_no_packet(void **state)
{
    struct bench b;
    struct filter_error error;
    const struct ds_event event = {.type = DS_EVENT_TICK, .frame = 1000};
    uint64_t num = 0;
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    prepare(&b, true);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 1000", NULL, &error);
    b.options.before_ns = 5 * SECOND;
    assert_true(begin(&b));
    for (size_t i = 0; i < 150; i++)
        take(&b, &packets[i]);
    recorder_flush(b.recorder);
    assert_int_equal(remove_files(NULL), 0);
    recorder_record(b.recorder, &(struct record){.event = &event}, false);
    recorder_flush(b.recorder);
    assert_int_equal(remove_files(&num), 1);
    assert_true(num > 100);
    /* The file ends by the clock; the next packet does not begin another. */
    clock_shows_ns += 3600 * SECOND;
    recorder_flush(b.recorder);
    take(&b, &packets[150]);
    end(&b);
    assert_int_equal(remove_files(NULL), 0);
    clean_up(&b);
    unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_a_file_though_the_clock_is_set),
        cmocka_unit_test(takes_any_time_after),
        cmocka_unit_test(waits_for_no_packet),
        cmocka_unit_test(records_again_and_again),
        cmocka_unit_test(says_only_what_is_lacking),
        cmocka_unit_test(lacks_what_is_just_old_enough),
        cmocka_unit_test(keeps_packets_at_both_ends),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
