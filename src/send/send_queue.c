/*
 * send_queue.c - see send_queue.h.
 */
#include "send/send_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* It identifies files of this layout; another layout needs another number. */
#define MAGIC UINT64_C(0x31306c6f6f707364)

static uint64_t entry_size(size_t id_len, size_t body_len)
{
    return (sizeof(struct send_stored) + id_len + 1 + body_len + 7) & ~UINT64_C(7);
}

/* make makes a queue from mapped memory, which it unmaps if memory ran out. */
static struct send_queue *make(void *mapped, uint64_t size, bool is_file)
{
    struct send_queue *queue = mapped != MAP_FAILED ? malloc(sizeof *queue) : NULL;
    if (queue != NULL)
        *queue = (struct send_queue){.shared = mapped, .size = size, .is_file = is_file};
    else if (mapped != MAP_FAILED)
        munmap(mapped, sizeof(struct send_shared) + size);
    return queue;
}

struct send_queue *send_queue_new(size_t size)
{
    size = (size + 7) & ~(size_t)7;
    void *mapped = mmap(NULL, sizeof(struct send_shared) + size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return make(mapped, size, false);
}

/* is_entry says whether send_queue_push can have written this entry; left: the bytes up to the
 * head, or to the end of the ring. */
static bool is_entry(const struct send_stored *entry, uint64_t left)
{
    return left > sizeof *entry && entry->size <= left && entry->id_len <= SEND_MAX_ID &&
           entry->body_len < UINT32_MAX / 2 && entry->size == entry_size(entry->id_len, entry->body_len);
}

/* walk counts the entries between tail and head. Returns where the last valid one ends. */
static uint64_t walk(const struct send_queue *queue, uint64_t *num)
{
    const uint64_t head = atomic_load(&queue->shared->head);
    uint64_t end = atomic_load(&queue->shared->tail), position = end;
    struct send_entry entry;
    while (send_queue_at(queue, &position, &entry)) {
        position += entry.size;
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

/* is_left says whether a file of this size was written by an earlier run. */
static bool is_left(const struct send_shared *left, uint64_t file_size)
{
    const uint64_t head = atomic_load(&left->head), tail = atomic_load(&left->tail);
    return left->magic == MAGIC && left->size % 8 == 0 && left->size == file_size - sizeof *left &&
           head % 8 == 0 && tail % 8 == 0 && tail < head && head - tail <= left->size &&
           head <= UINT64_MAX / 2;
}

/* reset makes an empty queue, or keeps the entries of an earlier run. */
static void reset(const struct send_queue *queue, bool has_left, bool *is_cut)
{
    struct send_shared *shared = queue->shared;
    uint64_t num = 0;
    if (!has_left) {
        shared->magic = MAGIC;
        shared->size = queue->size;
        atomic_store(&shared->head, 0);
        atomic_store(&shared->tail, 0);
    }
    atomic_store(&shared->is_ready, false);
    atomic_store(&shared->is_ending, false);
    atomic_store(&shared->is_abandoned, false);
    atomic_store(&shared->is_asleep, false);
    memset(&shared->counts, 0, sizeof shared->counts);
    const uint64_t end = walk(queue, &num);
    *is_cut = end != atomic_load(&shared->head);
    atomic_store(&shared->head, end);
}

/* map_file maps a file with room for size bytes. */
static void *map_file(int fd, uint64_t size)
{
    const uint64_t all = sizeof(struct send_shared) + size;
    /* Allocate all of it: a write to mapped memory that the disk has no room for would kill the
     * program. */
    const int error = posix_fallocate(fd, 0, (off_t)all);
    if (error != 0) {
        errno = error;
        return MAP_FAILED;
    }
    return mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

struct send_queue *send_queue_open(int fd, size_t size, bool *is_cut)
{
    struct send_shared head;
    struct stat file;
    *is_cut = false;
    size = (size + 7) & ~(size_t)7;
    if (fstat(fd, &file) != 0)
        return NULL;
    const bool has_left = pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                          (uint64_t)file.st_size > sizeof head && is_left(&head, (uint64_t)file.st_size);
    if (!has_left && ftruncate(fd, 0) != 0)
        return NULL;
    const uint64_t room = has_left ? head.size : size;
    struct send_queue *queue = make(map_file(fd, room), room, true);
    if (queue != NULL)
        reset(queue, has_left, is_cut);
    return queue;
}

void send_queue_free(struct send_queue *queue)
{
    if (queue != NULL)
        munmap(queue->shared, sizeof *queue->shared + queue->size);
    free(queue);
}

void send_queue_keep(const struct send_queue *queue)
{
#ifdef MADV_DONTFORK
    (void)madvise(queue->shared, sizeof *queue->shared + queue->size, MADV_DONTFORK);
#else
    (void)queue;
#endif
}

static struct send_stored *entry_at(const struct send_queue *queue, uint64_t position)
{
    return (struct send_stored *)(uintptr_t)(queue->shared->bytes + position % queue->size);
}

bool send_queue_fits(const struct send_queue *queue, size_t id_len, size_t body_len)
{
    /* The end of the ring, up to this size, may have to be skipped as well. */
    return id_len <= SEND_MAX_ID && body_len < UINT32_MAX / 2 &&
           entry_size(id_len, body_len) <= queue->size / 2;
}

bool send_queue_push(struct send_queue *queue, unsigned type, const char *id, const void *body,
                     size_t body_len)
{
    const size_t id_len = strlen(id);
    const uint64_t size = entry_size(id_len, body_len);
    uint64_t head = atomic_load_explicit(&queue->shared->head, memory_order_relaxed) & ~UINT64_C(7);
    const uint64_t tail = atomic_load_explicit(&queue->shared->tail, memory_order_acquire);
    const uint64_t left = queue->size - head % queue->size; /* up to the end of the ring */
    const uint64_t passed_over = left < size ? left : 0;
    if (!send_queue_fits(queue, id_len, body_len) || head - tail + passed_over + size > queue->size)
        return false;
    if (passed_over >= sizeof(struct send_stored))
        *entry_at(queue, head) =
            (struct send_stored){.size = (uint32_t)passed_over, .passed_over = true};
    head += passed_over;
    struct send_stored *entry = entry_at(queue, head);
    *entry = (struct send_stored){
        .size = (uint32_t)size,
        .type = (uint8_t)type,
        .id_len = (uint8_t)id_len,
        .body_len = (uint32_t)body_len,
    };
    memcpy(entry->bytes, id, id_len + 1);
    memcpy(entry->bytes + id_len + 1, body, body_len);
    atomic_store_explicit(&queue->shared->head, head + size, memory_order_release);
    return true;
}

bool send_queue_is_roomy(const struct send_queue *queue)
{
    const uint64_t head = atomic_load_explicit(&queue->shared->head, memory_order_relaxed);
    const uint64_t tail = atomic_load_explicit(&queue->shared->tail, memory_order_acquire);
    return queue->size - (head - tail) >= queue->size / 8;
}

/* read_head copies the head of an entry, if it is valid and lies within left bytes. False if not. */
static bool read_head(const struct send_stored *stored, uint64_t left, struct send_entry *entry)
{
    struct send_stored head;
    memcpy(&head, stored, sizeof head);
    if (!is_entry(&head, left) || stored->bytes[head.id_len] != '\0')
        return false;
    entry->size = head.size;
    entry->body_len = head.body_len;
    entry->type = head.type;
    memcpy(entry->id, stored->bytes, head.id_len);
    entry->id[head.id_len] = '\0';
    entry->body = stored->bytes + head.id_len + 1;
    return true;
}

bool send_queue_at(const struct send_queue *queue, uint64_t *position, struct send_entry *entry)
{
    const uint64_t head = atomic_load_explicit(&queue->shared->head, memory_order_acquire);
    while (*position < head && head - *position <= queue->size && *position % 8 == 0) {
        const uint64_t left = queue->size - *position % queue->size; /* up to the end of the ring */
        const struct send_stored *stored = entry_at(queue, *position);
        if (left >= sizeof *stored && !stored->passed_over)
            return read_head(stored, head - *position < left ? head - *position : left, entry);
        *position += left;
    }
    return false;
}

void send_queue_release(struct send_queue *queue, uint64_t position)
{
    atomic_store_explicit(&queue->shared->tail, position, memory_order_release);
}

void send_queue_wake(struct send_queue *queue, int *wake_fd)
{
    char bytes[256];
    if (read(*wake_fd, bytes, sizeof bytes) > 0)
        return;
    *wake_fd = -1;
    atomic_store(&queue->shared->is_ending, true);
    if (queue->is_file)
        atomic_store(&queue->shared->is_abandoned, true); /* the next run sends the rest */
}
