/*
 * stop_reason.h - why a run stops: stop_reasons.def is the table.
 */
#ifndef SRC_STOP_REASON_H
#define SRC_STOP_REASON_H

enum stop_reason {
    STOP_NONE, /* it has not stopped */
#define ENDING(id, before, after) STOP_##id,
#include "core/stop_reasons.def"
#undef ENDING
    STOP_REASON_COUNT
};

#endif
