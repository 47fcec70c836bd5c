/*
 * tui_line.c - see tui_line.h.
 */
#include "ui/tui/tui_line.h"

#include "core/character.h"

#include <stdlib.h>
#include <string.h>

#define NO_KEY TUI_NO_KEY
#define KEY(id) TUI_KEY_##id
const struct line_key_row line_keys[LINE_KEY_COUNT] = {
#define EDIT(id, key, other, help) [LINE_##id] = {key, other, help},
#include "ui/tui/edit_keys.def"
#undef EDIT
};
#undef KEY
#undef NO_KEY

void tui_line_begin(struct tui_line *line, const char *text)
{
    const size_t len = strlen(text) < LINE_LEN ? strlen(text) : 0; /* too long: dropped, not cut */
    memcpy(line->text, text, len);
    line->text[len] = '\0';
    line->at = len;
    line->shown = 0;
}

static size_t before(const struct tui_line *line, size_t at)
{
    while (at != 0 && !character_begins(line->text[--at]))
        continue;
    return at;
}

static size_t behind(const struct tui_line *line, size_t at)
{
    if (line->text[at] == '\0')
        return at;
    do
        at++;
    while (line->text[at] != '\0' && !character_begins(line->text[at]));
    return at;
}

void tui_line_add(struct tui_line *line, const char *text)
{
    const size_t len = strlen(line->text), more = strlen(text);
    if (len + more >= LINE_LEN)
        return;
    memmove(line->text + line->at + more, line->text + line->at, len + 1 - line->at);
    memcpy(line->text + line->at, text, more);
    line->at += more;
}

static void type(struct tui_line *line, uint32_t character)
{
    struct ds_buffer bytes = {0};
    if (character < ' ' || character == 0x7F || character >= TUI_KEY_BEGIN)
        return;
    ds_buffer_add_char(&bytes, character);
    ds_buffer_add(&bytes, "", 1);
    if (!bytes.failed)
        tui_line_add(line, bytes.data);
    ds_buffer_free(&bytes);
}

static void erase(struct tui_line *line)
{
    const size_t at = before(line, line->at);
    memmove(line->text + at, line->text + line->at, strlen(line->text + line->at) + 1);
    line->at = at;
}

/* show_older shows the number-th older line, or an empty one for 0. */
static void show_older(struct tui_line *line, unsigned number)
{
    tui_line_begin(line, number != 0 ? line->older[number - 1] : "");
    line->shown = number;
}

enum line_key tui_line_key(struct tui_line *line, uint32_t key)
{
    enum line_key found = LINE_TYPED;
    for (enum line_key i = LINE_TYPED + 1; i < LINE_KEY_COUNT && found == LINE_TYPED; i++) {
        if (key == line_keys[i].key || (key == line_keys[i].other && key != TUI_NO_KEY))
            found = i;
    }
    switch (found) {
    case LINE_TYPED:
        type(line, key);
        break;
    case LINE_OLDER:
        if (line->shown < line->num_older)
            show_older(line, line->shown + 1);
        break;
    case LINE_NEWER:
        if (line->shown != 0)
            show_older(line, line->shown - 1);
        break;
    case LINE_LEFT:
        line->at = before(line, line->at);
        break;
    case LINE_RIGHT:
        line->at = behind(line, line->at);
        break;
    case LINE_FIRST:
        line->at = 0;
        break;
    case LINE_LAST:
        line->at = strlen(line->text);
        break;
    case LINE_ERASE:
        erase(line);
        break;
    case LINE_EMPTY:
        tui_line_begin(line, "");
        break;
    default:
        break;
    }
    return found;
}

void tui_line_remember(struct tui_line *line)
{
    if (line->text[0] == '\0' || (line->num_older != 0 && strcmp(line->older[0], line->text) == 0))
        return;
    char *text = strdup(line->text);
    if (text == NULL)
        return;
    if (line->num_older == MAX_OLDER)
        free(line->older[--line->num_older]);
    memmove(line->older + 1, line->older, line->num_older * sizeof *line->older);
    line->older[0] = text;
    line->num_older++;
}

void tui_line_draw(const struct tui_line *line, struct cells *cells, unsigned row, const char *word)
{
    const unsigned at = cells_put_string(cells, row, 1, cells->columns, STYLE_STRONG, word) + 2;
    const unsigned room = cells->columns > at + 2 ? cells->columns - at - 2 : 0;
    size_t begin = 0; /* text before this does not fit */
    while (begin < line->at &&
           cells_width(cells, (struct ds_text){line->text + begin, line->at - begin}) >= room)
        begin = behind(line, begin);
    const unsigned cursor = at + cells_width(cells, (struct ds_text){line->text + begin, line->at - begin});
    cells_put_string(cells, row, at, room, STYLE_PLAIN, line->text + begin);
    cells_paint(cells, row, cursor, 1, STYLE_BAR);
}

void tui_line_free(struct tui_line *line)
{
    for (unsigned i = 0; i < line->num_older; i++)
        free(line->older[i]);
    line->num_older = 0;
}
