/*
 * socket_places.h - where nodes listen for connections beside the distribution, learned from
 * messages of the distribution:
 *
 *   RabbitMQ's streams   a replica asks osiris_replica_reader_sup of the leader's node to connect
 *                        to it: {start_child, #{start := {osiris_replica_reader, start_link,
 *                        [#{port, connection_token, ..}]}}}
 *   VerneMQ              an rpc or erpc answer {gen_tcp | ssl, Host, Port}
 */
#ifndef DISSECT_SOCKET_PLACES_H
#define DISSECT_SOCKET_PLACES_H

#include "conn/conn.h"

enum { SOCKET_TOKEN_LEN = 32, SOCKET_NAME_LEN = 255, SOCKET_PLACES_MAX = 256 };

/* socket_place is one listener: names of the node that connects, [0], and that listens, [1]. */
struct socket_place {
    struct ds_addr addr;
    uint16_t port;
    bool has_token;
    uint8_t token[SOCKET_TOKEN_LEN];
    uint8_t name_len[2];
    char name[2][SOCKET_NAME_LEN];
};

/* socket_places keeps the latest SOCKET_PLACES_MAX of them. */
struct socket_places;

void socket_places_free(struct socket_places *places); /* NULL is allowed */

/* socket_places_learn reads a decoded message of a distribution connection. */
void socket_places_learn(struct dissect_ctx *env, const struct conn *conn,
                         const struct ds_event *event);

/* socket_places_may_name checks quickly whether a message may name a listener. */
static inline bool socket_places_may_name(const struct ds_event *event)
{
    enum { REG_SEND = 6, MONITOR_P_EXIT = 28 };
    return event->message.code == REG_SEND || event->message.code == MONITOR_P_EXIT;
}

/* socket_places_find returns the latest one of that address and port; NULL if there is none. places
 * may be NULL. */
const struct socket_place *socket_places_find(const struct socket_places *places,
                                              const struct ds_addr *addr, uint16_t port);

static inline struct ds_text socket_place_node(const struct socket_place *place, int end)
{
    return (struct ds_text){place->name[end], place->name_len[end]};
}

#endif
