/*
 * test_tui_screens.c - cells, tables, pages and views without a terminal: text is escaped and cut,
 * rows sort and stay selected, keys do what requests.def says; hostile names, sizes without any
 * room, and failing memory.
 */
#include "failing_alloc.h"
#include "default_limits.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_draw.h"
#include "ui/tui/tui_ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* expect_cells compares a screen with a text; "..." at its end: only up to there. */
static void expect_cells(const struct cells *cells, const char *expected)
{
    struct ds_buffer text = {0};
    cells_print(cells, &text);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
    const char *rest = strstr(expected, "...");
    if (rest != NULL)
        text.data[rest - expected] = '\0';
    char *wanted = strndup(expected, rest != NULL ? (size_t)(rest - expected) : strlen(expected));
    assert_string_equal(text.data, wanted);
    free(wanted);
    ds_buffer_free(&text);
}

static void cells_are_cut_and_escaped(void **state)
{
    struct cells cells = {0};
    (void)state;
    assert_true(cells_resize(&cells, 3, 8));
    assert_int_equal(cells_put_string(&cells, 0, 0, 8, STYLE_PLAIN, "12345678"), 8);
    assert_int_equal(cells_put_string(&cells, 1, 0, 8, STYLE_PLAIN, "123456789"), 8);
    assert_int_equal(cells_put_string(&cells, 2, 6, 8, STYLE_PLAIN, "ab"), 2);
    expect_cells(&cells, "12345678\n1234567…\n      ab\n");
    cells_clear(&cells);
    /* A wide character that is cut in half, and one whose half is overwritten. */
    cells_put_string(&cells, 0, 0, 4, STYLE_PLAIN, "a日本語");
    cells_put_string(&cells, 1, 0, 8, STYLE_PLAIN, "日本");
    cells_put_string(&cells, 1, 1, 1, STYLE_PLAIN, "x");
    cells_put_string(&cells, 2, 0, 8, STYLE_PLAIN, "\033[2J");
    expect_cells(&cells, "a日…\n x本\n\\x1B[2J\n");
    cells_clear(&cells);
    cells.ascii = true;
    cells_put_string(&cells, 0, 0, 8, STYLE_PLAIN, "ä");
    cells_put_string(&cells, 1, 0, 8, STYLE_PLAIN, "abcdefghi");
    cells_put_right(&cells, 2, 0, 8, STYLE_PLAIN, (struct ds_text){"17", 2});
    expect_cells(&cells, "\\x{E4}\nabcdefg~\n      17\n");
    /* Beyond the screen, and no screen. */
    assert_int_equal(cells_put_string(&cells, 3, 0, 8, STYLE_PLAIN, "x"), 0);
    assert_int_equal(cells_put_string(&cells, 0, 8, 8, STYLE_PLAIN, "x"), 0);
    cells_fill(&cells, 9, 0, 8, STYLE_PLAIN, 'x', 'x');
    cells_paint(&cells, 9, 0, 8, STYLE_BAR);
    cells_free(&cells);
    assert_true(cells_resize(&cells, UINT32_MAX, UINT32_MAX));
    assert_int_equal(cells.rows, CELLS_MAX_ROWS);
    assert_int_equal(cells.columns, CELLS_MAX_COLUMNS);
    cells_free(&cells);
}

/* No cell ever contains a control sequence. */
static void every_byte_is_shown(void **state)
{
    struct cells cells = {0};
    (void)state;
    assert_true(cells_resize(&cells, 1, 40));
    for (unsigned a = 0; a < 256; a++) {
        for (unsigned b = a & 7; b < 256; b += 8) {
            const char text[] = {(char)a, (char)b, (char)0x80, (char)a};
            cells_put(&cells, 0, 0, 40, STYLE_PLAIN, (struct ds_text){text, sizeof text});
            for (unsigned i = 0; i < 40; i++) {
                const uint32_t c = cells.cell[i].character;
                assert_false((c != 0 && c < ' ') || (c >= 0x7F && c < 0xA0) || c == 0x202E);
            }
        }
    }
    cells_free(&cells);
}

static const struct tui_column columns[] = {
    {.title = "NAME", .least = 4, .most = 20},
    {.title = "NUM", .is_number = true},
    {.title = "MORE", .least = 4, .rank = 1},
    {.title = NULL},
};

static void fill(struct tui_table *table, unsigned num)
{
    tui_table_begin(table);
    for (unsigned i = 0; i < num; i++) {
        char name[16];
        snprintf(name, sizeof name, "row%u", i);
        if (!tui_table_add(table, i + 1, STYLE_PLAIN))
            break;
        tui_table_put(table, 0, name);
        tui_table_put_number(table, 1, i * 7 % 5, tui_count(i * 7 % 5).text);
        tui_table_put(table, 2, "more");
    }
    tui_table_end(table);
}

