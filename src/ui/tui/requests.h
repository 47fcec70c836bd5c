/*
 * requests.h - what keys can ask for: requests.def as a table.
 */
#ifndef SRC_TUI_REQUESTS_H
#define SRC_TUI_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* Keys: a character has its own number, the others have numbers above all characters. */
enum tui_key {
    TUI_NO_KEY = 0,
    TUI_KEY_BEGIN = 0x110000,
#define KEY(id, name) TUI_KEY_##id,
#include "ui/tui/keys.def"
#undef KEY
    TUI_KEY_END_OF_LIST
};

enum request_where {
    REQUEST_ANY,
    REQUEST_MOVE,
    REQUEST_ROW,
    REQUEST_TABLE,
    REQUEST_RECORDS,
    REQUEST_PAGE,
    REQUEST_TEXT,
    REQUEST_FOUND,
    REQUEST_LIVE,
};

enum tui_request {
    REQUEST_NONE,
#define REQUEST(id, key, other, name, help, where) REQUEST_##id,
#include "ui/tui/requests.def"
#undef REQUEST
    REQUEST_COUNT
};

struct request_line {
    const char *id; /* "OPEN" */
    uint32_t key, other;
    const char *name, *help;
    enum request_where where;
};

/* request_lines has a row for each request, from 1 on. */
extern const struct request_line request_lines[REQUEST_COUNT];

/* request_find returns the request of a key, REQUEST_NONE if there is none. is_page: a page is open;
 * is_searched: it was searched. */
enum tui_request request_find(uint32_t key, bool is_page, bool is_searched);

enum { KEY_NAME_LEN = 12 };

/* request_key_name writes the usual name of a key. */
void request_key_name(uint32_t key, char name[KEY_NAME_LEN]);

#endif
