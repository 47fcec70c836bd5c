/*
 * tui_fold.c - see tui_fold.h.
 *
 * This program has written the text, but peers chose the names and strings in it: only brackets
 * outside of quotes count, and one without a counterpart is an ordinary character. Brackets are
 * numbered in the order in which they open. No function is recursive.
 */
#include "ui/tui/tui_fold.h"

#include <distsniff/counted.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_BRACKETS = 65536,
    MAX_DEPTH = 64,       /* deeper levels are not laid out */
    FOLDED_DEPTH = 3,     /* from this depth on long terms are folded at first */
    FOLDED_LEN = 800,
    STEP = 2,             /* columns of indentation per level */
};

struct bracket {
    size_t open, close; /* close 0: it is not closed */
    uint32_t num_items;
};

struct fold {
    struct tui_page *page;
    unsigned indent, columns;
    struct ds_text text;
    struct bracket *brackets;
    size_t num;
    struct ds_buffer line;
    unsigned depth;      /* of brackets that are laid out */
    uint64_t led_by;     /* number of the bracket that the present line leads to, from 1; 0: none */
};

/* skip_quoted returns the end of a string or quoted atom that begins at a position. */
static size_t skip_quoted(struct ds_text text, size_t at)
{
    const char quote = text.data[at++];
    while (at < text.len && text.data[at] != quote)
        at += text.data[at] == '\\' ? 2 : 1;
    return at < text.len ? at + 1 : text.len;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static bool opens(char c)
{
    return c == '{' || c == '[' || c == '(';
}

static bool closes(char c, char opened)
{
    return (c == '}' && opened == '{') || (c == ']' && opened == '[') || (c == ')' && opened == '(');
}

/* find_brackets finds the pairs. False if memory ran out. */
static bool find_brackets(struct fold *f)
{
    size_t cap = 0, num_open = 0;
    uint32_t *open = malloc(MAX_BRACKETS * sizeof *open);
    for (size_t at = 0; open != NULL && at < f->text.len && f->num < MAX_BRACKETS;) {
        const char c = f->text.data[at];
        if (is_quote(c)) {
            at = skip_quoted(f->text, at);
            continue;
        }
        if (opens(c)) {
            if (f->num == cap) {
                cap = cap != 0 ? 2 * cap : 64;
                struct bracket *more = realloc(f->brackets, cap * sizeof *more);
                if (more == NULL)
                    break;
                f->brackets = more;
            }
            open[num_open++] = (uint32_t)f->num;
            f->brackets[f->num++] = (struct bracket){.open = at, .num_items = 1};
        } else if (num_open != 0) {
            struct bracket *last = &f->brackets[open[num_open - 1]];
            last->num_items += c == ',';
            if (closes(c, f->text.data[last->open])) {
                last->close = at;
                num_open--;
            }
        }
        at++;
    }
    const bool ok = open != NULL && (f->num == 0 || f->brackets != NULL);
    free(open);
    return ok;
}

static void end_line(struct fold *f)
{
    const unsigned indent = f->indent + STEP * f->depth;
    ds_buffer_add(&f->line, "", 1);
    if (!f->line.failed) {
        tui_page_line(f->page, STYLE_PLAIN, indent, f->line.data);
        if (f->led_by != 0)
            tui_page_lead(f->page, (struct tui_target){TARGET_FOLD, f->led_by});
    }
    f->line.len = 0;
    f->led_by = 0;
}

/* room_of returns how many more bytes fit into the present line. */
static size_t room_of(const struct fold *f)
{
    const size_t taken = f->indent + STEP * (size_t)f->depth + f->line.len;
    return f->columns > taken ? f->columns - taken : 0;
}

static void put_folded(struct fold *f, const struct bracket *bracket)
{
    ds_buffer_add(&f->line, f->text.data + bracket->open, 1);
    ds_buffer_printf(&f->line, "... %s ...", ds_counted(bracket->num_items, "elements").text);
    ds_buffer_add(&f->line, f->text.data + bracket->close, 1);
}

/* lay_out writes the text; open are the brackets that extend over several lines, the innermost
 * last. */
static void lay_out(struct fold *f)
{
    size_t open[MAX_DEPTH], num_open = 0, next = 0;
    for (size_t at = 0; at < f->text.len && !f->page->is_cut;) {
        const char c = f->text.data[at];
        while (next < f->num && f->brackets[next].open < at)
            next++;
        if (is_quote(c)) {
            const size_t end = skip_quoted(f->text, at);
            ds_buffer_add(&f->line, f->text.data + at, end - at);
            at = end;
        } else if (next < f->num && f->brackets[next].open == at && f->brackets[next].close > at + 1) {
            const struct bracket *bracket = &f->brackets[next];
            const size_t len = bracket->close + 1 - at;
            const bool turned = tui_page_is_turned(f->page, next + 1);
            const bool has_room = len <= room_of(f) || num_open == MAX_DEPTH;
            const bool is_folded = !has_room && (num_open >= FOLDED_DEPTH && len > FOLDED_LEN) != turned;
            if (f->led_by == 0)
                f->led_by = next + 1;
            if (is_folded || (has_room && turned)) {
                put_folded(f, bracket);
                at += len;
            } else if (has_room) {
                ds_buffer_add(&f->line, f->text.data + at, len);
                at += len;
            } else {
                ds_buffer_add(&f->line, &c, 1);
                end_line(f);
                open[num_open++] = next;
                f->depth++;
                at++;
            }
        } else if (num_open != 0 && at == f->brackets[open[num_open - 1]].close) {
            if (f->line.len != 0)
                end_line(f);
            num_open--;
            f->depth--;
            ds_buffer_add(&f->line, &c, 1);
            at++;
        } else {
            ds_buffer_add(&f->line, &c, 1);
            at++;
            if (c == ',' && num_open != 0) {
                end_line(f);
                at += at < f->text.len && f->text.data[at] == ' ';
            }
        }
    }
    if (f->line.len != 0)
        end_line(f);
}

void tui_fold_term(struct tui_page *page, unsigned indent, unsigned columns, struct ds_text text)
{
    struct fold f = {.page = page, .indent = indent, .columns = columns, .text = text};
    if (find_brackets(&f))
        lay_out(&f);
    else
        page->is_cut = true;
    free(f.brackets);
    ds_buffer_free(&f.line);
}
