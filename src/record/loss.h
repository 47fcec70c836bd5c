/*
 * loss.h - what distsniff itself lost, live: packets for which the kernel or the interface had no room,
 * and records that an output was too slow for. The loss is reported at its place among the records. (A
 * gap is a missing part of a stream, for whatever reason.)
 */
#ifndef SRC_LOSS_H
#define SRC_LOSS_H

#include <distsniff/term.h>

enum loss_cause {
#define LOSS(id, name, unit, text) LOSS_##id,
#include "record/losses.def"
#undef LOSS
    LOSS_CAUSE_COUNT
};

struct loss {
    enum loss_cause cause;
    uint64_t count;    /* in units of loss_unit */
    uint64_t messages; /* messages among them, if known */
    int64_t first_ns, last_ns;
};

/* These functions return names as static strings. */
const char *loss_cause_name(enum loss_cause cause);
const char *loss_unit(enum loss_cause cause);

/* loss_print appends "12 records, 10 of them messages, as the output is not read fast
 * enough, within 1.20 s". */
void loss_print(const struct loss *loss, struct ds_buffer *out);

#endif
