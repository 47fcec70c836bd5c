/*
 * tui_typing.c - see tui_typing.h.
 */
#include "ui/tui/tui_typing.h"

#include "ui/tui/tui_save.h"

#include <stdio.h>

void tui_typing_begin(struct tui_ui *ui, enum tui_typing what)
{
    if (what == TYPES_FORMAT && ui->save_folder == NULL) {
        tui_state_note(ui, "nothing can be saved without --save-folder DIR");
        return;
    }
    if (what == TYPES_FILTER)
        tui_line_begin(&ui->filter_line, ui->filter.text);
    else
        tui_line_begin(&ui->format_line, "");
    ui->typing = what;
}

static void save(struct tui_ui *ui, const char *format)
{
    char what[TUI_NOTE_LEN];
    const unsigned view = ui->view;
    ui->view = TUI_VIEW_messages; /* its list may be older than the filter */
    tui_state_update(ui);
    while (tui_state_work(ui))
        continue;
    ui->view = view;
    tui_save(&ui->facts, ui->save_folder, format, ui->state[TUI_VIEW_messages], what, sizeof what);
    tui_state_note(ui, what);
}

static void done_typing(struct tui_ui *ui)
{
    char what[TUI_NOTE_LEN];
    if (ui->typing == TYPES_FORMAT) {
        ui->typing = TYPES_NOTHING;
        save(ui, ui->format_line.text);
        return;
    }
    tui_filter_check(&ui->filter, ui->filter_line.text, what, sizeof what);
    if (what[0] != '\0')
        return; /* what is wrong stands above the line */
    ui->typing = TYPES_NOTHING;
    tui_line_remember(&ui->filter_line);
    tui_state_change_filter(ui, ui->filter_line.text);
}

void tui_typing_key(struct tui_ui *ui, uint32_t key)
{
    char what[TUI_NOTE_LEN];
    const bool is_filter = ui->typing == TYPES_FILTER;
    struct tui_line *line = is_filter ? &ui->filter_line : &ui->format_line;
    switch (tui_line_key(line, key)) {
    case LINE_DONE:
        done_typing(ui);
        break;
    case LINE_LEAVE:
        ui->typing = TYPES_NOTHING;
        break;
    case LINE_COMPLETE:
        if (is_filter)
            tui_filter_complete(&ui->filter, line, what, sizeof what);
        else
            tui_save_complete(line, what, sizeof what);
        tui_state_note(ui, what);
        break;
    default:
        break;
    }
}

void tui_typing_draw(const struct tui_ui *ui, struct cells *cells)
{
    const unsigned row = cells->rows - 1;
    char what[TUI_NOTE_LEN];
    const bool is_filter = ui->typing == TYPES_FILTER;
    if (ui->note[0] != '\0')
        snprintf(what, sizeof what, "%s", ui->note);
    else if (is_filter)
        tui_filter_check(&ui->filter, ui->filter_line.text, what, sizeof what);
    else
        tui_save_formats(what, sizeof what);
    cells_fill(cells, row - 1, 0, cells->columns, STYLE_PLAIN, ' ', ' ');
    cells_put_string(cells, row - 1, 1, cells->columns - 1, is_filter ? STYLE_WARNING : STYLE_DIM, what);
    tui_line_draw(is_filter ? &ui->filter_line : &ui->format_line, cells, row,
                  is_filter ? "filter:" : "save as:");
}
