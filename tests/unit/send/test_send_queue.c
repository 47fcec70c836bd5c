/*
 * test_send_queue.c - the ring between the capturing and the sending process: order, room, its end;
 * and as a file that an earlier run has left, whole or damaged.
 */
#include "send/send_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { SIZE = 4096, NUM_TYPES = 14 };

static struct send_queue *make(void)
{
    struct send_queue *queue = send_queue_new(SIZE);
    assert_non_null(queue);
    return queue;
}

/* take reads the next entry and releases it; its body must be the one that was made from number. */
static void take(struct send_queue *queue, uint64_t *position, unsigned number, size_t len)
{
    char id[32];
    struct send_entry entry;
    assert_true(send_queue_at(queue, position, &entry));
    snprintf(id, sizeof id, "id.%u", number);
    assert_string_equal(entry.id, id);
    assert_int_equal(entry.type, number % NUM_TYPES);
    assert_int_equal(entry.body_len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal((unsigned char)entry.body[i], (unsigned char)(number + i));
    *position += entry.size;
    send_queue_release(queue, *position);
}

static bool push(struct send_queue *queue, unsigned number, size_t len)
{
    char id[32], body[SIZE];
    snprintf(id, sizeof id, "id.%u", number);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)(number + i);
    return send_queue_push(queue, number % NUM_TYPES, id, body, len);
}

static bool is_empty(const struct send_queue *queue, uint64_t *position)
{
    struct send_entry entry;
    return !send_queue_at(queue, position, &entry);
}

static void entries_come_in_order(void **state)
{
    struct send_queue *queue = make();
    uint64_t position = 0;
    unsigned pushed = 0, taken = 0;
    (void)state;
    srand(7);
    /* Many times around the ring, with all lengths. */
    static size_t lens[20000];
    while (pushed < 20000) {
        lens[pushed] = (size_t)rand() % 700;
        if (rand() % 3 != 0 && push(queue, pushed, lens[pushed]))
            pushed++;
        else if (taken < pushed) {
            take(queue, &position, taken, lens[taken]);
            taken++;
        }
    }
    for (; taken < pushed; taken++)
        take(queue, &position, taken, lens[taken]);
    assert_true(is_empty(queue, &position));
    send_queue_free(queue);
}

static void what_finds_no_room_changes_nothing(void **state)
{
    struct send_queue *queue = make();
    uint64_t position = 0;
    unsigned num = 0;
    (void)state;
    while (push(queue, num, 100))
        num++;
    assert_true(num > 20 && num < SIZE / 100);
    assert_false(send_queue_is_roomy(queue));
    for (unsigned i = 0; i < num; i++) {
        if (i == 3)
            assert_true(push(queue, num, 100)); /* there is room again */
        take(queue, &position, i, 100);
    }
    assert_true(send_queue_is_roomy(queue));
    take(queue, &position, num, 100);
    assert_true(is_empty(queue, &position));
    send_queue_free(queue);
}

static void what_never_fits_is_refused(void **state)
{
    struct send_queue *queue = make();
    char id[SEND_MAX_ID + 2];
    (void)state;
    assert_false(push(queue, 1, SIZE / 2));
    assert_true(push(queue, 1, SIZE / 2 - 64));
    assert_false(send_queue_fits(queue, 4, SIZE));
    assert_false(send_queue_fits(queue, 4, SIZE_MAX - 4));
    memset(id, 'x', sizeof id);
    id[sizeof id - 1] = '\0';
    assert_false(send_queue_push(queue, 1, id, "", 0));
    id[SEND_MAX_ID] = '\0';
    assert_true(send_queue_push(queue, 1, id, "", 0));
    send_queue_free(queue);
}

static char file_name[] = "/tmp/test_send_queue.XXXXXX";

