/*
 * profile_file.c - see profile_file.h.
 */
#include "compare/profile_file.h"

#include "output/json_number.h"
#include "output/json_write.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint64_t exact(uint64_t number)
{
    return number < JSON_MAX_EXACT ? number : JSON_MAX_EXACT;
}

static void put_number(struct json_writer *json, struct json_key key, uint64_t number)
{
    if (number != 0)
        json_put_unsigned(json, key, exact(number));
}

static void item_number(struct json_writer *json, uint64_t number)
{
    json_item(json);
    json_value_unsigned(json, exact(number));
}

static void put_part(struct json_writer *json, const struct profile_part *part)
{
    uint64_t value, num;
    json_item_open(json);
    json_put_unsigned(json, JSON_KEY("count"), exact(part->count));
    put_number(json, JSON_KEY("bytes"), part->bytes);
    put_number(json, JSON_KEY("failed"), part->failed);
    if (part->spans.total != 0) {
        json_put_list(json, JSON_KEY("spans"));
        for (uint32_t i = 0; i < part->spans.num; i++) {
            histogram_piece(&part->spans, i, &value, &num);
            if (num != 0) {
                item_number(json, value);
                item_number(json, num);
            }
        }
        json_put_list_end(json);
    }
    json_put_close(json);
}

static void put_outcomes(struct json_writer *json, const struct profile_entry *entry)
{
    json_put_open(json, JSON_KEY("outcomes"));
#define OUTCOME(id, name, fate) put_number(json, JSON_KEY(name), entry->outcomes[CALL_##id]);
#include "record/outcome.def"
#undef OUTCOME
    json_put_close(json);
}

static void put_entry(struct json_writer *json, const struct profile_entry *entry)
{
    json_item_open(json);
    json_put_string(json, JSON_KEY("kind"), profile_kind_name(entry->kind));
    json_put_text(json, JSON_KEY("key"), entry->key);
    if (entry->value[0] != '\0')
        json_put_string(json, JSON_KEY("value"), entry->value);
    put_number(json, JSON_KEY("unread"), entry->unread);
    if (entry->is_unnamed)
        json_put_bool(json, JSON_KEY("unnamed"), true);
    if (entry->is_of_call)
        json_put_bool(json, JSON_KEY("of_call"), true);
    put_number(json, JSON_KEY("most"), entry->most);
    put_number(json, JSON_KEY("windows"), entry->windows);
    put_number(json, JSON_KEY("packet"), entry->frame);
    put_number(json, JSON_KEY("conn"), entry->conn);
    put_number(json, JSON_KEY("call"), entry->call);
    json_put_list(json, JSON_KEY("slices"));
    for (int i = 0; i < PROFILE_SLICES; i++)
        item_number(json, entry->slices[i]);
    json_put_list_end(json);
    json_put_list(json, JSON_KEY("parts"));
    for (int i = 0; i < PROFILE_PARTS; i++)
        put_part(json, &entry->parts[i]);
    json_put_list_end(json);
    if (entry->kind == PROFILE_CALL)
        put_outcomes(json, entry);
    json_put_close(json);
}

/* microseconds converts a time; times before 1970 become 0. */
static uint64_t microseconds(int64_t ns)
{
    return ns > 0 ? (uint64_t)ns / 1000 : 0;
}

void profile_file_print(const struct profile *p, struct ds_buffer *out)
{
    struct json_writer json = {.out = out};
    json_begin_object(&json);
    json_put_unsigned(&json, JSON_KEY("distsniff_baseline"), PROFILE_FORMAT);
    json_put_string(&json, JSON_KEY("program"), "distsniff " DISTSNIFF_VERSION);
    json_put_unsigned(&json, JSON_KEY("begin_us"), exact(microseconds(p->begin_ns)));
    json_put_unsigned(&json, JSON_KEY("end_us"), exact(microseconds(p->end_ns)));
    json_put_unsigned(&json, JSON_KEY("width_ns"), exact((uint64_t)p->width_ns));
    json_put_unsigned(&json, JSON_KEY("messages"), exact(p->num_messages));
    json_put_unsigned(&json, JSON_KEY("unread"), exact(p->num_unread));
    put_number(&json, JSON_KEY("answers"), p->num_answers);
    json_put_unsigned(&json, JSON_KEY("unnamed"), exact(p->num_unnamed));
    json_put_unsigned(&json, JSON_KEY("left_out"), exact(p->num_left_out));
    json_put_list(&json, JSON_KEY("kinds"));
    for (const struct profile_entry *e = table_oldest(&p->entries); e != NULL;
         e = table_newer(&p->entries, e))
        put_entry(&json, e);
    json_put_list_end(&json);
    json_end_object(&json);
    ds_buffer_add_text(out, "\n");
    out->failed |= json.failed;
    json_writer_free(&json);
}

