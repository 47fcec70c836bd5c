/*
 * test_made_packets.c - pseudo packets of a snapshot on their way through a stream: as JSON,
 * through the merge of hosts, a pipe, and a capture file. They stay pseudo packets, and in order.
 */
#include "capture/packet_pipe.h"
#include "capture/pseudo_packet.h"
#include "send/nats/host_file.h"
#include "send/nats/host_merge.h"
#include "send/nats/packet_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <pcap/pcap.h>

enum { SLL2 = 276 };

/* made_packet makes a pseudo packet for a letter. */
static struct ds_packet made_packet(char letter, int64_t ts_ns, uint64_t frame, struct ds_buffer *bytes)
{
    const uint8_t payload = (uint8_t)letter;
    const struct ds_segment segment = {
        .src = {4, {10, 0, 0, 1}},
        .dst = {4, {10, 0, 0, 2}},
        .src_port = 1,
        .dst_port = 2,
        .payload = &payload,
        .payload_len = 1,
        .past = {.kind = DS_SNAPSHOT_FRAMES, .sent_ns = -1, .point = {7, 8}, .knows = {true, true}},
    };
    struct ds_packet packet;
    assert_true(pseudo_packet(&segment, ts_ns, SLL2, bytes, &packet));
    packet.frame = frame;
    return packet;
}

static struct ds_packet plain_packet(char letter, int64_t ts_ns, uint64_t frame, struct ds_buffer *bytes)
{
    bytes->len = 0;
    ds_buffer_add(bytes, &letter, 1);
    return (struct ds_packet){.ts_ns = ts_ns,
                              .frame = frame,
                              .link_type = SLL2,
                              .data = (const uint8_t *)bytes->data,
                              .cap_len = 1,
                              .len = 1};
}

/* packet_of makes the packet of a letter: capitals are pseudo packets. */
static struct ds_packet packet_of(char letter, int64_t ts_ns, uint64_t frame, struct ds_buffer *bytes)
{
    return letter >= 'A' && letter <= 'Z' ? made_packet(letter, ts_ns, frame, bytes)
                                          : plain_packet(letter, ts_ns, frame, bytes);
}

/* is_letter checks a packet at the other end. */
static void is_letter(const struct ds_packet *packet, char letter)
{
    const bool is_made = letter >= 'A' && letter <= 'Z';
    assert_int_equal(packet->data[packet->cap_len - 1], letter);
    assert_int_equal(packet->past.kind, is_made ? DS_SNAPSHOT_FRAMES : DS_SNAPSHOT_NONE);
    if (is_made) {
        assert_int_equal(packet->past.sent_ns, -1);
        assert_int_equal(packet->past.point[1], 8);
        assert_true(packet->past.knows[0]);
    }
}

static void as_json(void **state)
{
    static const char no_mark[] = "{\"ts\":\"2026-01-31T23:59:59.123456Z\",\"frame\":1,\"link_type\":276,"
                                  "\"len\":3,\"past\":true,\"data\":\"AQID\"}";
    struct json_writer json = {.time_digits = 9};
    struct ds_buffer out = {0}, bytes = {0}, read = {0};
    struct ds_packet back;
    struct capture_point_counts counts;
    bool has_nanoseconds;
    (void)state;
    for (const char *at = "aA"; *at != '\0'; at++) {
        const struct ds_packet packet = packet_of(*at, 1000000001, 3, &bytes);
        out.len = 0;
        packet_json_write(&json, &packet, "h", NULL, &out);
        assert_true(packet_json_read((struct ds_text){out.data, out.len}, &back, &has_nanoseconds, &counts, &read));
        assert_int_equal(back.frame, 3);
        is_letter(&back, *at);
    }
    assert_false(packet_json_read((struct ds_text){no_mark, strlen(no_mark)}, &back, &has_nanoseconds,
                                  &counts, &read)); /* it claims to be a pseudo packet, and is not */
    ds_buffer_free(&out);
    ds_buffer_free(&bytes);
    ds_buffer_free(&read);
    json_writer_free(&json);
}

/* A captured packet may have the mark, too, as any peer can send it: it is no pseudo packet. */
static void a_mark_alone_is_none(void **state)
{
    struct json_writer json = {.time_digits = 9};
    struct ds_buffer out = {0}, bytes = {0}, read = {0};
    struct ds_packet packet = packet_of('A', 1000000001, 3, &bytes), back;
    struct capture_point_counts counts;
    bool has_nanoseconds;
    (void)state;
    packet.past = (struct ds_snapshot){0};
    packet_json_write(&json, &packet, "h", NULL, &out);
    assert_true(packet_json_read((struct ds_text){out.data, out.len}, &back, &has_nanoseconds, &counts, &read));
    assert_int_equal(back.past.kind, DS_SNAPSHOT_NONE);
    ds_buffer_free(&out);
    ds_buffer_free(&bytes);
    ds_buffer_free(&read);
    json_writer_free(&json);
}

