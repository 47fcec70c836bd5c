/*
 * test_record_copy.c - copies of records in a block: as large as the record is, with nothing of the
 * one before, and of the connection what was known at the time.
 */
#include "big_event.h"
#include "failing_alloc.h"
#include "record_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void grows_for_a_large_record(void **state)
{
    const size_t len = 5 * 1024 * 1024;
    uint8_t *bytes = calloc(1, len);
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    (void)state;
    assert_non_null(bytes);
    bytes[len - 1] = 42;
    const struct ds_event small = big_event(&conn, bytes, 10);
    const struct ds_event big = big_event(&conn, bytes, len);
    struct record record = {.event = &small};
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record.event = &big;
    assert_int_equal(record_block_add(&block, &record), COPY_FULL);
    record_block_clear(&block);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    const struct ds_event *copy = block.first->record->event;
    assert_non_null(copy);
    assert_ptr_not_equal(copy->bytes, bytes);
    assert_ptr_equal(copy->bytes, copy->message.control.data);
    assert_int_equal(copy->bytes[len - 1], 42);
    record_block_clear(&block);
    assert_null(block.data); /* as much is not kept */
    record_block_free(&block);
    free(bytes);
}

/* What one record has does not show in the next: records are put together in one place. */
static void leaves_nothing_of_the_last_record(void **state)
{
    const uint8_t bytes[] = {97, 1};
    const struct ds_term term = {.data = bytes, .len = sizeof bytes};
    const struct titles titles = {
        .num = 1, .text = {{"pg:a", 4}}, .elixir = {{"pg::a", 5}}};
    struct ds_conn conn = {.number = 1};
    struct ds_event full = big_event(&conn, bytes, sizeof bytes), less = full;
    for (int role = 0; role < DS_ROLE_COUNT; role++)
        full.message.role[role] = term;
    full.message.token = (struct ds_token){.present = true, .label = term, .from = term};
    less.message.role[0] = term;
    const struct record records[] = {
        {.event = &full, .note = {.to_titles = &titles}, .left_out = true},
        {.event = &less},
        {.call = &(struct call){.number = 3}},
        {.event = &less},
    };
    struct record_block block = {0};
    struct record alone = {0};
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        assert_int_equal(i == 1 ? record_block_add_event(&block, &less)
                                : record_block_add(&block, &records[i]),
                         COPY_OK);

    const struct copied_record *copy = block.first;
    const struct record *record = copied_record_get(copy, &alone);
    assert_int_equal(record->note.to_titles->num, 1);
    const struct ds_text elixir = titles_text(record->note.to_titles, 0, DS_SYNTAX_ELIXIR);
    assert_true(elixir.len == 5 && memcmp(elixir.data, "pg::a", 5) == 0);
    assert_true(elixir.data != titles.elixir[0].data);
    assert_true(record->left_out && record->event->message.token.present);
    assert_non_null(record->event->message.role[DS_ROLE_COUNT - 1].data);
    for (int again = 0; again < 2; again++) {
        assert_true((copy->next->record == NULL) == (again == 0));
        record = copied_record_get(copy = copy->next, &alone);
        assert_null(record->note.to_titles);
        assert_null(record->call);
        assert_false(record->left_out || record->event->message.token.present);
        assert_null(record->event->message.token.label.data);
        assert_non_null(record->event->message.role[0].data);
        for (int role = 1; role < DS_ROLE_COUNT; role++)
            assert_null(record->event->message.role[role].data);
        if (again == 0) {
            record = copied_record_get(copy = copy->next, &alone);
            assert_null(record->event);
            assert_int_equal(record->call->number, 3);
        }
    }
    record_block_free(&block);
}

/* What a copy says of its connection is what was known when it was made. */
static void keeps_what_a_connection_was(void **state)
{
    const uint8_t bytes[] = {97, 1};
    struct ds_conn conn = {.number = 1};
    struct record_block block = {0};
    struct ds_conn expected[7];
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    (void)state;
    for (int i = 0; i < 7; i++) {
        struct ds_endpoint *end = &conn.end[i % 2];
        conn.counters[1].gaps += i == 1;
        conn.counters[0].faults += i == 2;
        if (i == 3)
            end->node = (struct ds_text){"a@h", 3};
        end->creation += i == 4;
        end->node_inferred = end->node_inferred || i == 5;
        if (i == 6)
            conn.end[1].node = (struct ds_text){"b@h", 3};
        expected[i] = conn;
        assert_int_equal(record_block_add(&block, &record), COPY_OK);
    }
    const struct copied_record *copy = block.first;
    for (int i = 0; i < 7; i++, copy = copy->next) {
        const struct ds_conn *known = copy->record->event->conn;
        for (int end = 0; end < 2; end++) {
            assert_int_equal(known->counters[end].gaps, expected[i].counters[end].gaps);
            assert_int_equal(known->counters[end].faults, expected[i].counters[end].faults);
            assert_int_equal(known->end[end].creation, expected[i].end[end].creation);
            assert_int_equal(known->end[end].node_inferred, expected[i].end[end].node_inferred);
            assert_int_equal(known->end[end].node.len, expected[i].end[end].node.len);
            if (known->end[end].node.len != 0)
                assert_memory_equal(known->end[end].node.data, expected[i].end[end].node.data, 3);
        }
    }
    record_block_free(&block);
}

static void says_that_memory_ran_out(void **state)
{
    const uint8_t bytes[] = {1, 2, 3};
    struct ds_conn conn = {.number = 1};
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    struct record_block block = {0};
    (void)state;
    failing_alloc_at(1);
    assert_int_equal(record_block_add(&block, &record), COPY_NO_MEMORY);
    failing_alloc_at(0);
    assert_int_equal(record_block_add(&block, &record), COPY_OK);
    record_block_free(&block);
    failing_alloc_at(1);
    assert_int_equal(record_block_add_event(&block, &event), COPY_NO_MEMORY);
    failing_alloc_at(0);
    assert_int_equal(record_block_add_event(&block, &event), COPY_OK);
    record_block_free(&block);
}

/* An event alone is copied as one in a record is, and is less to copy. */
static void copies_an_event_alone(void **state)
{
    static uint8_t bytes[1000];
    struct ds_conn conn = {.number = 1};
    const struct ds_event event = big_event(&conn, bytes, sizeof bytes);
    const struct record record = {.event = &event};
    struct record_block alone = {0}, known = {0};
    struct record empty = {0};
    size_t num = 0, num_known = 0;
    (void)state;
    bytes[999] = 7;
    while (record_block_add(&known, &record) == COPY_OK)
        num_known++;
    while (record_block_add_event(&alone, &event) == COPY_OK)
        num++;
    assert_true(num > num_known);
    for (const struct copied_record *copy = alone.first; copy != NULL; copy = copy->next, num--) {
        const struct record *got = copied_record_get(copy, &empty);
        assert_ptr_equal(got->event, copy->event);
        assert_int_equal(got->event->conn->number, 1);
        assert_memory_equal(got->event->bytes, bytes, sizeof bytes);
        assert_ptr_equal(got->event->message.control.data, got->event->bytes);
        assert_null(got->call);
        assert_false(got->link_facts);
    }
    assert_int_equal(num, 0);
    assert_ptr_equal(copied_record_get(known.first, &empty), known.first->record);
    record_block_free(&alone);
    record_block_free(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_for_a_large_record),
        cmocka_unit_test(leaves_nothing_of_the_last_record),
        cmocka_unit_test(keeps_what_a_connection_was),
        cmocka_unit_test(says_that_memory_ran_out),
        cmocka_unit_test(copies_an_event_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
