/*
 * raw.c - see raw.h.
 */
#include "dist/raw.h"

/* chunk describes the bytes of one segment. */
struct chunk {
    int64_t ts_ns;
    uint64_t frame, len;
};

static void emit_data(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data,
                      const struct chunk *chunk)
{
    struct ds_event event = {
        .type = DS_EVENT_DATA,
        .dir = (uint8_t)dir,
        .frame = chunk->frame,
        .ts_ns = chunk->ts_ns,
        .bytes = data.at,
        .bytes_len = cursor_left(&data),
    };
    env_emit_raw(env, conn, &event);
}

static struct chunk chunk_now(const struct conn *conn, uint64_t len)
{
    return (struct chunk){conn->tcp->now_ns, conn->tcp->frame, len};
}

void raw_emit_data(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor data)
{
    const struct chunk chunk = chunk_now(conn, cursor_left(&data));
    if (env->config.raw && chunk.len != 0)
        emit_data(env, conn, dir, data, &chunk);
}

void raw_emit_missing(struct dissect_ctx *env, struct conn *conn, int dir, uint64_t len,
                      struct ds_fault fault)
{
    struct ds_event event = {
        .type = DS_EVENT_DATA,
        .dir = (uint8_t)dir,
        .frame = conn->tcp->frame,
        .ts_ns = conn->tcp->now_ns,
        .fault = fault,
        .data = {.missing = len},
    };
    if (env->config.raw && len != 0)
        env_emit_raw(env, conn, &event);
}

void raw_emit_frame(struct dissect_ctx *env, struct conn *conn, int dir, struct cursor bytes,
                    struct ds_frame frame, struct ds_fault fault)
{
    if (!env->config.raw)
        return; /* every frame comes here: make no event if none is wanted */
    struct ds_event event = {
        .type = DS_EVENT_FRAME,
        .dir = (uint8_t)dir,
        .frame = conn->tcp->frame,
        .ts_ns = conn->tcp->now_ns,
        .fault = fault,
        .bytes = bytes.at,
        .bytes_len = cursor_left(&bytes),
        .frame_sent = frame,
    };
    env_emit_raw(env, conn, &event);
}

void raw_early_add(struct raw_early *early, struct dissect_ctx *env, const struct conn *conn,
                   size_t len)
{
    static const struct ds_fault no_memory = {DS_FAULT_CAP, 0, "no memory to hold it"};
    const struct chunk chunk = chunk_now(conn, len);
    if (env->config.raw &&
        !stream_buffer_add(&early->chunks, env, cursor_make((const uint8_t *)&chunk, sizeof chunk)))
        raw_early_drop(early, env, len, no_memory);
}

static bool next_chunk(struct cursor *chunks, struct chunk *out)
{
    return cursor_read_bytes(chunks, (uint8_t *)out, sizeof *out);
}

void raw_early_drop(struct raw_early *early, struct dissect_ctx *env, uint64_t len,
                    struct ds_fault fault)
{
    struct cursor chunks = stream_buffer_cursor(&early->chunks);
    struct chunk chunk;
    while (next_chunk(&chunks, &chunk))
        early->dropped += chunk.len;
    early->dropped += len;
    if (early->dropped != 0)
        early->fault = fault;
    stream_buffer_free(&early->chunks, env);
}

/* skip_dropped skips held bytes without a record of when they came. */
static void skip_dropped(struct cursor *bytes, struct cursor chunks)
{
    size_t len = 0;
    struct chunk chunk;
    while (next_chunk(&chunks, &chunk))
        len += (size_t)chunk.len;
    if (len < cursor_left(bytes) && !cursor_skip(bytes, cursor_left(bytes) - len))
        bytes->at = bytes->end;
}

void raw_early_emit(struct raw_early *const early[2], struct dissect_ctx *env, struct conn *conn,
                    const struct cursor bytes[2])
{
    struct cursor chunks[2], left[2] = {bytes[0], bytes[1]};
    struct chunk chunk[2];
    bool more[2];
    for (int dir = 0; dir < 2; dir++) {
        raw_emit_missing(env, conn, dir, early[dir]->dropped, early[dir]->fault);
        chunks[dir] = stream_buffer_cursor(&early[dir]->chunks);
        skip_dropped(&left[dir], chunks[dir]);
        more[dir] = next_chunk(&chunks[dir], &chunk[dir]);
    }
    while (more[0] || more[1]) {
        int dir = more[0] && (!more[1] || chunk[0].frame <= chunk[1].frame) ? 0 : 1;
        struct cursor data;
        if (cursor_child(&left[dir], (size_t)chunk[dir].len, &data))
            emit_data(env, conn, dir, data, &chunk[dir]);
        more[dir] = next_chunk(&chunks[dir], &chunk[dir]);
    }
}

void raw_early_free(struct raw_early *early, struct dissect_ctx *env)
{
    stream_buffer_free(&early->chunks, env);
}
