/*
 * test_record_queue_room.c - the memory of waiting records: a record without room is lost, and this
 * is reported in its place; while there is room nothing is lost.
 */
#include "big_event.h"
#include "failing_alloc.h"
#include "record/record_queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <cmocka.h>

enum { MEGABYTE = 1024 * 1024 };

/* A reader that reads only when it may, and checks that lost records are reported. */
struct slow_reader {
    pthread_mutex_t lock;
    pthread_cond_t let;
    bool may_read;
    uint64_t next; /* frame expected */
    uint64_t num_begun, num_read, num_told, num_messages, num_flushes;
    uint64_t told[LOSS_CAUSE_COUNT];
};

static bool read_slowly(void *context, const struct record *record)
{
    struct slow_reader *reader = context;
    pthread_mutex_lock(&reader->lock);
    reader->num_begun++;
    while (!reader->may_read)
        pthread_cond_wait(&reader->let, &reader->lock);
    const uint64_t next = reader->next++;
    reader->num_read++;
    pthread_mutex_unlock(&reader->lock);
    assert_int_equal(record->event->frame, next);
    return true;
}

static bool hear_loss(void *context, const struct loss *loss)
{
    struct slow_reader *reader = context;
    assert_true(loss->count != 0);
    if (loss->cause == LOSS_QUEUE) {
        assert_int_equal(loss->first_ns, reader->next * 10);
        reader->next += loss->count;
        assert_int_equal(loss->last_ns, (reader->next - 1) * 10);
        assert_int_equal(loss->messages, loss->count);
    }
    reader->told[loss->cause] += loss->count;
    reader->num_told++;
    return true;
}

static bool flush_slowly(void *context)
{
    ((struct slow_reader *)context)->num_flushes++;
    return true;
}

static void let_read(struct slow_reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    reader->may_read = true;
    pthread_cond_broadcast(&reader->let);
    pthread_mutex_unlock(&reader->lock);
}

/* Records of len bytes, numbered by their frame, ten nanoseconds apart. */
static void feed(struct record_queue *queue, size_t len, uint64_t from, uint64_t to)
{
    static uint8_t bytes[3 * MEGABYTE];
    struct ds_conn conn = {.number = 1};
    for (uint64_t frame = from; frame < to; frame++) {
        struct ds_event event = big_event(&conn, bytes, len);
        event.frame = frame;
        event.ts_ns = (int64_t)frame * 10;
        const struct record record = {.event = &event};
        assert_true(record_queue_record(queue, &record));
    }
}

/* One record more; it is lost while there is no room. */
static bool has_lost_since(struct record_queue *queue, size_t len, uint64_t frame)
{
    const uint64_t num_lost = record_queue_num_lost(queue);
    feed(queue, len, frame, frame + 1);
    return record_queue_num_lost(queue) != num_lost;
}

static void tells_what_is_lost(size_t len, uint64_t num, uint64_t max_bytes)
{
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {.record = read_slowly, .flush = flush_slowly,
                                               .lost = hear_loss, .context = &reader};
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, max_bytes);
    assert_non_null(queue);
    feed(queue, len, 1, num);
    record_queue_flush(queue); /* does not wait */
    assert_true(record_queue_num_lost(queue) != 0);
    const struct loss by_kernel = {.cause = LOSS_KERNEL, .count = 7, .first_ns = 1, .last_ns = 1};
    record_queue_add_loss(queue, &by_kernel);
    record_queue_add_loss(queue, &by_kernel);
    let_read(&reader);
    for (int i = 0; i < 50 && has_lost_since(queue, len, num + (uint64_t)i); i++)
        usleep(20000);
    const uint64_t num_lost = record_queue_num_lost(queue);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(reader.num_read + num_lost, reader.next - 1);
    assert_int_equal(reader.told[LOSS_QUEUE], num_lost);
    assert_int_equal(reader.told[LOSS_KERNEL], 14);
    assert_true(reader.num_read != 0);
    assert_true(reader.num_flushes != 0);
}

static void loses_records_rather_than_packets(void **state)
{
    (void)state;
    tells_what_is_lost(100, 100000, 4 * MEGABYTE);
    tells_what_is_lost(100, 100000, 1);
    tells_what_is_lost(300000, 100, 8 * MEGABYTE);
    tells_what_is_lost(2500000, 20, 8 * MEGABYTE); /* blocks that grew */
}

/* Each record has a block that grew to 4 MiB: two of them may wait, and a third is filled. Reading
 * them makes room again. */
static void has_as_much_room_as_allowed(void **state)
{
    enum { LEN = 2500000 };
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {.record = read_slowly, .flush = flush_slowly,
                                               .lost = hear_loss, .context = &reader};
    (void)state;
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, 8 * MEGABYTE);
    assert_non_null(queue);
    feed(queue, LEN, 1, 11);
    const uint64_t num_lost = record_queue_num_lost(queue);
    let_read(&reader);
    uint64_t frame = 11;
    for (int i = 0; i < 12000 && has_lost_since(queue, LEN, frame++); i++)
        usleep(10000);
    /* Until no record waits; then it may read no more. */
    for (int i = 0; i < 12000 && reader.may_read; i++) {
        record_queue_flush(queue);
        usleep(10000);
        pthread_mutex_lock(&reader.lock);
        reader.may_read = reader.num_read + record_queue_num_lost(queue) != frame - 1;
        pthread_mutex_unlock(&reader.lock);
    }
    int in_a_row = 0;
    for (int i = 0; i < 12000 && in_a_row < 2; i++) {
        in_a_row = has_lost_since(queue, LEN, frame++) ? 0 : in_a_row + 1;
        usleep(in_a_row == 0 ? 10000 : 0);
    }
    let_read(&reader);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(num_lost, 7);
    assert_int_equal(in_a_row, 2);
}

