/*
 * row_queue.c - see row_queue.h. Rows move from back into the file, and from there to front; while
 * the file is empty, directly from back to front.
 */
#include "output/diagram/row_queue.h"

#include "core/complain.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <string.h>

enum { LEN_LEN = sizeof(uint32_t), CHUNK = 64 * 1024 };

void row_queue_init(struct row_queue *queue, size_t max_memory)
{
    *queue = (struct row_queue){.file = file_helper_temporary(), .max_memory = max_memory};
    queue->no_file = queue->file == NULL ? errno : 0;
}

static size_t in_memory(const struct row_queue *queue)
{
    return queue->front.len - queue->front_at + queue->back.len;
}

static bool is_all_read(const struct row_queue *queue)
{
    return queue->read_to == queue->written_to;
}

bool row_queue_is_full(const struct row_queue *queue)
{
    return in_memory(queue) > queue->max_memory;
}

bool row_queue_is_empty(const struct row_queue *queue)
{
    return in_memory(queue) == 0 && is_all_read(queue);
}

static void trouble(const char *doing, int error)
{
    complain("cannot %s a temporary file: %s", doing, strerror(error));
}

/* write_back writes the rows in back to the file. If that fails, they stay in memory. */
static void write_back(struct row_queue *queue)
{
    struct ds_buffer *back = &queue->back;
    if (fseek(queue->file, queue->written_to, SEEK_SET) != 0 ||
        fwrite(back->data, 1, back->len, queue->file) != back->len || fflush(queue->file) != 0) {
        trouble("write", errno);
        queue->is_file_full = true;
        return;
    }
    queue->written_to += (long)back->len;
    back->len = 0;
}

bool row_queue_put(struct row_queue *queue, const struct ds_buffer *row)
{
    struct ds_buffer *back = &queue->back;
    const uint32_t len = (uint32_t)row->len;
    if (row->failed || !ds_buffer_reserve(back, LEN_LEN + row->len)) {
        back->failed = false;
        return false;
    }
    ds_buffer_add(back, &len, LEN_LEN);
    ds_buffer_add(back, row->data, row->len);
    if (!row_queue_is_full(queue) || queue->is_file_full)
        return true;
    if (queue->file != NULL) {
        write_back(queue);
    } else {
        trouble("create", queue->no_file);
        queue->is_file_full = true;
    }
    return true;
}

/* refill appends the next rows to front: at least len bytes from the file, which may cut rows; or,
 * if the file and front are empty, all of back. */
static void refill(struct row_queue *queue, size_t len)
{
    struct ds_buffer *front = &queue->front, empty = *front;
    if (is_all_read(queue)) {
        empty.len = 0;
        *front = queue->back;
        queue->back = empty;
        return;
    }
    const size_t left = (size_t)(queue->written_to - queue->read_to);
    const size_t wanted = len < CHUNK ? CHUNK : len, num = left < wanted ? left : wanted;
    const bool is_read = ds_buffer_reserve(front, num) &&
                         fseek(queue->file, queue->read_to, SEEK_SET) == 0 &&
                         fread(front->data + front->len, 1, num, queue->file) == num;
    if (!is_read) {
        trouble("read", errno);
        queue->failed = true;
        queue->written_to = queue->read_to;
    }
    front->len = is_read ? front->len + num : 0;
    queue->read_to += is_read ? (long)num : 0;
    if (is_all_read(queue))
        queue->read_to = queue->written_to = 0;
}

/* need makes front contain so many bytes, of the first row. False if there are not so many. */
static bool need(struct row_queue *queue, size_t len)
{
    struct ds_buffer *front = &queue->front;
    if (front->len - queue->front_at >= len)
        return true;
    const size_t left = front->len - queue->front_at;
    if (left != 0)
        memmove(front->data, front->data + queue->front_at, left);
    front->len = left;
    queue->front_at = 0;
    refill(queue, len - left);
    return front->len >= len;
}

struct ds_text row_queue_first(struct row_queue *queue)
{
    uint32_t len;
    if (!need(queue, LEN_LEN))
        return (struct ds_text){NULL, 0};
    memcpy(&len, queue->front.data + queue->front_at, LEN_LEN);
    if (!need(queue, LEN_LEN + len))
        return (struct ds_text){NULL, 0};
    return (struct ds_text){queue->front.data + queue->front_at + LEN_LEN, len};
}

void row_queue_drop_first(struct row_queue *queue)
{
    const struct ds_text first = row_queue_first(queue);
    if (first.data != NULL)
        queue->front_at += LEN_LEN + first.len;
}

void row_queue_free(struct row_queue *queue)
{
    if (queue->file != NULL)
        fclose(queue->file);
    ds_buffer_free(&queue->front);
    ds_buffer_free(&queue->back);
    queue->file = NULL;
}
