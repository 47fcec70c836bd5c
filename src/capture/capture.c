/*
 * capture.c - see capture.h. Merging: every file holds its next packet ready, and the oldest
 * of them goes first; of equals that of the file named first.
 */
#include "capture.h"

#include "complain.h"
#include "made_packet.h"
#include "stop.h"
#include "points.h"
#include "unpack.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void capture_note_link_type(struct capture_input *input)
{
    /* The only value that differs between the two on Linux, of those we know. */
    enum { LINKTYPE_RAW = 101 };
    input->dlt = pcap_datalink(input->pcap);
    input->link_type = input->dlt == DLT_RAW ? LINKTYPE_RAW : (uint32_t)input->dlt;
}

static bool check_link_type(const struct capture_input *input)
{
    if (ds_link_type_known(input->link_type))
        return true;
    const char *name = pcap_datalink_val_to_name(input->dlt);
    complain("%s: packets of link type %s (%u) cannot be read: capture on an Ethernet, "
             "loopback, raw IP or Linux cooked interface",
             input->name, name != NULL ? name : "unknown", input->link_type);
    return false;
}

bool capture_open(struct capture *capture, const struct capture_config *config)
{
    size_t num = config->num_read_files != 0 ? config->num_read_files : 1;
    *capture = (struct capture){.is_live = config->num_read_files == 0};
    capture->inputs = calloc(num, sizeof *capture->inputs);
    if (capture->inputs == NULL) {
        complain("out of memory");
        return false;
    }
    for (size_t i = 0; i < num; i++) {
        struct capture_input *input = &capture->inputs[i];
        input->fd = -1;
        bool ok = capture->is_live ? capture_open_live(input, config)
                                   : capture_open_file(input, config->read_files[i]);
        capture->num_inputs += ok;
        if (!ok || (capture->is_live && !check_link_type(input))) {
            capture_close(capture);
            return false;
        }
    }
    return true;
}

bool capture_begin(struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs && !capture->is_live; i++) {
        if (!capture_begin_file(capture, &capture->inputs[i]) ||
            !check_link_type(&capture->inputs[i]))
            return false;
    }
    return true;
}

/* Keeps a complaint for the end, when all records are out. */
static void complain_later(struct capture *capture, const char *name, const char *what)
{
    char *all = NULL;
    capture->failed = true;
    if (asprintf(&all, "%s%s%s: %s", capture->complaints != NULL ? capture->complaints : "",
                 capture->complaints != NULL ? "; " : "", name, what) < 0)
        return;
    free(capture->complaints);
    capture->complaints = all;
}

static bool is_cut_short(const char *error)
{
    static const char prefix[] = "truncated";
    return strncmp(error, prefix, sizeof prefix - 1) == 0;
}

static void read_next(struct capture *capture, struct capture_input *input)
{
    input->has_next = plain_file_next(&input->plain, input->pcap, &input->header, &input->data);
    if (input->has_next)
        return;
    int status = pcap_next_ex(input->pcap, &input->header, &input->data);
    input->has_next = status == 1;
    if (status == 1 || status == 0)
        return;
    const char *trouble = input->unpack != NULL ? unpack_trouble(input->unpack) : NULL;
    if (stop_wanted)
        ; /* the end is our own doing */
    else if (trouble != NULL)
        complain_later(capture, input->name, trouble);
    else if (status == PCAP_ERROR && is_cut_short(pcap_geterr(input->pcap)))
        complain_later(capture, input->name,
                       "the file is cut short; all that is in it has been decoded");
    else if (status == PCAP_ERROR)
        complain_later(capture, input->name, pcap_geterr(input->pcap));
    if (capture->is_live) {
        capture->ended = true; /* the counts of the kernel are still wanted */
        return;
    }
    pcap_close(input->pcap);
    input->pcap = NULL;
}

/* All inputs are opened for nanoseconds where they can be; live ones may refuse. */
static int64_t get_time_ns(const struct capture *capture, const struct capture_input *input)
{
    const struct timeval *ts = &input->header->ts;
    int64_t seconds = ts->tv_sec;
    int64_t fraction = ts->tv_usec;
    if (capture->is_live && !input->nanoseconds)
        fraction *= 1000;
    /* The seconds of pcap files have 32 bits, which some versions of libpcap take for a number
     * with a sign: from 2038 on it would be 1901. */
    if (seconds < 0 && seconds >= INT32_MIN && !capture->is_live)
        seconds = (uint32_t)seconds;
    return seconds * 1000000000 + fraction;
}

