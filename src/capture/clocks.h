/*
 * clocks.h - how the clock of one capture point runs against that of another, from the
 * packets that both saw.
 *
 * A packet on its way to the point is seen there later than at the reference, by its delay;
 * one on its way back is seen there earlier. So each packet bounds how far the point's clock
 * can be ahead: from above or from below, as in NTP (RFC 5905). The estimate is the middle
 * of what all bounds together leave open to a clock that runs steadily; its uncertainty is
 * half of it. A clock that was set or changed its pace gets one piece for each time it ran
 * steadily.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clock_sample is one packet seen at both places. */
struct clock_sample {
    int64_t at_ns;    /* when the point saw it, by its own clock */
    int64_t ahead_ns; /* that, less when the reference saw it, by the reference's clock */
    uint32_t group;   /* the same for all packets between the same two hosts */
    uint8_t reverse;  /* which of the two sent it */
    uint8_t late;     /* used by the estimator: it came from the reference's side */
};

/* clock_piece holds from from_ns (of the point's clock) to the next piece's. */
struct clock_piece {
    int64_t from_ns;
    int64_t base_ns;       /* where ahead is ahead_ns */
    double ahead_ns;       /* to be added to clock_model.ahead_ns */
    double drift;          /* how much more it is ahead a nanosecond later */
    double uncertainty_ns; /* anywhere between the piece's samples */
};

enum clock_state {
    CLOCK_UNKNOWN, /* no samples */
    CLOCK_ONE_WAY, /* packets in one direction alone: the delay cannot be told apart */
    CLOCK_KNOWN,
};

enum { CLOCK_MAX_PIECES = 64 };

struct clock_model {
    enum clock_state state;
    int64_t ahead_ns; /* added to that of the pieces */
    struct clock_piece pieces[CLOCK_MAX_PIECES];
    size_t num_pieces;
    uint64_t num_late, num_early; /* samples from the reference's side, from the point's */
    uint64_t num_outliers;        /* left out, as they contradict all others */
    int64_t first_ns, last_ns;    /* of the samples */
};

/* clock_estimate estimates from samples, in any order; it reorders them. resolution_ns is
 * that of the time stamps: 1000 when they have microseconds. Returns false when memory ran
 * out. */
bool clock_estimate(struct clock_sample *samples, size_t num, int64_t resolution_ns,
                    struct clock_model *model);

/* clock_ahead returns by how much the point is ahead of the reference at at_ns of its own
 * clock. */
int64_t clock_ahead(const struct clock_model *model, int64_t at_ns);

/* clock_uncertainty returns the largest uncertainty of all pieces, clock_drift the drift
 * over all of them. */
double clock_uncertainty(const struct clock_model *model);
double clock_drift(const struct clock_model *model);

#endif
