/*
 * call_stream CALLS: writes a capture of so many calls between two nodes to standard output, for
 * tests/bench/flat: does what is remembered of calls stay small, however many there are?
 *
 * The packets are made here, without checksums, as those of captures at the sender's often are.
 * Eight calls go together: their monitors and requests in one packet, the answers in another,
 * then the ends of the monitors. Each has a reference and a caller of its own. Of a hundred,
 * some are never answered, given up, or end with the server; ten go to names, of which there
 * are many. After a million calls the server's node comes back as another incarnation.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 65536, GROUP = 8, CALLS_PER_NODE = 1000000, NUM_NAMES = 1000 };

struct bytes {
    size_t len;
    uint8_t at[ROOM];
};

static void put(struct bytes *b, const void *bytes, size_t len)
{
    if (len > ROOM - b->len)
        abort();
    memcpy(b->at + b->len, bytes, len);
    b->len += len;
}

static void put8(struct bytes *b, uint32_t value)
{
    put(b, (uint8_t[]){(uint8_t)value}, 1);
}

static void put16(struct bytes *b, uint32_t value)
{
    put8(b, value >> 8);
    put8(b, value);
}

static void put32(struct bytes *b, uint32_t value)
{
    put16(b, value >> 16);
    put16(b, value);
}

/* Terms: erl_ext_dist. */

static void put_atom(struct bytes *b, const char *text)
{
    put8(b, 119);
    put8(b, (uint32_t)strlen(text));
    put(b, text, strlen(text));
}

static void put_tuple(struct bytes *b, uint32_t arity)
{
    put8(b, 104);
    put8(b, arity);
}

static void put_integer(struct bytes *b, uint32_t value)
{
    put8(b, 98);
    put32(b, value);
}

static const char *const names[2] = {"client@h", "server@h"};
static uint32_t creations[2] = {7, 100};

static void put_pid(struct bytes *b, int node, uint32_t id)
{
    put8(b, 88);
    put_atom(b, names[node]);
    put32(b, id);
    put32(b, 0);
    put32(b, creations[node]);
}

static void put_ref(struct bytes *b, uint64_t number)
{
    put8(b, 90);
    put16(b, 3);
    put_atom(b, names[0]);
    put32(b, creations[0]);
    put32(b, (uint32_t)number);
    put32(b, (uint32_t)(number >> 32));
    put32(b, 1);
}

/* put_tag: [alias | Ref]. */
static void put_tag(struct bytes *b, uint64_t number)
{
    put8(b, 108);
    put32(b, 1);
    put_atom(b, "alias");
    put_ref(b, number);
}

/* Frames: erl_dist_protocol. begin_frame leaves room for the length, end_frame fills it in. The
 * header 131, 68, 0 says that no atoms are cached. */

static size_t begin_frame(struct bytes *b)
{
    put32(b, 0);
    put(b, (uint8_t[]){131, 68, 0}, 3);
    return b->len - 7;
}

static void end_frame(struct bytes *b, size_t at)
{
    const uint32_t len = (uint32_t)(b->len - at - 4);
    for (int i = 0; i < 4; i++)
        b->at[at + (size_t)i] = (uint8_t)(len >> (24 - 8 * i));
}

/* How a call ends. */
enum fate { ANSWERED, GIVEN_UP, SERVER_DIES, NEVER_ANSWERED };

static enum fate fate_of(uint64_t call)
{
    return call % 100 == 1   ? NEVER_ANSWERED
           : call % 100 == 2 ? GIVEN_UP
           : call % 100 == 3 ? SERVER_DIES
                             : ANSWERED;
}

static bool is_named(uint64_t call)
{
    return call % 10 == 0;
}

static void put_server(struct bytes *b, uint64_t call)
{
    char name[32];
    snprintf(name, sizeof name, "server_%u", (unsigned)(call / 10 % NUM_NAMES));
    if (is_named(call))
        put_atom(b, name);
    else
        put_pid(b, 1, 1000 + (uint32_t)(call % 500));
}

static void put_signal(struct bytes *b, uint32_t op, uint64_t call)
{
    const size_t at = begin_frame(b);
    put_tuple(b, 4);
    put8(b, 97);
    put8(b, op);
    put_pid(b, 0, (uint32_t)call);
    put_server(b, call);
    put_ref(b, call);
    end_frame(b, at);
}

static void put_request(struct bytes *b, uint64_t call)
{
    put_signal(b, 19, call); /* MONITOR_P */
    const size_t at = begin_frame(b);
    put_tuple(b, is_named(call) ? 4 : 3);
    put8(b, 97);
    put8(b, is_named(call) ? 6 : 22); /* REG_SEND, SEND_SENDER */
    put_pid(b, 0, (uint32_t)call);
    if (is_named(call))
        put_atom(b, "");
    put_server(b, call);
    put_tuple(b, 3);
    put_atom(b, "$gen_call");
    put_tuple(b, 2);
    put_pid(b, 0, (uint32_t)call);
    put_tag(b, call);
    put_tuple(b, 2);
    put_atom(b, "lookup");
    put_integer(b, (uint32_t)call);
    end_frame(b, at);
}