static const char start[] = "{\"distsniff_baseline\":";

bool profile_file_is_one(struct ds_text text)
{
    return text.len >= sizeof start - 1 && memcmp(text.data, start, sizeof start - 1) == 0;
}

/* get_number reads an integer of an object; 0 if it is missing. */
static bool get_number(const cJSON *object, const char *key, uint64_t *out)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    *out = 0;
    if (item == NULL)
        return true;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= (double)JSON_MAX_EXACT) || value > floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

static bool get_item(const cJSON *item, uint64_t *out)
{
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= (double)JSON_MAX_EXACT) || value > floor(value))
        return false;
    *out = (uint64_t)value;
    return true;
}

static bool read_spans(const cJSON *list, struct histogram *spans, bool *no_memory)
{
    if (list == NULL)
        return true;
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *item = list->child; item != NULL; item = item->next->next) {
        uint64_t value, num;
        if (item->next == NULL || !get_item(item, &value) || !get_item(item->next, &num))
            return false;
        if (!histogram_add_many(spans, value, num)) {
            *no_memory = true;
            return false;
        }
    }
    return true;
}

static bool read_part(const cJSON *object, struct profile_part *part, bool *no_memory)
{
    return cJSON_IsObject(object) && get_number(object, "count", &part->count) &&
           get_number(object, "bytes", &part->bytes) && get_number(object, "failed", &part->failed) &&
           read_spans(cJSON_GetObjectItemCaseSensitive(object, "spans"), &part->spans, no_memory);
}

static bool read_parts(const cJSON *list, struct profile_entry *entry, bool *no_memory)
{
    int num = 0;
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (num == PROFILE_PARTS || !read_part(item, &entry->parts[num++], no_memory))
            return false;
    }
    return num == PROFILE_PARTS;
}

static bool read_slices(const cJSON *list, struct profile_entry *entry)
{
    int num = 0;
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (num == PROFILE_SLICES || !get_item(item, &entry->slices[num++]))
            return false;
    }
    return num == PROFILE_SLICES;
}

static bool read_outcomes(const cJSON *object, struct profile_entry *entry)
{
    if (object == NULL)
        return true;
    for (int i = 0; i < CALL_OUTCOME_COUNT; i++) {
        if (!get_number(object, call_outcome_name(i), &entry->outcomes[i]))
            return false;
    }
    return true;
}

static bool find_kind(const char *name, enum profile_kind *kind)
{
    for (int i = 0; i < PROFILE_KIND_COUNT; i++) {
        if (strcmp(profile_kind_name(i), name) == 0) {
            *kind = i;
            return true;
        }
    }
    return false;
}

/* is_fit says whether a text can be written to a terminal unchanged, as all keys that this program
 * writes can. */
static bool is_fit(const char *text)
{
    struct ds_text left = {text, strlen(text)};
    uint32_t character;
    while (left.len != 0) {
        const size_t len = ds_text_read_char(left, &character);
        if (len == 0 || (character != '\\' && !ds_char_is_shown(character)))
            return false;
        left = (struct ds_text){left.data + len, left.len - len};
    }
    return true;
}

