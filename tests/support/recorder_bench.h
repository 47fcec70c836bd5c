/*
 * recorder_bench.h - what the program puts around a packet recorder, for tests of it alone.
 *
 * prepare() sets up a bench, whose options the test may change then; begin() makes its session and
 * recorder, take() gives both a packet, end() ends them, clean_up() frees all. load() puts the first
 * packets of a capture into packets[], unload() frees them. clock_shows_ns is what the clock shows
 * that is never set.
 *
 * make_folder() and remove_folder() are for cmocka_run_group_tests: files are written to a folder of
 * the program's own. read_file() says what is in one, remove_files() how many there were.
 */
#ifndef TESTS_RECORDER_BENCH_H
#define TESTS_RECORDER_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "select/filter.h"
#include "keep/packet_recorder_parts.h"
#include "capture/pseudo_packet.h"
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

static inline void load(const char *name, size_t max)
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

static inline void unload(void)
{
    while (num_packets != 0)
        free((void *)(uintptr_t)packets[--num_packets].data);
}

/* bench is what sniff.c has around a recorder. */
struct bench {
    struct keep_config options;
    struct capture capture;
    struct capture_input input;
    struct ds_session *session;
    struct packet_recorder *recorder;
    uint64_t select_from; /* packet; 0: nothing is selected */
};

static inline void on_event(void *context, const struct ds_event *event)
{
    struct bench *b = context;
    const struct record record = {.event = event};
    const bool selected = b->select_from != 0 && event->frame >= b->select_from;
    recorder_record(b->recorder, &record, selected);
}

static inline void prepare(struct bench *b, bool is_live)
{
    unlink(file_name);
    *b = (struct bench){.capture = {.is_live = is_live, .num_inputs = 1}};
    default_limits(b->options.limits);
    b->input = (struct capture_input){.name = "test", .link_type = 1};
    b->input.pcap = pcap_open_dead(DLT_EN10MB, 65535);
    assert_non_null(b->input.pcap);
    b->options.after_ns = SECOND;
}

static int64_t clock_shows_ns; /* a clock that is never set */

static inline int64_t read_clock(void)
{
    return clock_shows_ns;
}

/* Returns false if memory ran out. */
static inline bool begin(struct bench *b)
{
    struct ds_config config;
    ds_config_init(&config);
    memcpy(config.limits, b->options.limits, sizeof config.limits);
    b->capture.inputs = &b->input;
    config.on_event = on_event;
    config.context = b;
    b->session = ds_session_new(&config);
    config.beside = b->session;
    b->recorder = recorder_new(&b->options, &config, &b->capture);
    if (b->recorder != NULL)
        b->recorder->clock_ns = read_clock;
    return b->recorder != NULL && b->session != NULL;
}

static inline void take(struct bench *b, const struct ds_packet *packet)
{
    const struct ds_where where = ds_session_packet(b->session, packet);
    recorder_packet(b->recorder, packet, &where);
}

static inline void end(struct bench *b)
{
    ds_session_end(b->session);
    recorder_end(b->recorder);
}

static inline void clean_up(struct bench *b)
{
    recorder_free(b->recorder);
    ds_session_free(b->session);
    filter_free(b->options.trigger);
    pcap_close(b->input.pcap);
}

static struct ds_buffer same; /* preallocated: no allocation may fail here */

/* Reads a file: counts its packets and hashes them, without the number of the file. */
static inline uint64_t read_file(const char *name, uint64_t *hash)
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
        pseudo_packet_sign(&packet, 0, &same);
        for (uint32_t i = 0; i < header->caplen; i++)
            *hash = *hash * 31 + packet.data[i];
    }
    assert_int_equal(status, PCAP_ERROR_BREAK); /* the file ends with a whole packet */
    pcap_close(pcap);
    return num;
}

/* Removes the files of --trigger and returns how many there were. */
static inline int remove_files(uint64_t *num_in_last)
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

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_packet_recorder.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(file_name, sizeof file_name, "%s/f.pcap", folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(file_name);
    return rmdir(folder);
}

#endif
