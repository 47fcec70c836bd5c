/*
 * test_pseudo_packet.c - a pseudo packet is read as the segment that it was made of, for any link
 * type; and the file names of --trigger.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture/pseudo_packet.h"
#include "keep/recorder_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
#define LINK_TYPE(id, number, ...) LINK_##id = number,
#include <distsniff/link_types.def>
#undef LINK_TYPE
};

static struct ds_segment segment_of(uint8_t family)
{
    return (struct ds_segment){
        .src = {family, {10, 0, 0, 1}},
        .dst = {family, {10, 0, 0, 2}},
        .src_port = 1234,
        .dst_port = 4369,
        .seq = 4000000000,
        .ack = 7,
        .window = 99,
        .flags = 24,
        .payload = (const uint8_t *)"hello",
        .payload_len = 5,
        .truncated_len = 3,
    };
}

static void is_read_as_it_was_made(void **state)
{
    static const struct {
        uint32_t link_type;
        bool has_ip4, has_ip6;
    } kinds[] = {
#define LINK_TYPE(id, number, ...) {number, number != LINK_IPV6, number != LINK_IPV4},
#include <distsniff/link_types.def>
#undef LINK_TYPE
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof kinds / sizeof kinds[0]; i++) {
        const uint32_t link_type = kinds[i / 2].link_type;
        const uint8_t family = i % 2 == 0 ? 4 : 6;
        const bool wanted = family == 4 ? kinds[i / 2].has_ip4 : kinds[i / 2].has_ip6;
        const struct ds_segment made = segment_of(family);
        struct ds_segment got;
        struct ds_buffer buffer = {0};
        struct ds_packet packet;
        assert_true(ds_link_type_known(link_type));
        assert_int_equal(pseudo_packet(&made, 5, link_type, &buffer, &packet), wanted);
        if (wanted) {
            assert_true(ds_packet_segment(&packet, &got));
            assert_memory_equal(&got.src, &made.src, sizeof got.src);
            assert_memory_equal(&got.dst, &made.dst, sizeof got.dst);
            assert_int_equal(got.seq, made.seq);
            assert_int_equal(got.ack, made.ack);
            assert_int_equal(got.flags, made.flags);
            assert_int_equal(got.dst_port, made.dst_port);
            assert_int_equal(got.payload_len, 5);
            assert_memory_equal(got.payload, "hello", 5);
            assert_int_equal(got.truncated_len, 3);
        }
        ds_buffer_free(&buffer);
    }
}

static void is_known_by_its_mark_alone(void **state)
{
    static const uint32_t link_types[] = {
#define LINK_TYPE(id, number, ...) number,
#include <distsniff/link_types.def>
#undef LINK_TYPE
    };
    enum { KEY = 0x12345678 };
    const struct ds_snapshot past = {.sent_ns = -7,
                                     .point = {4000000000, 9},
                                     .knows = {false, true},
                                     .kind = DS_SNAPSHOT_LIKELY,
                                     .begins = true};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof link_types / sizeof link_types[0]; i++) {
        const uint8_t family = i % 2 == 0 ? 4 : 6;
        struct ds_segment made = segment_of(family), got;
        struct ds_buffer buffer = {0}, marked = {0};
        struct ds_packet packet;
        if (link_types[i / 2] == (family == 4 ? LINK_IPV6 : LINK_IPV4))
            continue;
        made.past = past;
        assert_true(pseudo_packet(&made, 5, link_types[i / 2], &buffer, &packet));
        assert_int_equal(packet.past.kind, DS_SNAPSHOT_LIKELY);
        assert_true(pseudo_packet_sign(&packet, KEY, &marked));
        assert_true(ds_packet_segment(&packet, &got));
        assert_int_equal(got.payload_len, 5);
        assert_int_equal(got.truncated_len, 3);

        packet.past = (struct ds_snapshot){0};
        pseudo_packet_read(&packet, KEY + 1);
        assert_int_equal(packet.past.kind, DS_SNAPSHOT_NONE);
        pseudo_packet_read(&packet, KEY);
        assert_int_equal(packet.past.sent_ns, -7);
        assert_memory_equal(packet.past.point, past.point, sizeof past.point);
        assert_false(packet.past.knows[0]);
        assert_true(packet.past.knows[1]);
        assert_int_equal(packet.past.kind, DS_SNAPSHOT_LIKELY);
        assert_true(packet.past.begins);

        /* Cut anywhere, it is not a packet. */
        for (uint32_t len = 0; len < packet.cap_len - 5; len++) {
            struct ds_packet cut = packet;
            cut.cap_len = len;
            cut.past.kind = DS_SNAPSHOT_NONE;
            cut.data = memcpy(malloc(len + 1), packet.data, len);
            pseudo_packet_read(&cut, KEY);
            assert_int_equal(cut.past.kind, DS_SNAPSHOT_NONE);
            free((void *)(uintptr_t)cut.data);
        }
        ds_buffer_free(&buffer);
        ds_buffer_free(&marked);
    }
}

/* The families that tcpdump and Wireshark know are 2 and 24, 28 or 30. */
static void says_the_family_that_others_know(void **state)
{
    struct ds_buffer buffer = {0};
    struct ds_packet packet;
    const struct ds_segment made = segment_of(6);
    (void)state;
    assert_true(pseudo_packet(&made, 5, 0, &buffer, &packet));
    assert_memory_equal(packet.data, "\0\0\0\30", 4);
    ds_buffer_free(&buffer);
}

/* A name is reserved at once, as another run may look at the same moment. */
static void gives_no_name_out_twice(void **state)
{
    char folder[] = "/tmp/test_pseudo_packet.XXXXXX", pattern[64];
    static char first[RECORDER_NAME_LEN], second[RECORDER_NAME_LEN];
    struct stat status;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("TZ", "UTC", 1), 0);
    snprintf(pattern, sizeof pattern, "%s/a.pcap", folder);
    assert_true(recorder_name(pattern, 1000000000, first));
    assert_true(recorder_name(pattern, 1000000000, second));
    assert_string_equal(first + strlen(folder), "/a-19700101-000001.pcap");
    assert_string_equal(second + strlen(folder), "/a-19700101-000001-2.pcap");
    assert_int_equal(stat(first, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    unlink(first);
    unlink(second);
    snprintf(pattern, sizeof pattern, "%s/%%d/b", folder); /* no such folder: this is reported later */
    assert_true(recorder_name(pattern, 0, first));
    assert_string_equal(first + strlen(folder), "/01/b");
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_as_it_was_made),
        cmocka_unit_test(is_known_by_its_mark_alone),
        cmocka_unit_test(says_the_family_that_others_know),
        cmocka_unit_test(gives_no_name_out_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
