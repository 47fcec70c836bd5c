/*
 * fuzz_tls.c - the stage of TLS: two bytes of flags, then steps of a byte (bit 0 the direction,
 * bit 1 a gap instead of data, bit 2 new lines for the key log, both of these what stands for the
 * past: by bit 3 of a sealed piece or of how far the direction has come), a length of 2 bytes, and
 * as many bytes. The key log knows the secrets of the seeds, whose randoms are all 'r'.
 */
#include "quiet_tls.h"
#include "tcp/tcp_conn.h"
#include "tls/tls_snapshot.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static uint64_t num_bytes;

static void on_text(void *context, int dir, struct cursor text)
{
    static volatile uint8_t sum;
    uint8_t byte;
    (void)context;
    if (dir != 0 && dir != 1)
        abort();
    num_bytes += cursor_left(&text);
    while (cursor_read_u8(&text, &byte))
        sum = (uint8_t)(sum + byte);
}

static void on_gap(void *context, int dir, uint64_t gap_len, enum tcp_gap why)
{
    (void)context;
    if ((dir != 0 && dir != 1) || (gap_len == 0 && why != TCP_GAP_LOST))
        abort();
}

/* take_past gives the TLS stage a piece of another connection's snapshot. */
static void take_past(void *context, int64_t ts_ns, const struct ds_segment *segment)
{
    struct tls *tls = context;
    const int dir = segment->src_port == 1 ? 0 : 1;
    const struct cursor bytes = cursor_make(segment->payload, segment->payload_len);
    struct tls_snapshot_piece piece;
    (void)ts_ns;
    if (segment->past.kind == DS_SNAPSHOT_TLS)
        tls_snapshot_set_state(tls, dir, bytes);
    else if (segment->past.kind == DS_SNAPSHOT_SEALED &&
             (!tls_snapshot_open(tls, dir, bytes, &piece) || piece.kind != DS_SNAPSHOT_FRAMES))
        abort();
    else if (segment->past.kind == DS_SNAPSHOT_BYTES)
        tls_feed(tls, dir, bytes);
}

/* hand_on continues this connection in another session. */
static void hand_on(struct dissect_ctx *env, const struct tls_events *events, const struct tls *tls,
                    struct tcp_conn_view *tcp)
{
    static const uint8_t text[] = "what was said";
    const struct tcp_point points[2] = {{.started = true}, {.started = true}};
    struct tls_snapshot past;
    struct tls_stage *stage = tls_stage_new(env, events);
    struct tls *other = stage != NULL ? tls_new(stage, tcp, NULL) : NULL;
    if (other == NULL)
        abort();
    tls_snapshot_begin(&past, tls, tcp, points, tcp->now_ns, take_past, other);
    const struct ds_segment said = {.src_port = 1,
                                    .payload = text,
                                    .payload_len = sizeof text,
                                    .past = {.kind = DS_SNAPSHOT_FRAMES}};
    tls_snapshot_add(&past, tcp->now_ns, &said);
    tls_snapshot_end(&past);
    tls_free(other);
    tls_stage_free(stage);
}

static void add_secrets(struct ds_keylog *keylog)
{
    static const struct {
        const char *label;
        int len;
    } lines[] = {
        {"CLIENT_RANDOM", 48}, {"CLIENT_TRAFFIC_SECRET_0", 48}, {"SERVER_TRAFFIC_SECRET_0", 48}};
    char line[512];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int at = snprintf(line, sizeof line, "%s ", lines[i].label);
        for (int n = 0; n < 32; n++)
            at += snprintf(line + at, sizeof line - (size_t)at, "72");
        line[at++] = ' ';
        for (int n = 0; n < lines[i].len; n++)
            at += snprintf(line + at, sizeof line - (size_t)at, "%02x", (unsigned)(n + (int)i));
        line[at++] = '\n';
        ds_keylog_add(keylog, line, (size_t)at);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct tls_events events = {on_text,         on_gap,        quiet_tls_note,
                                             quiet_tls_stall, quiet_tls_dir, quiet_tls_dir,
                                             quiet_tls_close, quiet_tls_note, quiet_tls_note};
    struct cursor input = cursor_make(data, len), bytes;
    uint8_t flags, what;
    uint16_t step_len;
    struct tcp_conn conn = {.view = {.now_ns = 1, .port = {1, 2}}};
    struct tcp_conn_view *tcp = &conn.view;
    struct dissect_ctx env = {.memcap.max = 1 << 20, .config.limits[DS_LIMIT_BUFFER] = 1 << 16};

    if (!cursor_read_u8(&input, &flags))
        return 0;
    env.config.keylog = (flags & 1) != 0 ? ds_keylog_new(8) : NULL;
    env.config.keylog_grows = (flags & 2) != 0;
    if (env.config.keylog != NULL)
        add_secrets(env.config.keylog);
    struct tls_stage *stage = tls_stage_new(&env, &events);
    struct tls *tls = stage != NULL ? tls_new(stage, tcp, NULL) : NULL;
    if (tls == NULL)
        abort();
    while (cursor_read_u8(&input, &what) && cursor_read_u16(&input, &step_len)) {
        bytes = cursor_first(input, step_len);
        if (!cursor_skip(&input, cursor_left(&bytes)))
            break;
        tcp->now_ns += (int64_t)(what >> 3) * 100000000;
        (void)tls_probe(bytes, true);
        struct tls_snapshot_piece piece;
        if ((what & 14) == 14)
            (void)tls_snapshot_open(tls, what & 1, bytes, &piece);
        else if ((what & 6) == 6)
            tls_snapshot_set_state(tls, what & 1, bytes);
        else if ((what & 4) != 0 && env.config.keylog != NULL)
            ds_keylog_add(env.config.keylog, (const char *)bytes.at, cursor_left(&bytes));
        else if ((what & 2) != 0)
            tls_gap(tls, what & 1, (uint64_t)step_len + 1, TCP_GAP_LOST);
        else
            tls_feed(tls, what & 1, bytes);
    }
    const struct ds_tls *view = tls_view(tls);
    if (num_bytes != 0 && view->keys > DS_TLS_KEYS_LATE)
        abort();
    hand_on(&env, &events, tls, tcp);
    tls_free(tls);
    tls_stage_free(stage);
    if (env.memcap.used != 0)
        abort();
    ds_keylog_free(env.config.keylog);
    return 0;
}
