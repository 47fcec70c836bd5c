/*
 * pcapng_interfaces.c - see pcapng_interfaces.h.
 */
#include "capture/pcapng_interfaces.h"

#include <distsniff/dissect.h>

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* grow doubles the room, up to `most`. False at that limit, or if memory ran out. */
static bool grow(uint16_t **items, size_t *room, size_t most)
{
    const size_t wanted = *room != 0 ? *room * 2 : FIRST_ROOM;
    uint16_t *more = wanted <= most ? realloc(*items, wanted * sizeof *more) : NULL;
    if (more == NULL)
        return false;
    *items = more;
    *room = wanted;
    return true;
}

void pcapng_interfaces_section(struct pcapng_interfaces *interfaces)
{
    interfaces->num = 0;
}

void pcapng_interfaces_add(struct pcapng_interfaces *interfaces, uint16_t link_type)
{
    if (!interfaces->has_first ||
        (!ds_link_type_known(interfaces->first_type) && ds_link_type_known(link_type)))
        interfaces->first_type = link_type;
    interfaces->has_first = true;
    if (interfaces->num == PCAPNG_INTERFACES_MAX)
        return;
    if (interfaces->num == interfaces->room &&
        !grow(&interfaces->link_type, &interfaces->room, PCAPNG_INTERFACES_MAX)) {
        interfaces->is_wrong = true;
        return;
    }
    interfaces->link_type[interfaces->num++] = link_type;
}

/* grow_waiting enlarges the ring, and moves the items that had wrapped around. */
static bool grow_waiting(struct pcapng_interfaces *interfaces)
{
    const size_t room = interfaces->waiting_room, at = interfaces->at;
    if (!grow(&interfaces->waiting, &interfaces->waiting_room, PCAPNG_WAITING_MAX))
        return false;
    /* Items before the first one now follow the last one. */
    memcpy(interfaces->waiting + room, interfaces->waiting, at * sizeof *interfaces->waiting);
    return true;
}

void pcapng_interfaces_packet(struct pcapng_interfaces *interfaces, uint32_t number)
{
    if (interfaces->num_waiting == interfaces->waiting_room && !grow_waiting(interfaces)) {
        interfaces->is_wrong = true;
        return;
    }
    const size_t end = (interfaces->at + interfaces->num_waiting++) % interfaces->waiting_room;
    interfaces->waiting[end] =
        number < interfaces->num ? interfaces->link_type[number] : PCAPNG_NO_LINK_TYPE;
}

bool pcapng_interfaces_next(struct pcapng_interfaces *interfaces, uint32_t *link_type)
{
    if (interfaces->is_wrong || interfaces->num_waiting == 0)
        return false;
    *link_type = interfaces->waiting[interfaces->at];
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
