/*
 * otlp_answer.h - what a receiver's answer to a request means for its spans
 * (https://opentelemetry.io/docs/specs/otlp/, "OTLP/HTTP Response").
 *
 *     200 ...        accepted, except partialSuccess.rejectedSpans
 *     429 502 503 504, and no answer   they are sent again, not before the time in Retry-After
 *     413            they are sent again in smaller requests, if there were several
 *     all others     they are dropped: a retry would not help. So are redirections: spans go only to
 *                    the URL that was given
 *
 * A status counts as soon as it is received, whatever happens to the rest of the answer.
 */
#ifndef SRC_OTLP_ANSWER_H
#define SRC_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes of an answer that are read: of its headers, and of its body. */
enum { OTLP_MOST_ANSWER = 64 * 1024 };

/* The longest wait that a receiver can ask for, in seconds. */
enum { OTLP_MOST_WAIT = 300 };

struct otlp_answer {
    long status;         /* 0: there was none */
    bool is_hopeless;    /* without a status: a retry is pointless, for example with wrong certificates */
    int64_t wait_s;      /* Retry-After, 0: there was none */
    const char *trouble; /* without a status: the reason */
    char body[OTLP_MOST_ANSWER];
    size_t len;
};

enum otlp_verdict {
    OTLP_TAKEN,
    OTLP_AGAIN,
    OTLP_SMALLER,
    OTLP_GIVEN_UP, /* these spans are dropped */
    OTLP_HOPELESS, /* all are: nothing was sent to the receiver */
};

struct otlp_outcome {
    enum otlp_verdict verdict;
    uint64_t num_rejected; /* of the spans of an accepted request */
    int64_t wait_ms;       /* before they are sent again, at least */
    char why[256];         /* for the user, safe for a terminal; empty: no message */
};

/* otlp_judge decides what an answer to a request with num spans means. */
void otlp_judge(const struct otlp_answer *answer, uint64_t num, struct otlp_outcome *outcome);

#endif
