/*
 * guard_page.h - input laid against an unreadable page: one byte read too far, and
 * the test dies.
 */
#ifndef TESTS_GUARD_PAGE_H
#define TESTS_GUARD_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard_page {
    uint8_t *bytes; /* the copy: its last byte is the last readable one */
    size_t len;
    uint8_t *map;
    size_t map_len;
};

/* guard_page_copy copies len bytes to the end of a page that an unreadable page follows; bytes is
 * NULL if memory ran out. */
static inline struct guard_page guard_page_copy(const void *bytes, size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (len / page + 1) * page;
    struct guard_page guard = {.len = len, .map_len = room + 2 * page};

    guard.map = mmap(NULL, guard.map_len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (guard.map == MAP_FAILED)
        return guard;
    if (mprotect(guard.map + page, room, PROT_READ | PROT_WRITE) != 0) {
        munmap(guard.map, guard.map_len);
        return guard;
    }
    guard.bytes = guard.map + page + room - len;
    if (len != 0)
        memcpy(guard.bytes, bytes, len);
    return guard;
}

/* guard_page_free releases the copy. */
static inline void guard_page_free(struct guard_page *guard)
{
    if (guard->bytes != NULL)
        munmap(guard->map, guard->map_len);
    guard->bytes = NULL;
}

#endif
