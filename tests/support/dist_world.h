/*
 * dist_world.h - a distribution connection (dist.c) whose handshake is made by hand, step by step:
 * the bytes of its messages, and steps that send them, lose some or end the connection. What is said
 * of it is written down by fake_conn.h. What the channels do is not of interest here: they are played
 * by a few lines below, which log what they are given.
 *
 * To be included by one file of a test program: the channels stand in for those of dist_stream.c.
 */
#ifndef TESTS_DIST_WORLD_H
#define TESTS_DIST_WORLD_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "dist/dist.h"
#include "dist/dist_stream.h"
#include "fake_conn.h"

static struct fake fake;

/* A channel that logs once that it exists, counts its bytes, and logs the count at its end. */
struct dist_stream {
    int dir;
    size_t len;
};

struct dist_stream *dist_stream_new(struct dissect_ctx *env, struct conn *conn, int dir,
                                    bool joined_late)
{
    struct dist_stream *channel = malloc(sizeof *channel);
    (void)env;
    (void)conn;
    if (channel == NULL)
        return NULL;
    *channel = (struct dist_stream){.dir = dir};
    fake_log(&fake, "%c channel%s\n", dir == 0 ? '>' : '<', joined_late ? ", late" : "");
    return channel;
}

void dist_stream_use_latin1(struct dist_stream *channel)
{
    fake_log(&fake, "%c channel latin1\n", channel->dir == 0 ? '>' : '<');
}

void dist_stream_agree(struct dist_stream *channel, uint64_t flags)
{
    (void)channel;
    (void)flags; /* tests/conversations/headers.txt shows what they mean */
}

void dist_stream_feed(struct dist_stream *channel, struct cursor data)
{
    channel->len += cursor_left(&data);
}

void dist_stream_gap(struct dist_stream *channel, uint64_t len, enum tcp_gap why)
{
    (void)why;
    fake_log(&fake, "%c channel gap %zu\n", channel->dir == 0 ? '>' : '<', (size_t)len);
}

void dist_stream_progress(const struct dist_stream *channel, uint64_t *size, uint64_t *passed)
{
    (void)channel;
    *size = *passed = 0;
}

bool dist_stream_is_inside(const struct dist_stream *channel)
{
    (void)channel;
    return false;
}

void dist_stream_end(struct dist_stream *channel)
{
    if (channel->len != 0)
        fake_log(&fake, "%c channel had %zu bytes\n", channel->dir == 0 ? '>' : '<',
                 channel->len);
}

void dist_stream_read_alone(struct dist_stream *channel, struct cursor frame)
{
    dist_stream_feed(channel, frame);
}

struct decoder_state_rest dist_stream_get_rest(const struct dist_stream *channel)
{
    (void)channel;
    return (struct decoder_state_rest){0};
}

void dist_stream_free(struct dist_stream *channel)
{
    free(channel);
}

/* The fake channel recognises a direction by a byte 131. */
enum proto_guess dist_stream_probe(struct cursor bytes, size_t *skip)
{
    *skip = 0;
    return memchr(bytes.at, 131, cursor_left(&bytes)) != NULL ? PROTO_YES : PROTO_MORE;
}

struct step {
    enum { END, SEND, GAP, FIN, RESET, CAPTURE } what;
    int dir;
    const char *bytes;
    size_t len;
};

#define A(text) {SEND, 0, text, sizeof(text) - 1} /* what the initiator sends */
#define B(text) {SEND, 1, text, sizeof(text) - 1}
#define A_FIN {FIN, 0, NULL, 0}
#define B_FIN {FIN, 1, NULL, 0}
#define A_RESET {RESET, 0, NULL, 0}
#define B_RESET {RESET, 1, NULL, 0}

#define FLAGS "\0\0\0\x0d\x07\xdf\x7f\xbd"
#define SEND_NAME "\0\x16N" FLAGS "\0\0\0\x01\0\x07" "alice@h"
#define STATUS_OK "\0\x03sok"
#define CHALLENGE "\0\x18N" FLAGS "\0\0\0\x0a\0\0\0\x02\0\x05" "bob@h"
#define REPLY_SECRET                                                                               \
    "\0\x15r\0\0\0\x0b\x55\xaf\x97\xd2\x21\xb3\x0c\x4e\xd7\x12\x1b\x9a\xb7\x2e\xdc\x62"
#define REPLY_OTHER                                                                                \
    "\0\x15r\0\0\0\x0b\x2b\xc0\xfd\x53\x00\x3d\xe6\x21\x45\x86\xd4\xf2\x3b\x3c\x56\xde"
#define ACK_SECRET                                                                                 \
    "\0\x11" "a\x06\x74\xc1\xc0\x9d\x2f\x8d\xe4\xba\xb7\xcd\x4f\xcb\x36\x40\xcb"
#define ACK_OTHER "\0\x11" "a\xb4\x94\xc8\x92\x09\xb4\xd6\x92\xe4\x91\xe2\xe0\x17\x51\x4e\x23"

#define SEND_NAME_5 "\0\x0en\0\x05\x00\xff\x7f\xbd" "alice@h"
#define CHALLENGE_5 "\0\x10n\0\x05\x00\xff\x7f\xbd\0\0\0\x0a" "bob@h"

/* A connection and its result; expected is what fake_conn.h writes about its events. */
struct conversation {
    const char *name;
    bool late;
    bool whole; /* it is reported only if its pieces arrive whole */
    const char *cookie;
    struct step steps[10];
    const char *expected;
};

static inline void do_step(const struct step *step, bool by_byte)
{
    switch (step->what) {
    case SEND:
        if (!by_byte) {
            fake_send(&fake, step->dir, step->bytes, step->len);
            break;
        }
        for (size_t i = 0; i < step->len; i++)
            fake_send(&fake, step->dir, &step->bytes[i], 1);
        break;
    case GAP:
        fake_gap(&fake, step->dir, step->len, TCP_GAP_LOST);
        break;
    case FIN:
        fake_fin(&fake, step->dir);
        break;
    case RESET:
        fake.tcp.reset_dir = (uint8_t)step->dir;
        break;
    case END:
    case CAPTURE:
        break;
    }
}

static inline bool begin(const struct conversation *c)
{
    if (!fake_begin(&fake))
        return false;
    if (c->cookie != NULL)
        fake.env.config.cookie = (struct ds_text){c->cookie, strlen(c->cookie)};
    return fake_open(&fake, &dist_proto, 40001, 40002, !c->late);
}

#endif
