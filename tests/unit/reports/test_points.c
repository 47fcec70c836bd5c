/*
 * test_points.c - the capture points of a stream: one row each, as many as there is room for; and
 * what --report points writes of them.
 */
#include "record/point_board.h"

#include "failing_alloc.h"
#include "reports/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static struct capture_point point_of(const char *name, uint64_t packets)
{
    struct capture_point point = {.numbers = {.packets = packets}};
    snprintf(point.name, sizeof point.name, "%s", name);
    return point;
}

static void each_name_has_a_row(void **state)
{
    struct point_board board;
    struct capture_point point;
    char name[16];
    (void)state;
    point_board_init(&board, false);
    assert_int_equal(point_board_num(&board), 0);
    assert_int_equal(point_board_num(NULL), 0);
    assert_false(point_board_get(NULL, 0, &point));
    for (int i = 0; i <= POINT_BOARD_MAX; i++) {
        snprintf(name, sizeof name, "web%d", i);
        point = point_of(name, (uint64_t)i);
        assert_int_equal(point_board_set(&board, &point), i < POINT_BOARD_MAX);
    }
    point = point_of("web7", 1000);
    assert_true(point_board_set(&board, &point));
    assert_int_equal(point_board_num(&board), POINT_BOARD_MAX);
    assert_true(point_board_get(&board, 7, &point));
    assert_string_equal(point.name, "web7");
    assert_int_equal(point.numbers.packets, 1000);
    assert_false(point_board_get(&board, POINT_BOARD_MAX, &point));
    board.hides_names = true;
    assert_true(point_board_get(&board, 7, &point));
    assert_string_equal(point.name, "point-8");
    point_board_free(&board);
}

static void without_memory_there_are_none(void **state)
{
    struct point_board board;
    struct capture_point point = point_of("web1", 1);
    (void)state;
    point_board_init(&board, false);
    failing_alloc_at(1);
    assert_false(point_board_set(&board, &point));
    failing_alloc_at(0);
    assert_int_equal(point_board_num(&board), 0);
    assert_true(point_board_set(&board, &point));
    point_board_free(&board);
}

static void the_report(void **state)
{
    struct point_board board;
    struct report_text text = {.time_digits = 6};
    struct report_config config = {.points = &board};
    struct ds_buffer told = {0};
    struct json_writer json = {.out = &told};
    struct capture_point point = point_of("web1", 1234);
    (void)state;
    setenv("TZ", "UTC", 1);
    point_board_init(&board, false);
    void *report = report_points.open(&text, &config);
    assert_non_null(report);
    report_points.show(report);
    assert_true(strncmp(text.buffer.data, "0 capture points: only a stream", 31) == 0);
    point.numbers.counts = (struct capture_point_counts){.since_ns = 60 * SECOND, .lost = 3, .dropped = 4};
    point.numbers.heard_ns = 3600 * SECOND;
    point.numbers.lag_ns = SECOND / 4;
    point.numbers.ahead_ns = -2 * SECOND;
    assert_true(point_board_set(&board, &point));
    point = point_of("web\033[2", 5);
    point.numbers.is_silent = 1;
    point.numbers.late = 6;
    assert_true(point_board_set(&board, &point));
    text.buffer.len = 0;
    report_points.show(report);
    ds_buffer_add(&text.buffer, "", 1);
    assert_string_equal(
        text.buffer.data,
        "2 capture points, 1 of them silent; 3 packets lost: a queue was full; 4 packets dropped by kernels or "
        "interfaces; 6 packets too late to be shown\n"
        "capture point state  since    last heard      lag   clock packets late lost dropped  \n"
        "web1          up     00:01:00 01:00:00   250.0 ms -2.00 s    1234    0    3       4  \n"
        "web\\x1B[2     silent 00:00:00 00:00:00       0 ns   +0 ns       5    6    0       0  \n");
    json_begin_object(&json);
    report_points.write_json(report, &json);
    json_end_object(&json);
    ds_buffer_add(&told, "", 1);
    assert_string_equal(
        told.data,
        "{\"rows\":[{\"name\":\"web1\",\"state\":\"up\",\"since\":60000000,\"heard\":3600000000,"
        "\"lag\":250000000,\"ahead\":-2000000000,\"packets\":1234,\"late\":0,\"lost\":3,\"dropped\":4},"
        "{\"name\":\"web\\u001b[2\",\"state\":\"silent\",\"since\":0,\"heard\":0,\"lag\":0,\"ahead\":0,"
        "\"packets\":5,\"late\":6,\"lost\":0,\"dropped\":0}]}");
    report_points.end(report);
    point_board_free(&board);
    json_writer_free(&json);
    ds_buffer_free(&told);
    ds_buffer_free(&text.buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_has_a_row),
        cmocka_unit_test(without_memory_there_are_none),
        cmocka_unit_test(the_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
