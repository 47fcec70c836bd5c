/*
 * raw_writer.h - the packets themselves, written to a capture file (-w).
 */
#ifndef SRC_RAW_WRITER_H
#define SRC_RAW_WRITER_H

#include "capture.h"

struct raw_writer {
    const char *name;
    FILE *file;
    pcap_dumper_t *dumper; /* NULL: there is no -w */
    bool nanoseconds;
    uint64_t num_bytes; /* of the file */
    bool failed; /* nothing more is written */
    bool closed; /* failed because the reader went away: no error */
};

/* raw_writer_open opens the file; it takes the form of the capture's inputs. False after a
 * complaint. */
bool raw_writer_open(struct raw_writer *writer, const char *name, const struct capture *capture);

void raw_writer_write(struct raw_writer *writer, const struct ds_packet *packet);
void raw_writer_flush(struct raw_writer *writer);

/* raw_writer_close flushes and closes; see failed for how it went. */
void raw_writer_close(struct raw_writer *writer);

#endif