/* read_entry returns what is wrong with an entry; NULL: nothing. */
static const char *read_entry(const cJSON *object, struct profile *p)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "kind");
    const cJSON *key = cJSON_GetObjectItemCaseSensitive(object, "key");
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "value");
    enum profile_kind kind;
    if (!cJSON_IsString(name) || !cJSON_IsString(key) || !find_kind(name->valuestring, &kind))
        return "it has no kind that is known, or no key";
    const struct ds_text text = {key->valuestring, strlen(key->valuestring)};
    if (text.len > PROFILE_KEY_MAX || !is_fit(key->valuestring))
        return "distsniff does not write such a key";
    if (profile_find(p, kind, text) != NULL)
        return "its key is there twice";
    if (value != NULL && (!cJSON_IsString(value) || strlen(value->valuestring) >= PROFILE_VALUE_MAX ||
                          !is_fit(value->valuestring)))
        return "distsniff does not write such a value";
    struct profile_entry *entry = profile_entry_get(p, kind, text);
    if (entry == NULL)
        return p->no_memory ? "out of memory" : "there are more than --max-tallies allows";
    if (value != NULL)
        memcpy(entry->value, value->valuestring, strlen(value->valuestring) + 1);
    entry->is_unnamed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "unnamed"));
    entry->is_of_call = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "of_call"));
    if (!get_number(object, "most", &entry->most) || !get_number(object, "windows", &entry->windows) ||
        !get_number(object, "unread", &entry->unread) || !get_number(object, "packet", &entry->frame) ||
        !get_number(object, "conn", &entry->conn) || !get_number(object, "call", &entry->call) ||
        !read_slices(cJSON_GetObjectItemCaseSensitive(object, "slices"), entry) ||
        !read_parts(cJSON_GetObjectItemCaseSensitive(object, "parts"), entry, &p->no_memory) ||
        !read_outcomes(cJSON_GetObjectItemCaseSensitive(object, "outcomes"), entry))
        return p->no_memory ? "out of memory" : "its numbers are damaged";
    return NULL;
}

static bool read_times(const cJSON *document, struct profile *p)
{
    uint64_t begin, end, width;
    if (!get_number(document, "begin_us", &begin) || !get_number(document, "end_us", &end) ||
        !get_number(document, "width_ns", &width) || begin > INT64_MAX / 1000 ||
        end > INT64_MAX / 1000 || end < begin || width < PROFILE_LEAST_WIDTH_NS)
        return false;
    int64_t possible = PROFILE_LEAST_WIDTH_NS;
    while ((uint64_t)possible < width && possible <= INT64_MAX / 2 / PROFILE_SLICES)
        possible *= 2;
    p->begin_ns = (int64_t)begin * 1000;
    p->end_ns = (int64_t)end * 1000;
    p->width_ns = possible;
    p->has_begun = begin != 0 || end != 0;
    return (uint64_t)possible == width;
}

static bool read_document(const cJSON *document, struct profile *p, char why[static PROFILE_WHY])
{
    uint64_t format = 0, number = 0;
    const cJSON *kinds = cJSON_GetObjectItemCaseSensitive(document, "kinds");
    if (!get_number(document, "distsniff_baseline", &format) || format == 0) {
        snprintf(why, PROFILE_WHY, "it is not a baseline: --write-baseline writes one");
        return false;
    }
    if (format != PROFILE_FORMAT) {
        snprintf(why, PROFILE_WHY,
                 "it has format %" PRIu64 ", and this distsniff reads format %d: write it again", format,
                 PROFILE_FORMAT);
        return false;
    }
    if (!read_times(document, p) || !get_number(document, "messages", &p->num_messages) ||
        !get_number(document, "unread", &p->num_unread) ||
        !get_number(document, "answers", &p->num_answers) || p->num_answers > p->num_unread ||
        !get_number(document, "unnamed", &p->num_unnamed) ||
        !get_number(document, "left_out", &p->num_left_out) || !cJSON_IsArray(kinds)) {
        snprintf(why, PROFILE_WHY, "it is damaged: write it again");
        return false;
    }
    for (const cJSON *item = kinds->child; item != NULL; item = item->next) {
        const char *wrong = read_entry(item, p);
        number++;
        if (wrong != NULL) {
            snprintf(why, PROFILE_WHY, "kind %" PRIu64 " of it: %s", number, wrong);
            return false;
        }
    }
    return true;
}

bool profile_file_read(struct ds_text text, struct profile *p, char why[static PROFILE_WHY])
{
    const char *end = NULL;
    cJSON *document = text.len <= PROFILE_FILE_MAX
                          ? cJSON_ParseWithLengthOpts(text.data, text.len, &end, false)
                          : NULL;
    if (document == NULL) {
        snprintf(why, PROFILE_WHY, "%s",
                 profile_file_is_one(text) ? "it is cut or damaged: write it again"
                                           : "it is not a baseline: --write-baseline writes one");
        return false;
    }
    const bool ok = read_document(document, p, why);
    cJSON_Delete(document);
    return ok;
}
