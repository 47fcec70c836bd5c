/*
 * unusual.h - what a baseline does not have, as compare/novelty.c finds it and detect_baseline.c makes
 * DS504 of it.
 */
#ifndef SRC_UNUSUAL_H
#define SRC_UNUSUAL_H

#include <distsniff/term.h>
#include <stdbool.h>
#include <stdint.h>

enum unusual_kind {
#define UNUSUAL(id, before, after, packet) UNUSUAL_##id,
#include "analyse/findings/unusual.def"
#undef UNUSUAL
    UNUSUAL_KIND_COUNT
};

/* unusual is one such thing. Texts live as long as who gives it says. */
struct unusual {
    enum unusual_kind kind;
    struct ds_text what;    /* fit for a terminal */
    struct ds_text node[2]; /* who sends, or calls, and whom; data NULL: not known */
    int64_t ts_ns;
    uint64_t frame, conn;    /* 0: not known */
    double value, most;      /* of LATENCY nanoseconds, of SIZE bytes: now, and the most in the baseline */
    bool are_pseudonyms;     /* names are, as of --redact */
    bool is_unsure;          /* the baseline has messages that could not be read */
};

/* baseline_checks is what was compared with a baseline, for the verdict. */
struct baseline_checks {
    uint64_t num_told;       /* as findings */
    uint64_t num_more;       /* that were too many to be told */
    uint64_t num_not_judged; /* that may be among what could not be read when the baseline was made */
    bool is_incomplete;      /* the baseline, or what is known now, has no room for more */
};

#endif
