/*
 * test_capture_file.c - capture files of all kinds, compressed and damaged.
 */
#include "capture/capture.h"
#include "capture/pcapng_interfaces.h"
#include "util/byte_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <cmocka.h>

enum { NUM_PACKETS = 3, MAX_LEN = 8192 };

/* A capture file in memory. */
struct file {
    uint8_t bytes[MAX_LEN];
    size_t len;
};

static void add_u32(struct file *file, uint32_t value, bool swapped)
{
    if (swapped)
        value = __builtin_bswap32(value);
    memcpy(file->bytes + file->len, &value, 4);
    file->len += 4;
}

/* halves returns two numbers of 16 bits in the order in which they follow each other in a file. */
static uint32_t halves(uint16_t first, uint16_t second)
{
    const uint16_t both[] = {first, second};
    uint32_t out;
    memcpy(&out, both, sizeof out);
    return out;
}

/* Packets one second apart, from first_s on, with a fraction of 5 units. */
static void make_pcap(struct file *file, uint32_t magic, bool swapped, uint32_t first_s)
{
    file->len = 0;
    add_u32(file, magic, swapped);
    add_u32(file, swapped ? halves(4, 2) : halves(2, 4), swapped); /* the version */
    add_u32(file, 0, swapped);
    add_u32(file, 0, swapped);
    add_u32(file, 65535, swapped);
    add_u32(file, 1, swapped);
    for (uint32_t i = 0; i < NUM_PACKETS; i++) {
        add_u32(file, first_s + i, swapped);
        add_u32(file, 5, swapped);
        add_u32(file, 8, swapped);
        add_u32(file, 60, swapped);
        memset(file->bytes + file->len, (int)(first_s + i), 8);
        file->len += 8;
    }
}

static void make_pcapng(struct file *file, uint8_t resolution)
{
    file->len = 0;
    const uint32_t section[] = {0x0A0D0D0A, 28, 0x1A2B3C4D, halves(1, 0),
                                UINT32_MAX, UINT32_MAX, 28};
    for (size_t i = 0; i < 7; i++)
        add_u32(file, section[i], false);
    /* Ethernet, options: resolution, end. */
    const uint32_t interface[] = {1, 32, halves(1, 0), 0, halves(9, 1), htole32(resolution), 0, 32};
    for (size_t i = 0; i < 8; i++)
        add_u32(file, interface[i], false);
    const uint32_t packet[] = {6, 40, 0, 0, 5, 8, 60, 0, 0, 40};
    for (size_t i = 0; i < 10; i++)
        add_u32(file, packet[i], false);
}

static void save(const char *name, const void *bytes, size_t len)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static bool open_files(struct capture *capture, const char **names, size_t num)
{
    struct capture_config options = {.read_files = names, .num_read_files = num};
    if (!capture_open(capture, &options))
        return false;
    const bool begun = capture_begin(capture);
    if (!begun)
        capture_close(capture);
    return begun;
}

static int enter(void **state)
{
    static char directory[] = "/tmp/distsniff-test-XXXXXX";
    *state = mkdtemp(directory);
    return *state == NULL || chdir(directory) != 0;
}

static int leave(void **state)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") != 0 || system(command) != 0;
}

static void assert_three_packets(const char *name, int64_t first_ns, bool nanoseconds)
{
    struct capture capture;
    struct ds_packet packet;
    assert_true(open_files(&capture, &name, 1));
    assert_int_equal(capture_has_nanoseconds(&capture), nanoseconds);
    for (int i = 0; i < NUM_PACKETS; i++) {
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
        assert_int_equal(packet.ts_ns, first_ns + i * INT64_C(1000000000));
        assert_int_equal(packet.frame, i + 1);
        assert_int_equal(packet.link_type, 1);
        assert_int_equal(packet.cap_len, 8);
        assert_int_equal(packet.len, 60);
        assert_int_equal(packet.data[7], 100 + i);
    }
    assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
    assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
    assert_true(capture_close(&capture));
}

static void reads_both_orders_and_resolutions(void **state)
{
    struct file file;
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        make_pcap(&file, 0xA1B2C3D4, swapped != 0, 100);
        save("micro", file.bytes, file.len);
        assert_three_packets("micro", INT64_C(100000005000), false);
        make_pcap(&file, 0xA1B23C4D, swapped != 0, 100);
        save("nano", file.bytes, file.len);
        assert_three_packets("nano", INT64_C(100000000005), true);
    }
}

