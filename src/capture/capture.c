/*
 * capture.c - see capture.h.
 */
#include "capture/capture.h"

#include "capture/capture_streams.h"
#include "capture/dedup.h"
#include "capture/point_merge.h"
#include "capture/unpack.h"
#include "core/complain.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
                                   : capture_open_file(input, config->read_files[i],
                                                       config->read_fds != NULL
                                                           ? config->read_fds[i]
                                                           : -1);
        input->is_listed = config->read_fds != NULL && config->read_fds[i] >= 0;
        capture->num_inputs += ok;
        if (!ok || (capture->is_live && !check_link_type(input))) {
            capture_close(capture);
            return false;
        }
    }
    return capture_streams_begin(capture);
}

bool capture_begin(struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs && !capture->is_live; i++) {
        struct capture_input *input = &capture->inputs[i];
        if (!capture_begin_file(capture, input))
            return false;
        /* Of pcapng, interfaces may come that can be read: capture_input_say_other tells if none has. */
        if (!input->interfaces.has_first && !check_link_type(input))
            return false;
    }
    return true;
}

enum capture_status capture_next(struct capture *capture, struct ds_packet *packet)
{
    struct capture_input *input = &capture->inputs[0];
    if (capture->points != NULL)
        return capture_points_next(capture, packet);
    do {
        if (capture->num_inputs > 1)
            input = capture_choose_oldest(capture);
        else if (input->pcap != NULL)
            capture_input_next(capture, input);
        if (input == NULL || input->pcap == NULL || !input->has_next)
            return capture->is_live && !capture->ended ? CAPTURE_IDLE : CAPTURE_END;
        input->has_next = false;
        capture_input_packet(capture, input, packet);
    } while (capture->dedup != NULL && capture_streams_is_copy(capture, input, packet));
    packet->frame = ++capture->num_packets;
    capture->num_made += packet->past.kind != DS_SNAPSHOT_NONE;
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

bool capture_goes_on(const struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs; i++) {
        if (!capture->inputs[i].is_file)
            return true;
    }
    return capture->is_live;
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
        if (capture->inputs[i].made_key != 0 || capture->inputs[i].pipe != NULL)
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

bool capture_close(struct capture *capture)
{
    for (size_t i = 0; i < capture->num_inputs; i++) {
        capture_input_say_other(capture, &capture->inputs[i]);
        capture_input_close(&capture->inputs[i]);
    }
    const bool ok = !capture->failed;
    free(capture->inputs);
    point_merge_free(capture->points);
    dedup_free(capture->dedup);
    if (capture->survey != NULL)
        overlap_scan_free(capture->survey);
    free(capture->survey);
    if (capture->complaints != NULL)
        complain("%s", capture->complaints);
    free(capture->complaints);
    *capture = (struct capture){0};
    return ok;
}
