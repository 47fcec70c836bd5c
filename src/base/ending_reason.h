/*
 * ending_reason.h - why a run ends: the table is endings.def.
 */
#ifndef SRC_ENDING_REASON_H
#define SRC_ENDING_REASON_H

enum ending_reason {
    ENDING_NONE, /* it goes on */
#define ENDING(id, before, after) ENDING_##id,
#include "endings.def"
#undef ENDING
    ENDING_REASON_COUNT
};

#endif
