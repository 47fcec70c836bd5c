/*
 * packet_pipe.c - see packet_pipe.h.
 */
#include "capture/packet_pipe.h"

#include "capture/pseudo_packet.h"
#include "core/signals.h"
#include "util/cursor.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_LEN = 2 * PACKET_PIPE_CAPTURED, STOP_MS = 100 };
enum { MADE_PAST = 1, MADE_SILENT, MADE_BACK, MADE_POINT };

struct pipe_entry {
    uint32_t cap_len, len, made, link_type;
    int64_t ts_ns;
};

struct packet_pipe {
    int fd;
    void (*const *on_wait)(void *);
    void *const *wait_context;
    void (*const *on_silent)(void *, const struct silent_point *); /* may be NULL */
    void (*const *on_point)(void *, const struct capture_point *); /* may be NULL */
    size_t at, len; /* in bytes: the part that was received and not used yet */
    bool has_ended;
    const char *trouble;
    uint8_t bytes[BUFFER_LEN];
};

static const uint8_t mark[] = {'d', 's', 'P', 'A', 'C', 'K', 'E', 'T'};

void packet_pipe_write_head(uint32_t link_type, struct ds_buffer *out)
{
    static const uint8_t rest[PACKET_PIPE_HEAD_LEN - sizeof mark - sizeof link_type];
    ds_buffer_add(out, mark, sizeof mark);
    ds_buffer_add(out, &link_type, sizeof link_type);
    ds_buffer_add(out, rest, sizeof rest);
}

void packet_pipe_write(const struct ds_packet *packet, struct ds_buffer *out)
{
    const struct pipe_entry entry = {
        .cap_len = packet->cap_len,
        .len = packet->len,
        .made = packet->past.kind != DS_SNAPSHOT_NONE ? MADE_PAST : 0,
        .link_type = packet->link_type,
        .ts_ns = packet->ts_ns,
    };
    ds_buffer_add(out, &entry, sizeof entry);
    if (packet->cap_len != 0)
        ds_buffer_add(out, packet->data, packet->cap_len);
}

void packet_pipe_write_silent(const struct silent_point *point, struct ds_buffer *out)
{
    const size_t len = strlen(point->name);
    const struct pipe_entry entry = {
        .cap_len = (uint32_t)(sizeof point->now_ns + len),
        .len = (uint32_t)(sizeof point->now_ns + len),
        .made = point->is_back ? MADE_BACK : MADE_SILENT,
        .ts_ns = point->since_ns,
    };
    ds_buffer_add(out, &entry, sizeof entry);
    ds_buffer_add(out, &point->now_ns, sizeof point->now_ns);
    ds_buffer_add(out, point->name, len);
}

void packet_pipe_write_point(const struct capture_point *point, struct ds_buffer *out)
{
    const size_t len = strlen(point->name);
    const struct pipe_entry entry = {
        .cap_len = (uint32_t)(sizeof point->numbers + len),
        .len = (uint32_t)(sizeof point->numbers + len),
        .made = MADE_POINT,
    };
    ds_buffer_add(out, &entry, sizeof entry);
    ds_buffer_add(out, &point->numbers, sizeof point->numbers);
    ds_buffer_add(out, point->name, len);
}

bool packet_pipe_is_head(const uint8_t *bytes, size_t len, uint32_t *link_type)
{
    struct cursor at = cursor_make(bytes, len), begin;
    return len >= PACKET_PIPE_HEAD_LEN && cursor_child(&at, sizeof mark, &begin) &&
           memcmp(begin.at, mark, sizeof mark) == 0 &&
           cursor_read_bytes(&at, link_type, sizeof *link_type) && ds_link_type_known(*link_type);
}

struct packet_pipe *packet_pipe_open(int fd, const uint8_t *bytes, size_t len,
                                     void (*const *on_wait)(void *), void *const *wait_context)
{
    struct packet_pipe *pipe = malloc(sizeof *pipe);
    if (pipe == NULL)
        return NULL;
    pipe->fd = fd;
    pipe->on_wait = on_wait;
    pipe->wait_context = wait_context;
    pipe->on_silent = NULL;
    pipe->on_point = NULL;
    pipe->at = 0;
    pipe->len = len - PACKET_PIPE_HEAD_LEN;
    pipe->has_ended = false;
    pipe->trouble = NULL;
    memcpy(pipe->bytes, bytes + PACKET_PIPE_HEAD_LEN, pipe->len);
    return pipe;
}

void packet_pipe_on_silent(struct packet_pipe *pipe,
                           void (*const *on_silent)(void *, const struct silent_point *))
{
    pipe->on_silent = on_silent;
}

void packet_pipe_on_point(struct packet_pipe *pipe,
                          void (*const *on_point)(void *, const struct capture_point *))
{
    pipe->on_point = on_point;
}

void packet_pipe_free(struct packet_pipe *pipe)
{
    if (pipe == NULL)
        return;
    close(pipe->fd);
    explicit_bzero(pipe->bytes, sizeof pipe->bytes); /* it may contain secrets */
    free(pipe);
}

int packet_pipe_fd(const struct packet_pipe *pipe)
{
    return pipe->fd;
}

const char *packet_pipe_trouble(const struct packet_pipe *pipe)
{
    return pipe->trouble;
}

enum taken { TAKEN_PACKET, TAKEN_NOTHING, TAKEN_NONSENSE };

