/*
 * pcapng_interfaces.c - see pcapng_interfaces.h.
 */
#include "capture/pcapng_interfaces.h"

#include <distsniff/dissect.h>

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* grow returns items with room for twice as many, at most so many. NULL: there is no more, or memory ran
 * out. */
static void *grow(void *items, size_t size, size_t *room, size_t most)
{
    const size_t wanted = *room != 0 ? *room * 2 : FIRST_ROOM;
    void *more = wanted <= most ? realloc(items, wanted * size) : NULL;
    if (more != NULL)
        *room = wanted;
    return more;
}

static bool grow_link_types(struct pcapng_interfaces *interfaces)
{
    uint16_t *more = grow(interfaces->link_type, sizeof *more, &interfaces->room, PCAPNG_INTERFACES_MAX);
    if (more != NULL)
        interfaces->link_type = more;
    return more != NULL;
}

void pcapng_interfaces_section(struct pcapng_interfaces *interfaces)
{
    interfaces->num = 0;
}

void pcapng_interfaces_add(struct pcapng_interfaces *interfaces, uint16_t link_type, uint32_t snap_len)
{
    if (!interfaces->has_first ||
        (!ds_link_type_known(interfaces->first_type) && ds_link_type_known(link_type)))
        interfaces->first_type = link_type;
    interfaces->has_first = true;
    if (interfaces->num == PCAPNG_INTERFACES_MAX)
        return;
    if (interfaces->num == 0)
        interfaces->snap_len = snap_len;
    if (interfaces->num == interfaces->room && !grow_link_types(interfaces)) {
        interfaces->is_wrong = true;
        return;
    }
    interfaces->link_type[interfaces->num++] = link_type;
}

/* grow_waiting enlarges the ring, and moves the items that had wrapped around. */
static bool grow_waiting(struct pcapng_interfaces *interfaces)
{
    const size_t room = interfaces->waiting_room, at = interfaces->at;
    struct pcapng_packet *more =
        grow(interfaces->waiting, sizeof *more, &interfaces->waiting_room, PCAPNG_WAITING_MAX);
    if (more == NULL)
        return false;
    interfaces->waiting = more;
    /* What stood before the first one stands behind the last one now. */
    memcpy(interfaces->waiting + room, interfaces->waiting, at * sizeof *interfaces->waiting);
    return true;
}

static void add_packet(struct pcapng_interfaces *interfaces, uint32_t number, struct pcapng_packet packet)
{
    packet.link_type = number < interfaces->num ? interfaces->link_type[number] : PCAPNG_NO_LINK_TYPE;
    if (interfaces->num_waiting == interfaces->waiting_room && !grow_waiting(interfaces)) {
        interfaces->is_wrong = true;
        return;
    }
    const size_t end = (interfaces->at + interfaces->num_waiting++) % interfaces->waiting_room;
    interfaces->waiting[end] = packet;
}

void pcapng_interfaces_packet(struct pcapng_interfaces *interfaces, uint32_t number)
{
    add_packet(interfaces, number, (struct pcapng_packet){.is_simple = false});
}

void pcapng_interfaces_simple_packet(struct pcapng_interfaces *interfaces, uint32_t len)
{
    const uint32_t limit = interfaces->snap_len;
    const struct pcapng_packet packet = {
        .is_simple = true, .len = len, .cap_max = limit != 0 && limit < len ? limit : len};
    add_packet(interfaces, 0, packet);
}

bool pcapng_interfaces_next(struct pcapng_interfaces *interfaces, struct pcapng_packet *packet)
{
    if (interfaces->is_wrong || interfaces->num_waiting == 0)
        return false;
    *packet = interfaces->waiting[interfaces->at];
    interfaces->at = (interfaces->at + 1) % interfaces->waiting_room;
    interfaces->num_waiting--;
    return true;
}

void pcapng_interfaces_free(struct pcapng_interfaces *interfaces)
{
    free(interfaces->link_type);
    free(interfaces->waiting);
    *interfaces = (struct pcapng_interfaces){0};
}
