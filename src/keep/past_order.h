/*
 * past_order.h - packets that are given connection by connection, put in the order of time.
 * Those of one connection must be in it already; of equal times the one given first goes first.
 */
#ifndef SRC_PAST_ORDER_H
#define SRC_PAST_ORDER_H

#include <distsniff/dissect.h>

struct past_order_item;

/* past_order holds copies of packets. Zero-initialise it. */
struct past_order {
    struct past_order_item *items;
    size_t num, cap;
    struct ds_buffer bytes; /* of all of them */
};

/* past_order_add keeps a copy of a packet. False when memory ran out; what was there stays. */
bool past_order_add(struct past_order *order, const struct ds_packet *packet);

/* past_order_write gives out all packets, in order, and empties order. */
void past_order_write(struct past_order *order,
                      void (*write)(void *context, const struct ds_packet *packet),
                      void *context);

#endif
