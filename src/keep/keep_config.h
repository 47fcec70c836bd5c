/*
 * keep_config.h - which packets are kept, and where: -w, -O, rotation, the flight recorder.
 */
#ifndef SRC_KEEP_CONFIG_H
#define SRC_KEEP_CONFIG_H

#include "keep/rotation.h"

#include <distsniff/dissect.h>

struct filter;
struct own_labels;

struct keep_config {
    const char *write_file;         /* -w, NULL: none */
    struct rotation_rules rotation; /* of it: -C, -G, -W */
    const char *after_command;      /* -z */
    bool packet_buffered;           /* -U */
    bool embeds_secrets;            /* of TLS connections, into these files, which are pcapng */
    uint64_t max_files;             /* of -w; 0: no limit */
    const char *connections_file;   /* -O */
    const struct own_labels *labels; /* NULL: those of otp.def */
    struct filter *trigger;         /* NULL: none */
    int64_t before_ns;              /* 0: as much as there is room for */
    uint64_t max_bytes;             /* 0: as the cap says */
    int64_t after_ns;
    const char *user;                /* who writes what is not opened as root; NULL: nobody */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

#endif
