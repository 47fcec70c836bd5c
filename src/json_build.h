/*
 * json_build.h - one JSON object after another with libcjson, quickly: the objects live in
 * memory that is reused, keys are constants, and numbers are written as text once.
 *
 * libcjson takes its memory from hooks without a context, so there is one builder a process.
 */
#ifndef SRC_JSON_BUILD_H
#define SRC_JSON_BUILD_H

#include <cjson/cJSON.h>
#include <distsniff/dissect.h>

/* json_start makes libcjson use our memory. To be called once, before all else here. */
void json_start(void);

/* json_new begins a new record, forgetting the last, and returns its object. */
cJSON *json_new(void);

/* json_finish appends the record and a newline. False when memory ran out. */
bool json_finish(cJSON *record, struct ds_buffer *out);

/* json_stop gives the memory back. */
void json_stop(void);

/* json_take returns len bytes that live until the next json_new, or NULL. */
void *json_take(size_t len);

/* json_keep copies text, which must be valid UTF-8, and ends it with a NUL. */
const char *json_keep(const char *text, size_t len);

/* These add a value under key, a constant. Texts of json_add_raw and json_add_string must
 * live as long as the record; NULL, as after a lack of memory, makes the record fail. */
void json_add_raw(cJSON *object, const char *key, const char *json);
void json_add_string(cJSON *object, const char *key, const char *text);
void json_add_text(cJSON *object, const char *key, struct ds_text text); /* of a peer; copied */
void json_add_unsigned(cJSON *object, const char *key, uint64_t number);
void json_add_signed(cJSON *object, const char *key, int64_t number);
void json_add_bool(cJSON *object, const char *key, bool value);
void json_add_term(cJSON *object, const char *key, const struct ds_term *term);
/* A term that is a whole number becomes one; all others are shown as text. */
void json_add_number_term(cJSON *object, const char *key, const struct ds_term *term);
void json_add_etf(cJSON *object, const char *key, const struct ds_term *term);
cJSON *json_add_object(cJSON *object, const char *key);
cJSON *json_add_array(cJSON *object, const char *key);
cJSON *json_append_object(cJSON *array);
void json_append_string(cJSON *array, const char *text);
void json_append_unsigned(cJSON *array, uint64_t number);

/* json_append_hex is for a few bytes: a digest. */
void json_add_hex(cJSON *object, const char *key, const uint8_t *bytes, size_t len);

#endif
