/*
 * capture_writer.c - see capture_writer.h.
 */
#include "keep/capture_writer.h"

#include "core/clock.h"
#include "core/complain.h"
#include "privsep/file_helper.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void capture_writer_init(struct capture_writer *save, const struct keep_config *config,
                         const struct capture *capture)
{
    *save = (struct capture_writer){
        .config = config,
        .capture = capture,
        .rotation.rules = config->rotation,
        .after = post_rotate_for(config->after_command),
        .is_on = config->write_file != NULL && config->trigger == NULL,
    };
    if (save->is_on)
        rotation_names_init(&save->names, config->write_file, ROTATION_NAMES_MAX);
}

/* now_of returns the time for -G: live, the wall clock, as in tcpdump; for a file, the packet's time. */
static int64_t now_of(const struct capture_writer *save, int64_t ts_ns)
{
    return save->capture->is_live ? (int64_t)time(NULL) : ts_ns / 1000000000;
}

static bool make_name(struct capture_writer *save)
{
    return rotation_name(&save->rotation, save->config->write_file, save->name, sizeof save->name);
}

/* reserve_name makes sure that the files of a new period do not overwrite those of another one with the
 * same name. Live, a clock that cannot be set says how long ago that was. */
static bool reserve_name(struct capture_writer *save)
{
    struct rotation *rotation = &save->rotation;
    if (rotation->rules.seconds == 0 || rotation->times != 0)
        return true;
    if (!rotation_base(rotation, save->config->write_file, save->name, sizeof save->name))
        return false;
    const int64_t now =
        save->capture->is_live ? clock_since_boot_ns() / 1000000000 : rotation->named;
    rotation->times = rotation_names_use(&save->names, save->name, rotation->named, now);
    if (rotation->times != 0)
        return true;
    bool ok;
    do /* perhaps written before: only a name without a file is free */
        rotation->times++;
    while ((ok = make_name(save)) && file_helper_exists(save->name));
    return ok;
}

static bool open_current(struct capture_writer *save)
{
    const struct pcap_writer_config writer = {
        .has_made = capture_has_made(save->capture),
        .takes_pcap = !save->config->embeds_secrets,
        .secrets.keylog = save->keylog,
    };
    if (pcap_writer_open(&save->writer, save->name, save->capture, &writer))
        return true;
    save->ending = STOP_OUTPUT;
    return false;
}

static bool open_next(struct capture_writer *save)
{
    if (reserve_name(save) && make_name(save))
        return open_current(save);
    complain("-w %s does not give a file name", save->config->write_file);
    save->ending = STOP_OUTPUT;
    return false;
}

static void check_output(struct capture_writer *save)
{
    const struct output_file *output = &save->writer.output;
    if (output->failed && save->ending != STOP_OUTPUT)
        save->ending = output->closed ? STOP_READER : STOP_OUTPUT;
}

static void close_current(struct capture_writer *save)
{
    if (!save->writer.is_open)
        return;
    pcap_writer_close(&save->writer);
    check_output(save);
    if (save->writer.output.failed)
        return;
    save->num_files++;
    if (!save->writer.output.is_stdout)
        post_rotate_run(&save->after, save->name);
}

bool capture_writer_open(struct capture_writer *save)
{
    if (!save->is_on || (!save->capture->is_live && save->rotation.rules.seconds != 0))
        return true;
    rotation_begin(&save->rotation, now_of(save, 0));
    return open_next(save);
}

/* go_on opens the next file, unless the user wants no more. */
static bool go_on(struct capture_writer *save, enum rotation_step step)
{
    const uint64_t max_files = save->config->max_files;
    close_current(save);
    if (save->ending != STOP_NONE)
        return true; /* the error does not concern the packet */
    if (step == ROTATION_END)
        save->ending = STOP_ROTATION;
    else if (max_files != 0 && save->num_files >= max_files)
        save->ending = STOP_FILES;
    else
        open_next(save);
    return save->ending != STOP_ROTATION && save->ending != STOP_FILES;
}

static void write_now(struct capture_writer *save, const struct ds_packet *packet,
                      const struct ds_buffer *comments)
{
    pcap_writer_write(&save->writer, packet, comments);
    if (save->config->packet_buffered)
        pcap_writer_flush(&save->writer);
    check_output(save);
}

static __attribute__((noinline)) bool write_packet(struct capture_writer *save,
                                                   const struct ds_packet *packet)
{
    if (rotation_is_on(&save->rotation.rules)) {
        const int64_t now = now_of(save, packet->ts_ns);
        enum rotation_step step = ROTATION_STAY;
        if (!save->writer.is_open) {
            rotation_begin(&save->rotation, now);
            open_next(save);
        } else {
            step = rotation_step(&save->rotation, now, save->writer.size);
        }
        if (step != ROTATION_STAY && !go_on(save, step))
            return false;
    }
    if (save->notes == NULL)
        write_now(save, packet, NULL);
    return true;
}

bool capture_writer_packet(struct capture_writer *save, const struct ds_packet *packet)
{
    return !save->is_on || save->ending != STOP_NONE || write_packet(save, packet);
}

void capture_writer_decoded(struct capture_writer *save, const struct ds_packet *packet)
{
    if (save->notes == NULL || save->ending != STOP_NONE)
        return;
    save->last_ns = packet->ts_ns;
    write_now(save, packet, packet_notes_pop(save->notes, packet->frame));
}

void capture_writer_flush(struct capture_writer *save)
{
    if (!save->is_on)
        return;
    pcap_writer_flush(&save->writer);
    check_output(save);
    side_commands_reap(&save->after);
}

void capture_writer_reopen(struct capture_writer *save)
{
    if (save->ending != STOP_NONE || !pcap_writer_is_moved(&save->writer))
        return;
    pcap_writer_close(&save->writer);
    check_output(save);
    if (save->ending == STOP_NONE)
        open_current(save);
}

void capture_writer_close(struct capture_writer *save)
{
    if (!save->is_on)
        return;
    const struct ds_buffer *rest = save->notes != NULL ? packet_notes_rest(save->notes) : NULL;
    if (rest != NULL && save->ending == STOP_NONE)
        pcap_writer_end_comments(&save->writer, save->last_ns, rest);
    close_current(save);
    packet_notes_free(save->notes);
    save->notes = NULL;
    rotation_names_free(&save->names);
    side_commands_wait(&save->after);
}
