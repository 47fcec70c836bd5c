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
    struct rotation_rules rotation; /* of write_file: -C, -G, -W */
    const char *after_command;      /* -z */
    bool packet_buffered;           /* -U */
    bool embeds_secrets;            /* write secrets of TLS connections to these files, which are pcapng */
    uint64_t max_files;             /* of -w; 0: no limit */
    const char *connections_file;   /* -O */
    const struct own_labels *labels; /* NULL: only those of otp.def */
    struct filter *trigger;         /* --trigger; NULL: none */
    int64_t before_ns;              /* 0: as long as there is room */
    uint64_t max_bytes;             /* 0: the cap applies */
    int64_t after_ns;
    const char *user;                /* the user who writes files not opened as root; NULL: none */
    uint64_t limits[DS_LIMIT_COUNT]; /* the session's limits */
};

#endif
