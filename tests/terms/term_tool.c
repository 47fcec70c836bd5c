/*
 * term_tool.c - reads terms and writes how the library shows them, for read_back.escript and
 * code_back.escript.
 *
 * Standard input: length (4 bytes), term (131 first), and so on. Standard output, for each:
 * length, text, length, copy as external format; the copy has length 0 when it is refused.
 * With the argument "code", for each instead: the source text in Erlang, in Erlang in folded
 * lines, the same with exact pids, then all three in Elixir, then the portable copy, each with
 * its length. With the argument "inspect": the text in Elixir.
 */
#include "etf/term.h"

#include <distsniff/code.h>

#include <stdio.h>
#include <stdlib.h>

static void die(const char *why)
{
    fprintf(stderr, "term_tool: %s\n", why);
    exit(1);
}

static void write_block(const char *data, size_t len)
{
    uint32_t head = __builtin_bswap32((uint32_t)len);
    if (fwrite(&head, sizeof head, 1, stdout) != 1 ||
        (len != 0 && fwrite(data, len, 1, stdout) != 1))
        die("cannot write");
}

static void show_code(const struct ds_term *term)
{
    static const struct ds_code_options options[] = {
        {.language = DS_CODE_ERLANG},
        {.language = DS_CODE_ERLANG, .width = 60, .indent = 4},
        {.language = DS_CODE_ERLANG, .width = 60, .indent = 4, .exact = true},
        {.language = DS_CODE_ELIXIR},
        {.language = DS_CODE_ELIXIR, .width = 60, .indent = 4},
        {.language = DS_CODE_ELIXIR, .width = 60, .indent = 4, .exact = true},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct ds_buffer text = {0};
        if (!ds_code_term(term, &options[i], &text))
            die("no memory");
        write_block(text.data, text.len);
        ds_buffer_free(&text);
    }
    struct ds_buffer copy = {0};
    if (!ds_term_copy_portable(term, &copy))
        die("no memory");
    write_block(copy.data, copy.len);
    ds_buffer_free(&copy);
}

static void show_inspect(const struct ds_term *term)
{
    const struct ds_term_print_options options = {.syntax = DS_SYNTAX_ELIXIR};
    struct ds_buffer text = {0};
    if (!ds_term_print(term, &options, &text))
        die("no memory");
    write_block(text.data, text.len);
    ds_buffer_free(&text);
}

enum form { FORM_TEXT, FORM_CODE, FORM_INSPECT };

static void show(const uint8_t *bytes, size_t len, enum form form)
{
    struct ds_buffer text = {0}, copy = {0};
    struct term_env env = {0};
    uint32_t unknown = 0, inferred = 0;
    const char *what = NULL;
    struct cursor c = cursor_make(bytes, len);
    uint8_t version;
    if (!cursor_read_u8(&c, &version) || version != 131)
        die("no 131");
    struct ds_term term = {.data = c.at, .len = cursor_left(&c)};
    if (form == FORM_CODE) {
        show_code(&term);
        return;
    }
    if (form == FORM_INSPECT) {
        show_inspect(&term);
        return;
    }
    if (term_check(&c, &env, &unknown, &inferred, &what) != TERM_OK)
        ds_buffer_printf(&text, "fault: %s", what);
    else if (cursor_left(&c) != 0)
        ds_buffer_printf(&text, "fault: %zu bytes left over", cursor_left(&c));
    else if (!ds_term_print(&term, NULL, &text) || !ds_term_copy_etf(&term, &copy))
        die("no memory");
    write_block(text.data, text.len);
    write_block(copy.data, copy.len);
    ds_buffer_free(&text);
    ds_buffer_free(&copy);
}

int main(int argc, char **argv)
{
    const enum form form = argc < 2                             ? FORM_TEXT
                           : strcmp(argv[1], "code") == 0    ? FORM_CODE
                           : strcmp(argv[1], "inspect") == 0 ? FORM_INSPECT
                                                             : FORM_TEXT;
    uint32_t head;
    while (fread(&head, sizeof head, 1, stdin) == 1) {
        size_t len = __builtin_bswap32(head);
        uint8_t *bytes = malloc(len);
        if (bytes == NULL || fread(bytes, 1, len, stdin) != len)
            die("input ends early");
        show(bytes, len, form);
        free(bytes);
    }
    return 0;
}