/* take_name reads the name of a capture point, the rest of the bytes. False if it is none. */
static bool take_name(const struct cursor *bytes, char *name, size_t size)
{
    const size_t len = cursor_left(bytes);
    if (len == 0 || len >= size || memchr(bytes->at, 0, len) != NULL)
        return false;
    memcpy(name, bytes->at, len);
    name[len] = '\0';
    return true;
}

/* take_point reports what is known of a capture point. False if the bytes are invalid. */
static bool take_point(const struct packet_pipe *pipe, struct cursor bytes)
{
    struct capture_point point;
    if (!cursor_read_bytes(&bytes, &point.numbers, sizeof point.numbers) ||
        !take_name(&bytes, point.name, sizeof point.name))
        return false;
    if (pipe->on_point != NULL && *pipe->on_point != NULL)
        (*pipe->on_point)(*pipe->wait_context, &point);
    return true;
}

/* take_silent reports a capture point that is silent or back. False if the bytes are invalid. */
static bool take_silent(const struct packet_pipe *pipe, const struct pipe_entry *entry, struct cursor bytes)
{
    struct silent_point point = {.since_ns = entry->ts_ns, .is_back = entry->made == MADE_BACK};
    if (entry->made > MADE_BACK || !cursor_read_bytes(&bytes, &point.now_ns, sizeof point.now_ns))
        return false;
    if (!take_name(&bytes, point.name, sizeof point.name) || point.now_ns < 0)
        return false;
    if (pipe->on_silent != NULL && *pipe->on_silent != NULL)
        (*pipe->on_silent)(*pipe->wait_context, &point);
    return true;
}

/* take_entry parses an entry, if it is complete. */
static enum taken take_entry(const struct packet_pipe *pipe, struct pipe_entry *entry, struct cursor *rest)
{
    struct cursor data;
    *rest = cursor_make(pipe->bytes + pipe->at, pipe->len - pipe->at);
    if (!cursor_read_bytes(rest, entry, sizeof *entry))
        return TAKEN_NOTHING;
    if (entry->cap_len > PACKET_PIPE_CAPTURED || entry->cap_len > entry->len || entry->ts_ns < 0)
        return TAKEN_NONSENSE;
    if (!cursor_child(rest, entry->cap_len, &data))
        return TAKEN_NOTHING;
    const bool good = entry->made <= MADE_PAST    ? ds_link_type_known(entry->link_type)
                      : entry->made == MADE_POINT ? take_point(pipe, data)
                                                  : take_silent(pipe, entry, data);
    return good ? TAKEN_PACKET : TAKEN_NONSENSE;
}

/* take parses up to the next complete packet, with reports of capture points before it. */
static enum taken take(struct packet_pipe *pipe, struct pipe_entry *entry, struct cursor *rest)
{
    enum taken taken;
    while ((taken = take_entry(pipe, entry, rest)) == TAKEN_PACKET && entry->made > MADE_PAST)
        pipe->at = pipe->len - cursor_left(rest);
    return taken;
}

/* read_more reads available data. Returns false if it would have to wait longer than wait_ms. */
static bool read_more(struct packet_pipe *pipe, int wait_ms)
{
    struct pollfd ready = {pipe->fd, POLLIN, 0};
    if (poll(&ready, 1, wait_ms) <= 0)
        return false;
    memmove(pipe->bytes, pipe->bytes + pipe->at, pipe->len - pipe->at);
    pipe->len -= pipe->at;
    pipe->at = 0;
    const ssize_t n = read(pipe->fd, pipe->bytes + pipe->len, sizeof pipe->bytes - pipe->len);
    if (n < 0 && errno == EINTR)
        return false;
    if (n < 0)
        pipe->trouble = strerror(errno);
    pipe->has_ended = n <= 0;
    pipe->len += n > 0 ? (size_t)n : 0;
    return true;
}

bool packet_pipe_is_ready(struct packet_pipe *pipe)
{
    struct pipe_entry entry;
    struct cursor rest;
    while (!pipe->has_ended && take(pipe, &entry, &rest) == TAKEN_NOTHING) {
        if (!read_more(pipe, 0))
            return false;
    }
    return true;
}

bool packet_pipe_next(struct packet_pipe *pipe, struct ds_packet *packet)
{
    struct pipe_entry entry;
    struct cursor rest;
    enum taken taken;
    while ((taken = take(pipe, &entry, &rest)) == TAKEN_NOTHING && !pipe->has_ended) {
        if (read_more(pipe, 0))
            continue;
        if (stop_wanted)
            return false;
        if (*pipe->on_wait != NULL)
            (*pipe->on_wait)(*pipe->wait_context);
        (void)read_more(pipe, STOP_MS);
    }
    if (taken == TAKEN_NONSENSE)
        pipe->trouble = "the process that reads the stream sends nonsense";
    if (taken == TAKEN_NOTHING && pipe->trouble == NULL)
        pipe->trouble = "the process that reads the stream has exited";
    if (taken != TAKEN_PACKET)
        return false;
    *packet = (struct ds_packet){
        .ts_ns = entry.ts_ns,
        .link_type = entry.link_type,
        .data = pipe->bytes + pipe->at + sizeof entry,
        .cap_len = entry.cap_len,
        .len = entry.len,
    };
    if (entry.made != 0)
        pseudo_packet_read(packet, 0);
    pipe->at = pipe->len - cursor_left(&rest);
    return true;
}
