/*
 * annotated_file.h - -T pcapng: the packets, each with what was decoded from it as comments, which
 * Wireshark shows although it does not know Erlang's distribution in this detail.
 *
 * A comment is a line as -T text writes it, without its time, for a message, a call that was not
 * answered, or a finding; its packet is the one that completed it. Comments after the last packet go
 * into a statistics block at the end.
 */
#ifndef SRC_ANNOTATED_FILE_H
#define SRC_ANNOTATED_FILE_H

#include "capture/capture.h"
#include "core/stop_reason.h"
#include "record/record.h"

struct annotated_file;

struct annotated_config {
    const char *name; /* "-" is standard output */
    int verbose;      /* as for -T text */
    const struct ds_keylog *secrets; /* secrets for the file; NULL: none */
};

/* annotated_new opens the file. NULL after an error message. */
struct annotated_file *annotated_new(const struct annotated_config *config,
                                     const struct capture *capture);

/* annotated_packet adds a packet, before the session reads it. It is written a little later, so that
 * records that the session delays still find it. */
void annotated_packet(struct annotated_file *file, const struct ds_packet *packet);

/* annotated_record adds a selected record. */
void annotated_record(struct annotated_file *file, const struct record *record);

/* annotated_get_stop says why nothing more is written: READER, or OUTPUT after an error message; NONE
 * if it can still be written. */
enum stop_reason annotated_get_stop(const struct annotated_file *file);

/* annotated_reopen continues in the file that has the name now, if that is another file than the open
 * one. */
void annotated_reopen(struct annotated_file *file);

/* annotated_end writes the rest and closes the file; annotated_get_stop reports errors. */
void annotated_end(struct annotated_file *file);
void annotated_free(struct annotated_file *file); /* NULL is allowed */

#endif
