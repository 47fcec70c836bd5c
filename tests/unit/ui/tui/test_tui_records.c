/*
 * test_tui_records.c - the latest records on the screen: the store is capped and keeps what is
 * shown, lists follow it, terms fold, lines are typed, filters are completed, pages link to each
 * other; failing memory.
 */
#include "big_event.h"
#include "default_limits.h"
#include "failing_alloc.h"
#include "ui/tui/tui_fold.h"
#include "ui/tui/tui_index.h"
#include "ui/tui/tui_draw.h"
#include "ui/tui/tui_ui.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* {6, ok, ''}: a control message of two atoms. */
static const uint8_t control[] = {104, 3, 97, 6, 119, 2, 'o', 'k', 119, 0};

/* add adds a message of a packet to a store. */
static void add(struct tui_store *store, uint64_t frame, const uint8_t *bytes, size_t len)
{
    struct ds_conn conn = {.number = 7};
    struct ds_event event = big_event(&conn, bytes, len);
    event.frame = frame;
    event.ts_ns = (int64_t)frame * 1000000;
    const struct record record = {.event = &event};
    tui_store_add(store, &record);
}

static void store_is_bounded_and_looks_stay(void **state)
{
    enum { SIZE = 1 << 20, RECORDS = 30000 };
    struct tui_store *store = tui_store_new(SIZE);
    struct store_look early = {0}, late = {0};
    struct record_view view = {0};
    (void)state;
    assert_non_null(store);
    assert_true(tui_store_look(store, &early));
    assert_null(store_look_get(&early, 1, &view));
    for (uint64_t i = 1; i <= 100; i++)
        add(store, i, control, sizeof control);
    assert_true(tui_store_look(store, &early));
    assert_int_equal(early.end - early.first, 100);
    for (uint64_t i = 101; i <= RECORDS; i++)
        add(store, i, control, sizeof control);
    assert_true(tui_store_look(store, &late));
    /* The first ones are removed there, and are still here. */
    assert_true(late.first > 100 && late.end == RECORDS + 1);
    assert_null(store_look_get(&late, late.first - 1, &view));
    assert_null(store_look_get(&late, late.end, &view));
    for (uint64_t i = late.first; i < late.end; i++)
        assert_int_equal(store_look_get(&late, i, &view)->event->frame, i);
    for (uint64_t i = 1; i <= 100; i++)
        assert_int_equal(store_look_get(&early, i, &view)->event->frame, i);
    assert_null(store_look_get(&early, 101, &view));
    assert_int_equal(store_look_find_packet(&late, RECORDS), RECORDS);
    assert_int_equal(store_look_find_packet(&late, 1), 0);
    uint64_t held = 0;
    for (size_t i = 0; i < late.num_parts; i++)
        held += late.parts[i].num;
    assert_int_equal(held, late.end - late.first);
    store_look_end(&early);
    tui_store_free(store); /* looks outlive it */
    assert_int_equal(store_look_get(&late, RECORDS, &view)->event->frame, RECORDS);
    store_look_end(&late);
}

static void store_leaves_out_what_is_too_large(void **state)
{
    enum { SIZE = 4 << 20 };
    struct tui_store *store = tui_store_new(SIZE);
    struct store_look look = {0};
    struct record_view view = {0};
    uint8_t *bytes = calloc(1, SIZE);
    (void)state;
    assert_non_null(bytes);
    add(store, 1, control, sizeof control);
    add(store, 2, bytes, SIZE);
    add(store, 3, bytes, SIZE / 4); /* exactly the cap, in a block of its own */
    add(store, 4, bytes, SIZE / 4 + 1);
    add(store, 5, control, sizeof control);
    const struct record tick = {.event = &(struct ds_event){.type = DS_EVENT_TICK}};
    tui_store_add(store, &tick);
    assert_true(tui_store_look(store, &look));
    assert_int_equal(look.num_too_large, 2);
    assert_int_equal(look.end - look.first, 3);
    assert_int_equal(store_look_get(&look, 2, &view)->event->frame, 3);
    assert_int_equal(store_look_get(&look, 3, &view)->event->frame, 5);
    store_look_end(&look);
    tui_store_free(store);
    free(bytes);
}

static bool is_even(const void *context, const struct record *record, uint64_t number)
{
    (void)context;
    (void)number;
    return record->event->frame % 2 == 0;
}

