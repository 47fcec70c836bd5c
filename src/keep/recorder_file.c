/*
 * recorder_file.c - the files of -O and --trigger: packets, preceded by snapshots of their connections.
 * See packet_recorder_parts.h.
 */
#include "keep/packet_recorder_parts.h"

#include "capture/pseudo_packet.h"

#include <string.h>

enum { RECENT_NS = 100000000 }; /* a monitor may be set up this long before its request */

static void check_output(struct packet_recorder *k)
{
    const struct output_file *output = &k->writer.output;
    if (output->failed && k->ending == STOP_NONE)
        k->ending = output->closed ? STOP_READER : STOP_OUTPUT;
}

/* wants_secrets says whether packets of a connection are written. */
static bool wants_secrets(void *context, uint64_t tcp)
{
    const struct packet_recorder *k = context;
    const struct stored_conn *conn = packet_store_find(&k->store, tcp);
    return conn != NULL && (k->config->trigger != NULL || conn->pinned);
}

void recorder_open(struct packet_recorder *k, const char *name)
{
    const struct pcap_writer_config writer = {
        .has_made = true,
        .takes_pcap = !k->config->embeds_secrets,
        .secrets = {k->keylog, wants_secrets, k},
    };
    if (!pcap_writer_open(&k->writer, name, k->capture, &writer))
        k->ending = STOP_OUTPUT;
}

void recorder_write(struct packet_recorder *k, const struct ds_packet *packet)
{
    pcap_writer_write(&k->writer, packet,
                      k->notes != NULL ? packet_notes_pop(k->notes, packet->frame) : NULL);
    if (k->config->packet_buffered)
        pcap_writer_flush(&k->writer);
    check_output(k);
}

static void write_segment(struct packet_recorder *k, const struct ds_segment *segment)
{
    struct ds_packet packet;
    if (pseudo_packet(segment, k->writing.now_ns, k->capture->inputs[0].link_type, &k->made,
                      &packet)) {
        recorder_write(k, &packet);
        return;
    }
    k->no_memory += k->made.failed;
    k->num_incomplete += !k->made.failed;
    ds_buffer_free(&k->made);
}

/* write_opening writes a message that is not part of the stream, as a retransmission. */
static void write_opening(void *context, const struct pending_message *opening)
{
    enum { PSH_ACK = 24, WINDOW = 65535 };
    struct packet_recorder *k = context;
    const struct recorder_past *w = &k->writing;
    const int from =
        opening->ends[0].port == w->ends[0].port &&
                memcmp(&opening->ends[0].addr, &w->ends[0].addr, sizeof w->ends[0].addr) == 0
            ? 0
            : 1;
    if (opening->frame == NULL) {
        k->num_incomplete++;
        return;
    }
    struct ds_segment segment = {
        .src = opening->ends[0].addr,
        .dst = opening->ends[1].addr,
        .src_port = opening->ends[0].port,
        .dst_port = opening->ends[1].port,
        .seq = w->point[from] - (uint32_t)opening->len,
        .ack = w->point[!from],
        .window = WINDOW,
        .flags = PSH_ACK,
        .payload = opening->frame,
        .payload_len = (uint32_t)opening->len,
        .past = {.sent_ns = opening->ns,
                 .point = {w->point[from], w->point[!from]},
                 .knows = {w->knows[from], w->knows[!from]},
                 .kind = DS_SNAPSHOT_OPEN},
    };
    if (ds_session_seal_snapshot(k->past, &segment, &k->sealed)) {
        write_segment(k, &segment);
        return;
    }
    k->no_memory += k->sealed.failed;
    k->num_incomplete += !k->sealed.failed;
    ds_buffer_free(&k->sealed);
}

/* end_conn writes the last part of a connection's snapshot: the messages that may still be answered. */
static void end_conn(struct packet_recorder *k)
{
    if (k->writing.has_conn)
        pending_messages_write(&k->openings, k->writing.ends, k->writing.now_ns - RECENT_NS,
                               write_opening,
                               k);
    k->writing.has_conn = false;
}

static void on_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct packet_recorder *k = context;
    const struct ds_snapshot *past = &segment->past;
    (void)ts_ns; /* past has it, too */
    if (past->begins) {
        end_conn(k);
        k->writing.has_conn = true;
        k->writing.ends[0] = (struct ds_endpoint){.addr = segment->src, .port = segment->src_port};
        k->writing.ends[1] = (struct ds_endpoint){.addr = segment->dst, .port = segment->dst_port};
        memcpy(k->writing.point, past->point, sizeof past->point);
        memcpy(k->writing.knows, past->knows, sizeof past->knows);
    }
    write_segment(k, segment);
}

void recorder_write_state(struct packet_recorder *k, const struct ds_endpoint *ends, int64_t now_ns)
{
    k->writing = (struct recorder_past){.now_ns = now_ns};
    ds_session_snapshot(k->past, ends, on_segment, k);
    end_conn(k);
}

void recorder_close(struct packet_recorder *k)
{
    k->no_memory += k->writer.no_memory;
    pcap_writer_close(&k->writer);
    check_output(k);
}

void recorder_flush_file(struct packet_recorder *k)
{
    pcap_writer_flush(&k->writer);
    check_output(k);
}
