/*
 * tcp_reassembly.c - puts one direction of a TCP connection in order.
 *
 * Bytes in order are passed on without a copy. Bytes that come too early are copied and held until
 * the hole before them is filled, or abandoned:
 *   - the peer acknowledged bytes after the hole: the missing ones were sent and received but not
 *     captured, and they do not come late either;
 *   - the peer is not heard at all (a capture of one direction), for longer;
 *   - a cap was reached.
 * While the peer answers without acknowledging past the hole, it is waiting itself, and the sender
 * will retransmit, however long that takes.
 *
 * Bytes that were passed on are final. Of two held copies the one that begins first wins, or the
 * one that covers the other, as in Linux: bytes in order are passed on whole, whatever is held. A
 * later copy is compared with the bytes that are still held, and with the delivered ones still in
 * the ring of tcp_delivered.h; differences are counted.
 */
#include "tcp/tcp_conn.h"

#include <stdlib.h>

enum {
    MAX_HELD = 4096,     /* pieces: limits the search for a place among them */
    IMPATIENT_HELD = 64, /* with so many pieces after an acknowledged hole, no more waiting */
};
#define WAIT_ACKED_NS (200 * UINT64_C(1000000))
#define WAIT_UNHEARD_NS (1000 * UINT64_C(1000000))

struct tcp_held {
    struct tcp_held *next;
    int64_t since_ns;
    uint64_t since_frame;
    uint32_t seq;
    uint32_t len; /* of bytes */
    uint32_t cut;
    uint8_t bytes[];
};

static uint32_t piece_len(const struct tcp_piece *piece)
{
    return (uint32_t)cursor_left(&piece->bytes) + piece->cut;
}

/* piece_split removes the first len bytes of piece and returns them. piece has at least len
 * bytes. */
static struct tcp_piece piece_split(struct tcp_piece *piece, uint32_t len)
{
    struct tcp_piece front = {.seq = piece->seq};
    uint32_t captured = (uint32_t)cursor_left(&piece->bytes);
    if (captured > len)
        captured = len;
    if (!cursor_child(&piece->bytes, captured, &front.bytes))
        front.bytes = cursor_make(NULL, 0);
    front.cut = len - captured;
    piece->cut -= front.cut;
    piece->seq += len;
    return front;
}

static struct tcp_piece held_piece(const struct tcp_held *held)
{
    return (struct tcp_piece){
        .seq = held->seq,
        .cut = held->cut,
        .bytes = cursor_make(held->bytes, held->len),
    };
}

static uint32_t held_end(const struct tcp_held *held)
{
    return held->seq + held->len + held->cut;
}

static uint64_t held_cost(const struct tcp_held *held)
{
    return sizeof *held + held->len;
}

/* held_differs says whether piece, which begins inside held, has other bytes. */
static bool held_differs(const struct tcp_held *held, const struct tcp_piece *piece)
{
    struct tcp_piece known = held_piece(held);
    piece_split(&known, piece->seq - held->seq);
    size_t len = cursor_left(&known.bytes);
    if (len > cursor_left(&piece->bytes))
        len = cursor_left(&piece->bytes);
    return len != 0 && memcmp(known.bytes.at, piece->bytes.at, len) != 0;
}

static void free_held(struct tcp_shared *shared, struct tcp_stream *stream, struct tcp_held *held)
{
    stream->held_len -= held_cost(held);
    stream->num_held--;
    memcap_release(shared->memcap, held_cost(held));
    free(held);
}

void tcp_stream_drop_doubted(struct tcp_shared *shared, struct tcp_stream *stream)
{
    struct tcp_held *next;
    for (struct tcp_held *one = stream->doubted; one != NULL; one = next) {
        next = one->next;
        memcap_release(shared->memcap, held_cost(one));
        free(one);
    }
    stream->doubted = NULL;
    stream->num_doubted = stream->doubted_len = stream->syn_len = 0;
    stream->doubts_differ = stream->has_arrived = false;
}