static void tables_sort_and_scroll(void **state)
{
    struct tui_table table;
    struct cells cells = {0};
    (void)state;
    tui_table_init(&table, columns, 1);
    fill(&table, 5);
    assert_true(cells_resize(&cells, 4, 20));
    const struct area area = {0, 0, 4, 20};
    tui_table_draw(&table, &cells, area, true);
    expect_cells(&cells, "NAME  NUM▼ MORE\nrow2     4 more\nrow4     3 more\nrow1     2 more\n");
    /* The selected row stays selected when rows are sorted differently, and the screen follows. */
    tui_table_request(&table, REQUEST_DOWN);
    assert_int_equal(tui_table_selected(&table)->id, 5);
    tui_table_request(&table, REQUEST_SORT_TURN);
    assert_int_equal(tui_table_selected(&table)->id, 5);
    cells_clear(&cells);
    tui_table_draw(&table, &cells, area, true);
    expect_cells(&cells, "NAME  NUM▲ MORE\nrow3     1 more\nrow1     2 more\nrow4     3 more\n");
    tui_table_request(&table, REQUEST_SORT_LEFT); /* by name */
    tui_table_request(&table, REQUEST_LAST);
    assert_int_equal(tui_table_selected(&table)->id, 5);
    tui_table_request(&table, REQUEST_PAGE_UP);
    assert_int_equal(tui_table_selected(&table)->id, 3);
    tui_table_request(&table, REQUEST_FIRST);
    tui_table_request(&table, REQUEST_UP);
    assert_int_equal(tui_table_selected(&table)->id, 1);
    tui_table_request(&table, REQUEST_PAGE_DOWN);
    assert_int_equal(tui_table_selected(&table)->id, 3);
    /* A column without room is left out; numbers are never cut. */
    cells_clear(&cells);
    tui_table_draw(&table, &cells, (struct area){0, 0, 4, 10}, true);
    expect_cells(&cells, "NAME▲  NUM\nrow1     2\nrow2     4\nrow3...");
    tui_table_free(&table);
    cells_free(&cells);
}

static void expect_order(const struct tui_table *table, const uint64_t *ids)
{
    for (size_t i = 0; i < table->num; i++)
        assert_int_equal(table->rows[i].id, ids[i]);
}

/* Equal rows stay in their original order, whatever they were sorted by before: otherwise they
 * would swap with the next snapshot. */
static void tables_keep_equals_in_order(void **state)
{
    struct tui_table table;
    (void)state;
    tui_table_init(&table, columns, -1);
    fill(&table, 5);
    tui_table_request(&table, REQUEST_SORT_TURN);
    expect_order(&table, (const uint64_t[]){5, 4, 3, 2, 1});
    tui_table_request(&table, REQUEST_SORT_TURN);
    expect_order(&table, (const uint64_t[]){1, 2, 3, 4, 5});
    tui_table_request(&table, REQUEST_SORT_RIGHT);
    tui_table_request(&table, REQUEST_SORT_RIGHT); /* by number */
    expect_order(&table, (const uint64_t[]){3, 5, 2, 4, 1});
    tui_table_request(&table, REQUEST_SORT_RIGHT); /* by a column that is the same in all */
    expect_order(&table, (const uint64_t[]){1, 2, 3, 4, 5});
    fill(&table, 5);
    expect_order(&table, (const uint64_t[]){1, 2, 3, 4, 5});
    tui_table_free(&table);
}

static void tables_without_rows(void **state)
{
    struct tui_table table;
    struct cells cells = {0};
    (void)state;
    tui_table_init(&table, columns, -1);
    for (enum tui_request i = REQUEST_NONE; i < REQUEST_COUNT; i++)
        tui_table_request(&table, i);
    assert_null(tui_table_selected(&table));
    assert_true(cells_resize(&cells, 2, 5));
    for (unsigned rows = 0; rows < 3; rows++) {
        for (unsigned width = 0; width < 6; width++)
            tui_table_draw(&table, &cells, (struct area){0, 0, rows, width}, true);
    }
    fill(&table, 30000); /* more than there is room for */
    assert_true(table.no_memory);
    assert_int_equal(table.num, 16384);
    tui_table_free(&table);
    cells_free(&cells);
}

