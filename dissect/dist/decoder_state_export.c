/*
 * decoder_state_export.c - see decoder_state_export.h.
 */
#include "dist/decoder_state_export.h"

#include "dist/decoder_state.h"
#include "dist/synthetic_atoms.h"
#include "tcp/snapshot_writer.h"

struct export_state {
    const struct conn *conn;
    struct snapshot_writer to;
    int dir; /* of the held pieces being walked */
    enum ds_snapshot_kind held_kind;
};

static void write_next(struct export_state *g, int dir, enum ds_snapshot_kind kind, struct cursor bytes,
                       uint64_t truncated_len)
{
    snapshot_write_bytes(&g->to, dir, kind, g->to.seq[dir], bytes, truncated_len);
    g->to.seq[dir] += (uint32_t)(cursor_left(&bytes) + truncated_len);
}

static void write_held(void *context, uint32_t seq, struct cursor bytes, uint32_t truncated_len)
{
    struct export_state *g = context;
    snapshot_write_bytes(&g->to, g->dir, g->held_kind, seq, bytes, truncated_len);
}

/* write_rest emits what precedes the next bytes: the other contents of the slots, a mark for lost
 * bytes, and the beginning of an unfinished frame. */
static void write_rest(struct export_state *g, int dir, const struct synthetic_atoms *atoms,
                       const struct decoder_state_rest *rest)
{
    static const uint8_t lost[1] = {0};
    write_next(g, dir, DS_SNAPSHOT_FRAMES, synthetic_atoms_first(atoms), 0);
    write_next(g, dir, DS_SNAPSHOT_INFERRED, synthetic_atoms_certain(atoms), 0);
    write_next(g, dir, DS_SNAPSHOT_LIKELY, synthetic_atoms_likely(atoms), 0);
    if (rest->lost_before != 0)
        write_next(g, dir, DS_SNAPSHOT_LOST, cursor_make(lost, sizeof lost), 0);
    write_next(g, dir, rest->kind, rest->bytes, rest->lost_after);
    g->dir = dir;
    g->held_kind = rest->kind;
    if (g->conn->view.tls == NULL) /* otherwise these bytes are encrypted, and TLS emits them */
        tcp_table_walk_held(g->conn->tcp, dir, write_held, g);
}

static bool goes_on(const struct tcp_point *point)
{
    return point->started && !point->ended;
}

void decoder_state_export(struct dissect_ctx *env, const struct conn *conn,
                          const struct tcp_point point[2], const struct decoder_state_rest rest[2],
                          bool began, ds_snapshot_fn give, void *context)
{
    const struct state_piece *oldest = conn->decoder != NULL ? conn->decoder->oldest : NULL;
    struct export_state g = {
        .conn = conn,
        .to = {.tcp = conn->tcp, .point = point, .give = give, .context = context},
    };
    struct synthetic_atoms atoms[2] = {0};
    g.to.ts_ns = oldest != NULL ? oldest->ts_ns : conn->tcp->now_ns;
    for (int dir = 0; dir < 2; dir++) {
        if (goes_on(&point[dir]) && rest[dir].kind == DS_SNAPSHOT_FRAMES)
            synthetic_atoms_make(&atoms[dir], env, conn->decoder, dir, rest[dir].atoms);
        g.to.seq[dir] = point[dir].next_seq -
                     (uint32_t)(synthetic_atoms_len(&atoms[dir]) + (rest[dir].lost_before != 0) +
                                cursor_left(&rest[dir].bytes) + rest[dir].lost_after);
    }
    for (const struct state_piece *p = oldest; p != NULL; p = p->newer)
        g.to.seq[p->dir] -= p->len + p->truncated_len;

    const struct cursor none = cursor_make(NULL, 0);
    const enum ds_snapshot_kind first = rest[0].kind == DS_SNAPSHOT_BYTES &&
                                        rest[1].kind == DS_SNAPSHOT_BYTES
                                        ? DS_SNAPSHOT_BYTES
                                        : DS_SNAPSHOT_HANDSHAKE;
    if (began && point[0].started)
        snapshot_write_segment(&g.to, 0, first, g.to.seq[0] - 1, TCP_SYN, none, 0);
    if (began && point[1].started)
        snapshot_write_segment(&g.to, 1, first, g.to.seq[1] - 1, TCP_SYN | TCP_ACK, none, 0);
    for (const struct state_piece *p = oldest; p != NULL; p = p->newer) {
        if (p->ts_ns > g.to.ts_ns)
            g.to.ts_ns = p->ts_ns; /* even if a clock was set back */
        write_next(&g, p->dir, p->pinned ? DS_SNAPSHOT_HANDSHAKE : DS_SNAPSHOT_FRAMES,
                   cursor_make(p->bytes, p->len), p->truncated_len);
    }
    if (conn->tcp->now_ns > g.to.ts_ns)
        g.to.ts_ns = conn->tcp->now_ns;
    for (int dir = 0; dir < 2; dir++) {
        if (goes_on(&point[dir]))
            write_rest(&g, dir, &atoms[dir], &rest[dir]);
        synthetic_atoms_free(&atoms[dir]);
    }
}