static void put_answer(struct bytes *b, uint64_t call)
{
    const enum fate fate = fate_of(call);
    if (fate == GIVEN_UP || fate == NEVER_ANSWERED)
        return;
    const size_t at = begin_frame(b);
    put_tuple(b, fate == ANSWERED ? 3 : 4);
    put8(b, 97);
    put8(b, fate == ANSWERED ? 33 : 28); /* ALIAS_SEND, PAYLOAD_MONITOR_P_EXIT */
    put_pid(b, 1, is_named(call) ? 2000 + (uint32_t)(call / 10 % NUM_NAMES)
                                 : 1000 + (uint32_t)(call % 500));
    if (fate == SERVER_DIES)
        put_pid(b, 0, (uint32_t)call);
    put_ref(b, call);
    if (fate == ANSWERED) {
        put_tuple(b, 2);
        put_tag(b, call);
    }
    put_atom(b, fate == ANSWERED ? "not_found" : "killed");
    end_frame(b, at);
}

/* Packets: Ethernet, IPv4, TCP. */

static uint64_t now_us = 1700000000000000;
static uint32_t seq[2];
static uint32_t port = 20000;

static void write_packet(int from, uint32_t flags, const struct bytes *data)
{
    static struct bytes p;
    const uint32_t len = 14 + 20 + 20 + (data != NULL ? (uint32_t)data->len : 0);
    uint32_t head[4];
    p.len = 0;
    put(&p, "\2\0\0\0\0\1\2\0\0\0\0\2", 12);
    put16(&p, 0x0800);
    put(&p, "\x45\0", 2);
    put16(&p, len - 14);
    put(&p, "\0\0\x40\0\x40\6\0\0", 8);
    put32(&p, from == 0 ? 0x0a000001 : 0x0a000002);
    put32(&p, from == 0 ? 0x0a000002 : 0x0a000001);
    put16(&p, from == 0 ? port : 9000);
    put16(&p, from == 0 ? 9000 : port);
    put32(&p, seq[from]);
    put32(&p, seq[!from]);
    put(&p, (uint8_t[]){0x50, (uint8_t)flags, 0x20, 0, 0, 0, 0, 0}, 8);
    if (data != NULL)
        put(&p, data->at, data->len);
    seq[from] += (data != NULL ? (uint32_t)data->len : 0) + ((flags & 3) != 0);
    now_us += 20;
    head[0] = (uint32_t)(now_us / 1000000);
    head[1] = (uint32_t)(now_us % 1000000);
    head[2] = head[3] = len;
    if (fwrite(head, sizeof head, 1, stdout) != 1 || fwrite(p.at, p.len, 1, stdout) != 1)
        exit(1);
}

enum { FIN = 1, SYN = 2, ACK = 16, PSH_ACK = 24 };

/* Messages of the handshake have lengths of two bytes. */
static void write_handshake(int from, const struct bytes *message)
{
    static struct bytes b;
    b.len = 0;
    put16(&b, (uint32_t)message->len);
    put(&b, message->at, message->len);
    write_packet(from, PSH_ACK, &b);
}

static void write_name(int from)
{
    static struct bytes b;
    b.len = 0;
    put8(&b, 'N');
    put32(&b, 0xd);
    put32(&b, 0x07df7fbd);
    if (from == 1)
        put32(&b, 4711); /* the challenge */
    put32(&b, creations[from]);
    put16(&b, (uint32_t)strlen(names[from]));
    put(&b, names[from], strlen(names[from]));
    write_handshake(from, &b);
}

static void write_text(int from, const char *text, size_t len)
{
    static struct bytes b;
    b.len = 0;
    put(&b, text, len);
    write_handshake(from, &b);
}

static void connect_nodes(void)
{
    static const char reply[1 + 4 + 16] = "r", ack[1 + 16] = "a";
    port++;
    seq[0] = seq[1] = 1;
    write_packet(0, SYN, NULL);
    write_packet(1, SYN | ACK, NULL);
    write_packet(0, ACK, NULL);
    write_name(0);
    write_text(1, "sok", 3);
    write_name(1);
    write_text(0, reply, sizeof reply);
    write_text(1, ack, sizeof ack);
}

static void disconnect_nodes(void)
{
    write_packet(1, FIN | ACK, NULL);
    write_packet(0, FIN | ACK, NULL);
    write_packet(1, ACK, NULL);
    creations[1]++;
}

int main(int argc, char **argv)
{
    /* Magic (in the order of this machine), version 2.4, no zone, snap length, Ethernet. */
    static const uint32_t file_head[] = {0xa1b2c3d4, 2 | 4 << 16, 0, 0, 262144, 1};
    static struct bytes b;
    const uint64_t num = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
    if (num == 0) {
        fprintf(stderr, "usage: call_stream CALLS >FILE\n");
        return 2;
    }
    if (fwrite(file_head, sizeof file_head, 1, stdout) != 1)
        return 1;
    for (uint64_t first = 0; first < num; first += GROUP) {
        if (first % CALLS_PER_NODE == 0) {
            if (first != 0)
                disconnect_nodes();
            connect_nodes();
        }
        b.len = 0;
        for (uint64_t call = first; call < first + GROUP; call++)
            put_request(&b, call);
        write_packet(0, PSH_ACK, &b);
        b.len = 0;
        for (uint64_t call = first; call < first + GROUP; call++)
            put_answer(&b, call);
        write_packet(1, PSH_ACK, &b);
        b.len = 0;
        for (uint64_t call = first; call < first + GROUP; call++)
            if (fate_of(call) == ANSWERED || fate_of(call) == GIVEN_UP)
                put_signal(&b, 20, call); /* DEMONITOR_P */
        write_packet(0, PSH_ACK, &b);
    }
    disconnect_nodes();
    return fflush(stdout) == 0 ? 0 : 1;
}
