/*
 * reader.h - reads a message field by field and remembers the first missing field.
 *
 * A reader is a cursor with an error. After the first failure each read returns 0 or nothing and
 * does not move. So the caller writes all reads in a row and checks the error once, at the end. The
 * cursor is then where the missing field would be. Code that reads millions of messages uses the
 * cursor itself.
 */
#ifndef DISSECT_READER_H
#define DISSECT_READER_H

#include "util/cursor.h"

struct reader {
    struct cursor at;
    const char *wrong; /* the error at `at`, a static string; NULL: none */
};

/* reader_fail records an error, unless there is one already. */
static inline void reader_fail(struct reader *r, const char *what)
{
    if (r->wrong == NULL)
        r->wrong = what;
}

static inline bool reader_is_ok(const struct reader *r)
{
    return r->wrong == NULL;
}

/* These read a number. what is the error if it is missing. */
#define READER_NUMBER(name, type)                                                                  \
    static inline type reader_##name(struct reader *r, const char *what)                           \
    {                                                                                              \
        type value = 0;                                                                            \
        if (r->wrong == NULL && !cursor_read_##name(&r->at, &value))                               \
            r->wrong = what;                                                                       \
        return value;                                                                              \
    }
READER_NUMBER(u8, uint8_t)
READER_NUMBER(u16, uint16_t)
READER_NUMBER(u32, uint32_t)
READER_NUMBER(u64, uint64_t)
#undef READER_NUMBER

/* reader_bytes reads len bytes into out. On failure out is unchanged. */
static inline void reader_bytes(struct reader *r, void *out, size_t len, const char *what)
{
    if (r->wrong == NULL && !cursor_read_bytes(&r->at, out, len))
        r->wrong = what;
}

/* reader_child reads len bytes, which it returns as a cursor. */
static inline struct cursor reader_child(struct reader *r, size_t len, const char *what)
{
    struct cursor child = {0};
    if (r->wrong == NULL && !cursor_child(&r->at, len, &child))
        r->wrong = what;
    return child;
}

/* reader_rest reads all that is left. */
static inline struct cursor reader_rest(struct reader *r)
{
    return r->wrong == NULL ? reader_child(r, cursor_left(&r->at), NULL) : (struct cursor){0};
}

/* reader_end fails if bytes are left. */
static inline void reader_end(struct reader *r, const char *what)
{
    if (cursor_left(&r->at) != 0)
        reader_fail(r, what);
}

#endif