void tcp_stream_drop(struct tcp_shared *shared, struct tcp_stream *stream)
{
    tcp_stream_drop_doubted(shared, stream);
    struct tcp_held *next;
    for (struct tcp_held *held = stream->held; held != NULL; held = next) {
        next = held->next;
        free_held(shared, stream, held);
    }
    stream->held = stream->last_held = NULL;
}

/* pass_on_all is tcp_stream_pass_on for a piece without an urgent byte. */
static void pass_on_all(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece)
{
    struct tcp_stream *stream = &conn->stream[dir];
    stream->next_seq += piece_len(piece);
    stream->is_long |= tcp_diff(stream->next_seq, stream->first_seq) < 0;
    stream->has_data = true;
    conn->view.next_seq[dir] = stream->next_seq - piece->cut;
    if (cursor_left(&piece->bytes) > 0) {
        tcp_delivered_add(shared, &stream->delivered, piece->seq, piece->bytes);
        shared->events->data(shared->context, &conn->view, dir, piece->bytes);
    }
    if (piece->cut > 0 && !conn->forgotten)
        shared->events->gap(shared->context, &conn->view, dir, piece->cut, TCP_GAP_SNAPLEN);
}

/* pass_on_urgent is tcp_stream_pass_on if an urgent byte was announced. A node does not read
 * that byte as part of the stream, unless it asks for that. Linux keeps only the latest pointer,
 * which makes no difference to a node that reads at once. */
static __attribute__((noinline)) void pass_on_urgent(struct tcp_shared *shared, struct tcp_conn *conn,
                                                    int dir, const struct tcp_piece *whole)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_piece piece = *whole;
    const int32_t at = tcp_diff(stream->urgent_seq, piece.seq);
    stream->has_urgent = at >= 0 && (uint32_t)at >= piece_len(&piece);
    if (at < 0 || stream->has_urgent) {
        pass_on_all(shared, conn, dir, &piece);
        return;
    }
    if (at > 0) {
        const struct tcp_piece front = piece_split(&piece, (uint32_t)at);
        pass_on_all(shared, conn, dir, &front);
    }
    piece_split(&piece, 1);
    stream->next_seq++;
    stream->has_data = true;
    conn->view.next_seq[dir] = stream->next_seq;
    if (piece_len(&piece) != 0 && !conn->forgotten)
        pass_on_all(shared, conn, dir, &piece);
}

void tcp_stream_pass_on(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece)
{
    if (__builtin_expect(conn->stream[dir].has_urgent, 0))
        pass_on_urgent(shared, conn, dir, piece);
    else
        pass_on_all(shared, conn, dir, piece);
}

/* pass_on_first passes on the new bytes of the first held piece, which begins at next_seq or
 * before, and frees it. */
static void pass_on_first(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_held *held = stream->held;
    struct tcp_piece piece = held_piece(held);
    const uint32_t old = stream->next_seq - held->seq, len = piece_len(&piece);
    stream->held = held->next;
    if (stream->held == NULL)
        stream->last_held = NULL;
    piece_split(&piece, old < len ? old : len);
    if (piece_len(&piece) != 0)
        tcp_stream_pass_on(shared, conn, dir, &piece);
    free_held(shared, stream, held);
}

/* pass_on_ready passes on held pieces that are now in order, and the end. */
static void pass_on_ready(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    struct tcp_stream *stream = &conn->stream[dir];
    while (stream->held != NULL && tcp_diff(stream->held->seq, stream->next_seq) <= 0)
        pass_on_first(shared, conn, dir);
    if (!stream->fin_seen || stream->ended || conn->forgotten)
        return;
    int32_t missing = tcp_diff(stream->fin_seq, stream->next_seq);
    if (missing == 0) {
        stream->ended = true;
        shared->stats->ignored += stream->num_held;
        tcp_stream_drop(shared, stream); /* bytes after its end are not of the stream */
        shared->events->end(shared->context, &conn->view, dir);
    } else if (missing < 0) {
        stream->fin_seen = false; /* more bytes followed: it was not a FIN of this stream */
    }
}

