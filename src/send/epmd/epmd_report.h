/*
 * epmd_report.h - the records that the process that asks EPMD (epmd_ask_loop.h) sends to the one that
 * looks at packets (epmd_asker.h): all of one size, which a pipe writes atomically.
 */
#ifndef SRC_EPMD_REPORT_H
#define SRC_EPMD_REPORT_H

#include <distsniff/event.h>
#include <limits.h>

enum { EPMD_MAX_HOSTS = 16, EPMD_MAX_NODES = 256, EPMD_MAX_NAME = 255 };

enum epmd_report_kind {
    EPMD_REPORT_UNKNOWN_HOST, /* it has no address: error is of getaddrinfo(3). The process ends */
    EPMD_REPORT_READY,        /* all hosts have addresses */
    EPMD_REPORT_NODE,         /* name listens at addr and port */
    EPMD_REPORT_ALSO,         /* the same node, at another address of that host */
    EPMD_REPORT_ANSWERED,     /* the host has no more nodes */
    EPMD_REPORT_FAILED,       /* EPMD does not answer: error is an errno, or 0: see trouble */
    EPMD_REPORT_KIND_COUNT
};

/* The reasons why an answer is incomplete or unusable. */
enum epmd_trouble {
    EPMD_NO_TROUBLE,
    EPMD_SLOW,       /* it did not end in time */
    EPMD_TOO_LONG,   /* it is larger than any list of nodes */
    EPMD_TOO_MANY,   /* nodes: only the first EPMD_MAX_NODES are reported */
    EPMD_NO_ANSWER,  /* it is no answer of EPMD, or is truncated */
    EPMD_TROUBLE_COUNT
};

struct epmd_report {
    uint8_t kind, trouble, host; /* host: the index in the list */
    uint8_t name_len;
    uint16_t port;
    struct ds_addr addr;
    int32_t error;
    char name[EPMD_MAX_NAME];
};
_Static_assert(sizeof(struct epmd_report) <= PIPE_BUF, "a pipe takes it whole");

#endif
