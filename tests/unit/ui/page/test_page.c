/*
 * test_page.c - the parts of a page: time that goes on without an end, the first and the latest
 * rows, compressed data that decompresses to the same; caps and failing memory.
 */
#include "failing_alloc.h"
#include "output/sink.h"
#include "ui/page/page_calls.h"
#include "ui/page/page_gzip.h"
#include "ui/page/page_parts.h"
#include "ui/page/page_rows.h"
#include "ui/page/page_times.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#define TERM(literal) ((struct ds_term){.data = (const uint8_t *)(literal), .len = sizeof(literal) - 1})

static uint64_t sum(const struct grid_series *series)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < GRID_COLUMNS; i++)
        all += series->counts[i];
    return all;
}

static void time_widens(void **state)
{
    static const int64_t start_ns = INT64_C(1700000000000000000);
    struct time_grid grid = {0};
    struct grid_series series = {0}, late = {0};
    (void)state;
    assert_int_equal(time_grid_place(&grid, start_ns), 0);
    grid_series_add(&series, &grid, 0, 5);
    assert_int_equal(time_grid_place(&grid, start_ns - 1), 0);
    /* The last moment of the last column, and the first one after it. */
    const int64_t whole_ns = (int64_t)GRID_COLUMNS * GRID_WIDTH_NS;
    unsigned column = time_grid_place(&grid, start_ns + whole_ns - 1);
    assert_int_equal(column, GRID_COLUMNS - 1);
    grid_series_add(&series, &grid, column, 7);
    assert_int_equal(time_grid_width_ns(&grid), GRID_WIDTH_NS);
    column = time_grid_place(&grid, start_ns + whole_ns);
    assert_int_equal(column, GRID_COLUMNS / 2);
    assert_int_equal(time_grid_width_ns(&grid), 2 * GRID_WIDTH_NS);
    grid_series_add(&series, &grid, column, 11);
    assert_int_equal(series.counts[0], 5);
    assert_int_equal(series.counts[GRID_COLUMNS / 2 - 1], 7);
    assert_int_equal(series.counts[GRID_COLUMNS / 2], 11);
    /* A day later, and at the end of the range of times. */
    column = time_grid_place(&grid, start_ns + INT64_C(86400000000000));
    grid_series_add(&series, &grid, column, 1);
    assert_in_range(column, GRID_COLUMNS / 2, GRID_COLUMNS - 1);
    column = time_grid_place(&grid, INT64_MAX);
    assert_in_range(column, GRID_COLUMNS / 2, GRID_COLUMNS - 1);
    grid_series_follow(&series, &grid);
    grid_series_add(&late, &grid, column, 2);
    assert_int_equal(sum(&series), 24);
    assert_int_equal(sum(&late), 2);
}

static void fill(struct page_rows *rows, uint64_t num)
{
    struct ds_buffer row = {0};
    for (uint64_t i = 0; i < num; i++) {
        row.len = 0;
        ds_buffer_printf(&row, "%u", (unsigned)i);
        page_rows_add(rows, &row);
    }
    ds_buffer_free(&row);
}

/* assert_kept: of num rows, the first ones up to first, and the latest from last on, are kept. */
static void assert_kept(uint64_t max, uint64_t num, uint64_t first, uint64_t last)
{
    struct page_rows rows = {.max = max, .max_bytes = UINT64_MAX};
    fill(&rows, num);
    assert_int_equal(page_rows_num_first(&rows), first);
    assert_int_equal(page_rows_num_last(&rows), last);
    for (uint64_t i = 0; i < first; i++)
        assert_int_equal(atoi(page_rows_first(&rows, i)), i);
    for (uint64_t i = 0; i < last; i++)
        assert_int_equal(atoi(page_rows_last(&rows, i)), num - 1 - i);
    assert_int_equal(rows.num_lost, 0);
    page_rows_free(&rows);
}

/* A quarter of the bytes is for the first rows, too, and no later row is among them if one had no
 * room. */
