/*
 * tui_packets.c - see tui_packets.h.
 */
#include "ui/tui/tui_packets.h"

#include "keep/packet_store.h"
#include "keep/pcap_writer.h"

#include <pthread.h>
#include <stdlib.h>

struct tui_packets {
    pthread_mutex_t lock;
    struct packet_store store;
    const struct capture *capture;
};

struct tui_packets *tui_packets_new(const uint64_t limits[DS_LIMIT_COUNT], const struct capture *capture)
{
    struct tui_packets *packets = calloc(1, sizeof *packets);
    if (packets == NULL)
        return NULL;
    pthread_mutex_init(&packets->lock, NULL);
    packet_store_init(&packets->store, limits[DS_LIMIT_KEPT], limits[DS_LIMIT_CONNECTIONS]);
    packets->capture = capture;
    return packets;
}

void tui_packets_free(struct tui_packets *packets)
{
    if (packets == NULL)
        return;
    packet_store_free(&packets->store);
    pthread_mutex_destroy(&packets->lock);
    free(packets);
}

void tui_packets_add(struct tui_packets *packets, const struct ds_packet *packet,
                     const struct ds_where *where)
{
    if (pthread_mutex_trylock(&packets->lock) != 0)
        return; /* a file is being written */
    const uint64_t key = packet_store_key(&packets->store, where);
    if (where->forgotten != 0)
        packet_store_drop_conn(&packets->store, where->forgotten);
    if (key != 0)
        packet_store_add(&packets->store, key, packet);
    pthread_mutex_unlock(&packets->lock);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int64_t tui_packets_save(struct tui_packets *packets, const char *name, const uint64_t *conns, size_t num)
{
    const struct pcap_writer_config config = {.takes_pcap = true};
    struct pcap_writer writer;
    int64_t written = 0;
    pthread_mutex_lock(&packets->lock);
    const bool is_open = pcap_writer_open(&writer, name, packets->capture, &config);
    for (struct stored_packet *p = packets->store.oldest; is_open && p != NULL; p = p->newer) {
        if (bsearch(&p->conn->key, conns, num, sizeof *conns, compare) == NULL)
            continue;
        pcap_writer_write(&writer, &p->packet, NULL);
        written++;
    }
    if (is_open)
        pcap_writer_flush(&writer);
    const bool failed = !is_open || writer.output.failed;
    if (is_open)
        pcap_writer_close(&writer);
    pthread_mutex_unlock(&packets->lock);
    return failed ? -1 : written;
}
