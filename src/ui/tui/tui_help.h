/*
 * tui_help.h - the page of the keys.
 */
#ifndef SRC_TUI_HELP_H
#define SRC_TUI_HELP_H

#include "ui/tui/tui_page.h"

void tui_help_write(struct tui_page *page);

#endif
