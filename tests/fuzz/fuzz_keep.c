/*
 * fuzz_keep.c - whole captures (fuzz_pcap.h), given to the recorder with little room: to write
 * what is selected of files, live, and with all that stands for the past at some moment. What
 * is selected is every so many events.
 */
#include "fuzz_pcap.h"

#include "keep/packet_recorder_parts.h"
#include "capture/pseudo_packet.h"
#include "default_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct run {
    struct keep_config options;
    struct capture capture;
    struct capture_input input;
    struct ds_session *session, *again;
    struct packet_recorder *recorder;
    struct ds_buffer made;
    uint64_t num_events, every, num_made;
};

static void on_event(void *context, const struct ds_event *event)
{
    struct run *run = context;
    const struct record record = {.event = event};
    recorder_record(run->recorder, &record, ++run->num_events % run->every == 0);
}

static void hand_on(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct run *run = context;
    struct ds_packet packet;
    if (!pseudo_packet(segment, ts_ns, run->input.link_type, &run->made, &packet))
        return;
    packet.frame = ++run->num_made;
    ds_session_packet(run->again, &packet);
}

/* A session must be able to read a snapshot. */
static void read_past(struct run *run)
{
    struct ds_config config;
    ds_config_init(&config);
    config.on_event = fuzz_on_event;
    run->again = ds_session_new(&config);
    if (run->again == NULL)
        return;
    ds_session_snapshot(run->recorder->past, NULL, hand_on, run);
    ds_session_end(run->again);
    ds_session_free(run->again);
}

static void keep(struct cursor c, bool is_live, uint64_t max_kept, uint64_t every)
{
    struct run run = {.capture = {.is_live = is_live, .num_inputs = 1}, .every = every};
    struct ds_packet packet = {0};
    bool big;
    if (!fuzz_read_header(&c, &big, &packet))
        return;
    run.input = (struct capture_input){.name = "fuzz", .link_type = packet.link_type};
    run.input.pcap = pcap_open_dead(DLT_EN10MB, 65535);
    run.capture.inputs = &run.input;
    default_limits(run.options.limits);
    run.options.limits[DS_LIMIT_KEPT] = max_kept;
    run.options.limits[DS_LIMIT_CONNECTIONS] = 8;
    run.options.connections_file = "/dev/null";
    struct ds_config config;
    ds_config_init(&config);
    memcpy(config.limits, run.options.limits, sizeof config.limits);
    config.on_event = on_event;
    config.context = &run;
    run.recorder = recorder_new(&run.options, &config, &run.capture);
    run.session = ds_session_new(&config);
    if (run.recorder == NULL || run.session == NULL || run.input.pcap == NULL)
        abort();
    while (fuzz_read_packet(&c, big, &packet)) {
        const struct ds_where where = ds_session_packet(run.session, &packet);
        recorder_packet(run.recorder, &packet, &where);
        fuzz_free_packet(&packet);
        if (run.recorder->store.used > max_kept)
            abort();
    }
    fuzz_free_packet(&packet);
    read_past(&run);
    ds_session_end(run.session);
    recorder_end(run.recorder);
    recorder_free(run.recorder);
    ds_session_free(run.session);
    pcap_close(run.input.pcap);
    ds_buffer_free(&run.made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct cursor c = cursor_make(data, len);
    keep(c, false, 4000, 13);
    keep(c, true, 1500, 7);
    keep(c, true, 1, 1000000);
    return 0;
}
