/*
 * otlp_answer.h - what a receiver's answer to a request means for the spans that were in it
 * (https://opentelemetry.io/docs/specs/otlp/, "OTLP/HTTP Response").
 *
 *     200 ...        it has them, but for partialSuccess.rejectedSpans
 *     429 502 503 504, and no answer   they are sent again, not before what Retry-After says
 *     413            they are sent again in smaller requests, if there were several
 *     all others     they are given up: nothing would change. So are redirections: nothing goes where
 *                    nobody asked it to
 *
 * A status counts as soon as it is there, whatever becomes of the rest of the answer.
 */
#ifndef SRC_OTLP_ANSWER_H
#define SRC_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is read of an answer, headers and body each. */
enum { OTLP_MOST_ANSWER = 64 * 1024 };

/* So long a receiver can have us wait, in seconds. */
enum { OTLP_MOST_WAIT = 300 };

struct otlp_answer {
    long status;         /* 0: there was none */
    bool is_hopeless;    /* without a status: it is no better in a moment, as of wrong certificates */
    int64_t wait_s;      /* Retry-After, 0: there was none */
    const char *trouble; /* without a status: why */
    char body[OTLP_MOST_ANSWER];
    size_t len;
};

enum otlp_verdict {
    OTLP_TAKEN,
    OTLP_AGAIN,
    OTLP_SMALLER,
    OTLP_GIVEN_UP, /* these spans */
    OTLP_HOPELESS, /* all: nothing was said to the receiver */
};

struct otlp_outcome {
    enum otlp_verdict verdict;
    uint64_t num_rejected; /* of those taken */
    int64_t wait_ms;       /* of those that are sent again, at least */
    char why[256];         /* for the user, fit for a terminal; empty: there is nothing to be said */
};

/* otlp_judge judges the answer to a request with num spans. */
void otlp_judge(const struct otlp_answer *answer, uint64_t num, struct otlp_outcome *outcome);

#endif
