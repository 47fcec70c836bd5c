/*
 * clocks.h - compares the clock of one capture point with that of another, the reference, using the
 * packets that both captured.
 *
 * A packet on its way to the point gets a later time there than at the reference, by its delay; one on
 * its way back gets an earlier time. So each packet limits how far the point's clock can be ahead: from
 * above or from below, as in NTP (RFC 5905). The estimate is the middle of the range that all limits
 * together allow for a clock of steady speed; its uncertainty is half of that range. A clock that was
 * set or changed its speed gets one piece for each period in which it was steady.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* clock_sample is one packet that was captured at both places. */
struct clock_sample {
    int64_t at_ns;    /* time at the point, by its own clock */
    int64_t ahead_ns; /* at_ns minus the time at the reference, by the reference's clock */
    uint32_t group;   /* the same for all packets between the same two hosts */
    uint8_t reverse;  /* which of the two hosts sent it */
    uint8_t late;     /* used by the estimator: it came from the reference's side */
};

/* clock_piece is valid from from_ns (of the point's clock) to the next piece's from_ns. */
struct clock_piece {
    int64_t from_ns;
    int64_t base_ns;       /* time for which ahead_ns is given */
    double ahead_ns;       /* to be added to clock_model.ahead_ns */
    double drift;          /* change of ahead_ns per nanosecond */
    double uncertainty_ns; /* at any time between the piece's samples */
};

enum clock_state {
    CLOCK_UNKNOWN, /* no samples */
    CLOCK_ONE_WAY, /* packets in one direction only: the delay cannot be separated */
    CLOCK_KNOWN,
};

enum { CLOCK_MAX_PIECES = 64 };

struct clock_model {
    enum clock_state state;
    int64_t ahead_ns; /* added to ahead_ns of the pieces */
    struct clock_piece pieces[CLOCK_MAX_PIECES];
    size_t num_pieces;
    uint64_t num_late, num_early; /* samples from the reference's side, from the point's */
    uint64_t num_outliers;        /* samples ignored because they contradict all others */
    int64_t first_ns, last_ns;    /* times of the samples */
};

/* clock_estimate makes an estimate from samples, in any order; it reorders them. resolution_ns is the
 * resolution of the time stamps: 1000 for microseconds. Returns false when memory ran out. */
bool clock_estimate(struct clock_sample *samples, size_t num, int64_t resolution_ns,
                    struct clock_model *model);

/* clock_ahead returns how far the point's clock is ahead of the reference at at_ns of the point's clock. */
int64_t clock_ahead(const struct clock_model *model, int64_t at_ns);

/* clock_uncertainty returns the largest uncertainty of the pieces, clock_drift the drift over all of
 * them. */
double clock_uncertainty(const struct clock_model *model);
double clock_drift(const struct clock_model *model);

#endif
