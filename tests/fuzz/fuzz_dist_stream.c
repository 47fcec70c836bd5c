/*
 * fuzz_dist_stream.c - two channels fed with what the input says.
 *
 *     SETTING:8                      1 late, 2 latin-1, 4 little memory, 8 small limits
 *     then, until the end: KIND:8 ARG:8 [BYTES]
 *         KIND & 1    the direction
 *         KIND & 6    0, 2: ARG bytes follow; 4: ARG * 256 bytes follow; 6: a gap of ARG,
 *                     or with KIND & 8 ARG * 256, bytes; why, KIND >> 4
 *
 * Whatever comes: events whose terms can be printed and copied, no memory left behind. And
 * where nothing is lost, the same events whatever the pieces are.
 */
#include "channel_harness.h"

#include <stdio.h>

enum { SET_LATE = 1, SET_LATIN1 = 2, SET_LITTLE = 4, SET_SMALL = 8 };

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

static void use_term(const struct ds_term *term)
{
    struct ds_buffer etf = {0};
    if (term->data != NULL)
        ds_term_copy_etf(term, &etf);
    ds_buffer_free(&etf);
}

static void on_event(void *context, const struct ds_event *event)
{
    if (event->fault.kind != DS_FAULT_NONE)
        require(event->fault.what != NULL, "a fault says what");
    if (event->type == DS_EVENT_MESSAGE) {
        const struct ds_message *message = &event->message;
        use_term(&message->control);
        use_term(&message->payload);
        /* If no node accepts the length of a frame, only the length is compared. */
        require(message->size >= 4 && message->fragments > 0, "a message has a size");
        if (event->fault.kind == DS_FAULT_NONE)
            require(message->size > 4, "a message without fault has bytes");
        if (event->fault.kind == DS_FAULT_NONE)
            require(message->control.data != NULL && !message->control.damaged &&
                        !message->payload.damaged && message->code != -1,
                    "a message without fault is whole");
        if (message->op != NULL && event->fault.kind == DS_FAULT_NONE && message->op->has_payload)
            require(message->payload.data != NULL, "a payload where there is to be one");
    }
    harness_on_event(context, event);
}

/* run plays the input in the pieces it says, or in pieces of chunk bytes. It returns whether bytes
 * were lost. */
static bool run(struct harness *h, struct cursor input, size_t chunk)
{
    uint8_t setting = 0, kind, arg;
    bool lossy = false;
    harness_init(h);
    if (!cursor_read_u8(&input, &setting))
        setting = 0;
    h->env.config.on_event = on_event;
    h->env.config.raw = true;
    if ((setting & SET_LITTLE) != 0)
        h->env.memcap.max = 8192;
    if ((setting & SET_SMALL) != 0) {
        h->env.config.limits[DS_LIMIT_MESSAGE] = 64;
        h->env.config.limits[DS_LIMIT_FRAGMENTED] = 2;
        h->env.config.limits[DS_LIMIT_INFLATED] = 100;
    }
    lossy = (setting & (SET_LATE | SET_LITTLE)) != 0;
    harness_open_channels(h, (setting & SET_LATE) != 0, (setting & SET_LATIN1) != 0);
    while (cursor_read_u8(&input, &kind) && cursor_read_u8(&input, &arg)) {
        int dir = kind & 1;
        size_t len = (kind & 6) == 4 || ((kind & 6) == 6 && (kind & 8) != 0) ? arg * 256u : arg;
        if ((kind & 6) == 6) {
            harness_gap(h, dir, len + 1, (enum tcp_gap)((kind >> 4) % 3));
            lossy = true;
            continue;
        }
        struct cursor bytes;
        if (len > cursor_left(&input))
            len = cursor_left(&input);
        if (!cursor_child(&input, len, &bytes))
            break;
        while (cursor_left(&bytes) != 0) {
            struct cursor piece;
            size_t piece_len = cursor_left(&bytes) < chunk ? cursor_left(&bytes) : chunk;
            /* In a block of its own, so that the sanitizer notices a read beyond its end. */
            uint8_t *copy = malloc(piece_len);
            if (copy == NULL || !cursor_child(&bytes, piece_len, &piece) ||
                !cursor_read_bytes(&piece, copy, piece_len))
                abort();
            harness_feed(h, dir, copy, piece_len);
            free(copy);
        }
    }
    harness_end(h);
    return lossy;
}

/* has_searched says whether the next frame was searched for behind one that cannot be read. What a
 * search finds depends on how much it sees at once, as behind missing bytes. */
static bool has_searched(const struct harness *h)
{
    static const char skipped[] = "skipped behind a frame that cannot be read";
    return h->out.len != 0 && memmem(h->out.data, h->out.len, skipped, sizeof skipped - 1) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct harness whole, pieces;
    bool lossy = run(&whole, cursor_make(data, len), SIZE_MAX);
    if (!lossy) {
        run(&pieces, cursor_make(data, len), 3);
        require(has_searched(&whole) || has_searched(&pieces) ||
                    (whole.out.len == pieces.out.len &&
                     (whole.out.len == 0 ||
                      memcmp(whole.out.data, pieces.out.data, whole.out.len) == 0)),
                "the same events whatever the pieces are");
        require(harness_free(&pieces) == 0, "no memory is left behind");
    }
    require(harness_free(&whole) == 0, "no memory is left behind");
    return 0;
}
