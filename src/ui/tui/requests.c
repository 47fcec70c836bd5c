/*
 * requests.c - see requests.h.
 */
#include "ui/tui/requests.h"

#include <stdio.h>

#define NO_KEY TUI_NO_KEY
#define KEY(id) TUI_KEY_##id
const struct request_line request_lines[REQUEST_COUNT] = {
#define REQUEST(id, key, other, name, help, where)                                                 \
    [REQUEST_##id] = {#id, key, other, name, help, REQUEST_##where},
#include "ui/tui/requests.def"
#undef REQUEST
};
#undef KEY
#undef NO_KEY

static const char *const key_names[] = {
#define KEY(id, name) [TUI_KEY_##id - TUI_KEY_BEGIN] = name,
#include "ui/tui/keys.def"
#undef KEY
};

enum tui_request request_find(uint32_t key, bool is_page, bool is_searched)
{
    enum tui_request found = REQUEST_NONE;
    for (enum tui_request i = REQUEST_NONE + 1; key != TUI_NO_KEY && i < REQUEST_COUNT; i++) {
        const struct request_line *line = &request_lines[i];
        if (line->key != key && line->other != key)
            continue;
        if (line->where == REQUEST_TEXT || line->where == REQUEST_FOUND) {
            if (line->where == REQUEST_TEXT ? is_page : is_searched)
                return i;
        } else if (found == REQUEST_NONE) {
            found = i;
        }
    }
    return found;
}

void request_key_name(uint32_t key, char name[KEY_NAME_LEN])
{
    if (key > TUI_KEY_BEGIN && key < TUI_KEY_END_OF_LIST)
        snprintf(name, KEY_NAME_LEN, "%s", key_names[key - TUI_KEY_BEGIN]);
    else if (key == ' ')
        snprintf(name, KEY_NAME_LEN, "Space");
    else
        snprintf(name, KEY_NAME_LEN, "%c", key > ' ' && key < 0x7F ? (char)key : '?');
}
