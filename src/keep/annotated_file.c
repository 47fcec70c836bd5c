/*
 * annotated_file.c - see annotated_file.h.
 */
#include "keep/annotated_file.h"

#include "core/complain.h"
#include "keep/note_lines.h"
#include "keep/pcap_writer.h"

#include <stdlib.h>

/* A packet may complete a thousand small messages. A session delays at most half as many packets as are
 * held here. */
enum { COMMENTS_OF_PACKET = 256 * 1024, NUM_HELD = 64 };

/* held_packet is a packet that has not been written yet. */
struct held_packet {
    struct ds_packet packet; /* its data points into bytes */
    struct ds_buffer bytes;
    struct note_lines lines;
};

struct annotated_file {
    struct annotated_config config;
    const struct capture *capture;
    struct pcap_writer writer;
    struct event_text *text;
    struct ds_buffer line;
    struct held_packet held[NUM_HELD]; /* a ring */
    unsigned first, num;
    struct held_packet last; /* comments that belong to no packet */
};

static bool open_writer(struct annotated_file *file)
{
    const struct pcap_writer_config writer = {
        .has_made = capture_has_made(file->capture),
        .secrets.keylog = file->config.secrets,
    };
    return pcap_writer_open(&file->writer, file->config.name, file->capture, &writer);
}

struct annotated_file *annotated_new(const struct annotated_config *config,
                                     const struct capture *capture)
{
    struct annotated_file *file = calloc(1, sizeof *file);
    if (file != NULL)
        file->text = event_text_new_shown(config->verbose);
    if (file == NULL || file->text == NULL) {
        complain("out of memory");
        annotated_free(file);
        return NULL;
    }
    file->config = *config;
    file->capture = capture;
    if (open_writer(file))
        return file;
    annotated_free(file);
    return NULL;
}

static struct held_packet *held_at(struct annotated_file *file, unsigned i)
{
    return &file->held[(file->first + i) % NUM_HELD];
}

static void write_first(struct annotated_file *file)
{
    struct held_packet *held = held_at(file, 0);
    held->packet.data = (const uint8_t *)held->bytes.data;
    pcap_writer_write(&file->writer, &held->packet, note_lines_end(&held->lines, &file->line));
    note_lines_clear(&held->lines);
    file->first = (file->first + 1) % NUM_HELD;
    file->num--;
}

void annotated_packet(struct annotated_file *file, const struct ds_packet *packet)
{
    if (file->num == NUM_HELD)
        write_first(file);
    struct held_packet *held = held_at(file, file->num);
    held->bytes.len = 0;
    ds_buffer_add(&held->bytes, packet->data, packet->cap_len);
    if (held->bytes.failed) {
        file->writer.no_memory++;
        ds_buffer_free(&held->bytes);
        return;
    }
    held->packet = *packet;
    file->num++;
}

/* find returns the packet with a number; if it has been written, the latest one. */
static struct held_packet *find(struct annotated_file *file, uint64_t frame)
{
    if (frame == 0 || file->num == 0)
        return &file->last;
    for (unsigned i = file->num; i-- > 0;) {
        struct held_packet *held = held_at(file, i);
        if (held->packet.frame == frame && held->packet.past.kind == DS_SNAPSHOT_NONE)
            return held;
    }
    return held_at(file, file->num - 1);
}

void annotated_record(struct annotated_file *file, const struct record *record)
{
    if (note_lines_print(file->text, record, &file->line))
        note_lines_add(&find(file, note_frame(record))->lines, &file->line, COMMENTS_OF_PACKET);
}

enum stop_reason annotated_get_stop(const struct annotated_file *file)
{
    const struct output_file *output = &file->writer.output;
    return !output->failed ? STOP_NONE : output->closed ? STOP_READER : STOP_OUTPUT;
}

void annotated_reopen(struct annotated_file *file)
{
    if (!pcap_writer_is_moved(&file->writer))
        return;
    while (file->num != 0)
        write_first(file);
    pcap_writer_close(&file->writer);
    if (!file->writer.output.failed && !open_writer(file))
        file->writer.output.failed = true;
}

void annotated_end(struct annotated_file *file)
{
    int64_t last_ns = 0;
    while (file->num != 0) {
        last_ns = held_at(file, 0)->packet.ts_ns;
        write_first(file);
    }
    const struct ds_buffer *comments = note_lines_end(&file->last.lines, &file->line);
    if (comments != NULL)
        pcap_writer_end_comments(&file->writer, last_ns, comments);
    pcap_writer_close(&file->writer);
}

void annotated_free(struct annotated_file *file)
{
    if (file == NULL)
        return;
    pcap_writer_close(&file->writer);
    event_text_free(file->text);
    for (unsigned i = 0; i < NUM_HELD; i++) {
        ds_buffer_free(&file->held[i].bytes);
        note_lines_free(&file->held[i].lines);
    }
    note_lines_free(&file->last.lines);
    ds_buffer_free(&file->line);
    free(file);
}
