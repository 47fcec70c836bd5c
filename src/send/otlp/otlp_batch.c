/*
 * otlp_batch.c - see otlp_batch.h.
 */
#include "send/otlp/otlp_batch.h"

#include "output/otlp/span_writer.h"

#define ZLIB_CONST
#include <zlib.h>

/* next reads the next entry if the batch has room for it. False: there is none, or no room. */
static bool next(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans, size_t len,
                 struct send_entry *entry)
{
    if (!send_queue_at(queue, &batch->end, entry))
        return false;
    batch->is_full = batch->num == most_spans ||
                     (batch->num != 0 && len + entry->body_len > OTLP_MOST_BYTES);
    return !batch->is_full;
}

static void begin(struct otlp_batch *batch, const struct send_queue *queue)
{
    batch->end = atomic_load(&queue->shared->tail);
    batch->num = 0;
    batch->is_full = false;
}

void otlp_batch_look(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans)
{
    size_t len = 0;
    struct send_entry entry;
    begin(batch, queue);
    while (next(batch, queue, most_spans, len, &entry)) {
        len += entry.body_len + 1;
        batch->end += entry.size;
        batch->num++;
    }
}

/* pack compresses text into packed. */
static bool pack(struct otlp_batch *batch)
{
    enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    const size_t most = deflateBound(&stream, batch->text.len);
    batch->packed.len = 0;
    bool good = ds_buffer_reserve(&batch->packed, most);
    if (good) {
        stream.next_in = (const Bytef *)batch->text.data;
        stream.avail_in = (uInt)batch->text.len;
        stream.next_out = (Bytef *)batch->packed.data;
        stream.avail_out = (uInt)most;
        good = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        batch->packed.len = stream.total_out;
    }
    (void)deflateEnd(&stream);
    return good;
}

bool otlp_batch_fill(struct otlp_batch *batch, const struct send_queue *queue, uint64_t most_spans,
                     bool is_packed)
{
    struct ds_buffer *text = &batch->text;
    struct send_entry entry;
    begin(batch, queue);
    text->len = 0;
    ds_buffer_add(text, SPANS_BEFORE, sizeof SPANS_BEFORE - 1);
    while (next(batch, queue, most_spans, text->len, &entry)) {
        if (batch->num++ != 0)
            ds_buffer_add(text, ",", 1);
        ds_buffer_add(text, entry.body, entry.body_len);
        batch->end += entry.size;
    }
    ds_buffer_add(text, SPANS_BEHIND, sizeof SPANS_BEHIND - 1);
    if (!text->failed && (!is_packed || pack(batch)))
        return true;
    otlp_batch_free(batch);
    return false;
}

struct ds_text otlp_batch_body(const struct otlp_batch *batch, bool is_packed)
{
    const struct ds_buffer *body = is_packed ? &batch->packed : &batch->text;
    return (struct ds_text){body->data, body->len};
}

void otlp_batch_free(struct otlp_batch *batch)
{
    ds_buffer_free(&batch->text);
    ds_buffer_free(&batch->packed);
}
