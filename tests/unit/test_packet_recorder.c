/*
 * test_packet_recorder.c - the recorder without the program around it: every allocation failing in
 * turn, clocks that are set, connections without end. That its files decode, tests/keep holds
 * against real captures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "filter.h"
#include "packet_recorder_parts.h"
#include "made_packet.h"
#include "default_limits.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

enum { MAX_PACKETS = 400 };

static struct ds_packet packets[MAX_PACKETS];
static size_t num_packets;
static char folder[64], file_name[96];

static void load(const char *name, size_t max)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    pcap_t *pcap = pcap_open_offline(name, error);
    assert_non_null(pcap);
    assert_int_equal(pcap_datalink(pcap), DLT_EN10MB);
    for (num_packets = 0; num_packets < max && pcap_next_ex(pcap, &header, &data) == 1;
         num_packets++) {
        uint8_t *copy = malloc(header->caplen);
        assert_non_null(copy);
        memcpy(copy, data, header->caplen);
        packets[num_packets] = (struct ds_packet){
            .ts_ns = header->ts.tv_sec * SECOND + header->ts.tv_usec * 1000,
            .frame = num_packets + 1,
            .link_type = 1,
            .data = copy,
            .cap_len = header->caplen,
            .len = header->len,
        };
    }
    pcap_close(pcap);
    assert_int_equal(num_packets, max);
}

static void unload(void)
{
    while (num_packets != 0)
        free((void *)(uintptr_t)packets[--num_packets].data);
}

/* bench is what sniff.c puts around a recorder. */
struct bench {
    struct keep_config options;
    struct capture capture;
    struct capture_input input;
    struct ds_session *session;
    struct packet_recorder *recorder;
    uint64_t select_from; /* frame; 0: nothing is selected */
};

static void on_event(void *context, const struct ds_event *event)
{
    struct bench *b = context;
    const struct record record = {.event = event};
    const bool selected = b->select_from != 0 && event->frame >= b->select_from;
    recorder_record(b->recorder, &record, selected);
}

static void prepare(struct bench *b, bool is_live)
{
    unlink(file_name);
    *b = (struct bench){.capture = {.is_live = is_live, .num_inputs = 1}};
    default_limits(b->options.limits);
    b->input = (struct capture_input){.name = "test", .link_type = 1};
    b->input.pcap = pcap_open_dead(DLT_EN10MB, 65535);
    assert_non_null(b->input.pcap);
    b->options.after_ns = SECOND;
}

static int64_t clock_shows_ns; /* what is never set */

static int64_t read_clock(void)
{
    return clock_shows_ns;
}

/* False when memory ran out. */
static bool begin(struct bench *b)
{
    struct ds_config config;
    ds_config_init(&config);
    memcpy(config.limits, b->options.limits, sizeof config.limits);
    b->capture.inputs = &b->input;
    config.on_event = on_event;
    config.context = b;
    b->recorder = recorder_new(&b->options, &config, &b->capture);
    b->session = ds_session_new(&config);
    if (b->recorder != NULL)
        b->recorder->clock_ns = read_clock;
    return b->recorder != NULL && b->session != NULL;
}

static void take(struct bench *b, const struct ds_packet *packet)
{
    const struct ds_where where = ds_session_packet(b->session, packet);
    recorder_packet(b->recorder, packet, &where);
}

static void end(struct bench *b)
{
    ds_session_end(b->session);
    recorder_end(b->recorder);
}

static void clean_up(struct bench *b)
{
    recorder_free(b->recorder);
    ds_session_free(b->session);
    filter_free(b->options.trigger);
    pcap_close(b->input.pcap);
}

static struct ds_buffer same; /* has room: no allocation may fail for it */

