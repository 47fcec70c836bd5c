/*
 * capture_live.c - capture on an interface, and the list of interfaces.
 */
#include "capture/capture_input.h"

#include "core/complain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The default buffer of libpcap, 2 MiB, is full after a few messages of some hundred kB. */
enum { TIMEOUT_MS = 100, DEFAULT_BUFFER_KIB = 32 * 1024 };

static bool fail_activate(const char *name, pcap_t *pcap, int status)
{
    const char *text = pcap_geterr(pcap);
    switch (status) {
    case PCAP_ERROR_NO_SUCH_DEVICE:
        complain("no interface %s: distsniff -D lists them", name);
        break;
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
        complain("no permission to capture on %s: use sudo, or give the program the right once: "
                 "sudo setcap cap_net_raw,cap_net_admin+ep \"$(command -v distsniff)\"",
                 name);
        break;
    case PCAP_ERROR_IFACE_NOT_UP:
        complain("interface %s is down: sudo ip link set %s up", name, name);
        break;
    default:
        complain("cannot capture on %s: %s%s%s", name, pcap_statustostr(status),
                 text[0] != '\0' ? ": " : "", text);
    }
    return false;
}

/* find_by_number finds an interface by its number in the list of -D. */
static bool find_by_number(const char *number, char *name, size_t size)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_if_t *all = NULL;
    char *end;
    long wanted = strtol(number, &end, 10);
    if (*end != '\0' || wanted < 1 || pcap_findalldevs(&all, error) != 0)
        return false;
    const pcap_if_t *one = all;
    while (one != NULL && --wanted > 0)
        one = one->next;
    if (one != NULL)
        snprintf(name, size, "%s", one->name);
    pcap_freealldevs(all);
    return one != NULL;
}

static bool activate(struct capture_input *input, const struct capture_config *config)
{
    pcap_t *pcap = input->pcap;
    const int buffer_kib = config->buffer_kib != 0 ? config->buffer_kib : DEFAULT_BUFFER_KIB;
    int status;
    if ((status = pcap_set_snaplen(pcap, config->snaplen)) != 0 ||
        (status = pcap_set_promisc(pcap, !config->no_promiscuous)) != 0 ||
        (status = pcap_set_timeout(pcap, TIMEOUT_MS)) != 0 ||
        (status = pcap_set_immediate_mode(pcap, config->immediate)) != 0 ||
        (status = pcap_set_buffer_size(pcap, buffer_kib * 1024)) != 0)
        return fail_activate(input->name, pcap, status);
    status = pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO);
    const bool has_nanoseconds = status == 0; /* otherwise microseconds */

    status = pcap_activate(pcap);
    if (status < 0)
        return fail_activate(input->name, pcap, status);
    /* Report warnings, except that "any" has no promiscuous mode. */
    if (status > 0 && status != PCAP_WARNING_PROMISC_NOTSUP)
        complain("%s: %s", input->name, pcap_statustostr(status));
    input->nanoseconds =
        has_nanoseconds && pcap_get_tstamp_precision(pcap) == PCAP_TSTAMP_PRECISION_NANO;

    char error[PCAP_ERRBUF_SIZE];
    static const pcap_direction_t directions[] = {PCAP_D_INOUT, PCAP_D_IN, PCAP_D_OUT};
    if (config->direction != DIRECTION_BOTH &&
        pcap_setdirection(pcap, directions[config->direction]) != 0) {
        complain("cannot capture only one direction on %s: %s", input->name, pcap_geterr(pcap));
        return false;
    }
    if (pcap_setnonblock(pcap, 1, error) != 0) {
        complain("cannot capture on %s: %s", input->name, error);
        return false;
    }
    capture_read_link_type(input);
    return true;
}

void capture_live_drops(struct capture_input *input, uint64_t *by_kernel, uint64_t *by_interface)
{
    live_drops_count(&input->drops, input->pcap);
    *by_kernel = input->drops.by_kernel;
    *by_interface = input->drops.by_interface;
}

bool capture_open_live(struct capture_input *input, const struct capture_config *config)
{
    char error[PCAP_ERRBUF_SIZE];
    char by_number[64];
    input->name = config->interface != NULL ? config->interface : "any";
    const char *device = input->name;
    if (find_by_number(device, by_number, sizeof by_number))
        device = by_number;
    input->pcap = pcap_create(device, error);
    if (input->pcap == NULL) {
        complain("cannot capture on %s: %s", input->name, error);
        return false;
    }
    if (!activate(input, config)) {
        capture_input_close(input);
        return false;
    }
    if (!config->no_promiscuous)
        live_drops_begin(&input->drops, device);
    return true;
}

bool capture_list_interfaces(void)
{
    char error[PCAP_ERRBUF_SIZE];
    pcap_if_t *all = NULL;
    int number = 0;
    if (pcap_findalldevs(&all, error) != 0) {
        complain("cannot list the interfaces: %s", error);
        return false;
    }
    for (const pcap_if_t *one = all; one != NULL; one = one->next) {
        printf("%d.%s", ++number, one->name);
        if (one->description != NULL)
            printf(" (%s)", one->description);
        if ((one->flags & PCAP_IF_UP) != 0)
            printf(" [up%s%s]", (one->flags & PCAP_IF_RUNNING) != 0 ? ", running" : "",
                   (one->flags & PCAP_IF_LOOPBACK) != 0 ? ", loopback" : "");
        putchar('\n');
    }
    pcap_freealldevs(all);
    return true;
}