/* Reports about two nodes with hostile names. */
static const char *const told =
    "{\"span\":true,\"first\":1700000000000000,\"last\":1700000060000000,\"lost\":12,\"books\":["
    "{\"book\":0,\"found\":[{\"severity\":\"error\",\"code\":\"DS205\",\"sentence\":\"b\\u001b]0;x\\u0007 waits\"},"
    "{\"severity\":\"warning\",\"code\":\"DS107\",\"past\":1,\"sentence\":\"past\"}]},"
    "{\"book\":1,\"rows\":["
    "{\"conn\":7,\"first\":1700000000000000,\"last\":1700000010000000,\"state\":\"up\",\"end\":\"still open\","
    "\"gaps\":1,\"side\":["
    "{\"node\":\"a\\u001b[2J@h\",\"bytes\":1000,\"messages\":3,\"has_facts\":true,\"round_trip_p50\":41000000},"
    "{\"node\":\"b\\u202e@h\",\"bytes\":500000,\"messages\":4,\"has_facts\":true,\"again\":2,\"stalls\":1,"
    "\"stalled\":1500000000}]},"
    "{\"conn\":9,\"end\":\"closed\",\"side\":[{\"node\":\"\\ufffd\"}]},"
    "{\"conn\":8},[],7,null]},"
    "{\"book\":2,\"callee\":[{\"what\":\"srv@b\",\"calls\":3,\"p50\":84000,\"p99\":2100000000,\"errors\":1}]},"
    "{\"book\":3,\"rows\":[{\"what\":\"srv\\u0007@b\",\"in_bytes\":12,\"out_bytes\":900000}]},"
    "{\"book\":99},{}]}";

static void take(struct tui_ui *ui, const char *text, int64_t now_ns)
{
    struct ds_buffer json = {0};
    ds_buffer_add_text(&json, text);
    tui_ui_update(ui, &json, now_ns);
    ds_buffer_free(&json);
}

static void assert_harmless(const struct cells *cells)
{
    for (size_t i = 0; i < (size_t)cells->rows * cells->columns; i++) {
        const uint32_t c = cells->cell[i].character;
        assert_false((c != 0 && c < ' ') || (c >= 0x7F && c < 0xA0) || c == 0x202E);
    }
}

static void views_show_what_is_told(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    take(&ui, told, 0);
    ui.facts.has_ended = true;
    assert_true(cells_resize(&cells, 16, 80));
    tui_draw(&ui, &cells);
    expect_cells(&cells,
                 " 1 all  2 nodes  3 links  4 calls  5 msgs  6 procs  7 finds  8 traffic  9 times\n"
                 " a.pcap  00:01:00  1 link  7 msgs  501 kB  1 error  0 warnings  12 lost\n"
                 "\n"
                 " error DS205 b\\x1B]0;x\\x07 waits\n"
                 " warning DS107 (past) past\n"
                 "...");
    assert_harmless(&cells);
    tui_ui_free(&ui);
    cells_free(&cells);
}

/* Every key in every view, in every size, with all reports and with none. */
static void keys_do_no_harm(void **state)
{
    static const unsigned sizes[][2] = {{0, 0}, {1, 1}, {9, 200}, {10, 40}, {24, 80}, {60, 200}};
    const char *const texts[] = {told, "{}", "{\"books\":[{\"book\":1},{\"book\":0,\"found\":7}]}"};
    (void)state;
    for (size_t text = 0; text < sizeof texts / sizeof texts[0]; text++) {
        struct tui_ui ui;
        struct cells cells = {.ascii = text == 1};
        assert_true(tui_ui_init(&ui, "any", true));
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
            assert_true(cells_resize(&cells, sizes[size][0], sizes[size][1]));
            for (unsigned view = 0; view < TUI_VIEW_COUNT; view++) {
                tui_ui_key(&ui, '1' + view);
                take(&ui, texts[text], (int64_t)view * 700000000);
                for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
                    tui_ui_key(&ui, request_lines[i].key);
                    tui_draw(&ui, &cells);
                    assert_harmless(&cells);
                    tui_ui_key(&ui, request_lines[i].other);
                }
            }
        }
        tui_ui_free(&ui);
        cells_free(&cells);
    }
}

static void requests_are_distinct(void **state)
{
    char name[KEY_NAME_LEN];
    (void)state;
    for (enum tui_request i = REQUEST_NONE + 1; i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        const bool is_page = line->where == REQUEST_TEXT, is_found = line->where == REQUEST_FOUND;
        assert_int_equal(request_find(line->key, is_page || is_found, is_found), i);
        if (line->other != TUI_NO_KEY)
            assert_int_equal(request_find(line->other, is_page, is_found), i);
        assert_true(line->help[0] != '\0');
        assert_false(line->key >= '0' && line->key <= '9'); /* these are the views */
        request_key_name(line->key, name);
        assert_true(strcmp(name, "?") != 0 || i == REQUEST_HELP);
    }
    assert_int_equal(request_find(TUI_NO_KEY, true, true), REQUEST_NONE);
    assert_int_equal(request_find(TUI_KEY_END_OF_LIST, true, true), REQUEST_NONE);
    /* A page takes / for itself, and one that was searched n. */
    assert_int_equal(request_find('/', false, false), REQUEST_FILTER);
    assert_int_equal(request_find('/', true, false), REQUEST_SEARCH);
    assert_int_equal(request_find('n', true, false), REQUEST_ONLY_NODE);
    assert_int_equal(request_find('n', true, true), REQUEST_NEXT_FOUND);
    assert_true(TUI_VIEW_COUNT <= 10);
}