/* Reads a file: how many packets it has, and a hash of them, but for the number of the file. */
static uint64_t read_file(const char *name, uint64_t *hash)
{
    char error[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *data;
    uint64_t num = 0;
    int status;
    pcap_t *pcap = pcap_open_offline(name, error);
    assert_non_null(pcap);
    *hash = 0;
    while ((status = pcap_next_ex(pcap, &header, &data)) == 1) {
        struct ds_packet packet = {.link_type = 1, .data = data, .cap_len = header->caplen};
        num++;
        made_packet_sign(&packet, 0, &same);
        for (uint32_t i = 0; i < header->caplen; i++)
            *hash = *hash * 31 + packet.data[i];
    }
    assert_int_equal(status, PCAP_ERROR_BREAK); /* it ends with a whole packet */
    pcap_close(pcap);
    return num;
}

/* Removes the files of --trigger, and returns how many there were. */
static int remove_files(uint64_t *num_in_last)
{
    int num = 0;
    uint64_t hash;
    struct dirent *entry;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char name[400];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        struct stat status;
        assert_int_equal(stat(name, &status), 0);
        if (num_in_last != NULL && status.st_size != 0)
            *num_in_last = read_file(name, &hash);
        unlink(name);
        num++;
    }
    closedir(dir);
    return num;
}

/* Without memory */

struct failing_run {
    bool is_live;
    bool is_trigger;
    uint64_t max_kept;
    uint64_t hash, num; /* with enough memory */
    uint64_t num_told, num_same;
};

static void keep_all(void *context)
{
    struct failing_run *run = context;
    struct bench b;
    struct filter_error error;
    uint64_t hash = 0, num = 0;
    prepare(&b, run->is_live);
    b.options.limits[DS_LIMIT_KEPT] = run->max_kept;
    b.options.limits[DS_LIMIT_FILES] = 1;
    if (run->is_trigger) {
        b.options.trigger = filter_parse("frame > 150", &error);
        b.options.write_file = file_name;
    } else {
        b.options.connections_file = file_name;
        b.select_from = 150;
    }
    bool told = true;
    if ((b.options.trigger != NULL || !run->is_trigger) && begin(&b)) {
        for (size_t i = 0; i < num_packets; i++)
            take(&b, &packets[i]);
        end(&b);
        struct ds_stats stats = *ds_session_stats(b.session);
        recorder_add_stats(b.recorder, &stats);
        told = stats.no_memory != 0 || recorder_get_ending(b.recorder) == ENDING_OUTPUT;
        if (!run->is_trigger && recorder_get_ending(b.recorder) == ENDING_NONE)
            num = read_file(file_name, &hash);
    }
    clean_up(&b);
    if (run->is_trigger)
        remove_files(&num);
    if (!failing_alloc_failed()) {
        run->hash = hash;
        run->num = num;
        assert_true(num > 100);
    } else if (told) {
        run->num_told++;
    } else { /* it could do without */
        assert_int_equal(num, run->num);
        assert_int_equal(hash, run->hash);
        run->num_same++;
    }
}

static void tells_that_memory_ran_out(void **state)
{
    static const struct failing_run runs[] = {
        {.is_live = false, .max_kept = 1000000}, {.is_live = true, .max_kept = 1000000},
        {.is_live = false, .max_kept = 20000},   {.is_live = true, .max_kept = 20000},
        {.is_trigger = true, .max_kept = 20000},
    };
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    assert_true(ds_buffer_reserve(&same, 100000));
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct failing_run run = runs[i];
        keep_all(&run); /* what it should be */
        assert_true(failing_alloc_each(keep_all, &run) > 200);
        assert_true(run.num_told > 200);
    }
    ds_buffer_free(&same);
    unload();
}

/* Clocks that are set */

/* 50 packets a second, the clock of their stamps being set at one of them. Returns how many are in
 * the file that packet 100 triggers. */
static uint64_t record_with_jump(int64_t jump_ns, size_t at)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    prepare(&b, true);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", &error);
    b.options.before_ns = SECOND;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50 + (i >= at ? jump_ns : 0);
        clock_shows_ns = (int64_t)i * SECOND / 50;
        take(&b, &packet);
    }
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    return num;
}

static void ends_a_file_though_the_clock_is_set(void **state)
{
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    const uint64_t usual = record_with_jump(0, 0);
    assert_in_range(usual, 90, 130); /* 50 before, 50 after, what stands for those before */
    assert_in_range(record_with_jump(-3600 * SECOND, 120), usual - 1, usual + 60);
    assert_in_range(record_with_jump(3600 * SECOND, 120), usual - 1, usual + 60);
    /* What is kept has the same age, before and after. */
    for (size_t at = 60; at <= 100; at += 10) {
        assert_in_range(record_with_jump(-3600 * SECOND, at), usual - 1, usual + 1);
        assert_in_range(record_with_jump(3600 * SECOND, at), usual - 1, usual + 1);
    }
    unload();
}

