/*
 * send_queue.c - see send_queue.h.
 */
#include "send/send_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of files of this layout: another one has another number. */
#define MAGIC UINT64_C(0x31306c6f6f707364)
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

/* is_entry says whether an entry is whole and what send_queue_push writes; left: bytes up to the head,
 * and to the end of the ring. */
static bool is_entry(const struct send_entry *entry, uint64_t left)
{
    return left > sizeof *entry && entry->size <= left && entry->id_len <= SEND_MAX_ID &&
           entry->body_len < UINT32_MAX / 2 && entry->size == entry_size(entry->id_len, entry->body_len) &&
           entry->bytes[entry->id_len] == '\0';
}

/* walk passes over the entries between tail and head. It returns where the last one ends that makes
 * sense. */
static uint64_t walk(const struct send_queue *queue, uint64_t *num)
{
    const uint64_t head = atomic_load(&queue->head);
    uint64_t end = atomic_load(&queue->tail), position = end;
    const struct send_entry *entry;
    while ((entry = send_queue_at(queue, &position)) != NULL) {
        const uint64_t to_end = queue->size - position % queue->size;
        if (!is_entry(entry, head - position < to_end ? head - position : to_end))
            return end;
        position += entry->size;
        end = position;
        ++*num;
    }
    return position == head ? head : end;
}

uint64_t send_queue_count(const struct send_queue *queue)
{
    uint64_t num = 0;
    (void)walk(queue, &num);
    return num;
}

/* is_left says whether a file of that size is one that an earlier run has left. */
static bool is_left(const struct send_queue *queue, uint64_t file_size)
{
    const uint64_t head = atomic_load(&queue->head), tail = atomic_load(&queue->tail);
    return queue->magic == MAGIC && queue->size % 8 == 0 && queue->size == file_size - sizeof *queue &&
           head % 8 == 0 && tail % 8 == 0 && tail < head && head - tail <= queue->size &&
           head <= UINT64_MAX / 2;
}

/* reset makes an empty one, or takes what an earlier run has left. */
static void reset(struct send_queue *queue, bool has_left, size_t size, bool *is_cut)
{
    uint64_t num = 0;
    if (!has_left) {
        queue->magic = MAGIC;
        queue->size = size;
        atomic_store(&queue->head, 0);
        atomic_store(&queue->tail, 0);
    }
    atomic_store(&queue->is_ready, false);
    atomic_store(&queue->is_ending, false);
    atomic_store(&queue->is_abandoned, false);
    atomic_store(&queue->is_asleep, false);
    memset(&queue->counts, 0, sizeof queue->counts);
    const uint64_t end = walk(queue, &num);
    *is_cut = end != atomic_load(&queue->head);
    atomic_store(&queue->head, end);
}

/* map_file maps a file with room for so many bytes. */
static struct send_queue *map_file(int fd, uint64_t size)
{
    /* All of it: memory that the disk has no room for would end the program when it is written to. */
    const int error = posix_fallocate(fd, 0, (off_t)(sizeof(struct send_queue) + size));
    if (error != 0) {
        errno = error;
        return NULL;
    }
    void *at = mmap(NULL, sizeof(struct send_queue) + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at != MAP_FAILED ? at : NULL;
}

struct send_queue *send_queue_open(int fd, size_t size, bool *is_cut)
{
    struct send_queue head;
    struct stat file;
    *is_cut = false;
    size = (size + 7) & ~(size_t)7;
    if (fstat(fd, &file) != 0)
        return NULL;
    const bool has_left = pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                          (uint64_t)file.st_size > sizeof head && is_left(&head, (uint64_t)file.st_size);
    if (!has_left && ftruncate(fd, 0) != 0)
        return NULL;
    struct send_queue *queue = map_file(fd, has_left ? head.size : size);
    if (queue != NULL)
        reset(queue, has_left, size, is_cut);
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
    if (queue->magic == MAGIC)
        atomic_store(&queue->is_abandoned, true); /* the next run sends it */
}
