/*
 * role_dump.c - prints each atom of the messages of a capture with its role, as scripts/atom_uses
 * counts them: TEXT <tab> FINE <tab> COARSE <tab> CLOSE ...
 *
 *     role_dump FILE.pcap         decompress the file first
 */
#include "atoms/atom_roles.h"

#include <pcap/pcap.h>
#include <stdio.h>

static void print_role(void *context, const struct ds_atom *atom, const struct atom_role *role)
{
    (void)context;
    if (!ds_atom_is_certain(atom->state) || memchr(atom->text, '\n', atom->len) != NULL ||
        memchr(atom->text, '\t', atom->len) != NULL)
        return;
    printf("%.*s\t%s\t%s", atom->len, (const char *)atom->text, role->fine, role->coarse);
    for (unsigned i = 0; i < role->num_close; i++)
        printf("\t%s", role->close[i]);
    printf("\n");
}

static void on_event(void *context, const struct ds_event *event)
{
    if (event->type == DS_EVENT_MESSAGE && event->fault.kind == DS_FAULT_NONE)
        atom_roles_walk(&event->message, print_role, context);
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
        const struct ds_packet packet = {.ts_ns = header->ts.tv_sec * INT64_C(1000000000),
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
    return 0;
}