static void takes_any_time_after(void **state)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    prepare(&b, true);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", &error);
    b.options.after_ns = INT64_MAX;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++)
        take(&b, &packets[i]);
    recorder_flush(b.recorder);
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    assert_true(num > 190);
    unload();
}

/* What was full once does not make files incomplete for ever. */
static void says_only_what_is_lacking(void **state)
{
    struct bench b;
    struct filter_error error;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    for (int late = 0; late < 2; late++) {
        struct ds_stats stats = {0};
        prepare(&b, true);
        b.options.write_file = file_name;
        b.options.trigger = filter_parse(late ? "frame == 390" : "frame == 150", &error);
        b.options.before_ns = 2 * SECOND;
        b.options.limits[DS_LIMIT_KEPT] = 20000;
        assert_true(begin(&b));
        for (size_t i = 0; i < num_packets; i++) {
            struct ds_packet packet = packets[i];
            packet.ts_ns = clock_shows_ns = (int64_t)i * (i < 200 ? 1000 : SECOND / 10);
            take(&b, &packet);
        }
        end(&b);
        recorder_add_stats(b.recorder, &stats);
        assert_int_equal(stats.limits_hit[DS_LIMIT_KEPT], late ? 0 : 1);
        clean_up(&b);
        assert_int_equal(remove_files(NULL), 1);
    }
    unload();
}

/* How old what left for lack of room was when packet 300 triggered a file, where so much was wanted;
 * and whether the file was said to lack something. */
static int64_t age_of_lacking(int64_t before_ns, bool *lacks)
{
    struct bench b;
    struct filter_error error;
    struct ds_stats stats = {0};
    int64_t age_ns = 0;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 300", &error);
    b.options.before_ns = before_ns;
    b.options.limits[DS_LIMIT_KEPT] = 20000;
    assert_true(begin(&b));
    for (size_t i = 0; i < 300; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50;
        take(&b, &packet);
        if (b.recorder->store.full_ns != INT64_MIN)
            age_ns = packet.ts_ns - b.recorder->store.full_ns;
    }
    end(&b);
    recorder_add_stats(b.recorder, &stats);
    *lacks = stats.limits_hit[DS_LIMIT_KEPT] != 0;
    clean_up(&b);
    assert_int_equal(remove_files(NULL), 1);
    return age_ns;
}

/* A packet that is as old as --keep says is wanted; one that is older is not. */
static void lacks_what_is_just_old_enough(void **state)
{
    bool lacks = false;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    const int64_t age_ns = age_of_lacking(100 * SECOND, &lacks);
    assert_true(lacks);
    assert_int_equal(age_of_lacking(age_ns, &lacks), age_ns);
    assert_true(lacks);
    age_of_lacking(age_ns - 1, &lacks);
    assert_false(lacks);
    unload();
}

/* Returns how many packets are in the file that packet 100 triggers, where from packet 120 on the
 * stamps go back. */
static uint64_t record_set_back(int64_t before_ns, int64_t after_ns, int64_t back_ns)
{
    struct bench b;
    struct filter_error error;
    uint64_t num = 0;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse("frame == 100", &error);
    b.options.before_ns = before_ns;
    b.options.after_ns = after_ns;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50 - (i >= 120 ? back_ns : 0);
        take(&b, &packet);
    }
    end(&b);
    clean_up(&b);
    assert_int_equal(remove_files(&num), 1);
    return num;
}

static uint64_t record_between(int64_t before_ns, int64_t after_ns)
{
    return record_set_back(before_ns, after_ns, 0);
}

/* Both ends of what is asked for belong to it. */
static void keeps_packets_at_both_ends(void **state)
{
    (void)state;
    load("../pcaps/otp25.pcap", 200);
    const uint64_t num = record_between(SECOND, SECOND);
    assert_int_equal(record_between(SECOND - 1, SECOND), num - 1);
    assert_int_equal(record_between(SECOND, SECOND - 1), num - 1);
    assert_int_equal(record_between(SECOND + 1, SECOND + 1), num);
    /* Up to a second back is disorder, during which the file goes on; more is another clock. */
    assert_true(record_set_back(SECOND, SECOND, SECOND) > num + 20);
    assert_in_range(record_set_back(SECOND, SECOND, SECOND * 11 / 10), num - 1, num + 1);
    unload();
}