static void index_follows_what_is_new(void **state)
{
    struct tui_store *store = tui_store_new(1 << 20);
    struct store_look look = {0};
    struct tui_index index = {0};
    (void)state;
    for (uint64_t i = 1; i <= 10; i++)
        add(store, i, control, sizeof control);
    tui_store_look(store, &look);
    assert_false(tui_index_follow(&index, &look, is_even, NULL, 4, INT64_MAX));
    assert_int_equal(index.num, 2);
    assert_false(tui_index_follow(&index, &look, is_even, NULL, 6, 0)); /* it is late, and looks at one */
    assert_int_equal(index.seen, 5);
    assert_true(tui_index_follow(&index, &look, is_even, NULL, 6, INT64_MAX));
    assert_int_equal(index.num, 5);
    assert_int_equal(tui_index_get(&index, 4), 10);
    assert_int_equal(tui_index_get(&index, 5), 0);
    assert_int_equal(tui_index_find(&index, 5), 2);
    assert_int_equal(tui_index_find(&index, 99), 5);
    for (uint64_t i = 11; i <= 30000; i++)
        add(store, i, control, sizeof control);
    tui_store_look(store, &look);
    assert_true(tui_index_follow(&index, &look, is_even, NULL, SIZE_MAX, INT64_MAX));
    assert_true(tui_index_get(&index, 0) >= look.first);
    assert_int_equal(tui_index_get(&index, index.num - 1), 30000);
    assert_int_equal(index.num, (look.end - look.first) / 2);
    tui_index_free(&index);
    store_look_end(&look);
    tui_store_free(store);
}

/* expect_fold compares the lines of a term with a text. */
static void expect_fold(struct tui_page *page, unsigned columns, const char *term, const char *expected)
{
    struct ds_buffer text = {0};
    tui_page_begin(page, "");
    tui_fold_term(page, 0, columns, (struct ds_text){term, strlen(term)});
    tui_page_print(page, &text);
    ds_buffer_add(&text, "", 1);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    ds_buffer_free(&text);
}

static void terms_are_laid_out_and_folded(void **state)
{
    struct tui_page page = {0};
    (void)state;
    expect_fold(&page, 40, "{a,[1,2],#{b => c}}", "{a,[1,2],#{b => c}}\n");
    expect_fold(&page, 12, "{a,[1,2],#{b => c}}", "{\n  a,\n  [1,2],\n  #{b => c}\n}\n");
    tui_page_turn_fold(&page, 1);
    expect_fold(&page, 12, "{a,[1,2],#{b => c}}", "{... 3 elements ...}\n");
    tui_page_turn_fold(&page, 1);
    tui_page_turn_fold(&page, 2); /* a term that fits is folded, too */
    expect_fold(&page, 40, "{a,[1,2],x}", "{a,[1,2],x}\n");
    expect_fold(&page, 8, "{a,[1,2],x}", "{\n  a,\n  [... 2 elements ...],\n  x\n}\n");
    page.num_folds = 0;
    /* Brackets in quotes, unpaired ones, and ones in the wrong order are characters. */
    expect_fold(&page, 8, "{\"}]\",'{',<<\"\\\"[\">>}", "{\n  \"}]\",\n  '{',\n  <<\"\\\"[\">>\n}\n");
    expect_fold(&page, 4, "{[(1", "{[(1\n");
    expect_fold(&page, 4, "]})12345", "]})12345\n");
    expect_fold(&page, 4, "\"abc", "\"abc\n");
    expect_fold(&page, 4, "", "");
    expect_fold(&page, 0, "{}", "{}\n");
    tui_page_free(&page);
}

/* Texts with any bytes and of any depth neither crash nor recurse. */
static void hostile_terms_fold(void **state)
{
    enum { LEN = 200000 };
    static const char bytes[] = "{[(}])\"'\\,x ";
    struct tui_page page = {0};
    char *text = malloc(LEN + 1);
    (void)state;
    assert_non_null(text);
    for (unsigned seed = 1; seed < 4; seed++) {
        unsigned x = seed;
        for (size_t i = 0; i < LEN; i++) {
            x = x * 1103515245 + 12345;
            text[i] = seed == 3 ? "{[("[i % 3] : bytes[x / 65536 % (sizeof bytes - 1)];
        }
        tui_page_begin(&page, "");
        tui_fold_term(&page, 2, 20, (struct ds_text){text, LEN});
        assert_true(page.num > 0 || page.is_cut);
    }
    /* As deep as is followed, and deeper. */
    for (size_t depth = 60000; depth <= LEN / 2; depth += 40000) {
        memset(text, '{', depth);
        memset(text + depth, '}', depth);
        tui_page_begin(&page, "");
        tui_fold_term(&page, 2, 20, (struct ds_text){text, 2 * depth});
        assert_int_equal(page.num > 3, depth == 60000);
    }
    free(text);
    tui_page_free(&page);
}