/* A page closes before the program does; a pause keeps what is shown. */
static void pages_close_first(void **state)
{
    struct tui_ui ui;
    (void)state;
    assert_true(tui_ui_init(&ui, "any", true));
    take(&ui, told, 0);
    tui_ui_key(&ui, '3');
    take(&ui, told, 0);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_true(ui.page.is_open);
    assert_string_equal(ui.page.title, "link: connection 7");
    take(&ui, "{\"books\":[{\"book\":1,\"rows\":[{\"conn\":7,\"state\":\"stalled\",\"side\":[{},{}]}]}]}", 0);
    assert_non_null(strstr(ui.page.text.data, "stalled,")); /* it is updated while it is open */
    assert_int_equal(tui_ui_key(&ui, 'q'), TUI_GOES_ON);
    assert_false(ui.page.is_open);
    tui_ui_key(&ui, '?');
    assert_true(ui.page.is_open);
    tui_ui_key(&ui, '?');
    assert_false(ui.page.is_open);
    tui_ui_key(&ui, TUI_KEY_F1);
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    assert_false(ui.page.is_open);
    assert_int_equal(tui_ui_key(&ui, TUI_KEY_ESCAPE), TUI_GOES_ON);
    tui_ui_key(&ui, ' ');
    assert_true(ui.is_paused);
    tui_ui_key(&ui, ' ');
    assert_false(ui.is_paused);
    ui.facts.has_ended = true;
    tui_ui_key(&ui, ' ');
    assert_false(ui.is_paused);
    assert_int_equal(tui_ui_key(&ui, TUI_KEY_CTRL_L), TUI_REDRAWS);
    assert_int_equal(tui_ui_key(&ui, 'q'), TUI_ENDS);
    tui_ui_free(&ui);
}

static void take_bytes(struct tui_ui *ui, uint64_t bytes, int64_t now_ns)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"books\":[{\"book\":1,\"rows\":[{\"conn\":7,\"side\":[{\"bytes\":%llu,\"messages\":%llu},{}]}]}]}",
             (unsigned long long)bytes, (unsigned long long)bytes / 10);
    take(ui, text, now_ns);
}

/* Rates are per whole second; a count from before the first update is no rate. */
static void rates_follow_counters(void **state)
{
    struct tui_ui ui;
    (void)state;
    assert_true(tui_ui_init(&ui, "any", true));
    take_bytes(&ui, 1000000, INT64_C(100000000000));
    take_bytes(&ui, 1000500, INT64_C(100500000000));
    take_bytes(&ui, 1001000, INT64_C(101000000000));
    const struct rate_row *row = tui_rates_find(&ui.facts.rates, 7);
    assert_non_null(row);
    assert_null(tui_rates_find(&ui.facts.rates, 8));
    assert_int_equal(tui_rates_bytes(&ui.facts.rates, row, 1), 500);
    assert_int_equal(tui_rates_messages(&ui.facts.rates, row, 1), 50);
    assert_int_equal(tui_rates_value(&ui.facts.rates, row, 0), 500);
    assert_int_equal(tui_rates_bytes(&ui.facts.rates, NULL, 5), 0);
    take_bytes(&ui, 1011000, INT64_C(102000000000));
    assert_int_equal(tui_rates_bytes(&ui.facts.rates, row, 2), 500); /* 500 and 500 */
    /* The oldest drawn second is a minute ago; the current second is not drawn. */
    assert_int_equal(tui_rates_value(&ui.facts.rates, row, 59), 0);
    take_bytes(&ui, 1011000, INT64_C(103000000000));
    assert_int_equal(tui_rates_bytes(&ui.facts.rates, row, 2), 5250);
    take_bytes(&ui, 1011000, INT64_C(160000000000));
    assert_int_equal(tui_rates_value(&ui.facts.rates, row, 57), 10000);
    assert_int_equal(tui_rates_value(&ui.facts.rates, row, 58), 500);
    assert_int_equal(tui_rates_value(&ui.facts.rates, row, 59), 500);
    /* A minute later nothing of that is left, and a counter that was reset is not a burst. */
    take_bytes(&ui, 10, INT64_C(170000000000));
    take_bytes(&ui, 10, INT64_C(171000000000));
    assert_int_equal(tui_rates_bytes(&ui.facts.rates, row, 59), 0);
    tui_ui_free(&ui);
}

static void expect_note(struct tui_ui *ui, uint32_t key, const char *note)
{
    tui_ui_key(ui, key);
    assert_string_equal(ui->note, note);
}

