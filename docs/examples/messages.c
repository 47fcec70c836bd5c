/*
 * messages FILE: the messages between the Erlang nodes of a capture, one a line, and how many of
 * them had to do without something. How libdistsniff is used: packets in, events out.
 *
 *     cc -o messages messages.c $(pkg-config --cflags --libs distsniff libpcap)
 */
#include <distsniff/dissect.h>

#include <pcap.h>
#include <stdio.h>

/* What an event shows lives until this function returns. */
static void on_event(void *context, const struct ds_event *event)
{
    struct ds_buffer *line = context;
    if (event->type != DS_EVENT_MESSAGE)
        return;
    line->len = 0;
    ds_endpoint_print(&event->conn->end[event->dir], line);
    ds_buffer_add_text(line, " > ");
    ds_endpoint_print(&event->conn->end[!event->dir], line);
    const struct ds_message *message = &event->message;
    ds_buffer_printf(line, ": %s ", message->op != NULL ? message->op->name : "unknown");
    ds_term_print(&message->control, NULL, line);
    if (message->payload.data != NULL) {
        ds_buffer_add_text(line, " ");
        ds_term_print(&message->payload, NULL, line);
    }
    ds_buffer_add_text(line, "\n");
    if (!line->failed)
        fwrite(line->data, 1, line->len, stdout);
}

int main(int argc, char **argv)
{
    char why[PCAP_ERRBUF_SIZE] = "usage: messages FILE";
    pcap_t *capture = argc == 2 ? pcap_open_offline_with_tstamp_precision(
                                      argv[1], PCAP_TSTAMP_PRECISION_NANO, why)
                                : NULL;
    if (capture == NULL) {
        fprintf(stderr, "%s\n", why);
        return 2;
    }
    struct ds_buffer line = {0};
    struct ds_config config;
    ds_config_init(&config);
    config.on_event = on_event;
    config.context = &line;
    struct ds_session *session = ds_session_new(&config);
    if (session == NULL)
        return 2;

    struct pcap_pkthdr *header;
    const u_char *data;
    struct ds_packet packet = {.link_type = (uint32_t)pcap_datalink(capture)};
    while (pcap_next_ex(capture, &header, &data) == 1) {
        packet.ts_ns = (int64_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec;
        packet.frame++;
        packet.data = data;
        packet.cap_len = header->caplen;
        packet.len = header->len;
        ds_session_packet(session, &packet);
    }
    ds_session_end(session);

    const struct ds_stats *stats = ds_session_stats(session);
    fprintf(stderr, "%llu messages, %llu faults, %llu unknown atoms\n",
            (unsigned long long)stats->messages, (unsigned long long)stats->faults,
            (unsigned long long)stats->unknown_atoms);
    ds_session_free(session);
    ds_buffer_free(&line);
    pcap_close(capture);
    return 0;
}
