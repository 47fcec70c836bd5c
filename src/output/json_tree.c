/*
 * json_tree.c - see json_tree.h.
 */
#include "output/json_tree.h"

#include "core/term_show.h"
#include "output/json_escape.h"
#include "output/json_number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, BLOCK_HEADER = 16 };

struct json_tree_block {
    struct json_tree_block *next;
    size_t size;
};

_Static_assert(sizeof(struct json_tree_block) <= BLOCK_HEADER, "the header fits");

/* Where the trees of a thread are built; NULL: libcjson is somebody else's. */
static _Thread_local struct json_tree_memory *memory;

static void *take(size_t len)
{
    if (memory == NULL)
        return malloc(len);
    size_t need = (len + 15) & ~(size_t)15;
    struct json_tree_block *block = memory->newest;
    if (need < len) {
        memory->failed = true;
        return NULL;
    }
    if (block == NULL || need > block->size - memory->used) {
        size_t size = need > BLOCK_SIZE - BLOCK_HEADER ? need + BLOCK_HEADER : BLOCK_SIZE;
        block = size >= need ? malloc(size) : NULL;
        if (block == NULL) {
            memory->failed = true;
            return NULL;
        }
        block->next = memory->newest;
        block->size = size;
        memory->newest = block;
        memory->used = BLOCK_HEADER;
    }
    void *taken = (char *)block + memory->used;
    memory->used += need;
    return taken;
}

/* give_back has nothing to do for a tree: its memory is taken back as a whole. */
static void give_back(void *taken)
{
    if (memory == NULL)
        free(taken);
}

void json_tree_start(void)
{
    cJSON_Hooks hooks = {take, give_back};
    cJSON_InitHooks(&hooks);
}

void json_tree_use(struct json_tree_memory *to_use)
{
    memory = to_use;
}

static void free_blocks(struct json_tree_block *keep)
{
    while (memory->newest != keep) {
        struct json_tree_block *next = memory->newest->next;
        free(memory->newest);
        memory->newest = next;
    }
}

void json_tree_free(struct json_tree_memory *to_free)
{
    struct json_tree_memory *in_use = memory;
    memory = to_free;
    free_blocks(NULL);
    ds_buffer_free(&memory->scratch);
    ds_buffer_free(&memory->spare);
    memory->used = 0;
    memory = in_use != to_free ? in_use : NULL;
}

static void forget_last(void)
{
    enum { KEEP_SCRATCH = 1024 * 1024 };
    if (memory->newest != NULL && memory->newest->next != NULL) {
        struct json_tree_block *oldest = memory->newest;
        while (oldest->next != NULL)
            oldest = oldest->next;
        /* The oldest may be as large as a single text was. */
        free_blocks(oldest->size == BLOCK_SIZE ? oldest : NULL);
    }
    if (memory->scratch.cap > KEEP_SCRATCH || memory->scratch.failed)
        ds_buffer_free(&memory->scratch);
    if (memory->spare.cap > KEEP_SCRATCH || memory->spare.failed)
        ds_buffer_free(&memory->spare);
    memory->used = BLOCK_HEADER;
    memory->failed = false;
    memory->text_len = 0;
}

cJSON *json_tree_object(void)
{
    forget_last();
    return cJSON_CreateObject();
}

cJSON *json_tree_array(void)
{
    forget_last();
    return cJSON_CreateArray();
}

bool json_tree_print(cJSON *tree, struct ds_buffer *out)
{
    size_t room = memory->text_len + memory->text_len / 8 + 512;
    while (tree != NULL && !memory->failed && !memory->scratch.failed && room < INT_MAX) {
        if (!ds_buffer_reserve(out, room))
            return false;
        char *at = out->data + out->len;
        if (cJSON_PrintPreallocated(tree, at, (int)room, false)) {
            out->len += strlen(at);
            return true;
        }
        room *= 2;
    }
    return false;
}

/* A text that libcjson neither copies, frees nor escapes. */
static cJSON *refer(const char *text, size_t len, int type)
{
    cJSON *item = text != NULL ? cJSON_CreateStringReference(text) : NULL;
    if (item != NULL)
        item->type = type | cJSON_IsReference;
    else
        memory->failed = true;
    memory->text_len += len;
    return item;
}

static const char *keep(const char *text, size_t len)
{
    char *copy = take(len + 1);
    if (copy == NULL)
        return NULL;
    if (len != 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static void add_item(cJSON *object, const char *key, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToObjectCS(object, key, item))
        memory->failed = true;
    memory->text_len += 32;
}

static void append_item(cJSON *array, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToArray(array, item))
        memory->failed = true;
    memory->text_len += 8;
}

/* make_raw makes an item of what stands in the scratch memory, which is JSON. */
static cJSON *make_raw(void)
{
    const size_t len = memory->scratch.len;
    return refer(keep(memory->scratch.data, len), len, cJSON_Raw);
}

static cJSON *make_text(struct ds_text text)
{
    memory->scratch.len = 0;
    json_quote(text, &memory->scratch);
    return make_raw();
}

void json_add_string(cJSON *object, const char *key, const char *text)
{
    json_add_text(object, key, (struct ds_text){text, strlen(text)});
}

void json_add_text(cJSON *object, const char *key, struct ds_text text)
{
    add_item(object, key, make_text(text));
}

void json_add_term(cJSON *object, const char *key, const struct ds_term *term)
{
    memory->scratch.len = 0;
    ds_buffer_add(&memory->scratch, "\"", 1);
    term_show_as(memory->syntax, term, NULL, &memory->scratch);
    json_escape_written(&memory->scratch, 1, &memory->spare);
    ds_buffer_add(&memory->scratch, "\"", 1);
    add_item(object, key, make_raw());
}

static cJSON *make_number(uint64_t magnitude, bool negative)
{
    char digits[1 + DS_DIGITS_MAX];
    digits[0] = '-';
    const size_t len = (size_t)(ds_digits_put(digits + negative, magnitude) - digits);
    return refer(keep(digits, len), len,
                 magnitude > JSON_MAX_EXACT ? cJSON_String : cJSON_Raw);
}

void json_add_unsigned(cJSON *object, const char *key, uint64_t number)
{
    add_item(object, key, make_number(number, false));
}

void json_add_signed(cJSON *object, const char *key, int64_t number)
{
    add_item(object, key, make_number(json_magnitude(number), number < 0));
}

void json_add_bool(cJSON *object, const char *key, bool value)
{
    add_item(object, key, cJSON_CreateBool(value));
}

cJSON *json_add_array(cJSON *object, const char *key)
{
    cJSON *item = cJSON_CreateArray();
    add_item(object, key, item);
    return item;
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    append_item(array, item);
    return item;
}

void json_append_string(cJSON *array, const char *text)
{
    json_append_text(array, (struct ds_text){text, strlen(text)});
}

void json_append_text(cJSON *array, struct ds_text text)
{
    append_item(array, make_text(text));
}

void json_append_unsigned(cJSON *array, uint64_t number)
{
    append_item(array, make_number(number, false));
}