static void reads_pcapng(void **state)
{
    static const struct {
        uint8_t resolution;
        int64_t ns;
        bool nanoseconds;
    } cases[] = {{6, 5000, false}, {9, 5, true}, {3, 5000000, false}};
    struct file file;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const char *name = "ng";
        struct capture capture;
        struct ds_packet packet;
        make_pcapng(&file, cases[i].resolution);
        save(name, file.bytes, file.len);
        assert_true(open_files(&capture, &name, 1));
        assert_int_equal(capture_has_nanoseconds(&capture), cases[i].nanoseconds);
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
        assert_int_equal(packet.ts_ns, cases[i].ns);
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
        assert_true(capture_close(&capture));
    }
}

/* add_far_pcapng makes a file of either byte order with one packet. */
static void add_far_pcapng(struct file *file, bool swapped, uint32_t offset_high, uint32_t at_high)
{
    /* 64-bit numbers: an interface's offset in seconds has the file's byte order; a time begins
     * with its high half. A one-byte option is the first of its four bytes. */
    const bool is_big = swapped != (htole32(1) != 1);
#define HALVES(first, second) (swapped ? halves(second, first) : halves(first, second))
    const uint32_t blocks[] = {
        0x0A0D0D0A, 28, 0x1A2B3C4D, HALVES(1, 0), UINT32_MAX, UINT32_MAX, 28,
        /* Options: a resolution of seconds, an offset, end. */
        1, 44, HALVES(1, 0), 0, HALVES(9, 1), 0, HALVES(14, 8), is_big ? offset_high : 0,
        is_big ? 0 : offset_high, 0, 44,
        6, 40, 0, at_high, 5, 8, 60, 0, 0, 40};
#undef HALVES
    file->len = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        add_u32(file, blocks[i], swapped);
}

/* Packets at both ends of pcapng's range of times, and in between: no time is out of range for our
 * arithmetic. */
static void times_beyond_all_clocks(void **state)
{
    static const struct {
        uint32_t offset_high; /* the interface's offset in seconds */
        uint32_t at_high;
        int64_t sign;
    } cases[] = {{0x7fffffff, 0, 1}, {0x80000000, 0, -1}, {0x3fffffff, UINT32_MAX, 1},
                 {0xc0000000, 0, -1}};
    struct file file;
    (void)state;
    for (size_t j = 0; j < 2 * (sizeof cases / sizeof cases[0]); j++) {
        const size_t i = j / 2;
        const char *name = "far";
        struct capture capture;
        struct ds_packet packet;
        add_far_pcapng(&file, j % 2 != 0, cases[i].offset_high, cases[i].at_high);
        save(name, file.bytes, file.len);
        assert_true(open_files(&capture, &name, 1));
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
        assert_int_equal(packet.ts_ns, cases[i].sign * (INT64_MAX / 2));
        assert_true(capture_close(&capture));
    }
}

static size_t pack_gzip(const struct file *file, uint8_t *out, size_t size)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, 0), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)file->bytes;
    z.avail_in = (uInt)file->len;
    z.next_out = out;
    z.avail_out = (uInt)size;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

/* add_interface and add_packet add to a pcapng file; a packet has 8 bytes. */
static void add_interface(struct file *file, uint16_t link_type, uint32_t snaplen)
{
    const uint32_t interface[] = {1, 20, halves(link_type, 0), snaplen, 20};
    for (size_t i = 0; i < 5; i++)
        add_u32(file, interface[i], false);
}

static void add_packet(struct file *file, uint32_t interface, uint32_t time)
{
    const uint32_t packet[] = {6, 40, interface, 0, time, 8, 60, 0, 0, 40};
    for (size_t i = 0; i < 10; i++)
        add_u32(file, packet[i], false);
}

/* A file with several interfaces, as Wireshark writes: each packet has the link type of its
 * interface, with any snap length, and unreadable packets are counted. */
