/*
 * send_queue.c - see send_queue.h.
 */
#include "send/send_queue.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t entry_size(size_t id_len, size_t body_len)
{
    return (sizeof(struct send_entry) + id_len + 1 + body_len + 7) & ~UINT64_C(7);
}

struct send_queue *send_queue_new(size_t size)
{
    size = (size + 7) & ~(size_t)7;
    struct send_queue *queue = mmap(NULL, sizeof *queue + size, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (queue == MAP_FAILED)
        return NULL;
    queue->size = size;
    return queue;
}

void send_queue_free(struct send_queue *queue)
{
    if (queue != NULL)
        munmap(queue, sizeof *queue + queue->size);
}

static struct send_entry *entry_at(const struct send_queue *queue, uint64_t position)
{
    return (struct send_entry *)(uintptr_t)(queue->bytes + position % queue->size);
}

bool send_queue_fits(const struct send_queue *queue, size_t id_len, size_t body_len)
{
    /* So much may have to be passed over as well. */
    return id_len <= SEND_MAX_ID && body_len < UINT32_MAX / 2 &&
           entry_size(id_len, body_len) <= queue->size / 2;
}

bool send_queue_push(struct send_queue *queue, unsigned type, const char *id, const void *body,
                     size_t body_len)
{
    const size_t id_len = strlen(id);
    const uint64_t size = entry_size(id_len, body_len);
    uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    const uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
    const uint64_t left = queue->size - head % queue->size; /* up to the end of the ring */
    const uint64_t passed_over = left < size ? left : 0;
    if (!send_queue_fits(queue, id_len, body_len) || head - tail + passed_over + size > queue->size)
        return false;
    if (passed_over >= sizeof(struct send_entry))
        *entry_at(queue, head) =
            (struct send_entry){.size = (uint32_t)passed_over, .passed_over = true};
    head += passed_over;
    struct send_entry *entry = entry_at(queue, head);
    *entry = (struct send_entry){
        .size = (uint32_t)size,
        .type = (uint8_t)type,
        .id_len = (uint8_t)id_len,
        .body_len = (uint32_t)body_len,
    };
    memcpy(entry->bytes, id, id_len + 1);
    memcpy(entry->bytes + id_len + 1, body, body_len);
    atomic_store_explicit(&queue->head, head + size, memory_order_release);
    return true;
}

bool send_queue_is_roomy(const struct send_queue *queue)
{
    const uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
    const uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
    return queue->size - (head - tail) >= queue->size / 8;
}

const struct send_entry *send_queue_at(const struct send_queue *queue, uint64_t *position)
{
    const uint64_t head = atomic_load_explicit(&queue->head, memory_order_acquire);
    while (*position < head) {
        const uint64_t left = queue->size - *position % queue->size;
        const struct send_entry *entry = entry_at(queue, *position);
        if (left >= sizeof *entry && !entry->passed_over)
            return entry;
        *position += left;
    }
    return NULL;
}

void send_queue_release(struct send_queue *queue, uint64_t position)
{
    atomic_store_explicit(&queue->tail, position, memory_order_release);
}

void send_queue_wake(struct send_queue *queue, int *wake_fd)
{
    char bytes[256];
    if (read(*wake_fd, bytes, sizeof bytes) > 0)
        return;
    *wake_fd = -1;
    atomic_store(&queue->is_ending, true);
}
