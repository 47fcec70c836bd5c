/*
 * capture_input.c - see capture_input.h. Merging: each file has its next packet ready, and the oldest
 * of these is next; of equals, the one from the file that was named first.
 */
#include "capture/capture_streams.h"

#include "capture/point_merge.h"
#include "capture/pseudo_packet.h"
#include "capture/unpack.h"
#include "core/complain.h"
#include "core/signals.h"

#include <distsniff/counted.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The only values that differ between LINKTYPE_ and DLT_ on Linux, of the known ones: 14 is what OpenBSD
 * calls DLT_RAW. */
enum { LINKTYPE_RAW = 101, LINKTYPE_OPENBSD_RAW = 14 };

int capture_dlt_of(uint32_t link_type)
{
    return link_type == LINKTYPE_RAW || link_type == LINKTYPE_OPENBSD_RAW ? DLT_RAW : (int)link_type;
}

void capture_read_link_type(struct capture_input *input)
{
    input->dlt = pcap_datalink(input->pcap);
    input->link_type = input->dlt == DLT_RAW ? LINKTYPE_RAW : (uint32_t)input->dlt;
    if (input->interfaces.has_first) {
        input->link_type = input->interfaces.first_type;
        input->dlt = capture_dlt_of(input->link_type);
    }
    input->packet_link_type = input->link_type;
}

void capture_input_close(struct capture_input *input)
{
    if (input->pcap != NULL)
        pcap_close(input->pcap);
    input->pcap = NULL;
    plain_file_end(&input->plain);
    unpack_free(input->unpack);
    input->unpack = NULL;
    packet_pipe_free(input->pipe);
    input->pipe = NULL;
    pcapng_blocks_clear(&input->blocks);
    pcapng_interfaces_free(&input->interfaces);
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
    live_drops_end(&input->drops);
}

/* add_complaint keeps a message for capture_close, after all records. */
static void add_complaint(struct capture *capture, const char *name, const char *what)
{
    char *all = NULL;
    if (asprintf(&all, "%s%s%s: %s", capture->complaints != NULL ? capture->complaints : "",
                 capture->complaints != NULL ? "; " : "", name, what) < 0)
        return;
    free(capture->complaints);
    capture->complaints = all;
}

/* complain_later does this for an input that could not be read to its end. */
static void complain_later(struct capture *capture, const char *name, const char *what)
{
    capture->failed = true;
    capture->num_cut += !capture->is_live;
    add_complaint(capture, name, what);
}

void capture_input_say_other(struct capture *capture, const struct capture_input *input)
{
    const char *name = pcap_datalink_val_to_name(capture_dlt_of(input->other_link_type));
    char text[160];
    if (input->num_beyond != 0) {
        snprintf(text, sizeof text, "%s of interfaces beyond the %dth are left out",
                 ds_counted(input->num_beyond, "packets").text, PCAPNG_INTERFACES_MAX);
        add_complaint(capture, input->name, text);
    }
    capture->failed |= input->num_known == 0 && input->num_beyond + input->num_other != 0;
    if (input->num_other == 0)
        return;
    snprintf(text, sizeof text,
             "%s of other link types cannot be read and are left out; the first is of %s (%u)",
             ds_counted(input->num_other, "packets").text, name != NULL ? name : "an unknown one",
             input->other_link_type);
    add_complaint(capture, input->name, text);
}

#define NS_PER_SECOND INT64_C(1000000000)

static bool is_cut_short(const char *error)
{
    static const char prefix[] = "truncated";
    return strncmp(error, prefix, sizeof prefix - 1) == 0;
}

int capture_input_read(struct capture_input *input)
{
    const int status = pcap_next_ex(input->pcap, &input->header, &input->data);
    struct pcapng_packet packet;
    if (status != 1 || !input->interfaces.has_first)
        return status;
    if (!pcapng_interfaces_next(&input->interfaces, &packet))
        return CAPTURE_NO_MEMORY;
    input->packet_link_type = packet.link_type;
    if (packet.is_simple) {
        input->header->len = packet.len;
        if (input->header->caplen > packet.cap_max)
            input->header->caplen = packet.cap_max;
    }
    return status;
}

/* note_other counts packets of link types that cannot be read, and those of others. */
static void note_other(struct capture_input *input)
{
    if (ds_link_type_known(input->packet_link_type)) {
        input->num_known++;
        return;
    }
    if (input->packet_link_type == PCAPNG_NO_LINK_TYPE)
        input->num_beyond++;
    else if (input->num_other++ == 0)
        input->other_link_type = input->packet_link_type;
}

