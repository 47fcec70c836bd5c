/*
 * json_write.h - the fields of a record, written straight into the output: they come by the
 * million, and most of them are terms, which are printed in their place.
 *
 * Nobody can forge a record: what is written as it is can only be a literal of this program
 * (JSON_KEY, JSON_LITERAL), a number, an object that another json_writer has written, or the text of
 * a term as it was written. Every other text goes through json_escape, also what only this program
 * can have made.
 */
#ifndef SRC_JSON_WRITE_H
#define SRC_JSON_WRITE_H

#include "core/timestamp.h"
#include "output/json_number.h"

#include <string.h>

/* json_key is the name of a field with its punctuation, made by JSON_KEY of a literal only. */
struct json_key {
    const char *text; /* ,"name": */
    size_t len;
};

#define JSON_KEY_INIT(name)                                                                        \
    {                                                                                              \
        ",\"" name "\":", sizeof(",\"" name "\":") - 1                                             \
    }
#define JSON_KEY(name) ((struct json_key)JSON_KEY_INIT(name))

/* json_written is what stands between the quotes of a term that json_put_term has written. */
struct json_written {
    struct ds_text text;
};

/* json_object is an object that json_end_object has ended. No text: memory ran out. */
struct json_object {
    struct ds_text text;
};

struct json_writer {
    struct ds_buffer *out;
    size_t start; /* of the record in out */
    bool failed;  /* memory ran out */
    struct ds_buffer scratch;
    struct timestamp_cache clock;
    unsigned time_digits;
    struct ds_term_print_options limits; /* of terms */
};

/* json_type is how a record of a type begins, made by JSON_TYPE of a literal only. */
struct json_type {
    const char *text; /* {"type":"message" */
    size_t len;
};

#define JSON_TYPE_INIT(name)                                                                       \
    {                                                                                              \
        "{\"type\":\"" name "\"", sizeof("{\"type\":\"" name "\"") - 1                              \
    }
#define JSON_TYPE(name) ((struct json_type)JSON_TYPE_INIT(name))

/* json_begin begins a record of a type. */
void json_begin(struct json_writer *json, struct json_type type);

/* json_end ends it, with a newline. When memory ran out, out is as it was before the record,
 * and out->failed is set. */
void json_end(struct json_writer *json);

/* json_begin_object and json_end_object do so without type and newline. */
void json_begin_object(struct json_writer *json);
void json_end_object(struct json_writer *json);

/* JSON_LITERAL appends what stands between records, a string literal. */
#define JSON_LITERAL(json, literal) ds_buffer_add((json)->out, "" literal, sizeof(literal) - 1)

/* json_put_key writes a key; the first of an object has no comma. Keys are constants, so that to write
 * one is to store a few words. */
static inline __attribute__((always_inline)) void json_put_key(struct json_writer *json,
                                                               struct json_key key)
{
    struct ds_buffer *out = json->out;
    if (__builtin_expect(out->cap - out->len < key.len, 0) && !ds_buffer_reserve(out, key.len))
        return;
    char *at = out->data + out->len;
    if (at[-1] != '{') {
        memcpy(at, key.text, key.len);
        out->len += key.len;
    } else {
        memcpy(at, key.text + 1, key.len - 1);
        out->len += key.len - 1;
    }
}

/* These write a value, behind a key. */
void json_value_object(struct json_writer *json, struct json_object object);
void json_value_string(struct json_writer *json, const char *text);
void json_value_word(struct json_writer *json, const char *word); /* nothing of it needs an escape */
void json_value_text(struct json_writer *json, struct ds_text text);
void json_value_unsigned(struct json_writer *json, uint64_t number);
void json_value_signed(struct json_writer *json, int64_t number);
void json_value_real(struct json_writer *json, double number); /* six digits; null if not finite */
void json_value_time(struct json_writer *json, int64_t ns);
void json_value_term(struct json_writer *json, const struct ds_term *term);
void json_value_written(struct json_writer *json, struct json_written written);

/* These write a field. */
#define JSON_PUT(what, type)                                                                       \
    static inline __attribute__((always_inline)) void json_put_##what(                             \
        struct json_writer *json, struct json_key key, type value)                                 \
    {                                                                                              \
        json_put_key(json, key);                                                                   \
        json_value_##what(json, value);                                                            \
    }
JSON_PUT(object, struct json_object)
JSON_PUT(string, const char *)
JSON_PUT(word, const char *)
JSON_PUT(text, struct ds_text)
JSON_PUT(unsigned, uint64_t)
JSON_PUT(signed, int64_t)
JSON_PUT(real, double)
JSON_PUT(time, int64_t)
JSON_PUT(term, const struct ds_term *)
JSON_PUT(written, struct json_written)
#undef JSON_PUT
/* json_put_term_with puts a term and tells where a part of it is written, if that is written so
 * wherever it stands. */
void json_put_term_with(struct json_writer *json, struct json_key key, const struct ds_term *term,
                        struct ds_term_part *part);
void json_put_bool(struct json_writer *json, struct json_key key, bool value);
/* Microseconds, with a fraction where there is one; or always. */
void json_put_microseconds(struct json_writer *json, struct json_key key, int64_t ns);
void json_put_long_microseconds(struct json_writer *json, struct json_key key, int64_t ns);
void json_put_hex(struct json_writer *json, struct json_key key, const uint8_t *bytes, size_t len);
/* A term that is a whole number becomes one; all others are shown as text. */
void json_put_number_term(struct json_writer *json, struct json_key key, const struct ds_term *term);
/* The external term format as base64; nothing for a damaged term. */
void json_put_etf(struct json_writer *json, struct json_key key, const struct ds_term *term);

/* Fields between these two are those of an object under key. */
void json_put_open(struct json_writer *json, struct json_key key);
void json_put_close(struct json_writer *json);

/* Items between these two are those of a list under key. Each begins with json_item, behind which a
 * json_value_* stands, or the fields of an object between json_item_open and json_put_close. */
void json_put_list(struct json_writer *json, struct json_key key);
void json_item(struct json_writer *json);
void json_item_open(struct json_writer *json);
void json_put_list_end(struct json_writer *json);

void json_writer_free(struct json_writer *json);

#endif
