/*
 * sniff_decode.c - decodes a packet, at once or after its wait (packet_hold.h), and passes it to
 * those that keep packets by their contents. See sniff_parts.h.
 */
#include "app/run/sniff_parts.h"

static void publish_segment(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    (void)ts_ns; /* segment->past has it, too */
    nats_publish_segment(context, segment);
}

/* publish_state publishes the state of the session at intervals. */
static void publish_state(struct sniff *s, const struct ds_packet *packet)
{
    const int64_t wanted_ns = s->options->nats.state_ns;
    const int64_t each_ns = wanted_ns != 0 ? wanted_ns : NATS_STATE_NS;
    if (!s->config.remember || (s->state_ns != 0 && packet->ts_ns - s->state_ns < each_ns &&
                                packet->ts_ns >= s->state_ns))
        return;
    if (s->state_ns != 0) {
        nats_publish_state(s->nats, packet, s->time_digits);
        conn_states_write(&s->states, s->session, s->openings, NULL, packet->ts_ns, publish_segment,
                          s->nats);
    }
    s->state_ns = packet->ts_ns;
}

bool sniff_writes_later(const struct sniff *s)
{
    return s->hold != NULL && s->save.notes != NULL;
}

void sniff_decode(struct sniff *s, const struct ds_packet *packet)
{
    if (sniff_writes_later(s) && (stop_condition_file(&s->ending, s->save.writer.size) ||
                                  !capture_writer_packet(&s->save, packet)))
        return; /* it is after the end */
    if (s->annotated != NULL)
        annotated_packet(s->annotated, packet);
    const struct ds_where where = ds_session_packet(s->session, packet);
    if (s->nats != NULL && packet->past.kind == DS_SNAPSHOT_NONE)
        publish_state(s, packet);
    capture_writer_decoded(&s->save, packet);
    if (s->recorder != NULL)
        recorder_packet(s->recorder, packet, &where);
    if (s->tui != NULL)
        tui_packet(s->tui, packet, &where);
    if (packet->frame == s->explained_frame && packet->past.kind == DS_SNAPSHOT_NONE)
        explain_packet(pipeline_get_explain(s->pipeline), where.tcp);
}