/* find_piece returns the first piece of a list that contains the byte with that number. */
static const struct tcp_held *find_piece(const struct tcp_held *one, uint32_t at)
{
    while (one != NULL && (tcp_diff(one->seq, at) > 0 || tcp_diff(held_end(one), at) <= 0))
        one = one->next;
    return one;
}

/* doubted_end returns the number up to which doubted pieces fill the missing bytes exactly: up
 * to a held piece, or to what is acknowledged. It returns next_seq if they do not fit: another
 * segment was acknowledged. */
static uint32_t doubted_end(const struct tcp_stream *stream)
{
    uint32_t at = stream->next_seq, end = at;
    const struct tcp_held *one;
    while (!stream->doubts_differ && stream->has_acked &&
           (one = find_piece(stream->doubted, at)) != NULL &&
           tcp_diff(held_end(one), stream->acked) <= 0) {
        at = held_end(one);
        if (at == stream->acked || (stream->held != NULL && at == stream->held->seq))
            end = at;
        if (stream->held != NULL && tcp_diff(at, stream->held->seq) >= 0)
            break;
    }
    return end;
}

void tcp_stream_pass_on_doubted(struct tcp_shared *shared, struct tcp_conn *conn, int dir, uint32_t end)
{
    struct tcp_stream *stream = &conn->stream[dir];
    struct tcp_held *pieces = stream->doubted; /* so that callbacks cannot free them */
    const struct tcp_held *one;
    bool fills = false;
    stream->doubted = NULL;
    while (!conn->forgotten && tcp_diff(end, stream->next_seq) > 0 &&
           (one = find_piece(pieces, stream->next_seq)) != NULL) {
        struct tcp_piece piece = held_piece(one);
        piece_split(&piece, stream->next_seq - piece.seq);
        fills = true;
        tcp_stream_pass_on(shared, conn, dir, &piece);
    }
    stream->doubted = pieces;
    tcp_stream_drop_doubted(shared, stream);
    if (fills && !conn->forgotten)
        pass_on_ready(shared, conn, dir);
}

/* fill_hole passes on the doubted pieces that fill the missing bytes; false: none do. */
static bool fill_hole(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    const uint32_t end = doubted_end(&conn->stream[dir]);
    const bool fills = end != conn->stream[dir].next_seq;
    tcp_stream_pass_on_doubted(shared, conn, dir, end);
    return fills;
}

/* skip_hole abandons the bytes that are missing before the first held piece, or before the end. */
static void skip_hole(struct tcp_shared *shared, struct tcp_conn *conn, int dir, enum tcp_gap why)
{
    struct tcp_stream *stream = &conn->stream[dir];
    if (stream->doubted != NULL || stream->has_arrived) {
        if (fill_hole(shared, conn, dir) || (stream->held == NULL && !stream->fin_seen))
            return;
    }
    uint32_t to = stream->held != NULL ? stream->held->seq : stream->fin_seq;
    uint32_t len = to - stream->next_seq;
    stream->next_seq = to;
    shared->events->gap(shared->context, &conn->view, dir, len, why);
    pass_on_ready(shared, conn, dir);
}

/* differs_from_held says whether a piece that begins before the held ones has other bytes than
 * they. */
static bool differs_from_held(const struct tcp_stream *stream, const struct tcp_piece *piece)
{
    const uint32_t end = piece->seq + piece_len(piece);
    for (const struct tcp_held *held = stream->held; held != NULL && tcp_diff(end, held->seq) > 0;
         held = held->next) {
        struct tcp_piece rest = *piece;
        piece_split(&rest, held->seq - piece->seq);
        if (held_differs(held, &rest))
            return true;
    }
    return false;
}

/* deliver_in_order passes on a piece that begins at next_seq. Held pieces may have those of its
 * bytes that were not captured. */