static void type(struct tui_line *line, const char *text)
{
    for (; *text != '\0'; text++)
        tui_line_key(line, (unsigned char)*text);
}

static void lines_are_typed(void **state)
{
    struct tui_line line = {0};
    (void)state;
    tui_line_begin(&line, "");
    type(&line, "ab");
    tui_line_key(&line, TUI_KEY_LEFT);
    tui_line_key(&line, 0xE4);
    assert_string_equal(line.text, "aäb");
    tui_line_key(&line, TUI_KEY_BACKSPACE);
    tui_line_key(&line, TUI_KEY_BACKSPACE);
    tui_line_key(&line, TUI_KEY_BACKSPACE);
    assert_string_equal(line.text, "b");
    tui_line_key(&line, 7); /* no character */
    tui_line_key(&line, TUI_KEY_F1);
    tui_line_key(&line, TUI_KEY_END);
    type(&line, "c");
    assert_string_equal(line.text, "bc");
    tui_line_remember(&line);
    tui_line_remember(&line); /* not twice */
    assert_int_equal(line.num_older, 1);
    tui_line_begin(&line, "");
    assert_int_equal(tui_line_key(&line, TUI_KEY_UP), LINE_OLDER);
    assert_string_equal(line.text, "bc");
    tui_line_key(&line, TUI_KEY_UP);
    assert_string_equal(line.text, "bc");
    tui_line_key(&line, TUI_KEY_DOWN);
    assert_string_equal(line.text, "");
    for (int i = 0; i < 2 * LINE_LEN; i++)
        type(&line, "x");
    assert_int_equal(strlen(line.text), LINE_LEN - 1);
    for (int i = 0; i < 2 * MAX_OLDER; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        tui_line_begin(&line, text);
        tui_line_remember(&line);
    }
    assert_int_equal(line.num_older, MAX_OLDER);
    assert_string_equal(line.older[0], "63");
    tui_line_free(&line);
}

/* An expression that took too long for many texts is not tried any more; another one starts again. */
static void searches_are_given_up(void **state)
{
    const struct call call = {.label = "gen:call", .outcome = CALL_OK};
    const struct record record = {.call = &call};
    struct tui_filter filter = {0};
    char what[256], text[4096];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[0] = '!'; /* the text has what it looks for, but not at its end */
    text[sizeof text - 1] = '\0';
    const struct call slow = {.label = text, .outcome = CALL_OK};
    assert_true(tui_filter_set(&filter, "-e ^(.|..)+!$", what, sizeof what));
    assert_false(tui_filter_accepts(&filter, &(struct record){.call = &slow}));
    assert_int_equal(filter.num_given_up, 1);
    assert_true(tui_filter_set(&filter, "-e gen", what, sizeof what));
    assert_int_equal(filter.num_given_up, 0);
    filter.num_given_up = 199;
    assert_true(tui_filter_accepts(&filter, &record));
    filter.num_given_up = 200;
    assert_false(tui_filter_accepts(&filter, &record));
    assert_int_equal(filter.num_given_up, 201);
    assert_true(tui_filter_set(&filter, "-e call", what, sizeof what));
    assert_true(tui_filter_accepts(&filter, &record));
    tui_filter_free(&filter);
}

