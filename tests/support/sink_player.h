/*
 * sink_player.h - feeds records to a sink by hand, and compares what it writes:
 *
 *     start("mermaid", LANES_NODE);
 *     message(6, 0, pid("alice@h", 85), atom("echo"), atom("ping"));
 *     show();
 *     expect("sequenceDiagram\n" ...);
 *
 * Include it after cmocka.h.
 */
#ifndef TESTS_SINK_PLAYER_H
#define TESTS_SINK_PLAYER_H

#include "output/sink.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct sink_config options;
static struct sink sink;
static struct ds_conn conn;
static struct ds_event event;
static struct record record;

/* Terms are kept here until the next test. */
static uint8_t bytes[65536];
static size_t num_bytes;

static inline struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static inline struct ds_term finish(size_t from)
{
    return (struct ds_term){.data = bytes + from, .len = num_bytes - from};
}

static inline void put_atom(const char *text, size_t len)
{
    bytes[num_bytes++] = 119;
    bytes[num_bytes++] = (uint8_t)len;
    memcpy(bytes + num_bytes, text, len);
    num_bytes += len;
}

static inline struct ds_term atom_of(const char *text, size_t len)
{
    size_t from = num_bytes;
    put_atom(text, len);
    return finish(from);
}

static inline struct ds_term atom(const char *text)
{
    return atom_of(text, strlen(text));
}

static inline struct ds_term pid(const char *node, uint8_t id)
{
    size_t from = num_bytes;
    bytes[num_bytes++] = 88;
    put_atom(node, strlen(node));
    memset(bytes + num_bytes, 0, 12);
    bytes[num_bytes + 3] = id;
    bytes[num_bytes + 11] = 1;
    num_bytes += 12;
    return finish(from);
}

static inline void start(const char *kind, enum lanes lanes)
{
    memset(&options, 0, sizeof options);
    memset(&sink, 0, sizeof sink);
    memset(&conn, 0, sizeof conn);
    options.lanes = lanes;
    sink.kind = sink_find(kind, strlen(kind));
    sink.config = &options;
    sink.output.fd = memfd_create("written", MFD_CLOEXEC);
    assert_true(sink.output.fd >= 0);
    num_bytes = 0;
    conn.number = 3;
    conn.end[0].node = text_of("alice@h");
    conn.end[1].node = text_of("bob@h");
    assert_non_null(sink.kind);
    assert_true(sink.kind->open(&sink));
}

static inline void begin(enum ds_event_type type, uint8_t dir)
{
    memset(&event, 0, sizeof event);
    memset(&record, 0, sizeof record);
    event.type = type;
    event.conn = &conn;
    event.dir = dir;
    event.frame = 9;
    event.ts_ns = 1700000000000000000;
    record.event = &event;
}

static inline void show(void)
{
    sink.kind->record(&sink, &record);
}

static inline void message(int64_t code, uint8_t dir, struct ds_term from, struct ds_term to,
                    struct ds_term payload)
{
    begin(DS_EVENT_MESSAGE, dir);
    event.message.code = code;
    event.message.op = ds_op_find(code);
    event.message.role[DS_ROLE_FROM] = from;
    event.message.role[DS_ROLE_TO] = to;
    event.message.payload = payload;
}

/* written returns what was written so far, with a terminating NUL. */
static inline char *written(void)
{
    const struct ds_buffer *rest = &sink.output.buffer;
    const off_t len = lseek(sink.output.fd, 0, SEEK_END);
    char *all = malloc((size_t)len + rest->len + 1);
    assert_int_equal(pread(sink.output.fd, all, (size_t)len, 0), len);
    if (rest->len != 0)
        memcpy(all + len, rest->data, rest->len);
    all[(size_t)len + rest->len] = '\0';
    return all;
}

/* stop returns all that was written. */
static inline char *stop(void)
{
    if (sink.kind->end != NULL)
        sink.kind->end(&sink);
    sink.kind->close(&sink);
    assert_false(sink.output.buffer.failed);
    char *all = written();
    close(sink.output.fd);
    ds_buffer_free(&sink.output.buffer);
    ds_buffer_free(&sink.output.ends);
    return all;
}

static const struct ds_term none;

static inline void expect(const char *expected)
{
    char *got = stop();
    assert_string_equal(got, expected);
    free(got);
}

#endif
