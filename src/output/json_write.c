/*
 * json_write.c - see json_write.h.
 */
#include "output/json_write.h"

#include "core/copy_short.h"
#include "core/term_show.h"
#include "output/json_escape.h"

#include <math.h>
#include <string.h>

void json_begin_object(struct json_writer *json)
{
    json->start = json->out->len;
    json->failed = false;
    ds_buffer_add(json->out, "{", 1);
}

void json_begin(struct json_writer *json, struct json_type type)
{
    json->start = json->out->len;
    json->failed = false;
    ds_buffer_add(json->out, type.text, type.len);
}

void json_end_object(struct json_writer *json)
{
    enum { KEEP_SCRATCH = 1024 * 1024 };
    ds_buffer_add(json->out, "}", 1);
    if (json->failed || json->scratch.failed || json->out->failed) {
        json->out->len = json->start;
        json->out->failed = true;
    }
    if (json->scratch.cap > KEEP_SCRATCH || json->scratch.failed)
        ds_buffer_free(&json->scratch);
}

void json_end(struct json_writer *json)
{
    json_end_object(json);
    ds_buffer_add(json->out, "\n", 1);
    if (json->out->failed)
        json->out->len = json->start;
}

static void add_quote(struct json_writer *json)
{
    struct ds_buffer *out = json->out;
    if (out->len < out->cap || ds_buffer_reserve(out, 1))
        out->data[out->len++] = '"';
}

void json_value_object(struct json_writer *json, struct json_object object)
{
    if (object.text.data != NULL)
        ds_buffer_add(json->out, object.text.data, object.text.len);
    else
        json->failed = true;
}

void json_value_text(struct json_writer *json, struct ds_text text)
{
    json_quote(text, json->out);
}

void json_value_string(struct json_writer *json, const char *text)
{
    json_quote((struct ds_text){text, strlen(text)}, json->out);
}

void json_value_word(struct json_writer *json, const char *word)
{
    enum { QUOTES = 2 };
    struct ds_buffer *out = json->out;
    const size_t len = strlen(word);
    if (out->cap - out->len < len + QUOTES && !ds_buffer_reserve(out, len + QUOTES))
        return;
    char *at = out->data + out->len;
    *at++ = '"';
    copy_short((uint8_t *)at, (const uint8_t *)word, len);
    at[len] = '"';
    out->len += len + QUOTES;
}

static void add_number(struct json_writer *json, uint64_t magnitude, bool negative)
{
    enum { ROOM = DS_DIGITS_MAX + 3 }; /* two quotes and a sign */
    if (json->out->cap - json->out->len < ROOM && !ds_buffer_reserve(json->out, ROOM))
        return;
    const bool is_exact = magnitude <= JSON_MAX_EXACT;
    char *at = json->out->data + json->out->len;
    if (!is_exact)
        *at++ = '"';
    if (negative)
        *at++ = '-';
    at = ds_digits_put(at, magnitude);
    if (!is_exact)
        *at++ = '"';
    json->out->len = (size_t)(at - json->out->data);
}

void json_value_unsigned(struct json_writer *json, uint64_t number)
{
    add_number(json, number, false);
}

void json_value_real(struct json_writer *json, double number)
{
    if (isfinite(number))
        ds_buffer_printf(json->out, "%.6g", number);
    else
        JSON_LITERAL(json, "null");
}

void json_value_signed(struct json_writer *json, int64_t number)
{
    add_number(json, json_magnitude(number), number < 0);
}

void json_put_bool(struct json_writer *json, struct json_key key, bool value)
{
    json_put_key(json, key);
    ds_buffer_add_text(json->out, value ? "true" : "false");
}

void json_value_time(struct json_writer *json, int64_t ns)
{
    add_quote(json);
    timestamp_print_utc(&json->clock, ns, json->time_digits, json->out);
    add_quote(json);
}

static void put_microseconds(struct json_writer *json, struct json_key key, int64_t ns, bool always)
{
    char text[1 + DS_DIGITS_MAX + 4] = "-";
    const uint64_t magnitude = json_magnitude(ns);
    size_t len = (size_t)(ds_digits_put(text + (ns < 0), magnitude / 1000) - text);
    unsigned rest = (unsigned)(magnitude % 1000);
    json_put_key(json, key);
    if (rest != 0 || always) {
        text[len++] = '.';
        text[len++] = (char)('0' + rest / 100);
        text[len++] = (char)('0' + rest / 10 % 10);
        text[len++] = (char)('0' + rest % 10);
    }
    ds_buffer_add(json->out, text, len);
}