static void rows_have_so_many_bytes(void **state)
{
    static const size_t lens[] = {10, 10, 6, 5, 30, 20, 20, 20, 70, 5, 0, 60, 30};
    struct page_rows rows = {.max = 100, .max_bytes = 100};
    char text[80];
    (void)state;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        const struct ds_buffer row = {.data = text, .len = lens[i]};
        page_rows_add(&rows, &row);
        assert_true(rows.bytes_first <= 25 && rows.bytes_last <= 75);
        assert_int_equal(page_rows_num_first(&rows), i < 2 ? i + 1 : 2);
        const uint64_t num = page_rows_num_last(&rows);
        size_t len = 0;
        for (uint64_t k = 0; k < num; k++) {
            const char *last = page_rows_last(&rows, k);
            assert_int_equal(last != NULL ? strlen(last) : 0, lens[i - k]);
            len += lens[i - k];
        }
        assert_int_equal(rows.bytes_last, len);
        assert_true(i - num < 2 || len + lens[i - num] > 75); /* no more had room */
    }
    assert_int_equal(page_rows_num_last(&rows), 1);
    assert_int_equal(rows.seen, sizeof lens / sizeof lens[0]);
    assert_int_equal(rows.num_lost, 1);
    page_rows_free(&rows);
}

static void rows_are_the_first_and_the_latest(void **state)
{
    (void)state;
    assert_kept(1, 0, 0, 0);
    assert_kept(1, 5, 0, 1);
    assert_kept(8, 1, 1, 0);
    assert_kept(8, 2, 2, 0);
    assert_kept(8, 3, 2, 1);
    assert_kept(8, 8, 2, 6);
    assert_kept(8, 9, 2, 6);
    assert_kept(8, 100, 2, 6);
    assert_kept(1000, 700, 250, 450);
    assert_kept(1000, 1000, 250, 750);
    assert_kept(1000, 12345, 250, 750);
    struct page_rows none = {.max_bytes = 1000};
    fill(&none, 3);
    assert_int_equal(none.num_lost, 3);
    page_rows_free(&none);
}

static int value_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return c != '\0' && at != NULL ? (int)(at - digits) : -1;
}

/* unbase64 decodes base64 in place and returns the length. */
static size_t unbase64(char *text, size_t len)
{
    size_t num = 0;
    assert_int_equal(len % 4, 0);
    for (size_t i = 0; i < len; i += 4) {
        const int a = value_of(text[i]), b = value_of(text[i + 1]), c = value_of(text[i + 2]),
                  d = value_of(text[i + 3]);
        assert_true(a >= 0 && b >= 0);
        assert_true((c >= 0 && d >= 0) || i + 4 == len);
        const unsigned all = (unsigned)a << 18 | (unsigned)b << 12 |
                             (unsigned)(c < 0 ? 0 : c) << 6 | (unsigned)(d < 0 ? 0 : d);
        text[num++] = (char)(all >> 16);
        if (c >= 0)
            text[num++] = (char)(all >> 8);
        if (d >= 0)
            text[num++] = (char)all;
    }
    return num;
}

/* assert_packed compresses a text in parts of a length, and compares it with the decompressed one. */
static void assert_packed(const char *text, size_t len, size_t part)
{
    struct ds_buffer out = {0};
    struct page_gzip *pack = page_gzip_new(&out, false);
    assert_non_null(pack);
    for (size_t at = 0; at < len; at += part)
        page_gzip_add(pack, text + at, len - at < part ? len - at : part);
    page_gzip_end(pack);
    assert_false(out.failed);
    const size_t packed_len = unbase64(out.data, out.len);
    char *back = malloc(len + 1);
    z_stream stream = {.next_in = (Bytef *)out.data,
                       .avail_in = (uInt)packed_len,
                       .next_out = (Bytef *)back,
                       .avail_out = (uInt)len + 1};
    assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, len);
    assert_memory_equal(back, text, len);
    inflateEnd(&stream);
    free(back);
    ds_buffer_free(&out);
}

static void data_comes_out_as_it_went_in(void **state)
{
    enum { LEN = 300000 };
    char *text = malloc(LEN);
    uint32_t seed = 1;
    (void)state;
    for (size_t i = 0; i < LEN; i++) {
        seed = seed * 1664525 + 1013904223;
        text[i] = (char)(seed >> 24);
    }
    for (size_t len = 0; len < 8; len++)
        assert_packed(text, len, 3);
    assert_packed(text, LEN, LEN);
    assert_packed(text, LEN, 1000);
    memset(text, '<', LEN);
    assert_packed(text, LEN, 77);
    free(text);
}

