/*
 * code_write.c - see code_write.h.
 */
#include "etf/code_write.h"
#include "etf/term_keywords.h"
#include "util/escape.h"
#include "util/utf8.h"

struct code_writer code_writer_make(const struct ds_code_options *options, struct ds_buffer *out)
{
    size_t start = out->len;
    while (options->width != 0 && start != 0 && out->data[start - 1] != '\n')
        start--;
    return (struct code_writer){
        .out = out,
        .syntax = &code_syntaxes[options->language],
        .width = options->width,
        .indent = options->indent,
        .line_start = start,
    };
}

static size_t code_column(const struct code_writer *w)
{
    return w->out->len - w->line_start;
}

/* code_indent limits the indentation, so that deep nesting does not leave the page. */
static size_t code_indent(const struct code_writer *w)
{
    const size_t step = 2;
    size_t indent = w->indent + step * (w->depth < w->width ? w->depth : w->width);
    size_t max = w->indent > w->width / 2 ? w->indent : w->width / 2;
    return indent < max ? indent : max;
}

/* code_break inserts a newline at the first mark. */
static void code_break(struct code_writer *w)
{
    const struct code_mark mark = w->marks[0];
    struct ds_buffer *out = w->out;
    size_t more_len = 1 + mark.indent;
    if (!ds_buffer_reserve(out, more_len))
        return;
    char *at = out->data + mark.at;
    size_t space_len = mark.at < out->len && *at == ' ';
    memmove(at + more_len, at + space_len, out->len - mark.at - space_len);
    *at = '\n';
    memset(at + 1, ' ', mark.indent);
    out->len += more_len - space_len;
    w->line_start = mark.at + 1;
    w->num_marks--;
    for (unsigned i = 0; i < w->num_marks; i++) {
        w->marks[i] = w->marks[i + 1];
        w->marks[i].at += more_len - space_len;
    }
}

/* code_fold_to is code_fold for lines of the given width. */
static void code_fold_to(struct code_writer *w, size_t width)
{
    while (code_column(w) > width && w->num_marks != 0 && !w->out->failed)
        code_break(w);
}

void code_fold(struct code_writer *w)
{
    if (w->width != 0)
        code_fold_to(w, w->width);
}

/* code_mark records that the line may end here. */
static void code_mark(struct code_writer *w)
{
    while (w->num_marks != 0 && w->marks[w->num_marks - 1].depth >= w->depth)
        w->num_marks--;
    if (w->num_marks < CODE_MARKS)
        w->marks[w->num_marks++] =
            (struct code_mark){.at = w->out->len, .indent = code_indent(w), .depth = w->depth};
}

void code_add(struct code_writer *w, const char *words)
{
    ds_buffer_add_text(w->out, words);
}

void code_add_comma(struct code_writer *w)
{
    const char *comma = w->syntax->comma;
    buffer_add_char(w->out, *comma);
    if (w->width != 0) {
        code_fold(w);
        code_mark(w);
    }
    if (comma[1] != '\0')
        buffer_add_char(w->out, comma[1]);
}

void code_add_number(struct code_writer *w, uint64_t number)
{
    buffer_add_u64(w->out, number);
}