void json_put_microseconds(struct json_writer *json, struct json_key key, int64_t ns)
{
    put_microseconds(json, key, ns, false);
}

void json_put_long_microseconds(struct json_writer *json, struct json_key key, int64_t ns)
{
    put_microseconds(json, key, ns, true);
}

void json_put_hex(struct json_writer *json, struct json_key key, const uint8_t *bytes, size_t len)
{
    json_put_key(json, key);
    add_quote(json);
    for (size_t i = 0; i < len; i++)
        ds_buffer_printf(json->out, "%02x", bytes[i]);
    add_quote(json);
}

void json_value_term(struct json_writer *json, const struct ds_term *term)
{
    struct ds_buffer *out = json->out;
    add_quote(json);
    /* In the printed form of a term, only double quotes and backslashes need escapes in JSON. If
     * the length of the text is limited, the added backslashes must not count. */
    json->limits.in_string =
        json->limits.syntax == DS_SYNTAX_ERLANG && !term_show_bounds(term);
    const size_t start = out->len;
    json->failed |= !term_show_as(json->limits.syntax, term, &json->limits, out);
    if (!json->limits.in_string)
        json_escape_written(out, start, &json->scratch);
    json->limits.in_string = false;
    add_quote(json);
}

void json_value_written(struct json_writer *json, struct json_written written)
{
    add_quote(json);
    ds_buffer_add(json->out, written.text.data, written.text.len);
    add_quote(json);
}

void json_put_term_with(struct json_writer *json, struct json_key key, const struct ds_term *term,
                        struct ds_term_part *part)
{
    const uint32_t max_depth = json->limits.max_depth;
    const bool is_plain = json->limits.syntax == DS_SYNTAX_ERLANG && !term_show_bounds(term) &&
                          (max_depth == 0 || term->len < max_depth);
    part->len = 0;
    json->limits.part = is_plain ? part : NULL;
    json_put_term(json, key, term);
    json->limits.part = NULL;
}

/* is_exact_number says whether text is a whole number that a double represents exactly. */
static bool is_exact_number(const char *text, size_t len)
{
    size_t i = len != 0 && text[0] == '-';
    uint64_t value = 0;
    if (len == i || len - i > 16)
        return false;
    for (; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    return value <= JSON_MAX_EXACT;
}

void json_put_number_term(struct json_writer *json, struct json_key key, const struct ds_term *term)
{
    struct ds_buffer *scratch = &json->scratch;
    scratch->len = 0;
    json->failed |= !term_show_as(json->limits.syntax, term, &json->limits, scratch);
    bool is_number = is_exact_number(scratch->data, scratch->len);
    json_put_key(json, key);
    if (is_number)
        ds_buffer_add(json->out, scratch->data, scratch->len);
    else
        json_quote((struct ds_text){scratch->data, scratch->len}, json->out);
}

void json_put_etf(struct json_writer *json, struct json_key key, const struct ds_term *term)
{
    struct ds_buffer *scratch = &json->scratch;
    scratch->len = 0;
    const bool is_read = !term_show_is_large(term->len);
    if (is_read && !ds_term_copy_etf(term, scratch))
        return; /* it is damaged, which the record's fault reports */
    if (!is_read || term_show_is_large(scratch->len)) { /* with its cached atoms written out */
        term_show_mark_cut();
        return;
    }
    json_put_key(json, key);
    add_quote(json);
    ds_buffer_add_base64(json->out, scratch->data, scratch->len);
    add_quote(json);
}

void json_put_open(struct json_writer *json, struct json_key key)
{
    json_put_key(json, key);
    ds_buffer_add(json->out, "{", 1);
}

void json_put_close(struct json_writer *json)
{
    ds_buffer_add(json->out, "}", 1);
}

void json_put_list(struct json_writer *json, struct json_key key)
{
    json_put_key(json, key);
    ds_buffer_add(json->out, "[", 1);
}

void json_item(struct json_writer *json)
{
    const struct ds_buffer *out = json->out;
    if (out->len != 0 && out->data[out->len - 1] != '[')
        ds_buffer_add(json->out, ",", 1);
}

void json_item_open(struct json_writer *json)
{
    json_item(json);
    ds_buffer_add(json->out, "{", 1);
}

void json_put_list_end(struct json_writer *json)
{
    ds_buffer_add(json->out, "]", 1);
}

void json_writer_free(struct json_writer *json)
{
    ds_buffer_free(&json->scratch);
}
