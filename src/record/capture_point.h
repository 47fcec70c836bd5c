/*
 * capture_point.h - what a reader of a stream knows of a host that publishes packets.
 */
#ifndef SRC_CAPTURE_POINT_H
#define SRC_CAPTURE_POINT_H

#include <stdbool.h>
#include <stdint.h>

enum { CAPTURE_POINT_NAME = 336 };

/* capture_point_counts are what a publisher says of itself. Times are those of its own clock. */
struct capture_point_counts {
    int64_t since_ns;  /* when it began to capture; 0: it has not said anything */
    uint64_t lost;     /* packets that it could not publish: its queue was full */
    uint64_t dropped;  /* packets that its kernel or interface dropped */
};

struct capture_point_numbers {
    struct capture_point_counts counts;
    int64_t last_ns;  /* time of its latest packet, by its own clock */
    int64_t heard_ns; /* when that was received, since 1970, by the reader's clock */
    int64_t lag_ns;   /* how much longer that took than its fastest packets do */
    int64_t ahead_ns; /* by how much its clock is ahead of the servers', less what its fastest packets
                       * need to get there */
    uint64_t packets;
    uint64_t late;    /* packets that came too late to be shown */
    uint64_t is_silent;
};

struct capture_point {
    char name[CAPTURE_POINT_NAME]; /* as its host calls itself; not escaped */
    struct capture_point_numbers numbers;
};

#endif