/* Runs the recorder over the capture, 50 packets a second. Returns the number of files. */
static int record_all(const char *trigger, uint64_t max_files, struct ds_stats *stats)
{
    struct bench b;
    struct filter_error error;
    prepare(&b, false);
    b.options.write_file = file_name;
    b.options.trigger = filter_parse(trigger, &error);
    assert_non_null(b.options.trigger);
    b.options.before_ns = SECOND / 10;
    b.options.limits[DS_LIMIT_FILES] = max_files;
    assert_true(begin(&b));
    for (size_t i = 0; i < num_packets; i++) {
        struct ds_packet packet = packets[i];
        packet.ts_ns = 1000000 * SECOND + (int64_t)i * SECOND / 50;
        take(&b, &packet);
    }
    end(&b);
    *stats = (struct ds_stats){0};
    recorder_add_stats(b.recorder, stats);
    assert_int_equal(recorder_get_ending(b.recorder), ENDING_NONE);
    clean_up(&b);
    return remove_files(NULL);
}

static void records_again_and_again(void **state)
{
    struct ds_stats stats;
    (void)state;
    load("../pcaps/otp25.pcap", 400);
    /* Six seconds of triggers: what comes within a second is of one file. */
    assert_in_range(record_all("frame >= 100", 100, &stats), 6, 7);
    assert_int_equal(stats.limits_hit[DS_LIMIT_FILES], 0);
    assert_int_equal(record_all("frame >= 100", 3, &stats), 3);
    assert_true(stats.limits_hit[DS_LIMIT_FILES] != 0);
    assert_int_equal(record_all("frame == 400", 100, &stats), 1); /* the last packet */
    /* EPMD's connection, and then the end, once for all connections that it closes. */
    assert_int_equal(record_all("state == \"closed\" || state == \"open_at_end\"", 100, &stats), 2);
    assert_int_equal(record_all("frame > 400", 100, &stats), 0);
    unload();
}

/* Connections without end. A peer is one end of a made conversation. */

struct talk {
    struct bench *bench;
    uint64_t frame;
    uint16_t client_port, server_port;
    uint32_t seq[2];
};

static void say(struct talk *t, int from, uint8_t flags, const void *bytes, size_t len)
{
    struct ds_buffer buffer = {0};
    struct ds_packet packet;
    const struct ds_addr addr[2] = {{4, {10, 0, 0, 1}}, {4, {10, 0, 0, 2}}};
    const uint16_t port[2] = {t->client_port, t->server_port};
    const struct ds_segment segment = {
        .src = addr[from],
        .dst = addr[1 - from],
        .src_port = port[from],
        .dst_port = port[1 - from],
        .seq = t->seq[from],
        .ack = t->seq[1 - from],
        .window = 1000,
        .flags = flags,
        .payload = bytes,
        .payload_len = (uint32_t)len,
    };
    assert_true(made_packet(&segment, (int64_t)t->frame * 1000000, 1, &buffer, &packet));
    packet.frame = ++t->frame;
    t->seq[from] += (uint32_t)len + ((flags & 3) != 0);
    take(t->bench, &packet);
    ds_buffer_free(&buffer);
}

static void connect_to(struct talk *t, uint16_t client_port, uint16_t server_port)
{
    t->client_port = client_port;
    t->server_port = server_port;
    t->seq[0] = 1000 + (uint32_t)t->frame;
    t->seq[1] = 2000 + (uint32_t)t->frame;
    say(t, 0, 2, NULL, 0);
    say(t, 1, 18, NULL, 0);
    say(t, 0, 16, NULL, 0);
}

static void hang_up(struct talk *t)
{
    say(t, 0, 17, NULL, 0);
    say(t, 1, 17, NULL, 0);
    say(t, 0, 16, NULL, 0);
}

