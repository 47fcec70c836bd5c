/*
 * unusual.h - what a capture has and a baseline does not: compare/novelty.c finds it, and
 * detect_baseline.c makes a DS504 of it.
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

/* unusual is one difference from the baseline. The caller says how long its texts are valid. */
struct unusual {
    enum unusual_kind kind;
    struct ds_text what;    /* escaped for a terminal */
    struct ds_text node[2]; /* sender or caller, then receiver or callee; data NULL: unknown */
    int64_t ts_ns;
    uint64_t frame, conn;    /* 0: unknown */
    double value, most;      /* LATENCY: ns, SIZE: bytes; now, and the most in the baseline */
    bool are_pseudonyms;     /* names are pseudonyms, as with --redact */
    bool is_unsure;          /* the baseline has messages that could not be read */
};

/* baseline_checks is what was compared with a baseline, for the verdict. */
struct baseline_checks {
    uint64_t num_told;       /* as findings */
    uint64_t num_more;       /* not reported, as they were too many */
    uint64_t num_not_judged; /* possibly among what could not be read for the baseline */
    bool is_incomplete;      /* a cap was reached in the baseline, or now */
};

#endif