/* make_file makes a file with entries from first to last - 1, of which those before taken are sent. */
static int make_file(unsigned first, unsigned taken, unsigned last)
{
    bool is_cut;
    uint64_t position = 0;
    strcpy(strrchr(file_name, '.'), ".XXXXXX");
    const int fd = mkstemp(file_name);
    struct send_queue *queue = send_queue_open(fd, SIZE, &is_cut);
    assert_non_null(queue);
    assert_false(is_cut);
    for (unsigned i = first; i < last; i++) {
        assert_true(push(queue, i, 100 + i % 7));
        if (i < taken)
            take(queue, &position, i, 100 + i % 7);
    }
    atomic_store(&queue->shared->is_ending, true);
    atomic_store(&queue->shared->counts.stored, 5);
    send_queue_free(queue);
    return fd;
}

static void remove_file(int fd)
{
    close(fd);
    assert_int_equal(unlink(file_name), 0);
}

/* opens opens a file that has entries from first to last - 1. */
static void opens(int fd, size_t size, unsigned first, unsigned last, bool has_damage)
{
    bool is_cut;
    struct send_queue *queue = send_queue_open(fd, size, &is_cut);
    assert_non_null(queue);
    assert_int_equal(is_cut, has_damage);
    assert_int_equal(send_queue_count(queue), last - first);
    assert_false(atomic_load(&queue->shared->is_ending));
    assert_int_equal(atomic_load(&queue->shared->counts.stored), 0);
    uint64_t position = atomic_load(&queue->shared->tail);
    for (unsigned i = first; i < last; i++)
        take(queue, &position, i, 100 + i % 7);
    assert_true(is_empty(queue, &position));
    for (unsigned i = 0; i < 100; i++) { /* the sequence continues, around the ring */
        assert_true(push(queue, i, 700));
        take(queue, &position, i, 700);
    }
    send_queue_free(queue);
}

static void a_file_keeps_what_is_left(void **state)
{
    (void)state;
    for (unsigned taken = 0; taken <= 300; taken += 50) { /* several times around the ring */
        const int fd = make_file(0, taken, taken + 20);
        opens(fd, SIZE, taken, taken + 20, false);
        remove_file(fd);
    }
    int fd = make_file(0, 90, 99); /* it keeps its size */
    opens(fd, 4 * SIZE, 90, 99, false);
    opens(fd, 4 * SIZE, 0, 0, false); /* now it is empty, and has another */
    struct stat file;
    assert_int_equal(fstat(fd, &file), 0);
    assert_true(file.st_size > 4 * SIZE);
    remove_file(fd);
}

/* damage overwrites bytes of a file. */
static void damage(int fd, size_t at, uint64_t value, size_t len)
{
    assert_int_equal(pwrite(fd, &value, len, (off_t)at), len);
}