/* Asks EPMD for bob, who listens on port. */
static void ask_epmd(struct talk *t, uint16_t client_port, uint16_t port)
{
    uint8_t answer[] = {119, 0, 0, 0, 77, 0, 0, 6, 0, 5, 0, 3, 'b', 'o', 'b', 0, 0};
    answer[2] = (uint8_t)(port >> 8);
    answer[3] = (uint8_t)port;
    connect_to(t, client_port, 4369);
    say(t, 0, 24, "\0\4zbob", 6);
    say(t, 1, 24, answer, sizeof answer);
    hang_up(t);
}

enum { ASKING = 8 }; /* packets */

static void writes_exchanges_without_end(void **state)
{
    (void)state;
    for (int is_live = 0; is_live < 2; is_live++) {
        struct bench b;
        struct ds_stats stats = {0};
        uint64_t hash;
        prepare(&b, is_live != 0);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_CONNECTIONS] = 200;
        b.select_from = 1;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        for (uint16_t i = 0; i < 3000; i++)
            ask_epmd(&t, (uint16_t)(10000 + i), 5000);
        assert_true(b.recorder->store.conns.num <= KEEP_LINGERING);
        assert_int_equal(b.recorder->store.used, 0);
        end(&b);
        recorder_add_stats(b.recorder, &stats);
        assert_int_equal(stats.no_memory, 0);
        assert_int_equal(stats.limits_hit[DS_LIMIT_KEPT], 0);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 3000 * ASKING);
    }
}

/* The same ports again are another connection. */
static void parts_connections_of_the_same_ports(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, i % 2 != 0);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = i / 2 != 0 ? 1000000 : 4000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        for (int j = 0; j < 20; j++) {
            b.select_from = j % 5 == 3 ? 1 : 0;
            ask_epmd(&t, 10000, 5000);
        }
        b.select_from = 0;
        end(&b);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 4 * ASKING);
    }
}

/* What turns out to be none of Erlang's takes no room, and stands for nothing in a past. */
static void forgets_other_protocols(void **state)
{
    struct bench b;
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    assert_true(begin(&b));
    struct talk t = {.bench = &b};
    for (uint16_t i = 0; i < 300; i++) {
        connect_to(&t, (uint16_t)(10000 + i), 80);
        say(&t, 0, 24, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 37);
        say(&t, 1, 24, "HTTP/1.1 200 OK\r\n\r\n", 19);
        hang_up(&t);
    }
    assert_int_equal(b.recorder->store.used, 0);
    assert_int_equal(b.recorder->store.conns.num, 0);
    assert_int_equal(ds_session_stats(b.recorder->past)->tcp_connections, 0);
    recorder_write_state(b.recorder, NULL, 0);
    assert_int_equal(b.recorder->writer.size, sizeof(struct pcap_file_header));
    end(&b);
    clean_up(&b);
}

/* Fragments of UDP are kept until they are known to be that. */
static void forgets_fragments_of_udp(void **state)
{
    uint8_t bytes[14 + 20 + 16] = {
        [12] = 8, [13] = 0, [14] = 0x45, [17] = 36, [22] = 64, [23] = 17, [26] = 10, [30] = 11};
    struct bench b;
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    assert_true(begin(&b));
    for (uint64_t frame = 1; frame <= 1000; frame++) {
        const bool is_last = frame % 2 == 0;
        const struct ds_packet packet = {.ts_ns = (int64_t)frame * 1000,
                                         .frame = frame,
                                         .link_type = 1,
                                         .data = bytes,
                                         .cap_len = sizeof bytes,
                                         .len = sizeof bytes};
        bytes[18] = (uint8_t)((frame - 1) / 2); /* identification */
        bytes[19] = (uint8_t)((frame - 1) / 512);
        bytes[20] = is_last ? 0 : 0x20;
        bytes[21] = is_last ? 2 : 0; /* 16 bytes on */
        take(&b, &packet);
        assert_int_equal(b.recorder->store.conns.num, !is_last);
    }
    assert_int_equal(b.recorder->store.used, 0);
    end(&b);
    clean_up(&b);
}