static void reads_several_link_types(void **state)
{
    static const uint32_t wanted[] = {276, 1, 101, 189, 1, 12};
    const char *names[] = {"mixed", "mixed.gz"};
    const uint32_t section[] = {0x0A0D0D0A, 28, 0x1A2B3C4D, halves(1, 0), UINT32_MAX, UINT32_MAX, 28};
    struct file file = {.len = 0};
    uint8_t packed[MAX_LEN];
    (void)state;
    for (size_t i = 0; i < 7; i++)
        add_u32(&file, section[i], false);
    add_interface(&file, 189, 65535); /* USB, the first one, has no node */
    add_interface(&file, 276, 262144);
    add_interface(&file, 1, 0);
    add_interface(&file, 101, 4);
    add_packet(&file, 1, 1);
    add_packet(&file, 2, 2);
    add_packet(&file, 3, 3);
    add_packet(&file, 0, 4);
    add_packet(&file, 2, 5);
    for (size_t i = 0; i < 7; i++)
        add_u32(&file, section[i], false);
    add_interface(&file, 12, 65535);
    add_packet(&file, 0, 6);
    save(names[0], file.bytes, file.len);
    save(names[1], packed, pack_gzip(&file, packed, sizeof packed));
    for (size_t n = 0; n < 2; n++) {
        const char *name = names[n];
        struct capture capture;
        struct ds_packet packet;
        assert_true(open_files(&capture, &name, 1));
        assert_int_equal(capture.inputs[0].link_type, 276); /* the first that can be read */
        for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
            assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
            assert_int_equal(packet.link_type, wanted[i]);
            assert_int_equal(packet.frame, i + 1);
            assert_int_equal(packet.ts_ns, (i + 1) * 1000);
            assert_int_equal(packet.cap_len, 8);
        }
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
        assert_int_equal(capture.inputs[0].num_other, 1);
        assert_true(capture_close(&capture)); /* that is no failure */
    }
    /* A readable packet may follow any number of unreadable ones; if there is none, opening fails. */
    for (uint16_t last = 195; last <= 276; last += 81) {
        struct capture capture;
        struct ds_packet packet;
        file.len = 28;
        add_interface(&file, 189, 0);
        for (uint32_t i = 0; i < 40; i++)
            add_packet(&file, 0, i);
        add_interface(&file, last, 0);
        add_packet(&file, 1, 40);
        save(names[0], file.bytes, file.len);
        assert_true(open_files(&capture, names, 1));
        while (capture_next(&capture, &packet) == CAPTURE_PACKET)
            ;
        assert_int_equal(packet.link_type, last);
        assert_int_equal(capture_close(&capture), last == 276);
    }
}

/* Real captures have fewer interfaces; packets of those beyond the cap are counted separately. */
static void reads_many_interfaces(void **state)
{
    static const struct {
        uint32_t interface, link_type;
    } wanted[] = {{4999, 101},
                  {PCAPNG_INTERFACES_MAX - 1, 101},
                  {PCAPNG_INTERFACES_MAX, PCAPNG_NO_LINK_TYPE}};
    enum { NUM = sizeof wanted / sizeof wanted[0] };
    const uint32_t section[] = {0x0A0D0D0A, 28, 0x1A2B3C4D, halves(1, 0), UINT32_MAX, UINT32_MAX, 28};
    const char *name = "many";
    struct file head = {.len = 0}, interface = {.len = 0}, packets = {.len = 0};
    struct capture capture;
    struct ds_packet packet;
    FILE *file = fopen(name, "wb");
    (void)state;
    assert_non_null(file);
    for (size_t i = 0; i < 7; i++)
        add_u32(&head, section[i], false);
    add_interface(&interface, 101, 0);
    for (uint32_t i = 0; i < NUM; i++)
        add_packet(&packets, wanted[i].interface, i);
    assert_int_equal(fwrite(head.bytes, 1, head.len, file), head.len);
    for (size_t i = 0; i <= PCAPNG_INTERFACES_MAX; i++)
        assert_int_equal(fwrite(interface.bytes, 1, interface.len, file), interface.len);
    assert_int_equal(fwrite(packets.bytes, 1, packets.len, file), packets.len);
    assert_int_equal(fclose(file), 0);
    assert_true(open_files(&capture, &name, 1));
    for (size_t i = 0; i < NUM; i++) {
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
        assert_int_equal(packet.link_type, wanted[i].link_type);
    }
    assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
    assert_int_equal(capture.inputs[0].num_beyond, 1);
    assert_int_equal(capture.inputs[0].num_other, 0);
    assert_true(capture_close(&capture));
}

/* Simple packets have only their original length: the snap length of the first interface in their
 * section limits them. It does not limit packets of other interfaces. */