static void deliver_in_order(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                             struct tcp_piece piece)
{
    struct tcp_stream *stream = &conn->stream[dir];
    shared->stats->reordered += stream->held != NULL;
    shared->stats->overlaps_differing += differs_from_held(stream, &piece);
    const uint32_t captured = (uint32_t)cursor_left(&piece.bytes);
    if (captured > 0) {
        const struct tcp_piece front = piece_split(&piece, captured);
        tcp_stream_pass_on(shared, conn, dir, &front);
    }
    while (piece_len(&piece) > 0 && !conn->forgotten) {
        const uint32_t len = piece_len(&piece);
        const int32_t room = stream->held != NULL ? tcp_diff(stream->held->seq, piece.seq) : INT32_MAX;
        if (room > 0) {
            struct tcp_piece front = piece_split(&piece, (uint32_t)room < len ? (uint32_t)room : len);
            tcp_stream_pass_on(shared, conn, dir, &front);
        } else {
            const int32_t known = tcp_diff(held_end(stream->held), piece.seq);
            if (known > 0)
                piece_split(&piece, (uint32_t)known < len ? (uint32_t)known : len);
            pass_on_first(shared, conn, dir);
        }
    }
}

/* new_held copies a piece. NULL if a cap was reached or memory ran out. */
static struct tcp_held *new_held(struct tcp_shared *shared, struct tcp_stream *stream,
                                 struct tcp_piece piece)
{
    uint32_t len = (uint32_t)cursor_left(&piece.bytes);
    uint64_t cost = sizeof(struct tcp_held) + len;
    if (stream->num_held >= MAX_HELD || stream->held_len + cost > shared->limits[DS_LIMIT_BUFFER]) {
        shared->stats->limits_hit[DS_LIMIT_BUFFER]++;
        return NULL;
    }
    if (!memcap_reserve(shared->memcap, cost))
        return NULL;
    struct tcp_held *held = malloc(cost);
    if (held == NULL || !cursor_read_bytes(&piece.bytes, held->bytes, len)) {
        shared->stats->no_memory++;
        memcap_release(shared->memcap, cost);
        free(held);
        return NULL;
    }
    held->next = NULL;
    held->since_ns = shared->now_ns;
    held->since_frame = shared->frame;
    held->seq = piece.seq;
    held->len = len;
    held->cut = piece.cut;
    stream->num_held++;
    stream->held_len += cost;
    return held;
}

/* wins_over says whether a piece from start to end replaces a held one: it begins earlier, or at
 * the same place and is longer. */
static bool wins_over(const struct tcp_held *held, uint32_t start, uint32_t end)
{
    const int32_t before = tcp_diff(held->seq, start);
    return before > 0 || (before == 0 && tcp_diff(end, held_end(held)) > 0);
}

/* replace_held overwrites held bytes with those of a piece. Both begin at the same number. */
static void replace_held(struct tcp_held *held, const struct tcp_piece *piece)
{
    const struct cursor bytes = cursor_first(piece->bytes, held->len);
    if (cursor_left(&bytes) != 0)
        memcpy(held->bytes, bytes.at, cursor_left(&bytes));
}

/* hold keeps the bytes of piece, which is after next_seq, that are not held yet. False if it
 * could not keep all: piece is then the rest. */
static bool hold(struct tcp_shared *shared, struct tcp_stream *stream, struct tcp_piece *piece,
                 bool *fresh)
{
    struct tcp_held *before = NULL, *after = stream->held;
    bool differs = false;
    const uint32_t start = piece->seq, end = start + piece_len(piece);
    if (stream->last_held != NULL && tcp_diff(piece->seq, held_end(stream->last_held)) >= 0) {
        before = stream->last_held;
        after = NULL;
    }
    while (after != NULL && tcp_diff(held_end(after), piece->seq) <= 0) {
        before = after;
        after = after->next;
    }
    while (piece_len(piece) > 0) {
        uint32_t len = piece_len(piece);
        if (after != NULL && tcp_diff(after->seq, piece->seq) <= 0) {
            uint32_t known = held_end(after) - piece->seq;
            differs = held_differs(after, piece) || differs;
            if (wins_over(after, start, end))
                replace_held(after, piece);
            piece_split(piece, known < len ? known : len);
            before = after;
            after = after->next;
            continue;
        }
        uint32_t room = after != NULL ? after->seq - piece->seq : len;
        struct tcp_piece rest = *piece;
        struct tcp_held *held =
            new_held(shared, stream, piece_split(&rest, room < len ? room : len));
        if (held == NULL)
            break;
        *piece = rest;
        *fresh = true;
        held->next = after;
        *(before != NULL ? &before->next : &stream->held) = held;
        if (after == NULL)
            stream->last_held = held;
        before = held;
    }
    if (differs)
        shared->stats->overlaps_differing++;
    return piece_len(piece) == 0;
}