/* Only the exchange that led to a connection goes with it, not what others asked. */
static void knows_what_led_to_a_connection(void **state)
{
    static const uint8_t name[] = {0, 23, 'N', 0, 0,   0,   13,  7,   223, 127, 189, 0,  0,
                                   0, 1,  0,   8, 'a', 'l', 'i', 'c', 'e', '@', 'h', '1'};
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, true);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = kept ? 1000000 : 20000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        ask_epmd(&t, 10000, 5000);
        ask_epmd(&t, 10001, 5000);
        ask_epmd(&t, 10002, 5001);
        connect_to(&t, 10003, 5000);
        say(&t, 0, 24, name, sizeof name);
        const struct talk alice = t;
        for (uint16_t i = 0; i < 300; i++)
            ask_epmd(&t, (uint16_t)(20000 + i), 5002);
        b.select_from = t.frame + 1;
        t.client_port = alice.client_port;
        t.server_port = alice.server_port;
        t.seq[0] = alice.seq[0];
        t.seq[1] = alice.seq[1];
        say(&t, 1, 24, "\0\3sok", 5);
        end(&b);
        clean_up(&b);
        /* Of the connection a SYN, an acknowledgement, two messages, or what stands for them. */
        assert_in_range(read_file(file_name, &hash), ASKING + 4, ASKING + 5);
    }
}

/* A node that has registered a port was not asked for it: that goes with no connection to it, though
 * both are between the same hosts. */
static void a_registration_leads_nowhere(void **state)
{
    static const uint8_t name[] = {0, 23, 'N', 0, 0,   0,   13,  7,   223, 127, 189, 0,  0,
                                   0, 1,  0,   8, 'a', 'l', 'i', 'c', 'e', '@', 'h', '1'};
    static const uint8_t registers[] = {0, 16, 120, 19, 136, 77, 0, 0, 6, 0, 5, 0, 3, 'b', 'o', 'b',
                                        0, 0};
    (void)state;
    for (int is_server = 0; is_server < 2; is_server++) {
        struct bench b;
        uint64_t hash;
        prepare(&b, true);
        b.options.connections_file = file_name;
        b.options.limits[DS_LIMIT_KEPT] = 1000000;
        assert_true(begin(&b));
        struct talk t = {.bench = &b};
        connect_to(&t, 10000, 4369);
        say(&t, 0, 24, registers, sizeof registers);
        say(&t, 1, 24, "\166\0\0\0\0\1", 6);
        if (is_server)
            connect_to(&t, 5000, 10003);
        else
            connect_to(&t, 10003, 5000);
        b.select_from = t.frame + 1;
        say(&t, 0, 24, name, sizeof name);
        b.select_from = 0; /* not the end of the registration */
        end(&b);
        clean_up(&b);
        assert_int_equal(read_file(file_name, &hash), 4);
    }
}

/* Connections with EPMD that go on have no past, and take no room of those that do. */
static void remembers_nothing_of_epmd(void **state)
{
    struct bench b;
    struct ds_stats stats = {0};
    (void)state;
    prepare(&b, true);
    b.options.connections_file = file_name;
    b.options.limits[DS_LIMIT_KEPT] = 20000;
    b.options.limits[DS_LIMIT_MEMORY] = 1000000;
    assert_true(begin(&b));
    struct talk t = {.bench = &b};
    for (uint16_t i = 0; i < 1000; i++) {
        connect_to(&t, (uint16_t)(10000 + i), 4369);
        say(&t, 0, 24, "\0\4zbob", 6);
    }
    recorder_add_stats(b.recorder, &stats);
    assert_int_equal(stats.limits_hit[DS_LIMIT_MEMORY], 0);
    end(&b);
    clean_up(&b);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_packet_recorder.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(file_name, sizeof file_name, "%s/f.pcap", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(file_name);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_exchanges_without_end),
        cmocka_unit_test(parts_connections_of_the_same_ports),
        cmocka_unit_test(forgets_other_protocols),
        cmocka_unit_test(forgets_fragments_of_udp),
        cmocka_unit_test(knows_what_led_to_a_connection),
        cmocka_unit_test(a_registration_leads_nowhere),
        cmocka_unit_test(remembers_nothing_of_epmd),
        cmocka_unit_test(ends_a_file_though_the_clock_is_set),
        cmocka_unit_test(takes_any_time_after),
        cmocka_unit_test(records_again_and_again),
        cmocka_unit_test(says_only_what_is_lacking),
        cmocka_unit_test(lacks_what_is_just_old_enough),
        cmocka_unit_test(keeps_packets_at_both_ends),
        cmocka_unit_test(tells_that_memory_ran_out),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
