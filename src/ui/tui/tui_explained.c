/*
 * tui_explained.c - the text of --explain, on a page: tui_page_explain of tui_pages.h.
 */
#include "explain/explain.h"
#include "ui/tui/tui_pages.h"

#include <stdlib.h>
#include <string.h>

/* read_target returns the target of a line of an explanation: the line begins with "packet:17 " or
 * similar. */
static struct tui_target read_target(const char *line)
{
    static const struct {
        const char *word;
        enum tui_target_kind kind;
    } words[] = {{"packet:", TARGET_PACKET}, {"call:", TARGET_CALL}, {"conn:", TARGET_CONN}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t len = strlen(words[i].word);
        if (strncmp(line, words[i].word, len) == 0)
            return (struct tui_target){words[i].kind, strtoull(line + len, NULL, 10)};
    }
    return (struct tui_target){0};
}

static void put_lines(struct tui_page *page, struct ds_buffer *text)
{
    for (size_t at = 0; at < text->len;) {
        char *line = text->data + at, *end = memchr(line, '\n', text->len - at);
        if (end == NULL)
            break;
        *end = '\0';
        const size_t indent = strspn(line, " ");
        const bool is_title = indent == 0 && end != line && end[-1] == ':';
        tui_page_line(page, is_title ? STYLE_STRONG : STYLE_PLAIN, (unsigned)indent, line + indent);
        tui_page_lead(page, read_target(line + indent));
        at = (size_t)(end - text->data) + 1;
    }
}

/* read_all passes all records to an explanation. */
static void read_all(struct explain *explain, const struct store_look *look)
{
    struct record_view view = {0};
    for (uint64_t number = look->first; number < look->end; number++) {
        const struct record *record = store_look_get(look, number, &view);
        if (record != NULL)
            explain_record(explain, record, record);
    }
}

void tui_page_explain(struct tui_page *page, const struct tui_facts *facts, int kind, uint64_t number)
{
    const struct explain_target target = {true, (enum explain_kind)kind, number};
    const struct report_config config = {.max_rows = 0};
    struct ds_buffer text = {0};
    struct explain *first = explain_new(&target, NULL, &config, facts->time_digits);
    struct explain *second = NULL;
    if (first != NULL) {
        read_all(first, &facts->records);
        const struct explain_found *found = explain_get_found(first, UINT64_MAX);
        if (found->is_there)
            second = explain_new(&target, found, &config, facts->time_digits);
    }
    if (second != NULL) {
        read_all(second, &facts->records);
        explain_print(second, &text);
        ds_buffer_add(&text, "\n", 1);
        if (!text.failed)
            put_lines(page, &text);
    }
    page->is_cut |= first == NULL || text.failed;
    ds_buffer_free(&text);
    explain_free(second);
    explain_free(first);
}
