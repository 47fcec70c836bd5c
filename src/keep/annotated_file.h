/*
 * annotated_file.h - -T pcapng: the packets, each with what was decoded from it as comments, which
 * Wireshark shows without knowing anything of Erlang's distribution.
 *
 * A comment is the line that -T text writes, without its time, of a message, a call that nobody
 * answered, or a finding; the packet is the one that completed it. What comes when there is no
 * packet any more stands in a block of statistics at the end.
 */
#ifndef SRC_ANNOTATED_FILE_H
#define SRC_ANNOTATED_FILE_H

#include "capture/capture.h"
#include "core/stop_reason.h"
#include "record/record.h"

struct annotated_file;

struct annotated_config {
    const char *name; /* - is standard output */
    int verbose;      /* as of -T text */
    const struct ds_keylog *secrets; /* that go into the file; NULL: none */
};

/* annotated_new opens the file. NULL after a complaint. */
struct annotated_file *annotated_new(const struct annotated_config *config,
                                     const struct capture *capture);

/* annotated_packet takes a packet, before the session does. It is written a little later: what a
 * session holds back for a while still finds it. */
void annotated_packet(struct annotated_file *file, const struct ds_packet *packet);

/* annotated_record takes a record that was selected. */
void annotated_record(struct annotated_file *file, const struct record *record);

/* annotated_get_stop says why nothing more is written: READER, or OUTPUT after a complaint; NONE
 * while all is well. */
enum stop_reason annotated_get_stop(const struct annotated_file *file);

/* annotated_reopen goes on in the file that has the name now, where that is another one than what is
 * written. */
void annotated_reopen(struct annotated_file *file);

/* annotated_end writes what comes last, and closes; see annotated_get_stop for how it went. */
void annotated_end(struct annotated_file *file);
void annotated_free(struct annotated_file *file); /* NULL is allowed */

#endif
