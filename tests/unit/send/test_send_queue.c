/*
 * test_send_queue.c - the ring between who captures and who sends: order, room, its end.
 */
#include "send/send_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SIZE = 4096, NUM_TYPES = 14 };

static struct send_queue *make(void)
{
    struct send_queue *queue = send_queue_new(SIZE);
    assert_non_null(queue);
    return queue;
}

/* take reads the next entry and lets it go; its body has to be as it was made of number. */
static void take(struct send_queue *queue, uint64_t *position, unsigned number, size_t len)
{
    char id[32];
    const struct send_entry *entry = send_queue_at(queue, position);
    assert_non_null(entry);
    snprintf(id, sizeof id, "id.%u", number);
    assert_string_equal(send_entry_id(entry), id);
    assert_int_equal(entry->type, number % NUM_TYPES);
    assert_int_equal(entry->body_len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal((unsigned char)send_entry_body(entry)[i], (unsigned char)(number + i));
    *position += entry->size;
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

static void entries_come_in_order(void **state)
{
    struct send_queue *queue = make();
    uint64_t position = 0;
    unsigned pushed = 0, taken = 0;
    (void)state;
    srand(7);
    /* Many times around, of all lengths. */
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
    assert_null(send_queue_at(queue, &position));
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
    assert_null(send_queue_at(queue, &position));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_in_order),
        cmocka_unit_test(what_finds_no_room_changes_nothing),
        cmocka_unit_test(what_never_fits_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
