/*
 * socket_places.c - see socket_places.h.
 */
#include "dist/socket_places.h"

#include <distsniff/identity.h>
#include <stdlib.h>
#include <string.h>

struct socket_places {
    struct socket_place place[SOCKET_PLACES_MAX];
    unsigned num, next; /* next: index for the next one */
};

void socket_places_free(struct socket_places *places)
{
    free(places);
}

const struct socket_place *socket_places_find(const struct socket_places *places,
                                              const struct ds_addr *addr, uint16_t port)
{
    for (unsigned i = 0; places != NULL && i < places->num; i++) {
        const struct socket_place *place =
            &places->place[(places->next + SOCKET_PLACES_MAX - 1 - i) % SOCKET_PLACES_MAX];
        if (place->port == port && place->addr.family == addr->family &&
            memcmp(place->addr.bytes, addr->bytes, sizeof addr->bytes) == 0)
            return place;
    }
    return NULL;
}

/* add_place adds a place, evicting the oldest, and reports the port if no place had it. NULL if
 * memory ran out. */
static struct socket_place *add_place(struct dissect_ctx *env, const struct ds_addr *addr,
                                      uint16_t port, struct ds_text who)
{
    if (env->places == NULL)
        env->places = calloc(1, sizeof *env->places);
    if (env->places == NULL) {
        env->stats.no_memory++;
        return NULL;
    }
    struct socket_places *places = env->places;
    bool is_new = true;
    for (unsigned i = 0; i < places->num; i++)
        is_new = is_new && places->place[i].port != port;
    struct socket_place *place = &places->place[places->next];
    places->next = (places->next + 1) % SOCKET_PLACES_MAX;
    places->num += places->num < SOCKET_PLACES_MAX;
    *place = (struct socket_place){.addr = *addr, .port = port};
    if (is_new && env->config.on_port != NULL)
        env->config.on_port(env->config.context, port, who);
    return place;
}

static bool is_atom(const struct ds_term *term, const char *word)
{
    struct ds_text text;
    return ds_term_get_atom(term, &text) && text.len == strlen(word) &&
           memcmp(text.data, word, text.len) == 0;
}

static bool get_port(const struct ds_term *term, uint16_t *out)
{
    int64_t port;
    if (!ds_term_get_integer(term, &port) || port <= 0 || port > UINT16_MAX)
        return false;
    *out = (uint16_t)port;
    return true;
}

static void set_name(struct socket_place *place, int end, struct ds_text name)
{
    if (name.data == NULL || name.len > SOCKET_NAME_LEN)
        return;
    memcpy(place->name[end], name.data, name.len);
    place->name_len[end] = (uint8_t)name.len;
}

/* name_end names an end by a pid of the replica's configuration, or else as the connection does. */
static void name_end(struct socket_place *place, int end, const struct ds_term *config,
                     const char *key, struct ds_text other)
{
    struct ds_term pid;
    struct ds_identity who;
    const bool is_told = ds_term_get_value(config, key, &pid) && ds_term_get_pid(&pid, &who) &&
                         who.node.data != NULL;
    set_name(place, end, is_told ? who.node : other);
}

/* get_config finds the configuration in {'$gen_call', From, {start_child, #{start :=
 * {osiris_replica_reader, _, [Config]}}}}. */
static bool get_config(const struct ds_term *payload, struct ds_term *config)
{
    struct ds_term request, word, spec, start, args;
    struct ds_term_list list;
    return ds_term_get_element(payload, 2, &request) && ds_term_get_element(&request, 0, &word) &&
           is_atom(&word, "start_child") && ds_term_get_element(&request, 1, &spec) &&
           ds_term_get_value(&spec, "start", &start) && ds_term_get_element(&start, 0, &word) &&
           is_atom(&word, "osiris_replica_reader") && ds_term_get_element(&start, 2, &args) &&
           ds_term_get_list(&args, &list) && ds_term_list_next(&list, config);
}

static void learn_replica(struct dissect_ctx *env, const struct conn *conn,
                          const struct ds_event *event)
{
    struct ds_term config, port, token;
    struct ds_text bytes;
    uint16_t number;
    if (!get_config(&event->message.payload, &config) ||
        !ds_term_get_value(&config, "port", &port) || !get_port(&port, &number))
        return;
    const struct ds_endpoint *asks = &conn->view.end[event->dir],
                             *asked = &conn->view.end[!event->dir];
    struct socket_place *place = add_place(env, &asks->addr, number, (struct ds_text){"osiris", 6});
    if (place == NULL)
        return;
    name_end(place, 0, &config, "leader_pid", asked->node);
    name_end(place, 1, &config, "replica_pid", asks->node);
    if (ds_term_get_value(&config, "connection_token", &token) &&
        ds_term_get_binary(&token, &bytes) && bytes.len == SOCKET_TOKEN_LEN) {
        place->has_token = true;
        memcpy(place->token, bytes.data, SOCKET_TOKEN_LEN);
    }
}

/* learn_listener reads {Ref, return, {gen_tcp | ssl, Host, Port}}: the listener is on the node that
 * answers. */
static void learn_listener(struct dissect_ctx *env, const struct conn *conn,
                           const struct ds_event *event)
{
    struct ds_term answer, word, port;
    uint16_t number;
    if (!ds_term_get_element(&event->message.payload, 2, &answer) ||
        !ds_term_get_element(&answer, 0, &word) ||
        !(is_atom(&word, "gen_tcp") || is_atom(&word, "ssl")) ||
        !ds_term_get_element(&answer, 2, &port) || !get_port(&port, &number))
        return;
    const struct ds_endpoint *end = &conn->view.end[event->dir];
    if (socket_places_find(env->places, &end->addr, number) != NULL)
        return;
    struct socket_place *place = add_place(env, &end->addr, number, (struct ds_text){"vernemq", 7});
    if (place != NULL)
        set_name(place, 1, end->node);
}

void socket_places_learn(struct dissect_ctx *env, const struct conn *conn, const struct ds_event *event)
{
    const struct ds_message *message = &event->message;
    if (message->payload.data == NULL || message->payload.damaged || message->op == NULL)
        return;
    if (message->op->kind == DS_KIND_SEND &&
        is_atom(&message->role[DS_ROLE_TO], "osiris_replica_reader_sup"))
        learn_replica(env, conn, event);
    else if (message->op->kind == DS_KIND_DOWN)
        learn_listener(env, conn, event);
}
