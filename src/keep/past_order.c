/*
 * past_order.c - see past_order.h.
 */
#include "past_order.h"

#include <stdlib.h>

struct past_order_item {
    struct ds_packet packet; /* its data is at at, in bytes that move as they grow */
    size_t at;
};

static bool grow(struct past_order *order)
{
    const size_t cap = order->cap != 0 ? order->cap * 2 : 64;
    struct past_order_item *items = realloc(order->items, cap * sizeof *items);
    if (items == NULL)
        return false;
    order->items = items;
    order->cap = cap;
    return true;
}

bool past_order_add(struct past_order *order, const struct ds_packet *packet)
{
    const size_t at = order->bytes.len;
    if ((order->num == order->cap && !grow(order)) ||
        !ds_buffer_reserve(&order->bytes, packet->cap_len))
        return false;
    ds_buffer_add(&order->bytes, packet->data, packet->cap_len);
    order->items[order->num++] = (struct past_order_item){*packet, at};
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct past_order_item *one = a, *other = b;
    if (one->packet.ts_ns != other->packet.ts_ns)
        return one->packet.ts_ns < other->packet.ts_ns ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

void past_order_write(struct past_order *order,
                      void (*write)(void *context, const struct ds_packet *packet),
                      void *context)
{
    if (order->num != 0)
        qsort(order->items, order->num, sizeof *order->items, compare);
    for (size_t i = 0; i < order->num; i++) {
        struct ds_packet packet = order->items[i].packet;
        packet.data = (const uint8_t *)order->bytes.data + order->items[i].at;
        write(context, &packet);
    }
    free(order->items);
    ds_buffer_free(&order->bytes);
    *order = (struct past_order){.items = NULL};
}