static void loses_nothing_while_there_is_room(void **state)
{
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {.record = read_slowly, .flush = flush_slowly,
                                               .lost = hear_loss, .context = &reader};
    (void)state;
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, 32 * MEGABYTE);
    assert_non_null(queue);
    for (uint64_t frame = 1; frame < 1000; frame++) { /* flushes do not use it up */
        feed(queue, 1000, frame, frame + 1);
        record_queue_flush(queue);
    }
    feed(queue, 1000000, 1000, 1025);
    assert_int_equal(record_queue_num_lost(queue), 0);
    let_read(&reader);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(reader.num_read, 1024);
    assert_int_equal(reader.num_told, 0);
}

static void does_not_start_without_memory(void **state)
{
    const struct record_queue_target target = {.record = read_slowly, .flush = flush_slowly,
                                               .lost = hear_loss};
    (void)state;
    for (int n = 1; n <= 3; n++) {
        failing_alloc_at(n);
        assert_null(record_queue_start(&target, MEGABYTE));
        failing_alloc_at(0);
    }
}

/* Reading makes as much room as was used, however often. */
static void has_the_same_room_again(void **state)
{
    enum { LEN = 2500000, NUM = 10, NUM_FIT = 3 };
    struct slow_reader reader = {.next = 1};
    const struct record_queue_target target = {.record = read_slowly, .flush = flush_slowly,
                                               .lost = hear_loss, .context = &reader};
    uint64_t frame = 1;
    (void)state;
    pthread_mutex_init(&reader.lock, NULL);
    pthread_cond_init(&reader.let, NULL);
    struct record_queue *queue = record_queue_start(&target, 8 * MEGABYTE);
    assert_non_null(queue);
    for (uint64_t round = 1; round <= 3; round++) {
        /* When it begins with the first of them, it has finished all before. */
        feed(queue, LEN, frame, frame + 1);
        bool has_begun = false;
        for (int i = 0; i < 12000 && !has_begun; i++) {
            record_queue_flush(queue);
            usleep(10000);
            pthread_mutex_lock(&reader.lock);
            has_begun = reader.num_begun == (round - 1) * NUM_FIT + 1;
            pthread_mutex_unlock(&reader.lock);
        }
        feed(queue, LEN, frame + 1, frame + NUM);
        frame += NUM;
        assert_int_equal(record_queue_num_lost(queue), round * (NUM - NUM_FIT));
        let_read(&reader);
        for (int i = 0; i < 12000 && reader.may_read; i++) {
            record_queue_flush(queue);
            usleep(10000);
            pthread_mutex_lock(&reader.lock);
            reader.may_read = reader.num_read != round * NUM_FIT;
            pthread_mutex_unlock(&reader.lock);
        }
    }
    let_read(&reader);
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(reader.num_read, 3 * NUM_FIT);
}

static bool read_in_order(void *context, const struct record *record)
{
    uint64_t *next = context;
    usleep(5000);
    assert_int_equal(record->event->frame, *next);
    ++*next;
    return true;
}

static bool flush_nothing(void *context)
{
    (void)context;
    return true;
}

/* A record that is not copied comes after all blocks before it. */
static void gives_large_records_in_their_turn(void **state)
{
    uint64_t next = 1;
    const struct record_queue_target target = {.record = read_in_order, .flush = flush_nothing,
                                               .context = &next};
    (void)state;
    struct record_queue *queue = record_queue_start(&target, 0);
    assert_non_null(queue);
    for (uint64_t frame = 1; frame < 50; frame += 5) {
        feed(queue, 200000, frame, frame + 4); /* a block each */
        feed(queue, 2 * MEGABYTE, frame + 4, frame + 5);
    }
    assert_true(record_queue_stop(queue, NULL));
    assert_int_equal(next, 51);
}

static const uint8_t large[MEGABYTE + 1];
static unsigned num_at_once;

static bool see_whether_copied(void *context, const struct record *record)
{
    (void)context;
    num_at_once += record->event->bytes == large;
    return true;
}

/* A block grows to at most four times its usual length: a longer record is not copied. */
static void copies_no_more_than_four_blocks(void **state)
{
    static const size_t block_lens[] = {0, 32 * 1024};
    (void)state;
    for (size_t i = 0; i < sizeof block_lens / sizeof block_lens[0]; i++) {
        const struct record_queue_target target = {
            .record = see_whether_copied, .flush = flush_nothing, .block_len = block_lens[i]};
        const size_t most = 4 * (block_lens[i] != 0 ? block_lens[i] : RECORD_BLOCK_LEN);
        struct ds_conn conn = {.number = 1};
        struct record_queue *queue = record_queue_start(&target, 0);
        assert_non_null(queue);
        num_at_once = 0;
        for (size_t more = 0; more < 2; more++) {
            struct ds_event event = big_event(&conn, large, most + more);
            const struct record record = {.event = &event};
            assert_true(record_queue_record(queue, &record));
        }
        assert_true(record_queue_stop(queue, NULL));
        assert_int_equal(num_at_once, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loses_records_rather_than_packets),
        cmocka_unit_test(has_as_much_room_as_allowed),
        cmocka_unit_test(has_the_same_room_again),
        cmocka_unit_test(gives_large_records_in_their_turn),
        cmocka_unit_test(copies_no_more_than_four_blocks),
        cmocka_unit_test(loses_nothing_while_there_is_room),
        cmocka_unit_test(does_not_start_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
