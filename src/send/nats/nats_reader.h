/*
 * nats_reader.h - the packets of a stream as capture files: one unnamed file for each host, in the
 * order of time stamps, each packet once. The read covers what the stream has at that time
 * (nats_pull.h). Any client may have published the subjects, names, times and sizes: a record that
 * is no packet, or has a name, a time or a link type that no capture file can have, is counted and
 * left out.
 */
#ifndef SRC_NATS_READER_H
#define SRC_NATS_READER_H

#include "send/nats/nats_config.h"

enum { NATS_MAX_HOSTS = 256, NATS_MAX_NAME = 256, NATS_MAX_LABEL = NATS_MAX_NAME + 16 };

/* nats_read_file contains the packets of one host. */
struct nats_read_file {
    char name[NATS_MAX_LABEL]; /* "nats:web1" */
    int fd;
};

struct nats_read {
    struct nats_read_file files[NATS_MAX_HOSTS];
    size_t num_files;
    bool is_partial; /* records that the stream had are missing, which was reported */
    int64_t from_ns; /* since 1970, of the stream that was read last: earlier records only help to
                      * decode later ones. INT64_MIN: all are shown */
};

struct nats_reader_config {
    const struct nats_config *nats;
    const char *user;  /* that root becomes, NULL: root stays */
    bool is_confined;
};

struct nats_client;

/* nats_reader_prepare is the first step of a process that reads from servers: it reads the files
 * with the rights of the user who runs this, and then drops all rights. folder: where it may make
 * unnamed files, NULL: it makes none. False after an error message. */
bool nats_reader_prepare(const struct nats_reader_config *config, const struct nats_url *url,
                         const char *folder, struct nats_client *client);

/* nats_read reads the stream, through a separate process that talks to the servers. Call it before
 * there are threads. False after an error message; if some of it is missing, *read has the rest. */
bool nats_read(const struct nats_reader_config *config, const struct nats_url *url,
               struct nats_read *read);

#endif
