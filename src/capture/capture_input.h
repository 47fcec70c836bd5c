/*
 * capture_input.h - the inputs of a capture, each a file or the interface, and the operations on one of
 * them. Only for files in src/capture; others use capture.h.
 */
#ifndef SRC_CAPTURE_INPUT_H
#define SRC_CAPTURE_INPUT_H

#include "capture/live_drops.h"
#include "capture/packet_pipe.h"
#include "capture/pcapng_blocks.h"
#include "capture/plain_file.h"

#include <distsniff/dissect.h>

#include <pcap/pcap.h>

enum { MAX_SNAPLEN = 262144 };

enum direction { DIRECTION_BOTH, DIRECTION_IN, DIRECTION_OUT };

/* capture_config says what to capture or read. */
struct capture_config {
    const char *interface; /* NULL: any interface. Unused if there are files */
    const char **read_files;
    const int *read_fds; /* for each file the descriptor if it is open already, otherwise -1; NULL: none
                            is open */
    size_t num_read_files;
    int snaplen;
    int buffer_kib; /* 0: the default */
    bool no_promiscuous, immediate;
    enum direction direction;
};

enum capture_status {
    CAPTURE_PACKET,
    CAPTURE_IDLE, /* live: no packets at the moment */
    CAPTURE_END,
};

/* capture_input is one file, or the interface. */
struct capture_input {
    pcap_t *pcap; /* NULL after the end of a file */
    struct plain_file plain; /* the part that is read without libpcap */
    struct unpack *unpack; /* if it is compressed, not seekable or pcapng: see unpack.h; otherwise NULL */
    struct packet_pipe *pipe; /* written by another process of this program; otherwise NULL. Then pcap
                                 reads nothing */
    struct pcap_pkthdr pipe_header;
    struct ds_snapshot pipe_past;
    struct pcapng_blocks blocks;
    struct pcapng_interfaces interfaces; /* of pcapng: the link types of its packets */
    const char *name;
    int dlt;            /* what libpcap calls its link type; known when pcap is closed, too */
    uint32_t link_type; /* LINKTYPE_ value of that */
    uint32_t packet_link_type; /* of the packet that was read last: in pcapng it may be another */
    uint64_t num_known; /* packets of pcapng of a link type that can be read */
    uint64_t num_other; /* of one that cannot */
    uint32_t other_link_type; /* of the first of them */
    uint64_t num_beyond; /* packets of interfaces beyond PCAPNG_INTERFACES_MAX */
    uint64_t size;      /* of the file, 0 when not known */
    bool nanoseconds;   /* what the time stamps were taken with */
    uint32_t made_key;  /* marks its pseudo packets, see pseudo_packet.h; 0: none */
    bool has_next;      /* a packet waits to be merged */
    int64_t order_ns;   /* its time, by which it is merged */
    struct pcap_pkthdr *header;
    const u_char *data;
    bool is_listed; /* it was open already: the user gave no order for it */
    int fd; /* of a file that is not open in pcap yet, or can be read again; otherwise -1 */
    dev_t device; /* identity of that file */
    ino_t inode;
    bool is_file; /* it is a file on a disk */
    bool is_stream; /* it is a pipe from a server that brings whole packets from time to time */
    int64_t quiet_ns; /* of a stream: since when it brings nothing, by the monotonic clock; 0: it is not
                         quiet */
    struct live_drops drops; /* of the interface */
};

struct capture {
    bool is_live;
    struct capture_input *inputs;
    size_t num_inputs;
    uint64_t num_packets; /* returned so far */
    uint64_t num_made;    /* packets from a snapshot among them */
    struct overlap_scan *survey; /* if there are several files, see capture_survey */
    struct point_merge *points; /* if some files are points of one capture; otherwise NULL */
    struct dedup *dedup; /* if there are several streams, see capture_streams.h; otherwise NULL */
    bool ended;           /* live: the interface has disappeared */
    unsigned num_cut;     /* files that could not be read to the end */
    bool failed;          /* there was an error of an input, which has been or will be reported */
    char *complaints;     /* messages for capture_close: they appear after the records, not between them */
    struct secrets_sink on_secrets; /* secrets in pcapng files; take may be NULL */
    void (*on_wait)(void *context); /* may be NULL: called while a read waits */
    /* May be NULL: called when a capture point of a stream falls silent or is back. */
    void (*on_silent)(void *context, const struct silent_point *point);
    /* May be NULL: called now and then with what is known of a capture point of a stream. */
    void (*on_point)(void *context, const struct capture_point *point);
    void *wait_context; /* of these three */
};

/* The two kinds of inputs: capture_file.c and capture_live.c. These functions return false after an
 * error message. */
/* capture_open_file opens a file, unless it is already open as fd: then the input owns fd. */
bool capture_open_file(struct capture_input *input, const char *name, int fd);
bool capture_begin_file(struct capture *capture, struct capture_input *input);
bool capture_reopen_file(struct capture *capture, struct capture_input *input);
bool capture_open_live(struct capture_input *input, const struct capture_config *config);

/* capture_live_drops sets how many packets of an interface were dropped. */
void capture_live_drops(struct capture_input *input, uint64_t *by_kernel, uint64_t *by_interface);

/* capture_list_interfaces writes the list for -D. Returns false after an error message. */
bool capture_list_interfaces(void);

/* capture_input_close releases everything of an input; it may be opened again. */
void capture_input_close(struct capture_input *input);

/* capture_read_link_type reads the link type from the open pcap of an input. */
void capture_read_link_type(struct capture_input *input);

/* capture_dlt_of returns libpcap's number for a LINKTYPE_ value. */
int capture_dlt_of(uint32_t link_type);

/* capture_input_read reads a packet by libpcap. It returns what pcap_next_ex does, or CAPTURE_NO_MEMORY. */
enum { CAPTURE_NO_MEMORY = -1000 };
int capture_input_read(struct capture_input *input);

/* capture_input_next reads the next packet of one input; has_next says whether there is one. */
void capture_input_next(struct capture *capture, struct capture_input *input);

/* capture_input_packet makes a packet from the data that has been read. */
void capture_input_packet(const struct capture *capture, const struct capture_input *input,
                          struct ds_packet *packet);

/* capture_input_say_other has capture_close say how many packets have link types that cannot be read. If
 * all have, the capture has failed. */
void capture_input_say_other(struct capture *capture, const struct capture_input *input);

/* capture_choose_oldest returns the input whose next packet is the oldest, NULL when all are
 * at their end. */
struct capture_input *capture_choose_oldest(struct capture *capture);

#endif