static void a_damaged_file_is_cut(void **state)
{
    const size_t bytes_at = offsetof(struct send_shared, bytes);
    static const struct {
        size_t at;
        uint64_t value;
        size_t len;
        unsigned left;
    } of_entries[] = {
        {offsetof(struct send_stored, size), 0, 4, 2},
        {offsetof(struct send_stored, size), UINT32_MAX, 4, 2},
        {offsetof(struct send_stored, size), 8, 4, 2},
        {offsetof(struct send_stored, body_len), UINT32_MAX, 4, 2},
        {offsetof(struct send_stored, body_len), SIZE, 4, 2},
        {offsetof(struct send_stored, id_len), 255, 1, 2},
        {offsetof(struct send_stored, passed_over), 1, 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of_entries / sizeof of_entries[0]; i++) {
        int fd = make_file(0, 0, 6);
        struct send_stored entry;
        size_t at = bytes_at;
        for (int passed = 0; passed < 2; passed++) { /* to the third */
            assert_int_equal(pread(fd, &entry, sizeof entry, (off_t)at), sizeof entry);
            at += entry.size;
        }
        damage(fd, at + of_entries[i].at, of_entries[i].value, of_entries[i].len);
        opens(fd, SIZE, 0, of_entries[i].left, true);
        remove_file(fd);
    }
    static const struct {
        size_t at;
        uint64_t value;
    } of_heads[] = {
        {offsetof(struct send_shared, magic), 1},   {offsetof(struct send_shared, size), 8},
        {offsetof(struct send_shared, size), UINT64_MAX - 7},
        {offsetof(struct send_shared, tail), UINT64_MAX - 7},
        {offsetof(struct send_shared, tail), 4},    {offsetof(struct send_shared, head), UINT64_MAX - 7},
        {offsetof(struct send_shared, head), 0},    {offsetof(struct send_shared, head), SIZE + 8},
    };
    for (size_t i = 0; i < sizeof of_heads / sizeof of_heads[0]; i++) {
        const int fd = make_file(0, 0, 6);
        damage(fd, of_heads[i].at, of_heads[i].value, 8);
        opens(fd, SIZE, 0, 0, false); /* not a queue file: a new one is made */
        remove_file(fd);
    }
}

/* For any changed byte, and any length of the file, nothing behind the ring is read. */
static void any_damage_is_survived(void **state)
{
    (void)state;
    for (size_t at = 0; at < offsetof(struct send_shared, bytes) + 800; at += 3) {
        bool is_cut;
        const int fd = make_file(0, 25, 45);
        damage(fd, at, ~UINT64_C(0), 1);
        struct send_queue *queue = send_queue_open(fd, SIZE, &is_cut);
        assert_non_null(queue);
        assert_true(send_queue_count(queue) <= 20);
        send_queue_free(queue);
        assert_int_equal(ftruncate(fd, (off_t)at), 0);
        queue = send_queue_open(fd, SIZE, &is_cut);
        assert_non_null(queue);
        assert_int_equal(send_queue_count(queue), 0);
        send_queue_free(queue);
        remove_file(fd);
    }
}

/* Positions that the other process writes into the shared memory are not trusted. */
static void the_other_process_may_be_taken_over(void **state)
{
    static const uint32_t sizes[] = {0, 8, 24, SIZE, UINT32_MAX - 7};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) { /* the other process writes */
        struct send_queue *queue = make();
        uint64_t position = 0;
        assert_true(push(queue, 0, 100));
        assert_true(push(queue, 1, 100));
        queue->shared->size = UINT64_MAX - 7;
        take(queue, &position, 0, 100);
        ((struct send_stored *)(void *)(queue->shared->bytes + position))->size = sizes[i];
        assert_true(is_empty(queue, &position));
        send_queue_free(queue);
    }
    static const uint64_t heads[] = {8, 100, SIZE + 8, UINT64_MAX - 7, UINT64_MAX};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct send_queue *queue = make();
        uint64_t position = 0, odd = 4;
        assert_true(push(queue, 0, 100));
        atomic_store(&queue->shared->head, heads[i]); /* the entry ends behind it, or it is too far */
        assert_true(is_empty(queue, &position));
        assert_true(is_empty(queue, &odd));
        send_queue_free(queue);
    }
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) { /* the other process reads */
        struct send_queue *queue = make();
        atomic_store(&queue->shared->head, heads[i]);
        for (uint64_t step = 0; step < 4 * SIZE; step += 200) {
            queue->shared->size = heads[i];
            atomic_store(&queue->shared->tail, step * heads[i]);
            (void)push(queue, 1, 700);
        }
        send_queue_free(queue);
    }
}

static void a_full_disk_is_no_queue(void **state)
{
    bool is_cut;
    (void)state;
    const int fd = make_file(0, 0, 0);
    assert_null(send_queue_open(fd, SIZE_MAX / 4, &is_cut));
    remove_file(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_in_order),
        cmocka_unit_test(what_finds_no_room_changes_nothing),
        cmocka_unit_test(what_never_fits_is_refused),
        cmocka_unit_test(a_file_keeps_what_is_left),
        cmocka_unit_test(a_damaged_file_is_cut),
        cmocka_unit_test(any_damage_is_survived),
        cmocka_unit_test(the_other_process_may_be_taken_over),
        cmocka_unit_test(a_full_disk_is_no_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
