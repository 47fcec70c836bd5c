/*
 * test_packet_notes.c - comments of packets that are kept: each goes with its packet, a late one
 * with the next packet, the rest at the end with none; what TLS has encrypted is not shown.
 */
#include "failing_alloc.h"
#include "keep/packet_notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ds_conn conn = {.number = 1};
static const struct ds_tls tls;

/* tell records a gap of that many bytes at a packet. */
static void tell(struct packet_notes *notes, uint64_t frame, uint64_t bytes)
{
    const struct ds_event event = {
        .type = DS_EVENT_GAP, .frame = frame, .conn = &conn, .gap = {.bytes = bytes}};
    packet_notes_record(notes, &(struct record){.event = &event});
}

static bool says(const struct ds_buffer *comments, const char *text)
{
    return comments != NULL && memmem(comments->data, comments->len, text, strlen(text)) != NULL;
}

static void goes_with_its_packet(void **state)
{
    struct packet_notes *notes = packet_notes_new(&(struct packet_notes_config){0});
    const struct ds_buffer *got;
    (void)state;
    assert_null(packet_notes_pop(notes, 1));
    tell(notes, 3, 1003);
    tell(notes, 3, 1033);
    tell(notes, 5, 1005);
    assert_null(packet_notes_pop(notes, 2));
    got = packet_notes_pop(notes, 3);
    assert_true(says(got, "1003") && says(got, "1033") && !says(got, "1005"));
    assert_null(packet_notes_pop(notes, 4));
    assert_true(says(packet_notes_pop(notes, 5), "1005"));
    assert_null(packet_notes_pop(notes, 6));
    assert_null(packet_notes_rest(notes));
    packet_notes_free(notes);
}

static void what_is_late_goes_with_the_next(void **state)
{
    struct packet_notes *notes = packet_notes_new(&(struct packet_notes_config){0});
    const struct ds_buffer *got;
    (void)state;
    tell(notes, 7, 1007);
    tell(notes, 2, 1002); /* packet 2 is written already */
    tell(notes, 0, 1000); /* the packet of this one is not known */
    got = packet_notes_pop(notes, 8); /* 7 is not kept */
    assert_true(says(got, "1007") && says(got, "1002") && says(got, "1000"));
    tell(notes, 9, 1009);
    assert_true(says(packet_notes_rest(notes), "1009"));
    packet_notes_free(notes);
}

static void has_a_cap(void **state)
{
    enum { MANY = 20000 };
    struct packet_notes *notes = packet_notes_new(&(struct packet_notes_config){0});
    (void)state;
    for (unsigned i = 0; i < MANY; i++)
        tell(notes, 1, 123456789);
    const struct ds_buffer *got = packet_notes_pop(notes, 1);
    assert_true(says(got, "lines more"));
    assert_in_range(got->len, 200 * 1024, 280 * 1024);
    for (uint64_t frame = 2; frame < 40 * MANY; frame++) /* of all packets together */
        tell(notes, frame, 123456789);
    size_t all = 0, num = 0;
    bool is_said = false;
    for (uint64_t frame = 2; (got = packet_notes_pop(notes, frame)) != NULL; frame++, num++) {
        assert_false(is_said);
        is_said = says(got, "lines more");
        all += got->len;
    }
    assert_true(is_said && num < 40 * MANY - 2);
    assert_in_range(all, 16 * 1024 * 1024, 16 * 1024 * 1024 + 1024);
    packet_notes_free(notes);
}

static void tells_nothing_that_was_sealed(void **state)
{
    struct packet_notes *notes = packet_notes_new(&(struct packet_notes_config){.hides_tls = true});
    (void)state;
    tell(notes, 1, 1001);
    conn.tls = &tls;
    tell(notes, 1, 1002);
    conn.tls = NULL;
    const struct ds_buffer *got = packet_notes_pop(notes, 1);
    assert_true(says(got, "1001") && !says(got, "1002"));
    packet_notes_free(notes);
}

static void run_short_of_memory(void *context)
{
    struct packet_notes *notes = packet_notes_new(&(struct packet_notes_config){0});
    (void)context;
    if (notes == NULL)
        return;
    tell(notes, 1, 1001);
    tell(notes, 2, 1002);
    tell(notes, 2, 1003);
    (void)packet_notes_pop(notes, 1);
    tell(notes, 4, 1004);
    (void)packet_notes_pop(notes, 3);
    (void)packet_notes_rest(notes);
    tell(notes, 5, 1005);
    packet_notes_free(notes);
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run_short_of_memory, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_with_its_packet),
        cmocka_unit_test(what_is_late_goes_with_the_next),
        cmocka_unit_test(has_a_cap),
        cmocka_unit_test(tells_nothing_that_was_sealed),
        cmocka_unit_test(survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