static void filters_are_checked_and_completed(void **state)
{
    struct tui_filter filter = {0};
    struct tui_line line = {0};
    char what[256];
    (void)state;
    assert_false(tui_filter_set(&filter, "siz > 5", what, sizeof what));
    assert_non_null(strstr(what, "size"));
    assert_null(filter.holds);
    assert_true(tui_filter_set(&filter, "size > 5", what, sizeof what));
    assert_true(tui_filter_narrow(&filter, "conn == 7", what, sizeof what));
    assert_string_equal(filter.text, "(size > 5) && conn == 7");
    assert_true(tui_filter_set(&filter, "  ", what, sizeof what));
    assert_string_equal(filter.text, "");
    static const struct {
        const char *typed, *completed, *shown;
    } lines[] = {
        {"laten", "latency", "latency  latency_us"},
        {"size > 1 && outco", "size > 1 && outcome", ""},
        {"outcome == \"time", "outcome == \"timeout", ""},
        {"outcome == \"no", "outcome == \"no", "noproc  noconnection"},
        {"nosuch", "nosuch", "nothing that is known begins so"},
        {"size == 1", "size == 1", "nothing that is known begins so"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        tui_line_begin(&line, lines[i].typed);
        tui_filter_complete(&filter, &line, what, sizeof what);
        assert_string_equal(line.text, lines[i].completed);
        assert_string_equal(what, lines[i].shown);
    }
    tui_line_begin(&line, ""); /* all fields: those without room are left out */
    tui_filter_complete(&filter, &line, what, 20);
    assert_int_equal(strlen(what), 19);
    tui_filter_free(&filter);
}

static void expect_span(const struct tui_span_shown *span, int64_t from_ms, int64_t to_ms)
{
    assert_true(span->is_narrow);
    assert_int_equal(span->from_ns, from_ms * 1000000);
    assert_int_equal(span->to_ns, to_ms * 1000000);
}

static void spans_stay_within_what_there_is(void **state)
{
    const int64_t last_ns = 16 * 1000000;
    struct tui_span_shown span = {0};
    (void)state;
    tui_span_move(&span, 0, last_ns, true);
    tui_span_widen(&span, 0, last_ns);
    assert_false(span.is_narrow);
    assert_true(tui_span_contains(&span, 17 * 1000000)); /* records since then */
    tui_span_narrow(&span, 0, last_ns, 1000000);
    expect_span(&span, 0, 8);
    assert_true(tui_span_contains(&span, 8000000));
    assert_false(tui_span_contains(&span, 8000001));
    tui_span_narrow(&span, 0, last_ns, 6000000);
    expect_span(&span, 4, 8);
    tui_span_move(&span, 0, last_ns, true);
    expect_span(&span, 8, 12);
    tui_span_move(&span, 0, last_ns, true);
    tui_span_move(&span, 0, last_ns, true);
    expect_span(&span, 12, 16);
    for (int i = 0; i < 10; i++)
        tui_span_narrow(&span, 0, last_ns, 0);
    expect_span(&span, 0, 1);
    tui_span_move(&span, 0, last_ns, false);
    expect_span(&span, 0, 1);
    for (int i = 0; i < 5; i++)
        tui_span_widen(&span, 0, last_ns);
    assert_false(span.is_narrow);
    tui_span_narrow(&span, 5, 5, 5); /* an empty span */
    assert_false(span.is_narrow);
}

/* fill_ui gives the screen some messages. */
static struct tui_store *fill_ui(struct tui_ui *ui, uint64_t num)
{
    static uint64_t limits[DS_LIMIT_COUNT];
    struct tui_store *store = tui_store_new(1 << 20);
    struct ds_buffer told = {0};
    default_limits(limits);
    ui->facts.limits = limits;
    for (uint64_t i = 1; store != NULL && i <= num; i++)
        add(store, i, control, sizeof control);
    if (store != NULL)
        tui_store_look(store, &ui->facts.records);
    ds_buffer_add_text(&told, "{\"books\":[]}");
    tui_ui_update(ui, &told, 0);
    ds_buffer_free(&told);
    return store;
}

static void keys(struct tui_ui *ui, const char *text)
{
    for (; *text != '\0'; text++)
        tui_ui_key(ui, (unsigned char)*text);
}

static void expect_wrong(const char *text, const char *why)
{
    const struct tui_filter filter = {0};
    char what[200];
    tui_filter_check(&filter, text, what, sizeof what);
    if (strncmp(what, why, strlen(why)) != 0 || (why[0] == '\0' && what[0] != '\0'))
        fail_msg("%s: %s", text, what);
}

/* -e and -m are typed as on the command line, and an expression after them. */
static void filters_take_what_the_command_line_does(void **state)
{
    struct tui_filter filter = {0};
    struct tui_line line = {.num_older = 0};
    char what[200], longest[LINE_LEN + 100];
    (void)state;
    expect_wrong("-e", "column ");
    expect_wrong("-e ", "-e takes a regular expression");
    expect_wrong("-m  -Y size > 5", "-m takes a pattern");
    expect_wrong("-e a(b", "column 7: ");
    expect_wrong(" -e a(b -Y size > 5", "column 8: ");
    expect_wrong("-m {a", "column ");
    expect_wrong("-e a -Y siz > 5", "column 9: ");
    expect_wrong("-Y siz > 5", "column 4: ");
    expect_wrong("-Y size > 5", "");
    expect_wrong("-e a -Y size > 5", "");
    expect_wrong("-m {a, _}", "");
    expect_wrong("-m lists:seq(_, X) when X > 3 -Y size > 5", "");
    assert_true(tui_filter_set(&filter, "-e abc", what, sizeof what));
    assert_true(tui_filter_narrow(&filter, "conn == 7", what, sizeof what));
    assert_string_equal(filter.text, "-e abc -Y conn == 7");
    assert_true(tui_filter_narrow(&filter, "size > 5", what, sizeof what));
    assert_string_equal(filter.text, "-e abc -Y (conn == 7) && size > 5");
    assert_true(tui_filter_set(&filter, "-m {a, _}", what, sizeof what));
    assert_true(tui_filter_narrow(&filter, "conn == 7", what, sizeof what));
    assert_string_equal(filter.text, "-m {a, _} -Y conn == 7");
    tui_line_begin(&line, "-m {a, _} -Y siz");
    tui_filter_complete(&filter, &line, what, sizeof what);
    assert_string_equal(line.text, "-m {a, _} -Y size");
    tui_line_begin(&line, "-e siz");
    tui_filter_complete(&filter, &line, what, sizeof what);
    assert_string_equal(line.text, "-e siz");
    assert_non_null(strstr(what, "regular expression"));
    memset(longest, 'a', sizeof longest);
    memcpy(longest, "-e ", 3);
    longest[LINE_LEN - 1] = '\0';
    assert_true(tui_filter_set(&filter, longest, what, sizeof what));
    assert_false(tui_filter_narrow(&filter, "conn == 7", what, sizeof what));
    tui_filter_free(&filter);
}

static void pages_lead_to_each_other(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    struct tui_store *store = fill_ui(&ui, 50);
    assert_true(cells_resize(&cells, 24, 80));
    keys(&ui, "5");
    tui_draw(&ui, &cells);
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_string_equal(ui.page.title, "message in packet 1");
    tui_draw(&ui, &cells);
    /* Through the records of the connection: each opens a page above the one before. */
    for (unsigned i = 1; i < 2 * TUI_PAGES; i++) {
        tui_ui_key(&ui, TUI_KEY_END);
        tui_ui_key(&ui, TUI_KEY_ENTER);
        tui_draw(&ui, &cells);
        assert_int_equal(ui.num_under, i < TUI_PAGES ? i : TUI_PAGES);
    }
    assert_string_equal(ui.page.title, "message in packet 50");
    keys(&ui, "xst");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    assert_int_equal(ui.num_under, TUI_PAGES - 1);
    keys(&ui, "5");
    assert_false(ui.page.is_open);
    assert_int_equal(ui.num_under, 0);
    /* Marks, and their ladder. */
    keys(&ui, "mmmL");
    assert_int_equal(ui.marks.num, 3);
    assert_string_equal(ui.page.title, "ladder between nodes: 3 messages");
    tui_ui_key(&ui, TUI_KEY_RIGHT); /* two lanes have room: it stays open */
    assert_string_equal(ui.note, "all lanes are shown");
    assert_string_equal(ui.page.title, "ladder between nodes: 3 messages");
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    keys(&ui, "u");
    assert_int_equal(ui.marks.num, 0);
    /* A removed record cannot be opened. */
    assert_int_equal(tui_ui_key(&ui, 'y'), TUI_COPIES);
    keys(&ui, "c/");
    assert_string_equal(ui.filter.text, "conn == 7");
    assert_int_equal(ui.typing, TYPES_FILTER);
    keys(&ui, " && size > x");
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_int_equal(ui.typing, TYPES_FILTER); /* invalid */
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    assert_string_equal(ui.filter.text, "conn == 7");
    keys(&ui, "aw");
    assert_string_equal(ui.filter.text, "");
    assert_int_equal(ui.typing, TYPES_NOTHING);
    assert_non_null(strstr(ui.note, "--save-folder"));
    tui_ui_free(&ui);
    tui_store_free(store);
    cells_free(&cells);
}

/* A time that is typed is selected; these messages are a millisecond apart. */
static void times_are_gone_to(void **state)
{
    static const struct {
        const char *typed, *title;
    } times[] = {
        {"1970-01-01T00:00:00.0055Z", "message in packet 6"},
        {"1970-01-01T00:00:00Z", "message in packet 1"},
        {"1970-01-01T00:00:00.007Z", "message in packet 7"},
        {"+1h", "message in packet 50"},
    };
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    struct tui_store *store = fill_ui(&ui, 50);
    assert_true(cells_resize(&cells, 24, 80));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        keys(&ui, "1@");
        keys(&ui, times[i].typed);
        tui_ui_key(&ui, TUI_KEY_ENTER);
        assert_int_equal(ui.typing, TYPES_NOTHING);
        tui_draw(&ui, &cells);
        tui_ui_key(&ui, TUI_KEY_ENTER);
        assert_string_equal(ui.page.title, times[i].title);
    }
    keys(&ui, "@soon\t");
    tui_ui_key(&ui, TUI_KEY_ENTER);
    assert_int_equal(ui.typing, TYPES_TIME); /* invalid */
    tui_draw(&ui, &cells);
    tui_ui_free(&ui);
    tui_store_free(store);
    cells_free(&cells);
}

