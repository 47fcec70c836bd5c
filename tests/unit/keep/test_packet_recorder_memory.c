/*
 * test_packet_recorder_memory.c - the recorder with every allocation failing in turn: it reports
 * that, or works without the memory.
 */
#include "recorder_bench.h"
#include "failing_alloc.h"

struct failing_run {
    bool is_live;
    bool is_trigger;
    uint64_t max_kept;
    uint64_t hash, num; /* with enough memory */
    uint64_t num_told, num_same;
};

static void keep_all(void *context)
{
    struct failing_run *run = context;
    struct bench b;
    struct filter_error error;
    uint64_t hash = 0, num = 0;
    prepare(&b, run->is_live);
    b.options.limits[DS_LIMIT_KEPT] = run->max_kept;
    b.options.limits[DS_LIMIT_FILES] = 1;
    if (run->is_trigger) {
        b.options.trigger = filter_parse("frame > 150", NULL, &error);
        b.options.write_file = file_name;
    } else {
        b.options.connections_file = file_name;
        b.select_from = 150;
    }
    bool told = true;
    if ((b.options.trigger != NULL || !run->is_trigger) && begin(&b)) {
        for (size_t i = 0; i < num_packets; i++)
            take(&b, &packets[i]);
        end(&b);
        struct ds_stats stats = *ds_session_stats(b.session);
        recorder_add_stats(b.recorder, &stats);
        told = stats.no_memory != 0 || recorder_get_stop(b.recorder) == STOP_OUTPUT;
        if (!run->is_trigger && recorder_get_stop(b.recorder) == STOP_NONE)
            num = read_file(file_name, &hash);
    }
    clean_up(&b);
    if (run->is_trigger)
        remove_files(&num);
    if (!failing_alloc_failed()) {
        run->hash = hash;
        run->num = num;
        assert_true(num > 100);
    } else if (told) {
        run->num_told++;
    } else { /* it could do without */
        assert_int_equal(num, run->num);
        assert_int_equal(hash, run->hash);
        run->num_same++;
    }
}

static void tells_that_memory_ran_out(void **state)
{
    static const struct failing_run runs[] = {
        {.is_live = false, .max_kept = 1000000}, {.is_live = true, .max_kept = 1000000},
        {.is_live = false, .max_kept = 20000},   {.is_live = true, .max_kept = 20000},
        {.is_trigger = true, .max_kept = 20000},
    };
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    assert_true(ds_buffer_reserve(&same, 100000));
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct failing_run run = runs[i];
        keep_all(&run); /* the expected contents */
        assert_true(failing_alloc_each(keep_all, &run) > 200);
        assert_true(run.num_told > 200);
    }
    ds_buffer_free(&same);
    unload();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