static void reads_simple_packets(void **state)
{
    static const uint32_t section[] = {0x0A0D0D0A, 28, 0x1A2B3C4D, 1, UINT32_MAX, UINT32_MAX, 28};
    static const struct {
        uint32_t link_type, snaplen, len, cap_len;
    } cases[] = {{276, 5, 60, 5}, {276, 5, 3, 3}, {101, 6, 6, 6},
                 {101, 6, 7, 6},  {1, 0, 9, 9},   {1, 9, 8, 8}};
    const char *names[] = {"simple", "simple.gz"};
    struct file file = {.len = 0};
    uint8_t packed[MAX_LEN];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t j = 0; j < 7; j++)
            add_u32(&file, section[j], false);
        add_interface(&file, (uint16_t)cases[i].link_type, cases[i].snaplen);
        add_interface(&file, 1, 100);
        const uint32_t padded = (cases[i].cap_len + 3) & ~3U;
        add_u32(&file, 3, false);
        add_u32(&file, 16 + padded, false);
        add_u32(&file, cases[i].len, false);
        memset(file.bytes + file.len, 0, padded);
        memset(file.bytes + file.len, 7, cases[i].cap_len);
        file.len += padded;
        add_u32(&file, 16 + padded, false);
        add_packet(&file, 1, 1);
    }
    save(names[0], file.bytes, file.len);
    save(names[1], packed, pack_gzip(&file, packed, sizeof packed));
    for (size_t n = 0; n < 2; n++) {
        struct capture capture;
        struct ds_packet packet;
        assert_true(open_files(&capture, &names[n], 1));
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
            assert_int_equal(packet.link_type, cases[i].link_type);
            assert_int_equal(packet.len, cases[i].len);
            assert_int_equal(packet.cap_len, cases[i].cap_len);
            assert_int_equal(packet.data[packet.cap_len - 1], 7);
            assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
            assert_int_equal(packet.cap_len, 8);
        }
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
        assert_true(capture_close(&capture));
    }
}

/* Packs the file in two parts, as two members or frames. */
static size_t pack(const struct file *file, bool zstd, uint8_t *out)
{
    size_t len = 0;
    for (int half = 0; half < 2; half++) {
        struct file part = {.len = half == 0 ? 30 : file->len - 30};
        memcpy(part.bytes, file->bytes + (half == 0 ? 0 : 30), part.len);
        len += zstd ? ZSTD_compress(out + len, MAX_LEN - len, part.bytes, part.len, 3)
                    : pack_gzip(&part, out + len, MAX_LEN - len);
    }
    return len;
}

static void unpacks(void **state)
{
    struct file file;
    uint8_t packed[MAX_LEN];
    (void)state;
    make_pcap(&file, 0xA1B23C4D, false, 100);
    for (int zstd = 0; zstd < 2; zstd++) {
        save("packed", packed, pack(&file, zstd != 0, packed));
        assert_three_packets("packed", INT64_C(100000000005), true);
    }
}

static void says_when_packed_data_is_cut(void **state)
{
    const char *name = "packed";
    struct file file;
    uint8_t packed[MAX_LEN];
    (void)state;
    make_pcap(&file, 0xA1B2C3D4, false, 100);
    for (int zstd = 0; zstd < 2; zstd++) {
        size_t len = pack(&file, zstd != 0, packed);
        for (size_t cut = 0; cut < len; cut++) {
            struct capture capture;
            struct ds_packet packet;
            save(name, packed, cut);
            if (open_files(&capture, &name, 1)) {
                while (capture_next(&capture, &packet) == CAPTURE_PACKET)
                    ;
                assert_false(capture_close(&capture));
            }
        }
    }
}

static void gives_all_packets_of_a_file_cut_short(void **state)
{
    const char *name = "cut";
    struct file file;
    (void)state;
    make_pcap(&file, 0xA1B2C3D4, false, 100);
    for (size_t len = 0; len < file.len; len++) {
        struct capture capture;
        struct ds_packet packet;
        size_t num = 0;
        save(name, file.bytes, len);
        if (!open_files(&capture, &name, 1)) {
            assert_true(len < 24);
            continue;
        }
        while (capture_next(&capture, &packet) == CAPTURE_PACKET)
            num++;
        assert_int_equal(num, (len - 24) / 24);
        assert_int_equal(capture_close(&capture), (len - 24) % 24 == 0);
    }
}

/* Records of all lengths up to the snap length, across the edges of the read buffer, are the same
 * as libpcap reads. If a record is longer, or there is no room for it, libpcap reads the rest. */
