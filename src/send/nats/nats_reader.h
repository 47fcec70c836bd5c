/*
 * nats_reader.h - the packets of a stream as capture files: one for each host, without a name, in the
 * order of their time stamps, each packet once. What is read is what the stream holds at that time
 * (nats_pull.h). Subjects, names, times and sizes are what anybody may have published: what is no packet,
 * or has a name, a time or a link type that no capture file can have, is counted and left out.
 */
#ifndef SRC_NATS_READER_H
#define SRC_NATS_READER_H

#include "send/nats/nats_config.h"

enum { NATS_MAX_HOSTS = 256, NATS_MAX_NAME = 256, NATS_MAX_LABEL = NATS_MAX_NAME + 16 };

/* nats_read_file is what one host saw. */
struct nats_read_file {
    char name[NATS_MAX_LABEL]; /* "nats:web1" */
    int fd;
};

struct nats_read {
    struct nats_read_file files[NATS_MAX_HOSTS];
    size_t num_files;
    bool is_partial; /* something that was there is missing, and that was said */
    int64_t from_ns; /* since 1970, of the stream that was read last: what is before serves to decode what
                      * follows. INT64_MIN: all is shown */
};

struct nats_reader_config {
    const struct nats_config *nats;
    const char *user;  /* that root becomes, NULL: nobody */
    bool is_confined;
};

struct nats_client;

/* nats_reader_prepare is how a process that reads from servers begins: it reads the files with the
 * rights of whoever runs this, and keeps no right. folder: where it may make files without a name, NULL:
 * it makes none. False after a complaint. */
bool nats_reader_prepare(const struct nats_reader_config *config, const struct nats_url *url,
                         const char *folder, struct nats_client *client);

/* nats_read fetches what is there, by a process of its own that talks to the servers. To be called before
 * there are threads. False after a complaint; where some of it is missing, what is there is given. */
bool nats_read(const struct nats_reader_config *config, const struct nats_url *url,
               struct nats_read *read);

#endif
