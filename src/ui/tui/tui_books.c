/*
 * tui_books.c - see tui_books.h.
 */
#include "ui/tui/tui_books.h"

#include "output/json_write.h"
#include "reports/report.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 500 }; /* of each book: more than a user reads */

static const struct {
    const struct report_kind *kind;
    const char *key;
} kinds[BOOK_COUNT] = {
#define BOOK(id, key, kind) {&kind, key},
#include "ui/tui/tui_books.def"
#undef BOOK
};

struct tui_books {
    struct report_text text; /* of the reports: unused */
    void *state[BOOK_COUNT]; /* of its kind */
    struct tui_store *store;
    struct ds_buffer told;
    bool has_span;
    int64_t first_ns, last_ns;
    uint64_t num_lost;
};

void tui_books_free(struct tui_books *books)
{
    if (books == NULL)
        return;
    for (size_t i = 0; i < BOOK_COUNT; i++) {
        if (books->state[i] != NULL)
            kinds[i].kind->end(books->state[i]);
    }
    ds_buffer_free(&books->text.buffer);
    tui_store_free(books->store);
    free(books);
}

struct tui_books *tui_books_new(const uint64_t limits[DS_LIMIT_COUNT])
{
    struct report_config config = {.max_rows = ROWS, .max_links = ROWS, .samples = true};
    struct tui_books *books = calloc(1, sizeof *books);
    if (books == NULL)
        return NULL;
    memcpy(config.limits, limits, sizeof config.limits);
    books->text.time_digits = 6;
    books->store = tui_store_new(limits[DS_LIMIT_SCREEN]);
    if (books->store == NULL) {
        tui_books_free(books);
        return NULL;
    }
    for (size_t i = 0; i < BOOK_COUNT; i++) {
        books->state[i] = kinds[i].kind->open(&books->text, &config);
        if (books->state[i] == NULL) {
            tui_books_free(books);
            return NULL;
        }
    }
    return books;
}

static void note_time(struct tui_books *books, const struct record *record)
{
    const int64_t ns = record_time(record);
    if (record->finding != NULL) /* a finding about an absence has no time */
        return;
    if (!books->has_span || ns < books->first_ns)
        books->first_ns = ns;
    if (!books->has_span || ns > books->last_ns)
        books->last_ns = ns;
    books->has_span = true;
}

void tui_books_record(struct tui_books *books, const struct record *record, unsigned time_digits)
{
    const enum report_takes takes = report_takes_of(record);
    books->text.time_digits = time_digits;
    note_time(books, record);
    tui_store_add(books->store, record);
    for (size_t i = 0; i < BOOK_COUNT; i++) {
        /* A record about the facts of a link alone is not an event. */
        if ((kinds[i].kind->takes & takes) != 0 && (!record->link_facts || i == BOOK_LINKS))
            kinds[i].kind->record(books->state[i], record);
    }
    books->text.buffer.len = 0;
}

void tui_books_lost(struct tui_books *books, const struct loss *loss)
{
    books->num_lost += loss->count;
}

bool tui_books_write(struct tui_books *books, unsigned wanted, struct ds_buffer *out)
{
    struct json_writer json = {.out = out};
    out->len = 0;
    json_begin_object(&json);
    json_put_bool(&json, JSON_KEY("span"), books->has_span);
    json_put_signed(&json, JSON_KEY("first"), books->first_ns / 1000);
    json_put_signed(&json, JSON_KEY("last"), books->last_ns / 1000);
    json_put_unsigned(&json, JSON_KEY("lost"), books->num_lost);
    json_put_list(&json, JSON_KEY("books"));
    for (size_t i = 0; i < BOOK_COUNT; i++) {
        if ((wanted & 1u << i) == 0)
            continue;
        json_item_open(&json);
        json_put_unsigned(&json, JSON_KEY("book"), i);
        kinds[i].kind->write_json(books->state[i], &json);
        json_put_close(&json);
    }
    json_put_list_end(&json);
    json_end_object(&json);
    const bool ok = !json.failed && !out->failed;
    json_writer_free(&json);
    return ok;
}

bool tui_books_look(struct tui_books *books, struct store_look *look)
{
    return tui_store_look(books->store, look);
}

unsigned tui_books_time_digits(const struct tui_books *books)
{
    return books->text.time_digits;
}

uint64_t told_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsTrue(item)                              ? 1
           : cJSON_IsNumber(item) && item->valuedouble > 0 ? (uint64_t)item->valuedouble
                                                           : 0;
}

int64_t told_signed(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

const char *told_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

const cJSON *told_list(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsArray(item) ? item->child : NULL;
}

/* sum_links adds up the traffic of all links. */
static void sum_links(struct snapshot *snapshot)
{
    const cJSON *links = snapshot->book[BOOK_LINKS];
    uint64_t num = 0;
    snapshot->num_messages = snapshot->num_bytes = 0;
    for (const cJSON *row = told_list(links, "rows"); row != NULL; row = row->next) {
        num++;
        for (const cJSON *side = told_list(row, "side"); side != NULL; side = side->next) {
            snapshot->num_messages += told_number(side, "messages");
            snapshot->num_bytes += told_number(side, "bytes");
        }
    }
    const uint64_t all = told_number(links, "links") + told_number(links, "forgotten");
    snapshot->num_untold_links = all > num ? all - num : 0;
}

bool snapshot_read(struct snapshot *snapshot, const struct ds_buffer *told)
{
    cJSON *all = cJSON_ParseWithLength(told->data, told->len);
    if (all == NULL)
        return false;
    snapshot->has_span = told_number(all, "span") != 0;
    snapshot->first_ns = told_signed(all, "first") * 1000;
    snapshot->last_ns = told_signed(all, "last") * 1000;
    snapshot->num_lost = told_number(all, "lost");
    cJSON *books = cJSON_GetObjectItemCaseSensitive(all, "books");
    while (books != NULL && books->child != NULL) {
        cJSON *book = cJSON_DetachItemViaPointer(books, books->child);
        const uint64_t i = told_number(book, "book");
        if (i < BOOK_COUNT && cJSON_HasObjectItem(book, "book")) {
            cJSON_Delete(snapshot->book[i]);
            snapshot->book[i] = book;
        } else {
            cJSON_Delete(book);
        }
    }
    cJSON_Delete(all);
    sum_links(snapshot);
    return true;
}

void snapshot_free(struct snapshot *snapshot)
{
    for (size_t i = 0; i < BOOK_COUNT; i++)
        cJSON_Delete(snapshot->book[i]);
    *snapshot = (struct snapshot){0};
}