/* A row in each part of the overview opens what it stands for: by keys, and by two clicks. */
static void parts_of_the_overview_open(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "any", true));
    assert_true(cells_resize(&cells, 24, 120));
    take(&ui, told, 0);
    tui_ui_key(&ui, TUI_KEY_ENTER); /* the first part */
    assert_string_equal(ui.page.title, "error DS205: ");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_ui_key(&ui, TUI_KEY_DOWN);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "warning DS107: ");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_ui_key(&ui, TUI_KEY_UP);
    tui_ui_key(&ui, TUI_KEY_UP); /* there is nothing above */
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "error DS205: ");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    for (int i = 0; i < 5; i++) /* two findings, three links, one of which is selected: then calls */
        tui_ui_key(&ui, TUI_KEY_DOWN);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "calls served by srv@b");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_ui_key(&ui, TUI_KEY_TAB);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "process: srv\a@b");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_ui_key(&ui, TUI_KEY_TAB); /* behind the last part is the first */
    tui_ui_key(&ui, TUI_KEY_BACK_TAB);
    tui_ui_key(&ui, TUI_KEY_BACK_TAB);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "calls served by srv@b");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 3, 10, true);
    assert_string_equal(ui.page.title, "error DS205: ");
    assert_int_equal(ui.view, 0);
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    take(&ui, "{\"books\":[{\"book\":0,\"verdict\":\"fine\"},{\"book\":1},{\"book\":2},{\"book\":3}]}", 0);
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 3, 10, true);
    expect_note(&ui, TUI_KEY_ENTER, "nothing is behind this line");
    tui_ui_free(&ui);
    cells_free(&cells);
}

/* A key that does nothing here shows the reason. */
static void keys_say_why_they_do_nothing(void **state)
{
    struct tui_ui ui;
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    take(&ui, told, 0);
    expect_note(&ui, 'X', "X is no key here: ? lists the keys");
    expect_note(&ui, 's', "that is for the page of a message: Enter opens it");
    expect_note(&ui, 't', "that is for a ladder: l shows one");
    expect_note(&ui, 'm', "only messages and calls can be marked");
    expect_note(&ui, 'n', "that is not known of the selected row");
    expect_note(&ui, 'u', "nothing is marked");
    expect_note(&ui, ' ', "no more packets come: there is nothing to hold");
    tui_ui_key(&ui, '?');
    expect_note(&ui, '>', "there are no columns to sort by here");
    expect_note(&ui, TUI_KEY_ENTER, "nothing is behind this line");
    expect_note(&ui, TUI_KEY_TAB, "no line of this page leads on");
    tui_ui_key(&ui, '5');
    expect_note(&ui, '>', "there are no columns to sort by here");
    tui_ui_free(&ui);
}

static void press(struct tui_ui *ui, const char *keys)
{
    for (; *keys != '\0'; keys++)
        tui_ui_key(ui, *keys == '\n' ? TUI_KEY_ENTER : (uint32_t)*keys);
}

static void pages_are_searched(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    assert_true(cells_resize(&cells, 12, 80));
    take(&ui, told, 0);
    press(&ui, "?");
    tui_draw(&ui, &cells);
    press(&ui, "/ROW is\n"); /* capitals count if there are any */
    assert_string_equal(ui.note, "no line of this page contains ROW is");
    press(&ui, "/row is\n");
    assert_string_equal(ui.note, "");
    const size_t first = ui.page.found;
    assert_true(ui.page.has_found && first > ui.page.top);
    assert_true(ui.page.lines[first].shown_at < ui.page.top + ui.page.room);
    press(&ui, "/line\n");
    const size_t one = ui.page.found;
    press(&ui, "n");
    assert_true(ui.page.found > one);
    press(&ui, "N");
    assert_int_equal(ui.page.found, one);
    while (ui.note[0] == '\0')
        press(&ui, "N");
    assert_string_equal(ui.note, "from the last line on");
    press(&ui, "n");
    assert_string_equal(ui.note, "from the first line on");
    press(&ui, "n/\n"); /* an empty text goes on with the last */
    assert_true(ui.page.found > 0 && ui.filter.text[0] == '\0');
    tui_ui_key(&ui, '/');
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    assert_true(ui.page.is_open);
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    press(&ui, "/\n"); /* no page: that is a filter */
    assert_false(ui.page.is_open);
    assert_string_equal(ui.sought, "line");
    cells_free(&cells);
    tui_ui_free(&ui);
}

