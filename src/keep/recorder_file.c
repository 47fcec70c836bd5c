/*
 * recorder_file.c - the files of -O and --trigger: packets, preceded by snapshots of their connections.
 * See packet_recorder_parts.h.
 */
#include "keep/packet_recorder_parts.h"

#include "capture/pseudo_packet.h"


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
    if (pseudo_packet(segment, k->state_ns, k->capture->inputs[0].link_type, &k->made,
                      &packet)) {
        recorder_write(k, &packet);
        return;
    }
    k->no_memory += k->made.failed;
    k->num_incomplete += !k->made.failed;
    ds_buffer_free(&k->made);
}

static void on_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    (void)ts_ns; /* segment->past has it, too */
    write_segment(context, segment);
}

void recorder_write_state(struct packet_recorder *k, const struct ds_endpoint *ends, int64_t now_ns)
{
    k->state_ns = now_ns;
    conn_states_write(&k->states, k->past, &k->openings, ends, now_ns, on_segment, k);
    k->num_incomplete += k->states.num_incomplete;
    k->no_memory += k->states.no_memory;
    k->states.num_incomplete = k->states.no_memory = 0;
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