/* A message and a call of a connection that is up. */
static struct ds_conn conn;
static struct ds_event event;
static struct call call;

static void make(void)
{
    conn = (struct ds_conn){.number = 3};
    conn.end[0].node = (struct ds_text){"</script>@h", 11};
    conn.end[1].node = (struct ds_text){"b@h", 3};
    event = (struct ds_event){.type = DS_EVENT_MESSAGE, .frame = 9, .conn = &conn,
                              .ts_ns = INT64_C(1700000000123456789)};
    event.message = (struct ds_message){.code = 22, .op = ds_op_find(22), .size = 99, .fragments = 1};
    event.message.control = TERM("h\3a\x16jj");
    event.message.role[DS_ROLE_FROM] = TERM("w\4from");
    event.message.role[DS_ROLE_TO] = TERM("w\2to");
    event.message.payload = TERM("k\0\5a\"\\\nz");
    call = (struct call){.number = 1, .conn = 3, .label = "gen:call", .group = "", .start_ns = event.ts_ns,
                         .end_ns = event.ts_ns + 5000, .start_frame = 9, .end_frame = 10,
                         .outcome = CALL_ERROR};
    call.request = TERM("w\2go");
}

static void write_page(void *context)
{
    struct sink sink;
    const struct sink_format format = {&sink_html, "/dev/null"};
    const struct loss loss = {.cause = (enum loss_cause)0, .count = 3, .first_ns = event.ts_ns};
    struct sink_config *config = context;
    if (!sink_open(&sink, &format, config))
        return;
    const struct record message = {.event = &event}, end = {.event = &event, .call = &call};
    sink_record(&sink, &message);
    sink_record(&sink, &end);
    sink_lost(&sink, &loss);
    sink_close(&sink);
}

static void without_memory(void **state)
{
    struct sink_config config = {0};
    (void)state;
    make();
    if (page_before_data.len == 0)
        skip();
    for (int i = 0; i < DS_LIMIT_COUNT; i++)
        config.limits[i] = 100;
    config.limits[DS_LIMIT_PAGE_BYTES] = 10000000;
    const int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    const unsigned long num = failing_alloc_each(write_page, &config);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(null);
    assert_true(num > 20);
}

static void marks_and_calls_are_bounded(void **state)
{
    struct page_times *times = page_times_new();
    struct page_calls calls;
    struct ds_buffer out = {0};
    struct json_writer json = {.out = &out};
    (void)state;
    make();
    for (int i = 0; i < 2003; i++)
        page_times_mark(times, event.ts_ns, "up", 1, 2, (struct ds_text){"\"</", 3});
    page_calls_init(&calls, 8, page_calls_json);
    for (unsigned i = 1; i <= 20; i++) {
        call.number = i;
        call.end_ns = call.start_ns + i;
        page_calls_add(&calls, &call);
    }
    json_begin_object(&json);
    page_times_write(times, &json);
    json_end_object(&json);
    ds_buffer_add(&out, "", 1);
    assert_false(out.failed);
    assert_non_null(strstr(out.data, "\"marks_left_out\":3"));
    out.len = 0;
    json_begin_object(&json);
    page_calls_write(&calls, &json);
    json_end_object(&json);
    ds_buffer_add(&out, "", 1);
    assert_non_null(strstr(out.data, "\"slowest\":[{\"call\":20,"));
    assert_non_null(strstr(out.data, "{\"call\":15,"));
    assert_null(strstr(out.data, "{\"call\":14,"));
    cJSON *tree = cJSON_Parse(out.data);
    assert_non_null(tree);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "slowest")), 6);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(tree, "failed")), 2);
    cJSON_Delete(tree);
    json_writer_free(&json);
    ds_buffer_free(&out);
    page_calls_free(&calls);
    page_times_free(times);
}

static void a_finding_has_no_terms(void **state)
{
    static const struct finding finding;
    const struct record record = {.finding = &finding};
    (void)state;
    assert_int_equal(record_terms_len(&record), 0); /* nor an event */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_widens),
        cmocka_unit_test(rows_are_the_first_and_the_latest),
        cmocka_unit_test(rows_have_so_many_bytes),
        cmocka_unit_test(data_comes_out_as_it_went_in),
        cmocka_unit_test(marks_and_calls_are_bounded),
        cmocka_unit_test(a_finding_has_no_terms),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
