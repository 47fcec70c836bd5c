/*
 * tui_books.h - what the screen shows of a capture, collected while records pass. The numbers are
 * those of reports, which write them as JSON; a snapshot is that JSON, parsed. So each number is
 * counted only once.
 */
#ifndef SRC_TUI_BOOKS_H
#define SRC_TUI_BOOKS_H

#include "record/loss.h"
#include "record/record.h"
#include "ui/tui/tui_store.h"

#include <cjson/cJSON.h>
#include <distsniff/dissect.h>

enum tui_book {
#define BOOK(id, key, kind) BOOK_##id,
#include "ui/tui/tui_books.def"
#undef BOOK
    BOOK_COUNT
};
#define BOOK_BIT(id) (1u << BOOK_##id)

struct tui_books;

/* tui_books_new opens the books, with the limits of the session. NULL if memory ran out. */
struct tui_books *tui_books_new(const uint64_t limits[DS_LIMIT_COUNT]);
void tui_books_free(struct tui_books *books); /* NULL is allowed */

/* tui_books_record processes the next record; times of the capture have time_digits digits. */
void tui_books_record(struct tui_books *books, const struct record *record, unsigned time_digits);
void tui_books_lost(struct tui_books *books, const struct loss *loss);

/* snapshot is the contents of the books at a time. A book that was not requested stays as it was
 * before. */
struct snapshot {
    cJSON *book[BOOK_COUNT]; /* NULL: not read yet */
    bool has_span;
    int64_t first_ns, last_ns; /* of all records */
    uint64_t num_messages, num_bytes; /* of all reported links */
    uint64_t num_untold_links;        /* links that are not among the rows of their book */
    uint64_t num_lost;   /* records and packets that distsniff lost */
};

/* tui_books_write writes the contents of some books, a mask of BOOK_BIT. False if memory ran out.
 * It must not run at the same time as tui_books_record. */
bool tui_books_write(struct tui_books *books, unsigned wanted, struct ds_buffer *out);

/* tui_books_look looks at the latest records, like tui_store_look; tui_books_time_digits returns
 * how many digits times of the capture have. Call both under the same rule as tui_books_write. */
bool tui_books_look(struct tui_books *books, struct store_look *look);
unsigned tui_books_time_digits(const struct tui_books *books);

/* snapshot_read parses the output of tui_books_write. False if memory ran out: then nothing
 * changes. snapshot_free releases the snapshot. */
bool snapshot_read(struct snapshot *snapshot, const struct ds_buffer *told);
void snapshot_free(struct snapshot *snapshot);

/* Members of a snapshot. If there is none: 0, "" or NULL. */
uint64_t told_number(const cJSON *object, const char *key);
int64_t told_signed(const cJSON *object, const char *key);
const char *told_text(const cJSON *object, const char *key);
const cJSON *told_list(const cJSON *object, const char *key); /* its first item */

#endif
