/*
 * otlp_deadline.h - how long spans are tried to be sent.
 *
 * For ever, while a live capture runs. Of files, and at the end of a capture: until nothing was taken for
 * OTLP_DEADLINE_NS, or for OTLP_GREETING_NS where nobody was there to be sent anything; for as long as
 * the receiver asked to wait more, up to OTLP_MOST_ASKED_NS since it took something.
 */
#ifndef SRC_OTLP_DEADLINE_H
#define SRC_OTLP_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#define OTLP_DEADLINE_NS (20 * INT64_C(1000000000))
#define OTLP_GREETING_NS (5 * INT64_C(1000000000))
#define OTLP_MOST_ASKED_NS (60 * INT64_C(1000000000))

struct otlp_deadline {
    bool is_live, is_ending;
    bool is_met;         /* the receiver is there */
    int64_t progress_ns; /* when something was last, or nothing waited */
    int64_t asked_ns;    /* so long the receiver asked to wait since */
};

void otlp_deadline_begin(struct otlp_deadline *patience, bool is_live, int64_t now_ns);

/* otlp_deadline_end: nothing more comes. */
void otlp_deadline_end(struct otlp_deadline *patience, int64_t now_ns);

/* otlp_deadline_progress: the receiver has answered for something, or nothing waits. */
void otlp_deadline_progress(struct otlp_deadline *patience, int64_t now_ns);

/* otlp_deadline_ask: the receiver asks to wait so long. */
void otlp_deadline_ask(struct otlp_deadline *patience, int64_t wait_ns);

bool otlp_deadline_is_over(const struct otlp_deadline *patience, int64_t now_ns);

#endif