static void clicks_select_and_open(void **state)
{
    struct tui_ui ui;
    struct cells cells = {0};
    (void)state;
    assert_true(tui_ui_init(&ui, "a.pcap", false));
    struct tui_store *store = fill_ui(&ui, 50);
    assert_true(cells_resize(&cells, 24, 80));
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 0, ui.menu_end[4] - 1, false);
    assert_int_equal(ui.view, TUI_VIEW_messages);
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 6, 10, false);
    assert_false(ui.page.is_open);
    tui_ui_click(&ui, 6, 10, true);
    assert_string_equal(ui.page.title, "message in packet 3");
    tui_ui_key(&ui, '5');
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 23, 2, false); /* Enter, as the lowest line names it */
    assert_string_equal(ui.page.title, "message in packet 3");
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 23, 66, false); /* ? help */
    assert_string_equal(ui.page.title, "keys");
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 23, 3, false); /* Esc back */
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 23, 75, false); /* q quit closes first */
    assert_false(ui.page.is_open);
    tui_draw(&ui, &cells);
    tui_ui_click(&ui, 23, 27, false); /* / filter */
    assert_int_equal(ui.typing, TYPES_FILTER);
    tui_ui_key(&ui, TUI_KEY_ESCAPE);
    tui_draw(&ui, &cells);
    assert_int_equal(tui_ui_click(&ui, 23, 75, false), TUI_ENDS);
    for (unsigned row = 0; row < 30; row++) { /* anywhere */
        for (unsigned column = 0; column < 90; column += 7)
            tui_ui_click(&ui, row, column, row % 2 == 0);
        tui_draw(&ui, &cells);
    }
    tui_ui_free(&ui);
    tui_store_free(store);
    cells_free(&cells);
}

