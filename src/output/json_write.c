/*
 * json_write.c - see json_write.h.
 */
#include "json_write.h"

#include "digits.h"
#include "json_escape.h"
#include "term_show.h"

#include <string.h>

void json_begin_object(struct json_writer *json)
{
    json->start = json->out->len;
    json->failed = false;
    ds_buffer_add(json->out, "{", 1);
}

void json_begin(struct json_writer *json, const char *type)
{
    json_tree_use(&json->tree);
    json_begin_object(json);
    json_put_string(json, JSON_KEY("type"), type);
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
    json_tree_free(&json->tree);
}

void json_end(struct json_writer *json)
{
    json_end_object(json);
    ds_buffer_add(json->out, "\n", 1);
    if (json->out->failed)
        json->out->len = json->start;
}

/* put_key writes the key and then before, a byte or two; the first of an object has no comma. */
static void put_key(struct json_writer *json, struct json_key key, const char *before)
{
    if (!ds_buffer_reserve(json->out, key.len + 2))
        return;
    char *at = json->out->data + json->out->len;
    const size_t skipped = at[-1] == '{';
    memcpy(at, key.text + skipped, key.len - skipped);
    at += key.len - skipped;
    while (*before != '\0')
        *at++ = *before++;
    json->out->len = (size_t)(at - json->out->data);
}

void json_put_object(struct json_writer *json, struct json_key key, struct json_object object)
{
    put_key(json, key, "");
    if (object.text.data != NULL)
        ds_buffer_add(json->out, object.text.data, object.text.len);
    else
        json->failed = true;
}

void json_put_text(struct json_writer *json, struct json_key key, struct ds_text text)
{
    put_key(json, key, "\"");
    json_escape(text, json->out);
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_string(struct json_writer *json, struct json_key key, const char *text)
{
    json_put_text(json, key, (struct ds_text){text, strlen(text)});
}

static void put_number(struct json_writer *json, struct json_key key, uint64_t magnitude,
                       bool negative)
{
    char digits[DIGITS_LEN];
    bool is_exact = magnitude <= JSON_MAX_EXACT;
    put_key(json, key, is_exact ? negative ? "-" : "" : negative ? "\"-" : "\"");
    ds_buffer_add(json->out, digits, digits_print(magnitude, digits));
    if (!is_exact)
        ds_buffer_add(json->out, "\"", 1);
}

void json_put_unsigned(struct json_writer *json, struct json_key key, uint64_t number)
{
    put_number(json, key, number, false);
}

void json_put_signed(struct json_writer *json, struct json_key key, int64_t number)
{
    put_number(json, key, json_magnitude(number), number < 0);
}

void json_put_bool(struct json_writer *json, struct json_key key, bool value)
{
    put_key(json, key, value ? "true" : "false");
}

void json_put_time(struct json_writer *json, struct json_key key, int64_t ns)
{
    put_key(json, key, "\"");
    timestamp_print_utc(&json->clock, ns, json->time_digits, json->out);
    ds_buffer_add(json->out, "\"", 1);
}

static void put_microseconds(struct json_writer *json, struct json_key key, int64_t ns, bool always)
{
    char text[DIGITS_LEN + 4];
    uint64_t magnitude = json_magnitude(ns);
    size_t len = digits_print(magnitude / 1000, text);
    unsigned rest = (unsigned)(magnitude % 1000);
    put_key(json, key, ns < 0 ? "-" : "");
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
    put_key(json, key, "\"");
    for (size_t i = 0; i < len; i++)
        ds_buffer_printf(json->out, "%02x", bytes[i]);
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_term(struct json_writer *json, struct json_key key, const struct ds_term *term)
{
    put_key(json, key, "\"");
    size_t start = json->out->len;
    json->failed |= !term_show(term, &json->limits, json->out);
    json_escape_written(json->out, start, &json->scratch);
    ds_buffer_add(json->out, "\"", 1);
}

/* Whether text is a whole number that a double holds. */
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
    json->failed |= !term_show(term, &json->limits, scratch);
    bool is_number = is_exact_number(scratch->data, scratch->len);
    put_key(json, key, is_number ? "" : "\"");
    json_escape((struct ds_text){scratch->data, scratch->len}, json->out);
    if (!is_number)
        ds_buffer_add(json->out, "\"", 1);
}

void json_put_etf(struct json_writer *json, struct json_key key, const struct ds_term *term)
{
    struct ds_buffer *scratch = &json->scratch;
    scratch->len = 0;
    if (term_show_is_large(term->len) || !ds_term_copy_etf(term, scratch))
        return; /* the text is cut, or it is damaged: the record's fault says so */
    put_key(json, key, "\"");
    ds_buffer_add_base64(json->out, scratch->data, scratch->len);
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_tree(struct json_writer *json, struct json_key key, cJSON *tree)
{
    put_key(json, key, "");
    json->failed |= !json_tree_print(tree, json->out);
}

void json_put_open(struct json_writer *json, struct json_key key)
{
    put_key(json, key, "{");
}

void json_put_close(struct json_writer *json)
{
    ds_buffer_add(json->out, "}", 1);
}

void json_writer_free(struct json_writer *json)
{
    ds_buffer_free(&json->scratch);
    json_tree_free(&json->tree);
}