void code_add_signed(struct code_writer *w, int64_t number)
{
    if (number < 0)
        BUFFER_ADD(w->out, "-");
    buffer_add_u64(w->out, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static struct cursor code_atom_text(struct cursor text)
{
    static const char no_atom[] = "?atom";
    const struct ds_text atom = {(const char *)text.at, cursor_left(&text)};
    return ds_atom_ok(atom) ? text : cursor_make(no_atom, sizeof no_atom - 1);
}

void code_add_atom(struct code_writer *w, struct cursor text)
{
    static const char tag[] = "$atom";
    text = code_atom_text(text);
    if (escape_reads_back(text)) {
        w->syntax->add_atom(w->out, text);
        return;
    }
    BUFFER_ADD(w->out, "{");
    w->syntax->add_atom(w->out, cursor_make(tag, sizeof tag - 1));
    code_add_comma(w);
    code_add_binary(w, text);
    BUFFER_ADD(w->out, "}");
}

void code_add_key(struct code_writer *w, struct cursor text)
{
    w->syntax->add_key(w->out, code_atom_text(text));
}

void code_add_exact_atom(struct code_writer *w, struct cursor text)
{
    enum { VERSION = 131, ATOM_UTF8 = 118 };
    struct ds_buffer bytes = {0};
    text = code_atom_text(text);
    const size_t len = cursor_left(&text);
    if (len <= CODE_KEY_LEN_MAX && escape_reads_back(text)) {
        w->syntax->add_atom(w->out, text);
        return;
    }
    const uint8_t head[] = {VERSION, ATOM_UTF8, (uint8_t)(len >> 8), (uint8_t)len};
    buffer_add_bytes(&bytes, head, sizeof head);
    buffer_add_cursor(&bytes, &text);
    code_add(w, w->syntax->exact_open);
    code_add_mixed(w, cursor_make(bytes.data, bytes.len));
    code_add(w, w->syntax->exact_close);
    w->out->failed = w->out->failed || bytes.failed;
    ds_buffer_free(&bytes);
}

/* code_split continues a text in the next line if this one is full. */
static void code_split(struct code_writer *w)
{
    const size_t quote_len = 1;
    const struct code_syntax *syntax = w->syntax;
    if (w->width == 0 || code_column(w) + quote_len < w->width)
        return;
    code_fold_to(w, w->width - quote_len - 1);
    if (code_column(w) + quote_len < w->width)
        return;
    code_add(w, syntax->split_end);
    w->line_start = w->out->len;
    w->num_marks = 0;
    for (size_t indent = syntax->split_indent ? code_indent(w) : 0; indent > 0; indent--)
        buffer_add_char(w->out, ' ');
    code_add(w, syntax->split_begin);
}

void code_add_char(struct code_writer *w, uint32_t code)
{
    code_split(w);
    w->syntax->add_char(w->out, code);
}

void code_add_bytes(struct code_writer *w, struct cursor bytes)
{
    uint8_t byte;
    w->depth++;
    for (bool first = true; cursor_read_u8(&bytes, &byte); first = false) {
        if (!first)
            code_add_comma(w);
        code_add_number(w, byte);
    }
    w->depth--;
}

void code_add_binary(struct code_writer *w, struct cursor bytes)
{
    uint32_t code;
    enum escape_kind kind = escape_guess(&bytes, false);
    if (cursor_left(&bytes) == 0) {
        code_add(w, w->syntax->no_bytes);
    } else if (kind == ESCAPE_BYTES) {
        BUFFER_ADD(w->out, "<<");
        code_add_bytes(w, bytes);
        BUFFER_ADD(w->out, ">>");
    } else {
        code_add(w, w->syntax->text_open);
        while (utf8_read(&bytes, &code))
            code_add_char(w, code);
        code_add(w, kind == ESCAPE_UTF8 ? w->syntax->utf8_close : w->syntax->text_close);
    }
}

/* code_run splits the plain characters (letters, digits and the like) at the start of bytes off
 * into run. False if there are too few. */
static bool code_run(struct cursor *bytes, struct cursor *run)
{
    const size_t worth_it = 3;
    uint8_t c;
    *run = *bytes;
    while (cursor_peek_u8(bytes, &c) && c > ' ' && c < 127 && c != '"' && c != '\\' && c != '#' &&
           cursor_skip(bytes, 1))
        continue;
    run->end = bytes->at;
    if (cursor_left(run) >= worth_it)
        return true;
    bytes->at = run->at;
    return false;
}

void code_add_mixed(struct code_writer *w, struct cursor bytes)
{
    struct cursor run;
    uint8_t byte;
    BUFFER_ADD(w->out, "<<");
    w->depth++;
    for (bool first = true; cursor_left(&bytes) != 0; first = false) {
        if (!first)
            code_add_comma(w);
        if (code_run(&bytes, &run)) {
            BUFFER_ADD(w->out, "\"");
            while (cursor_read_u8(&run, &byte))
                code_add_char(w, byte);
            BUFFER_ADD(w->out, "\"");
        } else if (cursor_read_u8(&bytes, &byte)) {
            code_add_number(w, byte);
        }
    }
    w->depth--;
    BUFFER_ADD(w->out, ">>");
}

void ds_code_atom(struct ds_text text, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_atom(&w, cursor_make(text.data, text.len));
}

void ds_code_exact_atom(struct ds_text text, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_exact_atom(&w, cursor_make(text.data, text.len));
}

void ds_code_key(struct ds_text text, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_key(&w, cursor_make(text.data, text.len));
}

void ds_code_binary(struct ds_text bytes, enum ds_code_language language, struct ds_buffer *out)
{
    struct code_writer w = code_writer_make(&(struct ds_code_options){.language = language}, out);
    code_add_binary(&w, cursor_make(bytes.data, bytes.len));
}
