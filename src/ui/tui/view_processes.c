/*
 * view_processes.c - the processes that send and receive most: --report top. The page of a process
 * has its latest messages.
 */
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_processes.h"
#include "ui/tui/tui_view.h"

#include <inttypes.h>
#include <stdio.h>

enum { WHAT, IN_BYTES, OUT_BYTES, RATE, RATE_10, RATE_60, IN, OUT, ASKED, SERVED, FAILED };

static const struct tui_column columns[] = {
    [WHAT] = {.title = "PROCESS", .least = 26, .most = 80},
    [IN_BYTES] = {.title = "BYTES IN", .is_number = true, .least = 8},
    [OUT_BYTES] = {.title = "BYTES OUT", .is_number = true, .least = 9},
    [RATE] = {.title = "RATE 1 s", .is_number = true, .least = 8, .rank = 1},
    [RATE_10] = {.title = "10 s", .is_number = true, .least = 8, .rank = 6},
    [RATE_60] = {.title = "60 s", .is_number = true, .least = 8, .rank = 7},
    [IN] = {.title = "MSGS IN", .is_number = true, .least = 7, .rank = 1},
    [OUT] = {.title = "MSGS OUT", .is_number = true, .least = 8, .rank = 2},
    [ASKED] = {.title = "ASKED", .is_number = true, .least = 5, .rank = 4},
    [SERVED] = {.title = "SERVED", .is_number = true, .least = 6, .rank = 5},
    [FAILED] = {.title = "FAILED", .is_number = true, .least = 6, .rank = 3},
    {.title = NULL},
};

static uint64_t id_of(const cJSON *process)
{
    return tui_id(told_text(process, "what"));
}

void process_rate_of(const cJSON *process, uint64_t *id, uint64_t *messages, uint64_t *bytes)
{
    *id = id_of(process);
    *messages = told_number(process, "in") + told_number(process, "out");
    *bytes = told_number(process, "in_bytes") + told_number(process, "out_bytes");
}

static void put_count(struct tui_table *table, unsigned column, uint64_t count)
{
    tui_table_put_number(table, column, (int64_t)count, tui_count(count).text);
}

static void put_bytes(struct tui_table *table, unsigned column, uint64_t bytes)
{
    tui_table_put_number(table, column, (int64_t)bytes, tui_bytes(bytes).text);
}

static void put(struct tui_table *table, const struct tui_facts *facts, const cJSON *process)
{
    tui_table_put(table, WHAT, told_text(process, "what"));
    put_bytes(table, IN_BYTES, told_number(process, "in_bytes"));
    put_bytes(table, OUT_BYTES, told_number(process, "out_bytes"));
    tui_list_put_rates(table, RATE, facts, &facts->process_rates, id_of(process));
    put_count(table, IN, told_number(process, "in"));
    put_count(table, OUT, told_number(process, "out"));
    put_count(table, ASKED, told_number(process, "asked"));
    put_count(table, SERVED, told_number(process, "served"));
    put_count(table, FAILED, told_number(process, "failed"));
}

void tui_page_process(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    const cJSON *process = told_list(facts->snapshot.book[BOOK_TOP], "rows");
    while (process != NULL && id_of(process) != target.number)
        process = process->next;
    if (process == NULL)
        return;
    snprintf(title, sizeof title, "process: %s", told_text(process, "what"));
    tui_page_begin(page, title);
    tui_page_line(page, STYLE_STRONG, 0, told_text(process, "what"));
    tui_page_printf(page, STYLE_PLAIN, 2, "received     %" PRIu64 " messages, %s",
                    told_number(process, "in"),
                    tui_bytes(told_number(process, "in_bytes")).text);
    tui_page_printf(page, STYLE_PLAIN, 2, "sent         %" PRIu64 " messages, %s",
                    told_number(process, "out"),
                    tui_bytes(told_number(process, "out_bytes")).text);
    tui_page_printf(page, STYLE_PLAIN, 2,
                    "calls        asked %" PRIu64 ", served %" PRIu64 ", of which %" PRIu64
                                          " failed",
                    told_number(process, "asked"), told_number(process, "served"),
                    told_number(process, "failed"));
    if (told_number(process, "may_miss") != 0)
        tui_page_line(page, STYLE_DIM, 2,
                      "there are so many processes that some of its traffic may be missing");
    tui_page_line(page, STYLE_PLAIN, 2, "its largest message");
    tui_page_lead(page, (struct tui_target){TARGET_PACKET, told_number(process, "packet")});
    tui_page_line(page, STYLE_PLAIN, 2, "its latest messages, as a ladder");
    tui_page_lead(page, (struct tui_target){TARGET_LADDER_OF_PROCESS, target.number});
    tui_page_messages(page, facts, (struct tui_target){TARGET_LADDER_OF_PROCESS, target.number});
}

const struct tui_list_kind process_list = {
    .columns = columns,
    .sort_column = -1,
    .book = BOOK_TOP,
    .rows = "rows",
    .all = "processes",
    .what = "processes",
    .id = id_of,
    .put = put,
    .row_kind = TARGET_PROCESS,
};

TUI_LIST_VIEW(processes, process_list, BOOK_BIT(TOP))