struct capture_input *capture_choose_oldest(struct capture *capture)
{
    struct capture_input *oldest = NULL;
    for (size_t i = 0; i < capture->num_inputs; i++) {
        struct capture_input *input = &capture->inputs[i];
        if (!input->has_next && input->pcap != NULL) {
            read_next(capture, input);
            if (input->has_next)
                input->order_ns = get_time_ns(capture, input);
            if (input->has_next && capture->points != NULL)
                input->order_ns = points_time(capture->points, i, input->order_ns);
        }
        if (input->has_next && (oldest == NULL || input->order_ns < oldest->order_ns))
            oldest = input;
    }
    return oldest;
}

struct ds_packet capture_input_packet(const struct capture *capture,
                                      const struct capture_input *input)
{
    struct ds_packet packet = {
        .ts_ns = get_time_ns(capture, input),
        .link_type = input->link_type,
        .data = input->data,
        .cap_len = input->header->caplen,
        .len = input->header->len,
    };
    if (input->made_key != 0)
        made_packet_read(&packet, input->made_key);
    return packet;
}

enum capture_status capture_next(struct capture *capture, struct ds_packet *packet)
{
    struct capture_input *input = &capture->inputs[0];
    if (capture->points != NULL)
        return capture_points_next(capture, packet);
    if (capture->num_inputs > 1)
        input = capture_choose_oldest(capture);
    else if (input->pcap != NULL)
        read_next(capture, input);
    if (input == NULL || input->pcap == NULL || !input->has_next)
        return capture->is_live && !capture->ended ? CAPTURE_IDLE : CAPTURE_END;
    input->has_next = false;
    *packet = capture_input_packet(capture, input);
    packet->frame = ++capture->num_packets;
    capture->num_made += packet->past.kind != DS_PAST_NONE;
    return CAPTURE_PACKET;
}

void capture_wait(struct capture *capture)
{
    struct pollfd fd = {pcap_get_selectable_fd(capture->inputs[0].pcap), POLLIN, 0};
    poll(&fd, 1, 100);
}

static bool is_input(const struct capture *capture, const struct stat *output, const char *name)
{
    if (!S_ISREG(output->st_mode))
        return false;
    for (size_t i = 0; i < capture->num_inputs; i++) {
        const struct capture_input *input = &capture->inputs[i];
        if (input->is_file && input->device == output->st_dev && input->inode == output->st_ino) {
            complain("%s is being read: write to another file", name);
            return true;
        }
    }
    return false;
}

bool capture_is_input(const struct capture *capture, const char *name)
{
    struct stat output;
    return stat(name, &output) == 0 && is_input(capture, &output, name);
}

bool capture_is_input_file(const struct capture *capture, int fd, const char *name)
{
    struct stat output;
    return fstat(fd, &output) == 0 && is_input(capture, &output, name);
}

bool capture_has_nanoseconds(const struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs; i++) {
        if (capture->inputs[i].nanoseconds)
            return true;
    }
    return false;
}

bool capture_has_made(const struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs; i++) {
        if (capture->inputs[i].made_key != 0)
            return true;
    }
    return false;
}

void capture_get_drops(const struct capture *capture, uint64_t *by_kernel, uint64_t *by_interface)
{
    *by_kernel = *by_interface = 0;
    if (capture->is_live && capture->inputs[0].pcap != NULL)
        capture_live_drops(&capture->inputs[0], by_kernel, by_interface);
}

bool capture_get_progress(const struct capture *capture, double *fraction)
{
    double size = 0;
    double done = 0;
    for (size_t i = 0; i < capture->num_inputs; i++) {
        const struct capture_input *input = &capture->inputs[i];
        if (input->size == 0)
            return false;
        size += (double)input->size;
        if (input->pcap == NULL)
            done += (double)input->size;
        else if (input->unpack != NULL)
            done += (double)unpack_position(input->unpack);
        else if (input->plain.buffer != NULL)
            done += (double)plain_file_position(&input->plain);
        else
            done += (double)ftello(pcap_file(input->pcap));
    }
    *fraction = size > 0 ? done / size : 0;
    return size > 0;
}

void capture_input_close(struct capture_input *input)
{
    if (input->pcap != NULL)
        pcap_close(input->pcap);
    input->pcap = NULL;
    plain_file_end(&input->plain);
    unpack_free(input->unpack);
    input->unpack = NULL;
    pcapng_blocks_clear(&input->blocks);
    if (input->fd >= 0)
        close(input->fd);
    input->fd = -1;
    for (int i = 0; i < 2 && input->has_missed; i++)
        close(input->missed_fds[i]);
    input->has_missed = false;
}

bool capture_close(struct capture *capture)
{
    bool ok = !capture->failed;
    for (size_t i = 0; i < capture->num_inputs; i++)
        capture_input_close(&capture->inputs[i]);
    free(capture->inputs);
    points_free(capture->points);
    if (capture->survey != NULL)
        survey_free(capture->survey);
    free(capture->survey);
    if (capture->complaints != NULL)
        complain("%s", capture->complaints);
    free(capture->complaints);
    *capture = (struct capture){0};
    return ok;
}
