/*
 * json_write.c - see json_write.h.
 */
#include "json_write.h"

#include "base64.h"
#include "digits.h"
#include "printable.h"

#include <string.h>

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

/* Returns how many of the bytes at text can stand in a JSON string as they are; looked at
 * eight by eight, for terms make up most of the output. */
static size_t count_plain(const char *text, size_t len)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = ones << 7;
    size_t i = 0;
    for (; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, 8);
        uint64_t quote = word ^ ones * '"';
        uint64_t backslash = word ^ ones * '\\';
        /* A byte below n borrows into its top bit; one above 0x7F had it set before. */
        uint64_t hits = ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                        ((word - ones * 0x20) & ~word);
        if ((hits & tops) != 0) {
            /* The lowest hit is a true one: borrows only disturb what is above it. */
            return i + (size_t)(__builtin_ctzll(hits & tops) / 8);
        }
    }
    while (i < len && !needs_escape((unsigned char)text[i]))
        i++;
    return i;
}

void json_escape(const char *text, size_t len, struct ds_buffer *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len;) {
        size_t plain = count_plain(text + i, len - i);
        if (!ds_buffer_reserve(out, plain + 6))
            return;
        char *at = out->data + out->len;
        if (plain != 0)
            memcpy(at, text + i, plain);
        at += plain;
        i += plain;
        if (i < len) {
            unsigned char c = (unsigned char)text[i++];
            *at++ = '\\';
            if (c >= 0x20) {
                *at++ = (char)c;
            } else {
                *at++ = 'u';
                *at++ = '0';
                *at++ = '0';
                *at++ = digits[c >> 4];
                *at++ = digits[c & 15];
            }
        }
        out->len = (size_t)(at - out->data);
    }
}

void json_begin(struct json_writer *json, const char *type)
{
    json->start = json->out->len;
    json->failed = false;
    ds_buffer_add(json->out, "{\"type\":\"", 9);
    ds_buffer_add(json->out, type, strlen(type));
    ds_buffer_add(json->out, "\"", 1);
}

void json_end(struct json_writer *json)
{
    enum { KEEP_SCRATCH = 1024 * 1024 };
    ds_buffer_add(json->out, "}\n", 2);
    if (json->failed || json->scratch.failed || json->out->failed) {
        json->out->len = json->start;
        json->out->failed = true;
    }
    if (json->scratch.cap > KEEP_SCRATCH || json->scratch.failed)
        ds_buffer_free(&json->scratch);
}

/* Writes the comma, "key": and then before, at most 8 bytes. */
static void put_key(struct json_writer *json, const char *key, const char *before)
{
    size_t len = strlen(key);
    if (!ds_buffer_reserve(json->out, len + 12))
        return;
    char *at = json->out->data + json->out->len;
    if (at[-1] != '{')
        *at++ = ',';
    *at++ = '"';
    memcpy(at, key, len);
    at += len;
    *at++ = '"';
    *at++ = ':';
    while (*before != '\0')
        *at++ = *before++;
    json->out->len = (size_t)(at - json->out->data);
}

void json_put_raw(struct json_writer *json, const char *key, struct ds_text value)
{
    put_key(json, key, "");
    if (value.data != NULL)
        ds_buffer_add(json->out, value.data, value.len);
    else
        json->failed = true;
}