/* A page without lines, with sticky ones, and one line that is the only one. */
static void searches_at_the_edges(void **state)
{
    struct tui_page page = {0};
    bool wrapped = false;
    (void)state;
    tui_page_begin(&page, "edges");
    assert_false(tui_page_search(&page, "a", false, true, &wrapped));
    assert_false(tui_page_search(&page, "a", true, false, &wrapped));
    tui_page_line(&page, STYLE_PLAIN, 0, "");
    tui_page_line(&page, STYLE_PLAIN, 0, "lane a");
    page.num_sticky = 2;
    assert_false(tui_page_search(&page, "a", false, true, &wrapped));
    tui_page_line(&page, STYLE_PLAIN, 0, "xa");
    assert_false(tui_page_search(&page, "xab", false, true, &wrapped));
    assert_true(tui_page_search(&page, "xa", false, true, &wrapped));
    assert_int_equal(page.found, 2);
    assert_false(wrapped);
    assert_true(tui_page_search(&page, "Xa", true, true, &wrapped) == false && page.found == 2);
    assert_true(tui_page_search(&page, "a", false, false, &wrapped)); /* itself again */
    assert_true(wrapped && page.found == 2);
    tui_page_line(&page, STYLE_PLAIN, 0, "A");
    tui_page_lead(&page, (struct tui_target){TARGET_CONN, 1});
    assert_true(tui_page_search(&page, "a", true, false, &wrapped)); /* the selected line counts */
    assert_int_equal(page.selected, 2);
    tui_page_free(&page);
}

static void take_kinds(struct tui_ui *ui, uint64_t bytes, double at)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"books\":[{\"book\":%d,\"rows\":[{\"what\":\"put\",\"bytes\":%llu,\"count\":1}]},"
             "{\"book\":%d,\"rows\":[{\"what\":\"srv\",\"in_bytes\":%llu,\"out_bytes\":5000}]}]}",
             BOOK_TRAFFIC, (unsigned long long)bytes, BOOK_TOP, (unsigned long long)bytes);
    take(ui, text, (int64_t)(at * 1e9));
}

static void expect_rates(struct tui_ui *ui, uint32_t view, const char *wanted)
{
    struct cells cells = {0};
    struct ds_buffer text = {0};
    assert_true(cells_resize(&cells, 12, 180));
    tui_ui_key(ui, view);
    tui_draw(ui, &cells);
    cells_print(&cells, &text);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
    const bool is_unwanted = wanted[0] == '!'; /* what must not be there */
    if ((strstr(text.data, wanted + is_unwanted) != NULL) == is_unwanted)
        fail_msg("no %s in:\n%s", wanted, text.data);
    ds_buffer_free(&text);
    cells_free(&cells);
}

/* Kinds of messages and processes have rates over three spans, as far as they were looked at. */
static void rows_have_rates(void **state)
{
    struct tui_ui ui;
    (void)state;
    assert_true(tui_ui_init(&ui, "any", true));
    take_kinds(&ui, 1000000, 100);
    expect_rates(&ui, '8', "!RATE 1 s"); /* no second is over */
    take_kinds(&ui, 1004000, 100.5);
    take_kinds(&ui, 1006000, 101.5);
    expect_rates(&ui, '8', "4.0 kB/s 4.0 kB/s 4.0 kB/s"); /* not a tenth and a sixtieth of it */
    expect_rates(&ui, '6', "4.0 kB/s 4.0 kB/s 4.0 kB/s");
    take_kinds(&ui, 1006000, 102.5);
    expect_rates(&ui, '8', "2.0 kB/s 3.0 kB/s 3.0 kB/s");
    take_kinds(&ui, 9000000, 120); /* what came while nobody looked is no rate */
    expect_rates(&ui, '8', "!RATE 1 s");
    take_kinds(&ui, 9000000, 121.5);
    expect_rates(&ui, '8', "0 B/s    0 B/s    0 B/s");
    ui.facts.has_ended = true;
    take_kinds(&ui, 9000000, 122.5);
    expect_rates(&ui, '8', "!RATE 1 s");
    tui_ui_free(&ui);
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    take_kinds(&ui, 1000000, 100);
    take_kinds(&ui, 1004000, 102);
    expect_rates(&ui, '8', "!RATE 1 s");
    tui_ui_free(&ui);
}

static void add_link(struct ds_buffer *books, const char *from, const char *to, unsigned sent, unsigned received)
{
    ds_buffer_printf(books, "%s{\"conn\":7,\"side\":[{\"node\":\"%s\",\"bytes\":%u},{\"node\":\"%s\",\"bytes\":%u}]}",
                     books->data[books->len - 1] == '[' ? "" : ",", from, sent, to, received);
}

static void begin_links(struct ds_buffer *books)
{
    ds_buffer_add_text(books, "{\"books\":[{\"book\":1,\"rows\":[");
}

static void take_links(struct tui_ui *ui, struct ds_buffer *books)
{
    ds_buffer_add_text(books, "]}]}");
    ds_buffer_add(books, "", 1);
    assert_false(books->failed);
    take(ui, books->data, 0);
    books->len = 0;
}

static void expect_page(struct tui_ui *ui, const char *wanted)
{
    struct ds_buffer text = {0};
    tui_page_print(&ui->page, &text);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
    assert_string_equal(text.data, wanted);
    ds_buffer_free(&text);
}

