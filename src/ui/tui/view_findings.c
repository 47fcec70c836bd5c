/*
 * view_findings.c - what is wrong, and the other rows of --report doctor. The page of a finding has
 * its evidence, and the text of --explain for its kind.
 */
#include "ui/tui/tui_findings.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_pages.h"
#include "ui/tui/tui_record.h"
#include "ui/tui/tui_view.h"

#include <distsniff/counted.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SEVERITY, CODE, SENTENCE, COUNT, LAST };

static const struct tui_column columns[] = {
    [SEVERITY] = {.title = "SEVERITY", .least = 8},
    [CODE] = {.title = "CODE", .least = 5},
    [SENTENCE] = {.title = "FINDING", .least = 42, .most = 0},
    [COUNT] = {.title = "TIMES", .is_number = true, .least = 5, .rank = 2},
    [LAST] = {.title = "LAST", .is_number = true, .least = 12, .rank = 1},
    {.title = NULL},
};

enum style finding_style(const char *severity)
{
    return strcmp(severity, "error") == 0 || strcmp(severity, "down") == 0 ? STYLE_ERROR
           : strcmp(severity, "warning") == 0                             ? STYLE_WARNING
           : strcmp(severity, "note") == 0                                ? STYLE_NOTE
                                                                          : STYLE_DIM;
}

uint64_t finding_id(const cJSON *found)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s%s", told_text(found, "severity"), told_text(found, "code"),
             told_text(found, "sentence"));
    return tui_id(text);
}

static enum style style_of(const struct tui_facts *facts, const cJSON *found)
{
    (void)facts;
    return told_number(found, "past") != 0 ? STYLE_DIM : finding_style(told_text(found, "severity"));
}

static void put(struct tui_table *table, const struct tui_facts *facts, const cJSON *found)
{
    const uint64_t count = told_number(found, "count");
    const int64_t last_us = told_signed(found, "last");
    char severity[32];
    (void)facts;
    snprintf(severity, sizeof severity, "%s%s", told_text(found, "severity"),
             told_number(found, "past") != 0 ? " (past)" : "");
    tui_table_put(table, SEVERITY, severity);
    tui_table_put(table, CODE, told_text(found, "code"));
    tui_table_put(table, SENTENCE, told_text(found, "sentence"));
    tui_table_put_number(table, COUNT, (int64_t)count, count != 0 ? tui_count(count).text : "");
    tui_table_put_number(table, LAST, last_us, last_us != 0 ? tui_time_of_day(last_us * 1000).text : "");
}

static void put_packet(struct tui_page *page, const struct tui_facts *facts, const cJSON *packet)
{
    const uint64_t frame = told_number(packet, "packet");
    const uint64_t number = store_look_find_packet(&facts->records, frame);
    struct record_view view = {0};
    struct ds_buffer text = {0};
    tui_page_printf(page, STYLE_PLAIN, 2, "packet %" PRIu64 ": %s", frame, told_text(packet, "what"));
    if (number == 0)
        return;
    tui_page_lead(page, (struct tui_target){TARGET_RECORD, number});
    tui_record_print_line(facts, store_look_get(&facts->records, number, &view), &text);
    ds_buffer_add(&text, "", 1);
    if (!text.failed) {
        tui_page_line(page, STYLE_DIM, 4, text.data);
        tui_page_lead(page, (struct tui_target){TARGET_RECORD, number});
    }
    ds_buffer_free(&text);
}

static void put_evidence(struct tui_page *page, const struct tui_facts *facts, const cJSON *found)
{
    const cJSON *evidence = told_list(found, "evidence");
    if (evidence == NULL)
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, "Evidence");
    for (; evidence != NULL; evidence = evidence->next) {
        const uint64_t conn = told_number(evidence, "conn");
        if (conn != 0) {
            tui_page_printf(page, STYLE_PLAIN, 2, "connection %" PRIu64, conn);
            tui_page_lead(page, (struct tui_target){TARGET_CONN, conn});
        }
        for (const cJSON *packet = told_list(evidence, "packets"); packet != NULL; packet = packet->next)
            put_packet(page, facts, packet);
    }
}

static void put_part(struct tui_page *page, const char *title, const char *text)
{
    if (text[0] == '\0')
        return;
    tui_page_line(page, STYLE_PLAIN, 0, "");
    tui_page_line(page, STYLE_STRONG, 0, title);
    tui_page_line(page, STYLE_PLAIN, 2, text);
}

void tui_page_finding(struct tui_page *page, const struct tui_facts *facts, struct tui_target target)
{
    char title[sizeof page->title];
    const cJSON *found = told_list(facts->snapshot.book[BOOK_DOCTOR], "found");
    while (found != NULL && finding_id(found) != target.number)
        found = found->next;
    if (found == NULL)
        return;
    const char *code = told_text(found, "code"), *certainty = told_text(found, "certainty");
    const uint64_t count = told_number(found, "count");
    snprintf(title, sizeof title, "%s%s%s%s%s", told_text(found, "severity"),
             code[0] != '\0' ? " " : "", code,
             code[0] != '\0' ? ": " : "", told_text(found, "title"));
    tui_page_begin(page, title);
    tui_page_line(page, finding_style(told_text(found, "severity")), 0, told_text(found, "sentence"));
    if (told_text(found, "detail")[0] != '\0')
        tui_page_line(page, STYLE_PLAIN, 2, told_text(found, "detail"));
    if (count != 0)
        tui_page_printf(page, STYLE_PLAIN, 2, "found        %s, at %s%s%s%s",
                        ds_counted(count, "times").text,
                        tui_time_of_day(told_signed(found, "first") * 1000).text, count > 1 ? " to " : "",
                        count > 1 ? tui_time_of_day(told_signed(found, "last") * 1000).text : "",
                        told_number(found, "past") != 0 ? "; it is over" : "");
    if (certainty[0] != '\0')
        tui_page_printf(page, STYLE_PLAIN, 2, "certainty    %s", certainty);
    if (told_text(found, "proof")[0] != '\0')
        tui_page_printf(page, STYLE_PLAIN, 2, "to be sure   %s", told_text(found, "proof"));
    put_part(page, "What to do", told_text(found, "advice"));
    put_evidence(page, facts, found);
    put_part(page, "What it means", told_text(found, "page"));
}

const struct tui_list_kind finding_list = {
    .columns = columns,
    .sort_column = -1,
    .book = BOOK_DOCTOR,
    .rows = "found",
    .what = "findings",
    .id = finding_id,
    .style = style_of,
    .put = put,
    .row_kind = TARGET_FINDING,
};

TUI_LIST_VIEW(findings, finding_list, BOOK_BIT(DOCTOR))