void json_put_string(struct json_writer *json, const char *key, const char *text)
{
    put_key(json, key, "\"");
    ds_buffer_add(json->out, text, strlen(text));
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_text(struct json_writer *json, const char *key, struct ds_text text)
{
    json->scratch.len = 0;
    printable_json(text, &json->scratch);
    put_key(json, key, "\"");
    json_escape(json->scratch.data, json->scratch.len, json->out);
    ds_buffer_add(json->out, "\"", 1);
}

static void put_number(struct json_writer *json, const char *key, uint64_t magnitude,
                       bool negative)
{
    char digits[DIGITS_LEN];
    bool is_exact = magnitude <= JSON_MAX_EXACT;
    put_key(json, key, is_exact ? negative ? "-" : "" : negative ? "\"-" : "\"");
    ds_buffer_add(json->out, digits, digits_print(magnitude, digits));
    if (!is_exact)
        ds_buffer_add(json->out, "\"", 1);
}

void json_put_unsigned(struct json_writer *json, const char *key, uint64_t number)
{
    put_number(json, key, number, false);
}

void json_put_signed(struct json_writer *json, const char *key, int64_t number)
{
    put_number(json, key, json_magnitude(number), number < 0);
}

void json_put_bool(struct json_writer *json, const char *key, bool value)
{
    put_key(json, key, value ? "true" : "false");
}

void json_put_time(struct json_writer *json, const char *key, int64_t ns)
{
    put_key(json, key, "\"");
    timestamp_print_utc(&json->clock, ns, json->time_digits, json->out);
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_microseconds(struct json_writer *json, const char *key, int64_t ns)
{
    char text[DIGITS_LEN + 4];
    uint64_t magnitude = json_magnitude(ns);
    size_t len = digits_print(magnitude / 1000, text);
    unsigned rest = (unsigned)(magnitude % 1000);
    put_key(json, key, ns < 0 ? "-" : "");
    if (rest != 0) {
        text[len++] = '.';
        text[len++] = (char)('0' + rest / 100);
        text[len++] = (char)('0' + rest / 10 % 10);
        text[len++] = (char)('0' + rest % 10);
    }
    ds_buffer_add(json->out, text, len);
}

void json_put_hex(struct json_writer *json, const char *key, const uint8_t *bytes, size_t len)
{
    put_key(json, key, "\"");
    for (size_t i = 0; i < len; i++)
        ds_buffer_printf(json->out, "%02x", bytes[i]);
    ds_buffer_add(json->out, "\"", 1);
}

/* Escapes what stands in out from start on. Mostly there is nothing to do. */
static void escape_written(struct json_writer *json, size_t start)
{
    struct ds_buffer *out = json->out;
    size_t len = out->len - start;
    size_t plain = out->failed ? len : count_plain(out->data + start, len);
    if (plain == len)
        return;
    json->scratch.len = 0;
    ds_buffer_add(&json->scratch, out->data + start + plain, len - plain);
    out->len = start + plain;
    json_escape(json->scratch.data, json->scratch.len, out);
}

void json_put_term(struct json_writer *json, const char *key, const struct ds_term *term)
{
    put_key(json, key, "\"");
    size_t start = json->out->len;
    json->failed |= !ds_term_print(term, &json->limits, json->out);
    escape_written(json, start);
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

void json_put_number_term(struct json_writer *json, const char *key, const struct ds_term *term)
{
    struct ds_buffer *scratch = &json->scratch;
    scratch->len = 0;
    json->failed |= !ds_term_print(term, &json->limits, scratch);
    bool is_number = is_exact_number(scratch->data, scratch->len);
    put_key(json, key, is_number ? "" : "\"");
    json_escape(scratch->data, scratch->len, json->out);
    if (!is_number)
        ds_buffer_add(json->out, "\"", 1);
}

void json_put_etf(struct json_writer *json, const char *key, const struct ds_term *term)
{
    struct ds_buffer *scratch = &json->scratch;
    scratch->len = 0;
    if (!ds_term_copy_etf(term, scratch))
        return; /* damaged: the record's fault says so */
    put_key(json, key, "\"");
    base64_add((const uint8_t *)scratch->data, scratch->len, json->out);
    ds_buffer_add(json->out, "\"", 1);
}

void json_put_tree(struct json_writer *json, const char *key, cJSON *tree)
{
    put_key(json, key, "");
    json->failed |= !json_tree_print(tree, json->out);
}

void json_put_open(struct json_writer *json, const char *key)
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
}