bool tcp_stream_differs(const struct tcp_stream *stream, const struct tcp_piece *piece)
{
    const bool is_keep_alive = piece->seq + 1 == stream->next_seq && piece_len(piece) == 1;
    return !is_keep_alive && tcp_delivered_differs(&stream->delivered, piece->seq, piece->bytes);
}

/* place finds the new bytes of a piece and passes them on or holds them. */
static void place(struct tcp_shared *shared, struct tcp_conn *conn, int dir, struct tcp_piece piece)
{
    struct tcp_stream *stream = &conn->stream[dir];
    bool fresh = false;
    while (!conn->forgotten && !stream->ended) {
        int32_t ahead = tcp_diff(piece.seq, stream->next_seq);
        if (ahead < 0) {
            uint32_t old = 0 - (uint32_t)ahead;
            shared->stats->overlaps_differing += tcp_stream_differs(stream, &piece);
            if (old >= piece_len(&piece))
                return;
            piece_split(&piece, old);
        } else if (ahead == 0) {
            deliver_in_order(shared, conn, dir, piece);
            return;
        } else if (hold(shared, stream, &piece, &fresh)) {
            shared->stats->retransmitted += !fresh;
            return;
        } else if (stream->held != NULL) {
            skip_hole(shared, conn, dir, TCP_GAP_CAP);
        } else {
            stream->next_seq = piece.seq;
            shared->events->gap(shared->context, &conn->view, dir, (uint32_t)ahead, TCP_GAP_CAP);
        }
    }
}

void tcp_stream_receive(struct tcp_shared *shared, struct tcp_conn *conn, int dir,
                        const struct tcp_piece *piece, bool fin)
{
    struct tcp_stream *stream = &conn->stream[dir];
    uint32_t len = piece_len(piece);
    int32_t ahead = tcp_diff(piece->seq, stream->next_seq);
    if (ahead == 0 && !fin && !stream->fin_seen && stream->held == NULL) {
        tcp_stream_pass_on(shared, conn, dir, piece); /* nearly always */
        return;
    }
    if (fin && !stream->fin_seen && tcp_diff(piece->seq + len, stream->next_seq) >= 0) {
        stream->fin_seen = true;
        stream->fin_seq = piece->seq + len;
        stream->fin_ns = shared->now_ns;
        stream->fin_frame = shared->frame;
    }
    if (len > 0) {
        /* A keep-alive sends the byte before next_seq again: no retransmission. */
        if (ahead < 0 && !(ahead == -1 && len == 1))
            shared->stats->retransmitted++;
        place(shared, conn, dir, *piece);
    }
    pass_on_ready(shared, conn, dir);
}

uint32_t tcp_stream_held_end(const struct tcp_stream *stream)
{
    return held_end(stream->last_held);
}

bool tcp_stream_holds(const struct tcp_stream *stream, uint32_t number)
{
    return find_piece(stream->held, number - 1) != NULL;
}