/* read_by_libpcap reads files that are not plain. */
static __attribute__((noinline)) void read_by_libpcap(struct capture *capture,
                                                      struct capture_input *input)
{
    int status = capture_input_read(input);
    input->has_next = status == 1;
    if (status == 1 && input->interfaces.has_first)
        note_other(input);
    if (status == 1 || status == 0)
        return;
    const char *trouble = input->unpack != NULL ? unpack_trouble(input->unpack) : NULL;
    if (stop_wanted)
        ; /* distsniff itself ended it */
    else if (trouble != NULL)
        complain_later(capture, input->name, trouble);
    else if (status == PCAP_ERROR && is_cut_short(pcap_geterr(input->pcap)))
        complain_later(capture, input->name,
                       "the file is truncated; everything in it was decoded");
    else if (status == CAPTURE_NO_MEMORY)
        complain_later(capture, input->name, "out of memory");
    else if (status == PCAP_ERROR)
        complain_later(capture, input->name, pcap_geterr(input->pcap));
    if (capture->is_live) {
        capture->ended = true; /* the counts of the kernel are still needed */
        return;
    }
    pcap_close(input->pcap);
    input->pcap = NULL;
    if (input->unpack != NULL)
        unpack_finish(input->unpack);
}

static void read_pipe(struct capture *capture, struct capture_input *input)
{
    struct ds_packet packet;
    input->has_next = packet_pipe_next(input->pipe, &packet);
    if (input->has_next) {
        input->pipe_header = (struct pcap_pkthdr){
            .ts = {.tv_sec = packet.ts_ns / NS_PER_SECOND, .tv_usec = packet.ts_ns % NS_PER_SECOND},
            .caplen = packet.cap_len,
            .len = packet.len,
        };
        input->header = &input->pipe_header;
        input->data = packet.data;
        input->pipe_past = packet.past;
        input->packet_link_type = packet.link_type;
        return;
    }
    if (packet_pipe_trouble(input->pipe) != NULL && !stop_wanted)
        complain_later(capture, input->name, packet_pipe_trouble(input->pipe));
    pcap_close(input->pcap);
    input->pcap = NULL;
}

void capture_input_next(struct capture *capture, struct capture_input *input)
{
    if (input->pipe != NULL) {
        read_pipe(capture, input);
        return;
    }
    input->has_next = plain_file_next(&input->plain, input->pcap, &input->header, &input->data);
    if (!input->has_next)
        read_by_libpcap(capture, input);
}

/* Times in a pcapng file can exceed any clock. Times are limited to 146 years around 1970, so that the
 * difference of any two fits into 64 bits. */
#define MOST_TIME_NS (INT64_MAX / 2)

static int64_t bound_time(int64_t seconds, int64_t fraction)
{
    int64_t ns;
    const bool is_past = seconds < 0;
    if (__builtin_mul_overflow(seconds, INT64_C(1000000000), &ns) ||
        __builtin_add_overflow(ns, fraction, &ns) || ns > MOST_TIME_NS || ns < -MOST_TIME_NS)
        return is_past ? -MOST_TIME_NS : MOST_TIME_NS;
    return ns;
}

/* All inputs are opened for nanoseconds if possible; live ones may refuse. */
static int64_t get_time_ns(const struct capture *capture, const struct capture_input *input)
{
    const struct timeval *ts = &input->header->ts;
    int64_t seconds = ts->tv_sec;
    int64_t fraction = ts->tv_usec;
    if (capture->is_live && !input->nanoseconds)
        fraction *= 1000;
    /* The seconds of pcap files have 32 bits. Some versions of libpcap read them as a signed number:
     * 2038 would become 1901. */
    if (seconds < 0 && seconds >= INT32_MIN && !capture->is_live)
        seconds = (uint32_t)seconds;
    return bound_time(seconds, fraction);
}

struct capture_input *capture_choose_oldest(struct capture *capture)
{
    struct capture_input *oldest = NULL;
    capture_streams_wait(capture);
    for (size_t i = 0; i < capture->num_inputs; i++) {
        struct capture_input *input = &capture->inputs[i];
        if (!input->has_next && input->pcap != NULL && capture_streams_may_read(input)) {
            capture_input_next(capture, input);
            if (input->has_next)
                input->order_ns = get_time_ns(capture, input);
            if (input->has_next && capture->points != NULL)
                input->order_ns = point_merge_time(capture->points, i, input->order_ns);
        }
        if (input->has_next && (oldest == NULL || input->order_ns < oldest->order_ns))
            oldest = input;
    }
    return oldest;
}

void capture_input_packet(const struct capture *capture, const struct capture_input *input,
                          struct ds_packet *packet)
{
    *packet = (struct ds_packet){
        .ts_ns = get_time_ns(capture, input),
        .link_type = input->packet_link_type,
        .data = input->data,
        .cap_len = input->header->caplen,
        .len = input->header->len,
    };
    if (input->pipe != NULL)
        packet->past = input->pipe_past;
    if (input->made_key != 0)
        pseudo_packet_read(packet, input->made_key);
}
