/*
 * json_build.c - see json_build.h.
 */
#include "json_build.h"

#include "peer_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A double holds whole numbers up to here exactly; larger ones become strings. */
#define MAX_EXACT (UINT64_C(1) << 53)

enum { BLOCK_SIZE = 64 * 1024, BLOCK_HEADER = 16 };

struct block {
    struct block *next;
    size_t size;
};

_Static_assert(sizeof(struct block) <= BLOCK_HEADER, "the header fits");

/* The memory of the record being built: the first block is kept from record to record. */
static struct {
    struct block *first; /* the newest, too */
    size_t used;         /* of the newest */
    bool failed;
    size_t text_len; /* of what was added: an estimate of the output */
    struct ds_buffer scratch;
} memory;

void *json_take(size_t len)
{
    size_t need = (len + 15) & ~(size_t)15;
    struct block *block = memory.first;
    if (need < len) {
        memory.failed = true;
        return NULL;
    }
    if (block == NULL || need > block->size - memory.used) {
        size_t size = need > BLOCK_SIZE - BLOCK_HEADER ? need + BLOCK_HEADER : BLOCK_SIZE;
        block = malloc(size);
        if (block == NULL || size < need) {
            free(block);
            memory.failed = true;
            return NULL;
        }
        block->next = memory.first;
        block->size = size;
        memory.first = block;
        memory.used = BLOCK_HEADER;
    }
    void *taken = (char *)block + memory.used;
    memory.used += need;
    return taken;
}

static void give_nothing_back(void *memory_of_the_record)
{
    (void)memory_of_the_record;
}

void json_start(void)
{
    cJSON_Hooks hooks = {json_take, give_nothing_back};
    cJSON_InitHooks(&hooks);
}

static void free_blocks(struct block *keep)
{
    while (memory.first != keep) {
        struct block *next = memory.first->next;
        free(memory.first);
        memory.first = next;
    }
}

void json_stop(void)
{
    free_blocks(NULL);
    ds_buffer_free(&memory.scratch);
    memory.used = 0;
    cJSON_InitHooks(NULL);
}

cJSON *json_new(void)
{
    enum { KEEP_SCRATCH = 1024 * 1024 };
    if (memory.first != NULL && memory.first->next != NULL) {
        struct block *oldest = memory.first;
        while (oldest->next != NULL)
            oldest = oldest->next;
        /* The first block may be as large as the first record was. */
        free_blocks(oldest->size == BLOCK_SIZE ? oldest : NULL);
    }
    if (memory.scratch.cap > KEEP_SCRATCH || memory.scratch.failed)
        ds_buffer_free(&memory.scratch);
    memory.used = BLOCK_HEADER;
    memory.failed = false;
    memory.text_len = 0;
    return cJSON_CreateObject();
}

bool json_finish(cJSON *record, struct ds_buffer *out)
{
    size_t room = memory.text_len + memory.text_len / 8 + 512;
    while (record != NULL && !memory.failed && !memory.scratch.failed && room < INT_MAX) {
        if (!ds_buffer_reserve(out, room + 1))
            return false;
        char *at = out->data + out->len;
        if (cJSON_PrintPreallocated(record, at, (int)room, false)) {
            size_t len = strlen(at);
            at[len] = '\n';
            out->len += len + 1;
            return true;
        }
        room *= 2;
    }
    return false;
}

static void add_item(cJSON *object, const char *key, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToObjectCS(object, key, item))
        memory.failed = true;
    memory.text_len += 32;
}

/* A string that libcjson neither copies nor frees. */
static cJSON *refer(const char *text, size_t len, int type)
{
    cJSON *item = text != NULL ? cJSON_CreateStringReference(text) : NULL;
    if (item != NULL)
        item->type = type | cJSON_IsReference;
    memory.text_len += len;
    return item;
}

const char *json_keep(const char *text, size_t len)
{
    char *copy = json_take(len + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

void json_add_raw(cJSON *object, const char *key, const char *json)
{
    add_item(object, key, refer(json, json != NULL ? strlen(json) : 0, cJSON_Raw));
}

void json_add_string(cJSON *object, const char *key, const char *text)
{
    add_item(object, key, refer(text, text != NULL ? strlen(text) : 0, cJSON_String));
}

/* Takes what stands in scratch as JSON. */
static void add_scratch(cJSON *object, const char *key)
{
    const char *text = json_keep(memory.scratch.data, memory.scratch.len);
    add_item(object, key, refer(text, memory.scratch.len, cJSON_Raw));
}

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
        if ((hits & tops) != 0)
            break;
    }
    while (i < len && !needs_escape((unsigned char)text[i]))
        i++;
    return i;
}

/* Takes what stands in scratch as a string, escaping it ourselves: libcjson goes over every
 * byte twice. */