/* through_pipe checks that packets come out of a pipe unchanged. */
static void through_pipe(void **state)
{
    static void (*const on_wait)(void *);
    static void *const wait_context;
    static const char letters[] = "aABb";
    struct ds_buffer out = {0}, bytes = {0};
    struct ds_packet packet;
    int fds[2];
    (void)state;
    packet_pipe_write_head(SLL2, &out);
    for (const char *at = letters; *at != '\0'; at++) {
        packet = packet_of(*at, 1, 1, &bytes);
        packet_pipe_write(&packet, &out);
    }
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], out.data, out.len), out.len);
    close(fds[1]);
    struct packet_pipe *pipe = packet_pipe_open(fds[0], (const uint8_t *)out.data, PACKET_PIPE_HEAD_LEN,
                                                &on_wait, &wait_context);
    uint8_t head[PACKET_PIPE_HEAD_LEN];
    assert_int_equal(read(fds[0], head, sizeof head), sizeof head);
    for (const char *at = letters; *at != '\0'; at++) {
        assert_true(packet_pipe_next(pipe, &packet));
        is_letter(&packet, *at);
    }
    packet_pipe_free(pipe);
    ds_buffer_free(&out);
    ds_buffer_free(&bytes);
}

/* They stay behind the packet whose time and number they have, in order, and none counts as a copy. */
static void through_merge(void **state)
{
    static const char sent[] = "aABAcb", given[] = "abABAc";
    static const uint64_t frames[] = {1, 2, 2, 2, 3, 2};
    const struct host_merge_config config = {.lateness_ns = 1000, .max_bytes = 1 << 20};
    struct host_merge *merge = host_merge_new(&config);
    struct ds_buffer bytes = {0};
    struct ds_packet packet;
    size_t host;
    (void)state;
    for (size_t i = 0; sent[i] != '\0'; i++) {
        packet = packet_of(sent[i], 50, frames[i], &bytes);
        assert_int_equal(host_merge_add(merge, (struct ds_text){"h", 1}, &packet, 50, 0, &host),
                         HOST_MERGE_TAKEN);
    }
    for (size_t i = 0; given[i] != '\0'; i++) {
        assert_true(host_merge_next(merge, config.lateness_ns, &packet, &host));
        is_letter(&packet, given[i]);
    }
    host_merge_free(merge);
    ds_buffer_free(&bytes);
}

/* in_file writes packets of some letters, all of one time, to a file, and reads them. */
static void in_file(const char *sent, const uint64_t frames[], const char *given)
{
    struct host_file file;
    struct ds_buffer bytes = {0};
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    uint32_t key;
    assert_true(host_file_open(&file, SLL2));
    for (size_t i = 0; sent[i] != '\0'; i++) {
        const struct ds_packet packet = packet_of(sent[i], 5000, frames[i], &bytes);
        assert_true(host_file_add(&file, &packet));
    }
    assert_true(host_file_finish(&file));
    assert_int_equal(pread(fileno(file.file), &key, sizeof key, PSEUDO_KEY_AT), sizeof key);
    pcap_t *pcap = pcap_fopen_offline(fdopen(dup(fileno(file.file)), "rb"), error);
    assert_non_null(pcap);
    for (; *given != '\0'; given++) {
        assert_int_equal(pcap_next_ex(pcap, &header, &data), 1);
        struct ds_packet packet = {
            .link_type = SLL2, .data = data, .cap_len = header->caplen, .len = header->len};
        if (key >= PSEUDO_KEY_MIN)
            pseudo_packet_read(&packet, key);
        is_letter(&packet, *given);
    }
    assert_int_equal(pcap_next_ex(pcap, &header, &data), PCAP_ERROR_BREAK);
    pcap_close(pcap);
    host_file_close(&file);
    ds_buffer_free(&bytes);
}

static void in_a_file(void **state)
{
    static const uint64_t in_order[] = {1, 1, 1, 2}, disordered[] = {1, 2, 2, 2, 3, 2, 3};
    (void)state;
    in_file("aABb", in_order, "aABb");
    in_file("aABAcbc", disordered, "abABAc");
    in_file("ab", in_order + 2, "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_json),
        cmocka_unit_test(a_mark_alone_is_none),
        cmocka_unit_test(through_pipe),
        cmocka_unit_test(through_merge),
        cmocka_unit_test(in_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
