/*
 * shape_dump.c - prints the atoms of a capture with their contexts, as
 * scripts/shapes/learn counts them: TEXT <tab> NUM <tab> KEY ..., the smallest context first; of
 * whole messages <tab> <tab> NUM <tab> SHAPE.
 *
 *     shape_dump FILE.pcap         decompress the file first
 */
#include "atoms/atom_shapes.h"

#include <distsniff/dissect.h>

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    char *text;
    uint32_t keys[ATOM_SHAPE_KEYS];
    unsigned num_keys;
    uint64_t num;
};

static struct row *rows;
static size_t cap, num_rows;

static uint64_t hash_of(const struct row *row)
{
    uint64_t hash = 1469598103934665603u;
    for (unsigned i = 0; i < row->num_keys; i++)
        hash = (hash ^ row->keys[i]) * 1099511628211u;
    for (const char *c = row->text; *c != '\0'; c++)
        hash = (hash ^ (uint8_t)*c) * 1099511628211u;
    return hash ^ hash >> 29;
}

static struct row *place_of(const struct row *row)
{
    size_t at = hash_of(row) % cap;
    while (rows[at].text != NULL &&
           (rows[at].num_keys != row->num_keys || strcmp(rows[at].text, row->text) != 0 ||
            memcmp(rows[at].keys, row->keys, sizeof row->keys) != 0))
        at = (at + 1) % cap;
    return &rows[at];
}

static void grow(void)
{
    struct row *old = rows;
    const size_t old_cap = cap;
    cap = cap != 0 ? 2 * cap : 65536;
    rows = calloc(cap, sizeof *rows);
    if (rows == NULL)
        exit(2);
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i].text != NULL)
            *place_of(&old[i]) = old[i];
    }
    free(old);
}

static void add_row(const char *text, const uint32_t *keys, unsigned num)
{
    struct row row = {.num_keys = num};
    memcpy(row.keys, keys, num * sizeof *keys);
    row.text = strdup(text);
    if (row.text == NULL)
        exit(2);
    if (2 * num_rows >= cap)
        grow();
    struct row *at = place_of(&row);
    if (at->text == NULL) {
        *at = row;
        num_rows++;
    } else {
        free(row.text);
    }
    at->num++;
}

static void count(void *context, const struct ds_atom *atom, const struct atom_contexts *contexts)
{
    (void)context;
    char text[1100];
    if (!ds_atom_is_certain(atom->state) || memchr(atom->text, '\n', atom->len) != NULL ||
        memchr(atom->text, '\t', atom->len) != NULL || atom->len > 1000)
        return;
    snprintf(text, sizeof text, "%.*s", atom->len, (const char *)atom->text);
    add_row(text, contexts->keys, contexts->num);
}

static void on_event(void *context, const struct ds_event *event)
{
    (void)context;
    if (event->type != DS_EVENT_MESSAGE || event->fault.kind != DS_FAULT_NONE)
        return;
    const uint32_t whole = atom_shapes_walk(&event->message, count, NULL, NULL);
    if (whole != 0)
        add_row("\t", &whole, 1);
}

int main(int argc, char **argv)
{
    char error[PCAP_ERRBUF_SIZE];
    struct ds_config config;
    struct pcap_pkthdr *header;
    const u_char *bytes;
    uint64_t frame = 0;
    pcap_t *pcap = argc == 2 ? pcap_open_offline(argv[1], error) : NULL;
    ds_config_init(&config);
    config.on_event = on_event;
    struct ds_session *session = ds_session_new(&config);
    if (pcap == NULL || session == NULL)
        return 2;
    while (pcap_next_ex(pcap, &header, &bytes) == 1) {
        const struct ds_packet packet = {.ts_ns = header->ts.tv_sec * INT64_C(1000000000) +
                                                  header->ts.tv_usec * INT64_C(1000),
                                         .frame = ++frame,
                                         .link_type = (uint32_t)pcap_datalink(pcap) == 12
                                                          ? 101
                                                          : (uint32_t)pcap_datalink(pcap),
                                         .data = bytes,
                                         .cap_len = header->caplen,
                                         .len = header->len};
        ds_session_packet(session, &packet);
    }
    ds_session_end(session);
    ds_session_free(session);
    pcap_close(pcap);
    for (size_t i = 0; i < cap; i++) {
        if (rows[i].text == NULL)
            continue;
        printf("%s\t%llu\t", rows[i].text,
               (unsigned long long)rows[i].num);
        for (unsigned k = 0; k < rows[i].num_keys; k++)
            printf("%s%08x", k != 0 ? " " : "", rows[i].keys[k]);
        printf("\n");
        free(rows[i].text);
    }
    free(rows);
    return 0;
}
