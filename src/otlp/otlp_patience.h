/*
 * otlp_patience.h - how long spans are tried to be sent.
 *
 * For ever, while a live capture runs. Of files, and at the end of a capture: until nothing was taken for
 * OTLP_PATIENCE_NS, or for OTLP_GREETING_NS where nobody was there to be sent anything; for as long as
 * the receiver asked to wait more, up to OTLP_MOST_ASKED_NS since it took something.
 */
#ifndef SRC_OTLP_PATIENCE_H
#define SRC_OTLP_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

#define OTLP_PATIENCE_NS (20 * INT64_C(1000000000))
#define OTLP_GREETING_NS (5 * INT64_C(1000000000))
#define OTLP_MOST_ASKED_NS (60 * INT64_C(1000000000))

struct otlp_patience {
    bool is_live, is_ending;
    bool is_met;         /* the receiver is there */
    int64_t progress_ns; /* when something was last, or nothing waited */
    int64_t asked_ns;    /* so long the receiver asked to wait since */
};

void otlp_patience_begin(struct otlp_patience *patience, bool is_live, int64_t now_ns);

/* otlp_patience_end: nothing more comes. */
void otlp_patience_end(struct otlp_patience *patience, int64_t now_ns);

/* otlp_patience_progress: the receiver has answered for something, or nothing waits. */
void otlp_patience_progress(struct otlp_patience *patience, int64_t now_ns);

/* otlp_patience_ask: the receiver asks to wait so long. */
void otlp_patience_ask(struct otlp_patience *patience, int64_t wait_ns);

bool otlp_patience_is_over(const struct otlp_patience *patience, int64_t now_ns);

#endif
