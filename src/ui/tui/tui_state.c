/*
 * tui_state.c - see tui_state.h.
 */
#include "ui/tui/tui_state.h"

#include "ui/tui/tui_pages.h"

#include <stdio.h>
#include <string.h>

const struct tui_view_line tui_views[TUI_VIEW_COUNT] = {
#define VIEW(name, brief, what) {#name, brief, what, &view_##name},
#include "ui/tui/views.def"
#undef VIEW
};

void tui_state_update(struct tui_ui *ui)
{
    tui_views[ui->view].view->update(ui->state[ui->view], &ui->facts);
}

void tui_state_set_message(struct tui_ui *ui, const char *text)
{
    snprintf(ui->note, sizeof ui->note, "%s", text);
}

void tui_state_close_pages(struct tui_ui *ui)
{
    tui_page_free(&ui->page);
    while (ui->num_under != 0)
        tui_page_free(&ui->under[--ui->num_under]);
    ui->page_is_help = false;
}

void tui_state_put_page_under(struct tui_ui *ui)
{
    if (!ui->page.is_open)
        return;
    if (ui->num_under == TUI_PAGES) {
        tui_page_free(&ui->under[0]);
        memmove(ui->under, ui->under + 1, --ui->num_under * sizeof *ui->under);
    }
    ui->under[ui->num_under++] = ui->page;
    ui->page = (struct tui_page){0};
}

void tui_state_close_page(struct tui_ui *ui)
{
    tui_page_free(&ui->page);
    if (ui->num_under != 0)
        ui->page = ui->under[--ui->num_under];
    ui->page_is_help = false;
}

bool tui_state_open(struct tui_ui *ui, struct tui_target target)
{
    if (target.kind == TARGET_NONE)
        return false;
    tui_state_put_page_under(ui);
    if (tui_page_open(&ui->page, &ui->facts, target))
        return true;
    tui_state_close_page(ui);
    tui_state_set_message(ui, "it is not kept any more");
    return false;
}

void tui_state_write_page_anew(struct tui_ui *ui)
{
    if (!tui_page_open(&ui->page, &ui->facts, ui->page.self))
        tui_state_close_page(ui);
}

void tui_state_search(struct tui_ui *ui, bool is_back, bool is_first)
{
    bool wrapped = false;
    char text[TUI_NOTE_LEN];
    ui->page.is_searched = true;
    if (!tui_page_search(&ui->page, ui->sought, is_back, is_first, &wrapped)) {
        snprintf(text, sizeof text, "no line of this page contains %.400s", ui->sought);
        tui_state_set_message(ui, text);
    } else if (wrapped) {
        tui_state_set_message(ui, is_back ? "from the last line on" : "from the first line on");
    }
}

struct tui_target tui_state_selected(const struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (ui->page.is_open)
        return tui_page_target(&ui->page);
    return view->selected != NULL ? view->selected(ui->state[ui->view], &ui->facts)
                                  : (struct tui_target){0};
}

void tui_state_show_view(struct tui_ui *ui, unsigned view)
{
    ui->view = view;
    tui_state_close_pages(ui);
    ui->is_told = false; /* its books are older than those of the last view */
    tui_state_update(ui);
}

void tui_state_show_records(struct tui_ui *ui)
{
    const bool has_records = (tui_views[ui->view].view->has & VIEW_HAS_FILTER) != 0;
    if (!has_records || ui->page.is_open)
        tui_state_show_view(ui, has_records ? ui->view : (unsigned)TUI_VIEW_messages);
}

void tui_state_change_filter(struct tui_ui *ui, const char *text)
{
    char what[TUI_NOTE_LEN];
    if (!tui_filter_set(&ui->filter, text, what, sizeof what))
        tui_state_set_message(ui, what);
    tui_state_show_records(ui);
    tui_state_update(ui);
}

bool tui_state_work(struct tui_ui *ui)
{
    const struct tui_view *view = tui_views[ui->view].view;
    if (view->is_busy == NULL || !view->is_busy(ui->state[ui->view]))
        return false;
    tui_state_update(ui);
    return true;
}