static void reads_what_libpcap_reads(void **state)
{
    enum { SNAPLEN = 3000, NUM_RECORDS = 600, LONG_AT = 500 };
    const uint32_t head[] = {0xA1B2C3D4, halves(2, 4), 0, 0, SNAPLEN, 1};
    static uint8_t bytes[SNAPLEN + 100];
    const char *name = "many";
    char error[PCAP_ERRBUF_SIZE];
    (void)state;
    for (int with_long = 0; with_long < 2; with_long++) {
        FILE *file = fopen(name, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(head, 4, 6, file), 6);
        for (uint32_t i = 0; i < NUM_RECORDS; i++) {
            const uint32_t len =
                with_long != 0 && i == LONG_AT ? SNAPLEN + 1 : i * 977 % (SNAPLEN + 1);
            const uint32_t record[] = {0xF0000000 + i, i, len, len + i};
            memset(bytes, (int)i, len);
            assert_int_equal(fwrite(record, 4, 4, file), 4);
            assert_int_equal(fwrite(bytes, 1, len, file), len);
        }
        assert_int_equal(fclose(file), 0);

        struct capture capture;
        struct ds_packet packet;
        struct pcap_pkthdr *expected;
        const u_char *data;
        pcap_t *pcap = pcap_open_offline(name, error);
        assert_non_null(pcap);
        assert_true(open_files(&capture, &name, 1));
        for (uint32_t i = 0; i < NUM_RECORDS; i++) {
            assert_int_equal(pcap_next_ex(pcap, &expected, &data), 1);
            assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
            /* With a sign it would be 1961. */
            assert_int_equal(packet.ts_ns, (INT64_C(0xF0000000) + i) * 1000000000 + i * 1000);
            assert_int_equal(packet.cap_len, expected->caplen);
            assert_int_equal(packet.len, expected->len);
            assert_memory_equal(packet.data, data, expected->caplen);
            assert_int_equal(capture.inputs[0].plain.buffer != NULL,
                             with_long == 0 || i < LONG_AT);
        }
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
        assert_true(capture_close(&capture));
        pcap_close(pcap);
    }
}

static void merges_by_time(void **state)
{
    const char *names[] = {"a", "b", "c"};
    static const uint8_t order[] = {99, 100, 100, 101, 101, 101, 102, 102, 103};
    struct file file;
    struct capture capture;
    struct ds_packet packet;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        make_pcap(&file, i == 1 ? 0xA1B23C4D : 0xA1B2C3D4, i == 2, 101 - i);
        save(names[i], file.bytes, file.len);
    }
    assert_true(open_files(&capture, names, 3));
    assert_true(capture_has_nanoseconds(&capture));
    int64_t last_ns = 0;
    for (size_t i = 0; i < sizeof order; i++) {
        assert_int_equal(capture_next(&capture, &packet), CAPTURE_PACKET);
        assert_int_equal(packet.data[0], order[i]);
        assert_int_equal(packet.frame, i + 1);
        assert_true(packet.ts_ns >= last_ns);
        last_ns = packet.ts_ns;
    }
    assert_int_equal(capture_next(&capture, &packet), CAPTURE_END);
    assert_true(capture_close(&capture));
}

static void refuses_what_is_no_capture(void **state)
{
    struct capture capture;
    struct file file;
    const char *name = "file";
    (void)state;
    save(name, "", 0);
    assert_false(open_files(&capture, &name, 1));
    save(name, "something else, of some length, that is no capture file", 55);
    assert_false(open_files(&capture, &name, 1));
    save(name, "\xfd" "7zXZ\0", 6);
    assert_false(open_files(&capture, &name, 1));
    save(name, "\x1f\x8b\x08 not gzip at all", 20);
    assert_false(open_files(&capture, &name, 1));
    make_pcap(&file, 0xA1B2C3D4, false, 100);
    const size_t len = file.len;
    file.len = 20;
    add_u32(&file, 195, false); /* link type: IEEE 802.15.4 */
    save(name, file.bytes, len);
    assert_false(open_files(&capture, &name, 1));
    name = "nothing here";
    assert_false(open_files(&capture, &name, 1));
    name = ".";
    assert_false(open_files(&capture, &name, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_orders_and_resolutions),
        cmocka_unit_test(reads_pcapng),
        cmocka_unit_test(times_beyond_all_clocks),
        cmocka_unit_test(unpacks),
        cmocka_unit_test(reads_several_link_types),
        cmocka_unit_test(reads_simple_packets),
        cmocka_unit_test(reads_many_interfaces),
        cmocka_unit_test(says_when_packed_data_is_cut),
        cmocka_unit_test(gives_all_packets_of_a_file_cut_short),
        cmocka_unit_test(reads_what_libpcap_reads),
        cmocka_unit_test(merges_by_time),
        cmocka_unit_test(refuses_what_is_no_capture),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