static void run_all(void *context)
{
    struct tui_ui ui;
    struct cells cells = {0};
    struct tui_store *store = NULL;
    (void)context;
    if (tui_ui_init(&ui, "a.pcap", false) && cells_resize(&cells, 24, 80)) {
        store = fill_ui(&ui, 5);
        keys(&ui, "5mmL");
        tui_draw(&ui, &cells);
        tui_ui_key(&ui, TUI_KEY_ESCAPE);
        tui_ui_key(&ui, TUI_KEY_ENTER);
        keys(&ui, "sx");
        tui_draw(&ui, &cells);
        keys(&ui, "y5/conn == 7");
        tui_ui_key(&ui, TUI_KEY_ENTER);
        tui_draw(&ui, &cells);
        keys(&ui, "4c");
        tui_draw(&ui, &cells);
        keys(&ui, "5a/-e send -Y conn == 7");
        tui_ui_key(&ui, TUI_KEY_ENTER);
        keys(&ui, "a/-m {a, _}");
        tui_ui_key(&ui, TUI_KEY_ENTER);
        tui_draw(&ui, &cells);
    }
    tui_ui_free(&ui);
    tui_store_free(store);
    cells_free(&cells);
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_all, NULL) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_is_bounded_and_looks_stay), cmocka_unit_test(store_leaves_out_what_is_too_large),
        cmocka_unit_test(index_follows_what_is_new),       cmocka_unit_test(terms_are_laid_out_and_folded),
        cmocka_unit_test(hostile_terms_fold),              cmocka_unit_test(lines_are_typed),
        cmocka_unit_test(times_are_gone_to),
        cmocka_unit_test(filters_take_what_the_command_line_does),
        cmocka_unit_test(searches_are_given_up), cmocka_unit_test(filters_are_checked_and_completed), cmocka_unit_test(pages_lead_to_each_other),
        cmocka_unit_test(clicks_select_and_open),          cmocka_unit_test(spans_stay_within_what_there_is),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