static void add_scratch_string(cJSON *object, const char *key)
{
    static const char digits[] = "0123456789abcdef";
    const char *text = memory.scratch.data;
    size_t len = memory.scratch.len;
    size_t plain = count_plain(text, len);
    size_t num_escapes = 0;
    for (size_t i = plain; i < len; i++)
        num_escapes += needs_escape((unsigned char)text[i]);
    char *out = num_escapes < SIZE_MAX / 8 ? json_take(len + num_escapes * 5 + 3) : NULL;
    char *at = out;
    if (out != NULL) {
        *at++ = '"';
        for (size_t i = 0; i < len;) {
            memcpy(at, text + i, plain);
            at += plain;
            i += plain;
            if (i == len)
                break;
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
            plain = count_plain(text + i, len - i);
        }
        *at++ = '"';
        *at = '\0';
    }
    add_item(object, key, refer(out, (size_t)(at - out), cJSON_Raw));
}

void json_add_text(cJSON *object, const char *key, struct ds_text text)
{
    memory.scratch.len = 0;
    peer_text_print_json(text, &memory.scratch);
    add_scratch_string(object, key);
}

static void add_number(cJSON *object, const char *key, uint64_t magnitude, bool negative)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t rest = magnitude;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (negative)
        *--at = '-';
    size_t len = (size_t)(digits + sizeof digits - at);
    add_item(object, key,
             refer(json_keep(at, len), len, magnitude > MAX_EXACT ? cJSON_String : cJSON_Raw));
}

void json_add_unsigned(cJSON *object, const char *key, uint64_t number)
{
    add_number(object, key, number, false);
}

void json_add_signed(cJSON *object, const char *key, int64_t number)
{
    add_number(object, key, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, number < 0);
}

void json_add_bool(cJSON *object, const char *key, bool value)
{
    add_item(object, key, cJSON_CreateBool(value));
}

void json_add_term(cJSON *object, const char *key, const struct ds_term *term)
{
    memory.scratch.len = 0;
    ds_term_print(term, NULL, &memory.scratch);
    add_scratch_string(object, key);
}

/* Whether scratch holds a whole number that a double holds. */
static bool is_exact_number(const struct ds_buffer *text)
{
    size_t start = text->len != 0 && text->data[0] == '-';
    uint64_t value = 0;
    if (text->len == start || text->len - start > 16)
        return false;
    for (size_t i = start; i < text->len; i++) {
        if (text->data[i] < '0' || text->data[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text->data[i] - '0');
    }
    return value <= MAX_EXACT;
}

void json_add_number_term(cJSON *object, const char *key, const struct ds_term *term)
{
    memory.scratch.len = 0;
    ds_term_print(term, NULL, &memory.scratch);
    if (is_exact_number(&memory.scratch))
        add_scratch(object, key);
    else
        add_scratch_string(object, key);
}

static char *add_base64(const uint8_t *bytes, size_t len, char *at)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (n > 1)
            group |= (uint32_t)bytes[i + 1] << 8;
        if (n > 2)
            group |= bytes[i + 2];
        *at++ = digits[group >> 18];
        *at++ = digits[group >> 12 & 63];
        *at++ = n > 1 ? digits[group >> 6 & 63] : '=';
        *at++ = n > 2 ? digits[group & 63] : '=';
    }
    *at = '\0';
    return at;
}

void json_add_etf(cJSON *object, const char *key, const struct ds_term *term)
{
    memory.scratch.len = 0;
    if (!ds_term_copy_etf(term, &memory.scratch))
        return; /* damaged: the record's fault says so */
    size_t len = (memory.scratch.len + 2) / 3 * 4;
    char *text = json_take(len + 1);
    if (text != NULL)
        add_base64((const uint8_t *)memory.scratch.data, memory.scratch.len, text);
    add_item(object, key, refer(text, len, cJSON_String));
}

cJSON *json_add_object(cJSON *object, const char *key)
{
    cJSON *item = cJSON_CreateObject();
    add_item(object, key, item);
    return item;
}

cJSON *json_add_array(cJSON *object, const char *key)
{
    cJSON *item = cJSON_CreateArray();
    add_item(object, key, item);
    return item;
}

static void append_item(cJSON *array, cJSON *item)
{
    if (item == NULL || !cJSON_AddItemToArray(array, item))
        memory.failed = true;
    memory.text_len += 8;
}

cJSON *json_append_object(cJSON *array)
{
    cJSON *item = cJSON_CreateObject();
    append_item(array, item);
    return item;
}

void json_append_string(cJSON *array, const char *text)
{
    append_item(array, refer(text, text != NULL ? strlen(text) : 0, cJSON_String));
}

void json_append_unsigned(cJSON *array, uint64_t number)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    const char *kept = json_keep(text, (size_t)len);
    append_item(array, refer(kept, (size_t)len, cJSON_Raw));
}

void json_add_hex(cJSON *object, const char *key, const uint8_t *bytes, size_t len)
{
    memory.scratch.len = 0;
    for (size_t i = 0; i < len; i++)
        ds_buffer_printf(&memory.scratch, "%02x", bytes[i]);
    add_scratch_string(object, key);
}
