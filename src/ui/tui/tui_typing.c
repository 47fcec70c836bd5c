/*
 * tui_typing.c - see tui_typing.h.
 */
#include "ui/tui/tui_typing.h"

#include "core/time_point.h"
#include "ui/tui/tui_format.h"
#include "ui/tui/tui_save.h"
#include "ui/tui/view_messages.h"

#include <stdio.h>

/* A time of day is on the day on which the capture began, or on the next day if it would be more
 * than this before the beginning. */
#define HALF_A_DAY_NS (12 * 3600 * INT64_C(1000000000))
#define MINUTE_NS (60 * INT64_C(1000000000))

static const char time_help[] =
    "a time of the capture: 10:02, 10:02:03.5, +90s from its beginning, or with a date";

static struct tui_line *line_of(struct tui_ui *ui)
{
    return ui->typing == TYPES_FILTER   ? &ui->filter_line
           : ui->typing == TYPES_FORMAT ? &ui->format_line
           : ui->typing == TYPES_SEARCH ? &ui->search_line
                                        : &ui->time_line;
}

void tui_typing_begin(struct tui_ui *ui, enum tui_typing what)
{
    if (what == TYPES_FORMAT && ui->save_folder == NULL) {
        tui_state_set_message(ui, "nothing can be saved without --save-folder DIR");
        return;
    }
    ui->typing = what;
    tui_line_begin(line_of(ui), what == TYPES_FILTER ? ui->filter.text : "");
}

/* list_all updates the list of messages for the present filter. */
static void list_all(struct tui_ui *ui)
{
    tui_state_update(ui);
    while (tui_state_work(ui))
        continue;
}

/* go_to shows messages from a time on. */
static void go_to(struct tui_ui *ui, const struct time_point *when)
{
    const int64_t first_ns = ui->facts.snapshot.first_ns, last_ns = ui->facts.snapshot.last_ns;
    const int64_t ns = time_point_resolve(when, first_ns, first_ns - HALF_A_DAY_NS);
    char text[TUI_NOTE_LEN];
    tui_state_show_view(ui, TUI_VIEW_messages);
    list_all(ui);
    view_messages_go(ui->state[TUI_VIEW_messages], &ui->facts, ns);
    if (ns <= last_ns && ns >= first_ns - MINUTE_NS) /* 10:02 means the whole minute */
        return;
    snprintf(text, sizeof text, "there are packets from %s to %s", tui_time_of_day(first_ns).text,
             tui_time_of_day(last_ns).text);
    tui_state_set_message(ui, text);
}

static void save(struct tui_ui *ui, const char *format)
{
    char what[TUI_NOTE_LEN];
    const unsigned view = ui->view;
    ui->view = TUI_VIEW_messages; /* its list may be older than the filter */
    list_all(ui);
    ui->view = view;
    tui_save(&ui->facts, ui->save_folder, format, ui->state[TUI_VIEW_messages], what, sizeof what);
    tui_state_set_message(ui, what);
}

static void done_typing(struct tui_ui *ui)
{
    char what[TUI_NOTE_LEN];
    if (ui->typing == TYPES_FORMAT) {
        ui->typing = TYPES_NOTHING;
        save(ui, ui->format_line.text);
        return;
    }
    if (ui->typing == TYPES_TIME) {
        struct time_point when;
        if (!time_point_parse(ui->time_line.text, &when))
            return; /* the format of a time is shown above the line */
        ui->typing = TYPES_NOTHING;
        tui_line_remember(&ui->time_line);
        go_to(ui, &when);
        return;
    }
    if (ui->typing == TYPES_SEARCH) {
        ui->typing = TYPES_NOTHING;
        if (ui->search_line.text[0] != '\0') { /* an empty line repeats the last search */
            tui_line_remember(&ui->search_line);
            snprintf(ui->sought, sizeof ui->sought, "%s", ui->search_line.text);
        }
        if (ui->sought[0] != '\0')
            tui_state_search(ui, false, ui->search_line.text[0] != '\0');
        return;
    }
    tui_filter_check(&ui->filter, ui->filter_line.text, what, sizeof what);
    if (what[0] != '\0')
        return; /* the error is shown above the line */
    ui->typing = TYPES_NOTHING;
    tui_line_remember(&ui->filter_line);
    tui_state_change_filter(ui, ui->filter_line.text);
}

void tui_typing_key(struct tui_ui *ui, uint32_t key)
{
    char what[TUI_NOTE_LEN];
    struct tui_line *line = line_of(ui);
    switch (tui_line_key(line, key)) {
    case LINE_DONE:
        done_typing(ui);
        break;
    case LINE_LEAVE:
        ui->typing = TYPES_NOTHING;
        break;
    case LINE_COMPLETE:
        what[0] = '\0';
        if (ui->typing == TYPES_FILTER)
            tui_filter_complete(&ui->filter, line, what, sizeof what);
        else if (ui->typing == TYPES_FORMAT)
            tui_save_complete(line, what, sizeof what);
        tui_state_set_message(ui, what);
        break;
    default:
        break;
    }
}

/* say_more writes the error of the line, or its possible continuations. */
static void say_more(const struct tui_ui *ui, char *what, size_t len)
{
    what[0] = '\0';
    if (ui->note[0] != '\0')
        snprintf(what, len, "%s", ui->note);
    else if (ui->typing == TYPES_FILTER)
        tui_filter_check(&ui->filter, ui->filter_line.text, what, len);
    else if (ui->typing == TYPES_FORMAT)
        tui_save_formats(what, len);
    else if (ui->typing == TYPES_SEARCH)
        snprintf(what, len, "a text on this page; n and N then go on to the next and the previous line");
    else
        snprintf(what, len, "%s", time_help);
}

void tui_typing_draw(struct tui_ui *ui, struct cells *cells)
{
    static const char *const words[] = {
        [TYPES_FILTER] = "filter:", [TYPES_FORMAT] = "save as:", [TYPES_TIME] = "go to:",
        [TYPES_SEARCH] = "search:"};
    const unsigned row = cells->rows - 1;
    char what[TUI_NOTE_LEN];
    say_more(ui, what, sizeof what);
    cells_fill(cells, row - 1, 0, cells->columns, STYLE_PLAIN, ' ', ' ');
    cells_put_string(cells, row - 1, 1, cells->columns - 1,
                     ui->typing == TYPES_FILTER ? STYLE_WARNING : STYLE_DIM, what);
    tui_line_draw(line_of(ui), cells, row, words[ui->typing]);
}
