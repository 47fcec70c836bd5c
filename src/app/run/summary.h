/*
 * summary.h - the counts on standard error: at the end, on request, and as progress.
 */
#ifndef SRC_SUMMARY_H
#define SRC_SUMMARY_H

#include <distsniff/dissect.h>
#include <stdio.h>

struct summary {
    uint64_t num_read;   /* packets */
    uint64_t num_passed; /* of these, those that passed the filter */
    bool is_live;
    bool chooses;        /* messages that were not selected are left out */
    uint64_t num_shown;  /* of the messages */
    uint64_t num_dropped, num_missed; /* by the kernel, and by the interface */
    bool has_keylog;     /* secrets of TLS were given */
    const struct ds_stats *stats;
    const struct ds_config *config;
};

/* summary_print writes the counts. */
void summary_print(const struct summary *summary, FILE *out);

/* summary_is_complete says whether everything was decoded in full, as --strict demands. */
bool summary_is_complete(const struct ds_stats *stats);

#endif