/* Who sends how much to whom, over all links of a pair; the common part of names is not in titles. */
static void the_matrix_sums_links(void **state)
{
    struct tui_ui ui;
    struct ds_buffer books = {0};
    char name[32];
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    expect_note(&ui, 'M', "there are no links between nodes");
    begin_links(&books);
    add_link(&books, "r@a", "r@b", 1000, 20);
    add_link(&books, "r@b", "r@a", 5, 7000);
    add_link(&books, "r@c", "r@a", 0, 1);
    take_links(&ui, &books);
    press(&ui, "M");
    expect_page(&ui, "FROM / TO              @a           @b           @c\n"
                     "r@a                     .       8.0 kB          1 B\n"
                     "r@b                  25 B            .            -\n"
                     "r@c                   0 B            -            .\n");
    assert_int_equal(tui_page_target(&ui.page).kind, TARGET_NODE);
    press(&ui, "MM"); /* it is open */
    assert_int_equal(ui.num_under, 0);
    begin_links(&books); /* it follows what comes; what does not fit is summed up */
    for (unsigned i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "n%02u@h\\u001b", i);
        add_link(&books, name, "x@h\\u001b", 100 - i, 1);
    }
    take_links(&ui, &books);
    assert_int_equal(ui.page.num, 32);
    assert_true(strncmp(ui.page.text.data, "FROM / TO               x          n00          n01          n02       others", 77) == 0);
    begin_links(&books);
    for (unsigned i = 0; i < 1100; i++) {
        snprintf(name, sizeof name, "n%u", i);
        add_link(&books, name, "x", 0, 0);
    }
    take_links(&ui, &books);
    assert_true(ui.page.is_open && ui.page.is_cut);
    assert_int_equal(ui.page.num, 1025);
    assert_string_equal(ui.page.title, "bytes that each node has sent to each other");
    take(&ui, "{\"books\":[{\"book\":1,\"links\":3,\"rows\":[{\"side\":[{\"node\":\"a\"},{\"node\":\"b\"}]}]}]}", 0);
    assert_string_equal(ui.page.title, "bytes sent over the first 1 of 3 links");
    ui.facts.columns = 0;
    press(&ui, "qM");
    assert_true(ui.page.is_open);
    begin_links(&books);
    take_links(&ui, &books);
    assert_false(ui.page.is_open); /* there are none any more */
    ds_buffer_free(&books);
    tui_ui_free(&ui);
}

/* If there are no messages, the table is copied as shown. */
static void tables_are_copied(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    assert_true(cells_resize(&cells, 24, 80));
    assert_int_equal(tui_ui_key(&ui, 'y'), TUI_GOES_ON); /* nothing was drawn so far */
    take(&ui, told, 0);
    tui_ui_key(&ui, '3');
    tui_draw(&ui, &cells);
    assert_int_equal(tui_ui_key(&ui, 'y'), TUI_COPIES);
    ds_buffer_add(&ui.copied, "", 1);
    assert_int_equal(strncmp(ui.copied.data, " LINK: FROM ", 12), 0);
    assert_non_null(strstr(ui.copied.data, "\n a\\x1B[2J@h "));
    tui_ui_free(&ui);
    cells_free(&cells);
}

static void expect_filter(struct tui_ui *ui, const char *keys, const char *filter)
{
    for (; *keys != '\0'; keys++)
        tui_ui_key(ui, (unsigned char)*keys);
    assert_string_equal(ui->filter.text, filter);
    assert_int_equal(ui->view, TUI_VIEW_messages);
    tui_ui_key(ui, 'a');
}

/* What is selected in any view filters the messages, whatever its name. */
static void rows_narrow_messages(void **state)
{
    static const char *const named =
        "{\"books\":[{\"book\":1,\"rows\":[{\"conn\":7,\"side\":[{\"node\":\"a\\\"@h\"},{\"node\":\"b@h\"}]}]},"
        "{\"book\":2,\"callee\":[{\"what\":\"<b@h.3.0>\"}]},"
        "{\"book\":3,\"rows\":[{\"what\":\"'it\\\\'s @x'@b@h\"},{\"what\":\"a@h\"},{\"what\":\"'open\"}]}]}";
    struct tui_ui ui;
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    take(&ui, named, 0);
    expect_filter(&ui, "3c", "conn == 7");
    tui_ui_key(&ui, '2');
    take(&ui, named, 0);
    expect_filter(&ui, "n", "node == \"a\\\"@h\"");
    expect_filter(&ui, "6p",
                  "from == \"it's @x\" && src.node == \"b@h\" || to == \"it's @x\" && "
                  "dst.node == \"b@h\" || caller.name == \"it's @x\" && caller.node == \"b@h\" || "
                  "callee.name == \"it's @x\" && callee.node == \"b@h\"");
    expect_filter(&ui, "6jp", "node == \"a@h\"");
    expect_filter(&ui, "6jjp", "node == \"'open\"");
    tui_ui_key(&ui, '1');
    take(&ui, named, 0);
    tui_ui_key(&ui, TUI_KEY_DOWN);
    expect_filter(&ui, "p",
                  "from == \"<b@h.3.0>\" || to == \"<b@h.3.0>\" || caller.pid == \"<b@h.3.0>\" || "
                  "callee.pid == \"<b@h.3.0>\"");
    tui_ui_key(&ui, '1');
    for (const char *at = "/size > 5"; *at != '\0'; at++)
        tui_ui_key(&ui, (unsigned char)*at);
    assert_int_equal(ui.view, 0);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    expect_filter(&ui, "", "size > 5");
    tui_ui_key(&ui, '1');
    tui_ui_key(&ui, 'f');
    assert_int_equal(ui.view, TUI_VIEW_calls);
    assert_string_equal(ui.filter.text, "outcome == \"failed\"");
    tui_ui_key(&ui, 'a');
    tui_ui_free(&ui);
}

