/*
 * decoder_state_give.c - see decoder_state_give.h.
 */
#include "decoder_state_give.h"

#include "decoder_state.h"
#include "given_atoms.h"

enum { MAX_PAYLOAD = 32 * 1024, WINDOW = 65535 };

struct giving {
    const struct conn *conn;
    const struct tcp_point *point;
    ds_past_fn give;
    void *context;
    int64_t ts_ns;
    uint32_t seq[2]; /* of the next byte given */
    int dir;         /* of the held pieces that are walked */
    enum ds_past_kind held_kind;
    bool has_begun;
};

static void give_segment(struct giving *g, int dir, enum ds_past_kind kind, uint32_t seq,
                         uint8_t flags, struct cursor payload, uint32_t cut_len)
{
    const struct tcp_conn_view *tcp = g->conn->tcp;
    const struct ds_segment segment = {
        .src = tcp->addr[dir],
        .dst = tcp->addr[1 - dir],
        .src_port = tcp->port[dir],
        .dst_port = tcp->port[1 - dir],
        .seq = seq,
        .ack = (flags & TCP_ACK) != 0 ? g->seq[1 - dir] : 0,
        .window = WINDOW,
        .flags = flags,
        .payload = payload.at,
        .payload_len = (uint32_t)cursor_left(&payload),
        .cut_len = cut_len,
        .past = {.sent_ns = g->ts_ns,
                 .point = {g->point[dir].next_seq, g->point[1 - dir].next_seq},
                 .knows = {g->point[dir].started, g->point[1 - dir].started},
                 .kind = (uint8_t)kind,
                 .begins = !g->has_begun},
    };
    g->has_begun = true;
    g->give(g->context, g->ts_ns, &segment);
}

/* give_bytes gives bytes, and cut_len more that are not known, from seq on. */
static void give_bytes(struct giving *g, int dir, enum ds_past_kind kind, uint32_t seq,
                       struct cursor bytes, uint64_t cut_len)
{
    struct cursor part;
    while (cursor_left(&bytes) != 0 || cut_len != 0) {
        size_t len = cursor_left(&bytes);
        if (len > MAX_PAYLOAD)
            len = MAX_PAYLOAD;
        if (!cursor_child(&bytes, len, &part))
            return;
        uint32_t cut = 0;
        if (cursor_left(&bytes) == 0) {
            cut = MAX_PAYLOAD - (uint32_t)len;
            if (cut > cut_len)
                cut = (uint32_t)cut_len;
        }
        give_segment(g, dir, kind, seq, TCP_ACK | TCP_PSH, part, cut);
        seq += (uint32_t)len + cut;
        cut_len -= cut;
    }
}

static void give_next(struct giving *g, int dir, enum ds_past_kind kind, struct cursor bytes,
                      uint64_t cut_len)
{
    give_bytes(g, dir, kind, g->seq[dir], bytes, cut_len);
    g->seq[dir] += (uint32_t)(cursor_left(&bytes) + cut_len);
}

static void give_held(void *context, uint32_t seq, struct cursor bytes, uint32_t cut_len)
{
    struct giving *g = context;
    give_bytes(g, g->dir, g->held_kind, seq, bytes, cut_len);
}

/* give_rest gives what belongs before what comes next: what else slots hold, what was lost, and
 * what is there of an unfinished frame. */
static void give_rest(struct giving *g, int dir, const struct given_atoms *atoms,
                      const struct decoder_state_rest *rest)
{
    static const uint8_t lost[1] = {0};
    give_next(g, dir, DS_PAST_FRAMES, given_atoms_first(atoms), 0);
    give_next(g, dir, DS_PAST_INFERRED, given_atoms_certain(atoms), 0);
    give_next(g, dir, DS_PAST_LIKELY, given_atoms_likely(atoms), 0);
    if (rest->lost_before != 0)
        give_next(g, dir, DS_PAST_LOST, cursor_make(lost, sizeof lost), 0);
    give_next(g, dir, rest->kind, rest->bytes, rest->lost_after);
    g->dir = dir;
    g->held_kind = rest->kind;
    if (g->conn->view.tls == NULL) /* else it is sealed, and the stage of TLS has it */
        tcp_table_walk_held(g->conn->tcp, dir, give_held, g);
}

static bool goes_on(const struct tcp_point *point)
{
    return point->started && !point->ended;
}

void decoder_state_give(struct env *env, const struct conn *conn, const struct tcp_point point[2],
                        const struct decoder_state_rest rest[2], bool began, ds_past_fn give,
                        void *context)
{
    const struct state_piece *oldest = conn->decoder != NULL ? conn->decoder->oldest : NULL;
    struct giving g = {.conn = conn, .point = point, .give = give, .context = context};
    struct given_atoms atoms[2] = {0};
    g.ts_ns = oldest != NULL ? oldest->ts_ns : conn->tcp->now_ns;
    for (int dir = 0; dir < 2; dir++) {
        if (goes_on(&point[dir]) && rest[dir].kind == DS_PAST_FRAMES)
            given_atoms_make(&atoms[dir], env, conn->decoder, dir, rest[dir].atoms);
        g.seq[dir] = point[dir].next_seq -
                     (uint32_t)(given_atoms_len(&atoms[dir]) + (rest[dir].lost_before != 0) +
                                cursor_left(&rest[dir].bytes) + rest[dir].lost_after);
    }
    for (const struct state_piece *p = oldest; p != NULL; p = p->newer)
        g.seq[p->dir] -= p->len + p->cut_len;

    const struct cursor none = cursor_make(NULL, 0);
    const enum ds_past_kind first = rest[0].kind == DS_PAST_BYTES && rest[1].kind == DS_PAST_BYTES
                                        ? DS_PAST_BYTES
                                        : DS_PAST_HANDSHAKE;
    if (began && point[0].started)
        give_segment(&g, 0, first, g.seq[0] - 1, TCP_SYN, none, 0);
    if (began && point[1].started)
        give_segment(&g, 1, first, g.seq[1] - 1, TCP_SYN | TCP_ACK, none, 0);
    for (const struct state_piece *p = oldest; p != NULL; p = p->newer) {
        if (p->ts_ns > g.ts_ns)
            g.ts_ns = p->ts_ns; /* though a clock was set back */
        give_next(&g, p->dir, p->pinned ? DS_PAST_HANDSHAKE : DS_PAST_FRAMES,
                  cursor_make(p->bytes, p->len), p->cut_len);
    }
    if (conn->tcp->now_ns > g.ts_ns)
        g.ts_ns = conn->tcp->now_ns;
    for (int dir = 0; dir < 2; dir++) {
        if (goes_on(&point[dir]))
            give_rest(&g, dir, &atoms[dir], &rest[dir]);
        given_atoms_free(&atoms[dir]);
    }
}
