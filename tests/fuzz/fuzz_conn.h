/*
 * fuzz_conn.h - a connection whose two ends do what the fuzzer's input says.
 *
 * The input: a byte of FUZZ_* flags, then steps of a byte (its low two bits are what: 0
 * send, 1 gap, 2 FIN, 3 send byte by byte; bit 2 the direction), a length of 1 byte, or of 2
 * when bit 3 is set, and for what is sent that many bytes.
 */
#ifndef FUZZ_CONN_H
#define FUZZ_CONN_H

#include "fake_conn.h"

#include <stdlib.h>

enum {
    FUZZ_SYN_0 = 1,
    FUZZ_SYN_1 = 2,
    FUZZ_KNOWN = 4,
    FUZZ_LITTLE_ROOM = 8,
    FUZZ_SWAPPED = 16, /* the port asked for is the first end's */
    FUZZ_RESET = 32,
    FUZZ_CAPTURE = 64,
};

/* fuzz_touch reads every byte: the sanitizer reports a byte that is not ours. */
static inline void fuzz_touch(const void *bytes, size_t len)
{
    static volatile uint8_t sum;
    struct cursor c = cursor_make(bytes, len);
    uint8_t byte;
    while (cursor_read_u8(&c, &byte))
        sum = (uint8_t)(sum + byte);
}

static inline void fuzz_touch_text(struct ds_text text)
{
    if (text.data != NULL)
        fuzz_touch(text.data, text.len);
}

static inline void fuzz_touch_term(const struct ds_term *term)
{
    if (term->data != NULL)
        fuzz_touch(term->data, term->len);
    for (uint32_t i = 0; i < term->num_atoms; i++) {
        if (term->atoms[i].text != NULL)
            fuzz_touch(term->atoms[i].text, term->atoms[i].len);
    }
}

static inline void fuzz_on_event(void *context, const struct ds_event *e)
{
    (void)context;
    if (e->conn->number == 0 || e->frame == 0)
        abort();
    if (e->fault.kind != DS_FAULT_NONE && e->fault.what == NULL)
        abort();
    if (e->bytes != NULL)
        fuzz_touch(e->bytes, e->bytes_len);
    for (int end = 0; end < 2; end++)
        fuzz_touch_text(e->conn->end[end].node);
    switch (e->type) {
    case DS_EVENT_EPMD:
        fuzz_touch_text(e->epmd.name);
        fuzz_touch_text(e->epmd.extra);
        fuzz_touch_text(e->epmd.raw);
        for (size_t i = 0; i < e->epmd.num_nodes; i++)
            fuzz_touch_text(e->epmd.nodes[i].name);
        break;
    case DS_EVENT_HANDSHAKE:
        fuzz_touch_text(e->handshake.name);
        fuzz_touch_text(e->handshake.status);
        if (e->handshake.cookie_note != NULL)
            fuzz_touch(e->handshake.cookie_note, strlen(e->handshake.cookie_note));
        break;
    case DS_EVENT_CONN:
        if (e->change.reason != NULL)
            fuzz_touch(e->change.reason, strlen(e->change.reason));
        break;
    case DS_EVENT_MESSAGE:
        fuzz_touch_term(&e->message.control);
        fuzz_touch_term(&e->message.payload);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            fuzz_touch_term(&e->message.role[role]);
        break;
    case DS_EVENT_TICK:
    case DS_EVENT_GAP:
    case DS_EVENT_STALL:
    case DS_EVENT_STREAM:
    case DS_EVENT_LOOKUP:
    case DS_EVENT_PART:
    case DS_EVENT_DATA:
    case DS_EVENT_FRAME:
        break;
    }
}

static inline void fuzz_step(struct fake *f, struct cursor *input, uint8_t what)
{
    const int dir = what >> 2 & 1;
    uint16_t len = 0;
    uint8_t short_len = 0;
    struct cursor bytes;

    if ((what & 8) == 0 && cursor_read_u8(input, &short_len))
        len = short_len;
    else if ((what & 8) != 0 && !cursor_read_u16(input, &len))
        len = 0;
    switch (what & 3) {
    case 1:
        fake_gap(f, dir, len, (enum tcp_gap)(len % 3));
        break;
    case 2:
        fake_fin(f, dir);
        break;
    default:
        if (!cursor_child(input, len, &bytes)) {
            bytes = *input;
            input->at = input->end;
        }
        if ((what & 3) == 0) {
            if (cursor_left(&bytes) != 0)
                fake_send(f, dir, bytes.at, cursor_left(&bytes));
            break;
        }
        for (struct cursor byte; cursor_child(&bytes, 1, &byte);)
            fake_send(f, dir, byte.at, 1);
        break;
    }
}

/* fuzz_run does what data says on a connection of proto to port. */
static inline void fuzz_run(const struct proto *proto, uint16_t port, const uint8_t *data, size_t len)
{
    static struct fake f;
    struct cursor input = cursor_make(data, len);
    uint8_t flags = 0, what;

    if (!cursor_read_u8(&input, &flags))
        return;
    if (!fake_begin(&f))
        return;
    f.env.config.on_event = fuzz_on_event;
    f.env.config.on_port = NULL;
    f.env.config.cookie = (struct ds_text){"secret", 6};
    if ((flags & FUZZ_LITTLE_ROOM) != 0)
        f.env.memcap.max = 1024;
    if ((flags & FUZZ_KNOWN) != 0)
        registry_add_port(f.env.registry, port);
    bool swapped = (flags & FUZZ_SWAPPED) != 0;
    (void)fake_open_half(&f, proto, swapped ? port : 40001, swapped ? 40001 : port,
                         (flags & FUZZ_SYN_0) != 0, (flags & FUZZ_SYN_1) != 0);
    while (f.started && cursor_read_u8(&input, &what))
        fuzz_step(&f, &input, what);
    fake_close(&f, (flags & FUZZ_RESET) != 0     ? TCP_CLOSE_RESET
                   : (flags & FUZZ_CAPTURE) != 0 ? TCP_CLOSE_CAPTURE
                                                 : TCP_CLOSE_FIN);
    if (fake_finish(&f) != 0)
        abort(); /* some memory was not returned to the meter */
}

#endif
