/*
 * stop_reason.h - why a run ends: the table is stop_reasons.def.
 */
#ifndef SRC_STOP_REASON_H
#define SRC_STOP_REASON_H

enum stop_reason {
    STOP_NONE, /* it goes on */
#define ENDING(id, before, after) STOP_##id,
#include "core/stop_reasons.def"
#undef ENDING
    STOP_REASON_COUNT
};

#endif
