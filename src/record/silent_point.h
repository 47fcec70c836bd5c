/*
 * silent_point.h - a capture point that has stopped sending while others go on, or that is back.
 */
#ifndef SRC_SILENT_POINT_H
#define SRC_SILENT_POINT_H

#include <stdbool.h>
#include <stdint.h>

enum { SILENT_POINT_NAME = 256 };

struct silent_point {
    char name[SILENT_POINT_NAME]; /* as its host calls itself; not escaped */
    int64_t since_ns; /* time of its latest packet before */
    int64_t now_ns;   /* when that was noticed, since 1970 */
    bool is_back;
};

#endif
