/*
 * json_tree.h - values with a structure of their own, built and printed by libcjson: the
 * tree lives in memory that is reused for the next one.
 *
 * libcjson takes its memory from hooks without a context, so there is one tree at a time in
 * a thread.
 */
#ifndef SRC_JSON_TREE_H
#define SRC_JSON_TREE_H

#include <cjson/cJSON.h>
#include <distsniff/dissect.h>

/* json_tree_memory is what trees are built in: a block is kept from tree to tree. Zero-initialise
 * it. */
struct json_tree_memory {
    struct json_tree_block *newest;
    size_t used; /* of the newest */
    bool failed;
    size_t text_len; /* of what was added: an estimate of the output */
    enum ds_syntax syntax; /* of terms */
    struct ds_buffer scratch, spare;
};

/* json_tree_start makes libcjson ask here for memory, in all threads; to be called before there
 * are several. Where json_tree_use has not been called it gets malloc's. */
void json_tree_start(void);

/* json_tree_use has this thread's trees built in that memory from now on; NULL: none are. */
void json_tree_use(struct json_tree_memory *to_use);

/* json_tree_free gives the memory back; nothing is built there any more. */
void json_tree_free(struct json_tree_memory *to_free);

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
cJSON *json_add_array(cJSON *object, const char *key);
cJSON *json_append_object(cJSON *array);
void json_append_string(cJSON *array, const char *text);
void json_append_text(cJSON *array, struct ds_text text);
void json_append_unsigned(cJSON *array, uint64_t number);

#endif
