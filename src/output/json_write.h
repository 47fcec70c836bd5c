/*
 * json_write.h - the fields of a record, written directly into the output: there are millions of
 * them, most of them terms, which are printed in place.
 *
 * No peer can forge a record: only a literal of this program (JSON_KEY, JSON_LITERAL), a number, an
 * object from another json_writer, or the text of a term that was already written is written
 * without escaping. Every other text goes through json_escape, even if only this program can have
 * made it.
 */
#ifndef SRC_JSON_WRITE_H
#define SRC_JSON_WRITE_H

#include "core/timestamp.h"
#include "output/json_number.h"

#include <string.h>

/* json_key is the name of a field with its punctuation; JSON_KEY makes it from a literal. */
struct json_key {
    const char *text; /* ,"name": */
    size_t len;
};

#define JSON_KEY_INIT(name)                                                                        \
    {                                                                                              \
        ",\"" name "\":", sizeof(",\"" name "\":") - 1                                             \
    }
#define JSON_KEY(name) ((struct json_key)JSON_KEY_INIT(name))

/* json_written is the text between the quotes of a term that json_put_term has written. */
struct json_written {
    struct ds_text text;
};

/* json_object is a complete object, from json_end_object. No text: memory ran out. */
struct json_object {
    struct ds_text text;
};

struct json_writer {
    struct ds_buffer *out;
    size_t start; /* where the record begins in out */
    bool failed;  /* memory ran out */
    struct ds_buffer scratch;
    struct timestamp_cache clock;
    unsigned time_digits;
    struct ds_term_print_options limits; /* of terms */
};

/* json_type is the beginning of a record of a type; JSON_TYPE makes it from a literal. */
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

/* json_end ends it, with a newline. If memory ran out, out is as before the record, and out->failed
 * is set. */
void json_end(struct json_writer *json);

/* json_begin_object and json_end_object do the same without type and newline. */
void json_begin_object(struct json_writer *json);
void json_end_object(struct json_writer *json);

/* JSON_LITERAL appends a string literal between records. */
#define JSON_LITERAL(json, literal) ds_buffer_add((json)->out, "" literal, sizeof(literal) - 1)

/* json_put_key writes a key; the first in an object has no comma. Keys are constants, so that
 * writing one is a few stores. */
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

/* These write a value, after a key. */
void json_value_object(struct json_writer *json, struct json_object object);
void json_value_string(struct json_writer *json, const char *text);
void json_value_word(struct json_writer *json, const char *word); /* needs no escapes */
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
/* json_put_term_with writes a term and returns the position of a part of it, if that part is always
 * written the same way. */
void json_put_term_with(struct json_writer *json, struct json_key key, const struct ds_term *term,
                        struct ds_term_part *part);
void json_put_bool(struct json_writer *json, struct json_key key, bool value);
/* Microseconds, with a fraction if there is one; or always. */
void json_put_microseconds(struct json_writer *json, struct json_key key, int64_t ns);
void json_put_long_microseconds(struct json_writer *json, struct json_key key, int64_t ns);
void json_put_hex(struct json_writer *json, struct json_key key, const uint8_t *bytes, size_t len);
/* A term that is a whole number becomes a number; all others are shown as text. */
void json_put_number_term(struct json_writer *json, struct json_key key, const struct ds_term *term);
/* The external term format as base64; nothing for a damaged term. */
void json_put_etf(struct json_writer *json, struct json_key key, const struct ds_term *term);

/* Fields between these two belong to an object under key. */
void json_put_open(struct json_writer *json, struct json_key key);
void json_put_close(struct json_writer *json);

/* Items between these two belong to a list under key. Each begins with json_item, followed by a
 * json_value_*, or with json_item_open, followed by fields and json_put_close. */
void json_put_list(struct json_writer *json, struct json_key key);
void json_item(struct json_writer *json);
void json_item_open(struct json_writer *json);
void json_put_list_end(struct json_writer *json);

void json_writer_free(struct json_writer *json);

#endif