static void run_all(void *context)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)context;
    if (tui_ui_init(&ui, "any", true) && cells_resize(&cells, 12, 60)) {
        take(&ui, told, 0);
        for (unsigned view = 0; view < TUI_VIEW_COUNT; view++) {
            tui_ui_key(&ui, '1' + view);
            tui_ui_key(&ui, TUI_KEY_ENTER);
            tui_draw(&ui, &cells);
            tui_ui_key(&ui, TUI_KEY_ESCAPE);
            tui_draw(&ui, &cells);
        }
        tui_ui_key(&ui, 'M');
        tui_draw(&ui, &cells);
        tui_ui_key(&ui, '?');
        tui_draw(&ui, &cells);
    }
    tui_ui_free(&ui);
    cells_free(&cells);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_all, NULL) > 10);
}

static void open_books(void *context)
{
    uint64_t limits[DS_LIMIT_COUNT];
    struct ds_buffer out = {0};
    struct snapshot snapshot = {0};
    (void)context;
    default_limits(limits);
    struct tui_books *books = tui_books_new(limits);
    if (books != NULL && tui_books_write(books, ~0u, &out) && snapshot_read(&snapshot, &out)) {
        for (size_t i = 0; i < BOOK_COUNT; i++)
            assert_non_null(snapshot.book[i]);
        assert_false(snapshot.has_span);
    }
    snapshot_free(&snapshot);
    ds_buffer_free(&out);
    tui_books_free(books);
}

static void books_without_records(void **state)
{
    (void)state;
    open_books(NULL);
    assert_true(failing_alloc_each(open_books, NULL) > 4);
}

static void numbers_are_short(void **state)
{
    char bars[TUI_BARS_LEN];
    (void)state;
    assert_string_equal(tui_bytes(0).text, "0 B");
    assert_string_equal(tui_bytes(999).text, "999 B");
    assert_string_equal(tui_bytes(1000).text, "1.0 kB");
    assert_string_equal(tui_bytes(99949).text, "99.9 kB");
    assert_string_equal(tui_bytes(99951).text, "100 kB");
    assert_string_equal(tui_bytes(999499).text, "999 kB");
    assert_string_equal(tui_bytes(999500).text, "1.0 MB");
    assert_string_equal(tui_bytes(UINT64_MAX).text, "18.4 EB");
    assert_string_equal(tui_count(99999).text, "99999");
    assert_string_equal(tui_count(100000).text, "100k");
    assert_string_equal(tui_span(0).text, "-");
    assert_string_equal(tui_clock(-1).text, "00:00:00");
    assert_string_equal(tui_clock(INT64_C(3661000000000)).text, "01:01:01");
    tui_bars((const uint64_t[]){0, 1, 8}, 3, false, bars);
    assert_string_equal(bars, " ▂█");
    tui_bars((const uint64_t[]){0, 1, 8}, 3, true, bars);
    assert_string_equal(bars, " .#");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_cut_and_escaped), cmocka_unit_test(every_byte_is_shown),
        cmocka_unit_test(tables_sort_and_scroll),    cmocka_unit_test(tables_without_rows),
        cmocka_unit_test(tables_keep_equals_in_order),
        cmocka_unit_test(views_show_what_is_told),   cmocka_unit_test(keys_do_no_harm),
        cmocka_unit_test(requests_are_distinct),     cmocka_unit_test(pages_close_first),
        cmocka_unit_test(parts_of_the_overview_open), cmocka_unit_test(keys_say_why_they_do_nothing),
        cmocka_unit_test(rows_narrow_messages), cmocka_unit_test(tables_are_copied),
        cmocka_unit_test(pages_are_searched),
        cmocka_unit_test(rows_have_rates),
        cmocka_unit_test(the_matrix_sums_links),
        cmocka_unit_test(searches_at_the_edges),
        cmocka_unit_test(rates_follow_counters),     cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(books_without_records),     cmocka_unit_test(numbers_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
