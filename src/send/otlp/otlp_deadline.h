/*
 * otlp_deadline.h - how long sending is tried.
 *
 * Without limit while a live capture runs. For files, and at the end of a capture: until the
 * receiver has accepted nothing for OTLP_DEADLINE_NS, or for OTLP_GREETING_NS if no receiver was
 * ever reached. If the receiver asked to wait, that time is added, up to OTLP_MOST_ASKED_NS since
 * it accepted something.
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
    bool is_met;         /* a receiver was reached */
    int64_t progress_ns; /* when spans were last accepted, or none waited */
    int64_t asked_ns;    /* how long the receiver has asked to wait since then */
};

void otlp_deadline_begin(struct otlp_deadline *patience, bool is_live, int64_t now_ns);

/* otlp_deadline_end: no more spans come. */
void otlp_deadline_end(struct otlp_deadline *patience, int64_t now_ns);

/* otlp_deadline_progress: the receiver has answered for some spans, or none wait. */
void otlp_deadline_progress(struct otlp_deadline *patience, int64_t now_ns);

/* otlp_deadline_ask: the receiver asks to wait this long. */
void otlp_deadline_ask(struct otlp_deadline *patience, int64_t wait_ns);

bool otlp_deadline_is_over(const struct otlp_deadline *patience, int64_t now_ns);

#endif