void tcp_stream_doubt(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece)
{
    struct tcp_held **last = &stream->doubted;
    for (; *last != NULL; last = &(*last)->next) {
        const struct tcp_held *known = *last;
        const bool is_first = tcp_diff(known->seq, piece->seq) <= 0;
        if (is_first ? tcp_diff(held_end(known), piece->seq) > 0
                     : tcp_diff(piece->seq + piece_len(piece), known->seq) > 0)
            stream->doubts_differ |= !is_first || held_end(known) != piece->seq + piece_len(piece) ||
                                     held_differs(known, piece);
        if (known->seq == piece->seq && held_end(known) == piece->seq + piece_len(piece))
            return;
    }
    const uint32_t len = (uint32_t)cursor_left(&piece->bytes);
    const uint64_t cost = sizeof(struct tcp_held) + len;
    if (piece->cut != 0 || stream->num_doubted >= TCP_MAX_DOUBTED ||
        stream->doubted_len + cost > TCP_DOUBTED || !memcap_reserve(shared->memcap, cost))
        return;
    struct tcp_held *one = malloc(cost);
    struct cursor bytes = piece->bytes;
    if (one == NULL) {
        shared->stats->no_memory++;
        memcap_release(shared->memcap, cost);
        return;
    }
    *one = (struct tcp_held){.seq = piece->seq};
    if (cursor_read_bytes(&bytes, one->bytes, len))
        one->len = len;
    *last = one;
    stream->num_doubted++;
    stream->doubted_len += (uint32_t)cost;
}

void tcp_stream_keep(struct tcp_shared *shared, struct tcp_stream *stream, const struct tcp_piece *piece)
{
    struct tcp_piece rest = *piece;
    bool fresh;
    const int32_t ahead = tcp_diff(rest.seq, stream->next_seq);
    if (ahead < 0) {
        const uint32_t old = 0 - (uint32_t)ahead;
        if (old >= piece_len(&rest))
            return;
        piece_split(&rest, old);
    }
    if (stream->held_len + piece_len(&rest) <= TCP_KEPT)
        (void)hold(shared, stream, &rest, &fresh);
}

void tcp_stream_resume(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    conn->stream[dir].ended = conn->stream[dir].fin_seen = false;
    pass_on_ready(shared, conn, dir);
}

void tcp_stream_abandon(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    struct tcp_stream *stream = &conn->stream[dir];
    const struct tcp_stream *peer = &conn->stream[!dir];
    while (tcp_stream_waits(stream) && !conn->forgotten) {
        uint32_t hole_end = stream->held != NULL ? stream->held->seq : stream->fin_seq;
        int64_t since_ns = stream->held != NULL ? stream->held->since_ns : stream->fin_ns;
        uint64_t since_frame = stream->held != NULL ? stream->held->since_frame : stream->fin_frame;
        if (stream->held == NULL && !stream->fin_seen) {
            hole_end = stream->doubt_end;
            since_ns = stream->arrived_ns;
            since_frame = stream->arrived_frame;
        }
        bool acked = stream->has_acked && tcp_diff(stream->acked, hole_end) >= 0;
        bool unheard = !peer->heard || peer->heard_ns <= since_ns;
        if (!(acked && (tcp_waited(shared, since_ns, WAIT_ACKED_NS, since_frame) ||
                        stream->num_held >= IMPATIENT_HELD)) &&
            !(unheard && tcp_waited(shared, since_ns, WAIT_UNHEARD_NS, since_frame)))
            return;
        skip_hole(shared, conn, dir, TCP_GAP_LOST);
    }
}

void tcp_stream_flush(struct tcp_shared *shared, struct tcp_conn *conn, int dir)
{
    while (tcp_stream_waits(&conn->stream[dir]) && !conn->forgotten)
        skip_hole(shared, conn, dir, TCP_GAP_LOST);
}

void tcp_table_walk_held(const struct tcp_conn_view *view, int dir,
                         void (*visit)(void *context, uint32_t seq, struct cursor bytes,
                                       uint32_t truncated_len),
                         void *context)
{
    const struct tcp_stream *stream = &((const struct tcp_conn *)view)->stream[dir];
    for (const struct tcp_held *held = stream->held; held != NULL; held = held->next)
        visit(context, held->seq, cursor_make(held->bytes, held->len), held->cut);
}
