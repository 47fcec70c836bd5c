/*
 * json_tree.h - values with a structure of their own, built and printed by libcjson: the
 * tree lives in memory that is reused for the next one.
 *
 * libcjson takes its memory from hooks without a context, so there is one tree at a time in
 * a process.
 */
#ifndef SRC_JSON_TREE_H
#define SRC_JSON_TREE_H

#include <cjson/cJSON.h>
#include <distsniff/dissect.h>

/* json_tree_start makes libcjson use our memory; json_tree_stop gives it back. */
void json_tree_start(void);
void json_tree_stop(void);

/* json_tree_object and json_tree_array begin a new tree, forgetting the last. */
cJSON *json_tree_object(void);
cJSON *json_tree_array(void);

/* json_tree_print appends the tree. False when memory ran out, now or while building. */
bool json_tree_print(cJSON *tree, struct ds_buffer *out);

/* These add a value under key, a constant. What they are given is copied; every text goes through
 * json_escape on the way, not through libcjson's own escapes, which let too much pass. */
void json_add_string(cJSON *object, const char *key, const char *text);
void json_add_text(cJSON *object, const char *key, struct ds_text text);
void json_add_unsigned(cJSON *object, const char *key, uint64_t number);
void json_add_signed(cJSON *object, const char *key, int64_t number);
void json_add_bool(cJSON *object, const char *key, bool value);
void json_add_term(cJSON *object, const char *key, const struct ds_term *term);
cJSON *json_append_object(cJSON *array);
void json_append_string(cJSON *array, const char *text);
void json_append_text(cJSON *array, struct ds_text text);
void json_append_unsigned(cJSON *array, uint64_t number);

#endif
