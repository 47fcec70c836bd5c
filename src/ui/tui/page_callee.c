/*
 * page_callee.c - the page of a callee: its row of --report latency, and its calls in the store:
 * the failed ones and the slowest first.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_table.h"

#include "reports/report.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 20 };

/* call_list has the numbers of some records; if there are more than fit, of those with the largest
 * keys. */
struct call_list {
    uint64_t number[LISTED];
    int64_t key[LISTED]; /* the largest first */
    size_t num;
};

static void add(struct call_list *list, uint64_t number, int64_t key)
{
    size_t at = list->num;
    while (at != 0 && list->key[at - 1] < key)
        at--;
    if (at == LISTED)
        return;
    const size_t last = list->num < LISTED ? list->num : LISTED - 1;
    memmove(list->number + at + 1, list->number + at, (last - at) * sizeof *list->number);
    memmove(list->key + at + 1, list->key + at, (last - at) * sizeof *list->key);
    list->number[at] = number;
    list->key[at] = key;
    list->num = last + 1;
}

static bool is_served_by(const struct call *call, uint64_t id, struct ds_buffer *text)
{
    text->len = 0;
    report_print_callee(call, text);
    ds_buffer_add(text, "", 1);
    return !text->failed && tui_id(text->data) == id;
}

/* find lists the callee's calls: the latest failed ones, and the slowest of all. */
static void find(const struct tui_facts *facts, uint64_t id, struct call_list *failed,
                 struct call_list *slowest)
{
    struct record_view view = {0};
    struct ds_buffer text = {0};
    for (uint64_t i = facts->records.first; i < facts->records.end && !text.failed; i++) {
        const struct record *record = store_look_get(&facts->records, i, &view);
        if (record == NULL || record->call == NULL || !is_served_by(record->call, id, &text))
            continue;
        if (call_outcome_is_failure(record->call->outcome))
            add(failed, i, record->call->end_ns);
        add(slowest, i, record->call->end_ns - record->call->start_ns);
    }
    ds_buffer_free(&text);
}

static void put_calls(struct tui_page *page, const struct tui_facts *facts, const char *title,
                      const struct call_list *list)
{
    struct record_view view = {0};
    if (list->num == 0)
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, title);
    for (size_t i = 0; i < list->num; i++) {
        const struct record *record = store_look_get(&facts->records, list->number[i], &view);
        struct ds_buffer text = {0};
        tui_record_print_line(facts, record, &text);
        ds_buffer_add(&text, "", 1);
        if (!text.failed) {
            tui_page_line(page, tui_record_style(record), 2, text.data);
            tui_page_lead(page, (struct tui_target){TARGET_CALL, record->call->number});
        }
        ds_buffer_free(&text);
    }
}

void tui_page_callee(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    struct call_list failed = {.num = 0}, slowest = {.num = 0};
    const cJSON *row = told_list(facts->snapshot.book[BOOK_LATENCY], "callee");
    while (row != NULL && tui_id(told_text(row, "what")) != target.number)
        row = row->next;
    if (row == NULL)
        return;
    snprintf(title, sizeof title, "calls served by %s", told_text(row, "what"));
    tui_page_begin(page, title);
    tui_page_printf(page, STYLE_STRONG, 0, "%s serves %s", told_text(row, "what"),
                    ds_counted(told_number(row, "calls"), "calls").text);
    tui_page_printf(page, STYLE_PLAIN, 2, "took         median %s, 99 of 100 within %s",
                    tui_span(told_signed(row, "p50")).text, tui_span(told_signed(row, "p99")).text);
    tui_page_printf(page, told_number(row, "errors") != 0 ? STYLE_WARNING : STYLE_PLAIN, 2,
                    "failed       %" PRIu64, told_number(row, "errors"));
    find(facts, target.number, &failed, &slowest);
    page->cuts = true;
    put_calls(page, facts, "Failed calls, the latest first", &failed);
    put_calls(page, facts, "Slowest calls", &slowest);
    if (slowest.num == 0)
        tui_page_line(page, STYLE_DIM, 2, "none of these calls is kept any more");
}
