/*
 * capture_input.h - what a capture reads: its inputs, each a file or the interface, and what is
 * done with one of them. For the files of this room; others use capture.h.
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

/* capture_config says where packets come from. */
struct capture_config {
    const char *interface; /* NULL: any. Only where there are no files */
    const char **read_files;
    const int *read_fds; /* of each of them that is open already, else -1; NULL: none is */
    size_t num_read_files;
    int snaplen;
    int buffer_kib; /* 0: the default */
    bool no_promiscuous, immediate;
    enum direction direction;
};

enum capture_status {
    CAPTURE_PACKET,
    CAPTURE_IDLE, /* live: nothing has arrived for the moment */
    CAPTURE_END,
};

/* capture_input is one file, or the interface. */
struct capture_input {
    pcap_t *pcap; /* NULL once a file has been read to its end */
    struct plain_file plain; /* what can be read without libpcap */
    struct unpack *unpack; /* compressed, not seekable or pcapng: see unpack.h; else NULL */
    struct packet_pipe *pipe; /* of another process of this program, else NULL. Then pcap reads nothing */
    struct pcap_pkthdr pipe_header;
    struct ds_snapshot pipe_past;
    struct pcapng_blocks blocks;
    struct pcapng_interfaces interfaces; /* of pcapng: packets have link types of their own */
    const char *name;
    int dlt;            /* what libpcap calls its link type; known when pcap is closed, too */
    uint32_t link_type; /* LINKTYPE_ value of that */
    uint32_t packet_link_type; /* of the packet that was read last: in pcapng it may be another */
    uint64_t num_other; /* packets of a link type that cannot be read */
    uint32_t other_link_type; /* of the first of them */
    uint64_t size;      /* of the file, 0 when not known */
    bool nanoseconds;   /* what the time stamps were taken with */
    uint32_t made_key;  /* which packets of it stand for the past, see pseudo_packet.h; 0: none */
    bool has_next;      /* a packet waits to be merged */
    int64_t order_ns;   /* its time, by which it is merged */
    struct pcap_pkthdr *header;
    const u_char *data;
    bool is_listed; /* it was open already: the user gave it no place among the others */
    int fd; /* of a file before it is begun, and of one that can be read again; else -1 */
    dev_t device; /* which file that is */
    ino_t inode;
    bool is_file; /* on a disk */
    bool is_stream; /* whole packets come from a server through a pipe, now and then */
    int64_t quiet_ns; /* of a stream: since when nothing comes, by the monotonic clock; 0: something does */
    struct live_drops drops; /* of the interface */
};

struct capture {
    bool is_live;
    struct capture_input *inputs;
    size_t num_inputs;
    uint64_t num_packets; /* given out so far */
    uint64_t num_made;    /* of them, those that stand for the past */
    struct overlap_scan *survey; /* of several files, see capture_survey */
    struct point_merge *points; /* when some of them are points of one capture, else NULL */
    struct dedup *dedup; /* of several streams, see capture_streams.h; else NULL */
    bool ended;           /* live: the interface is gone */
    unsigned num_cut;     /* files that could not be read to their end */
    bool failed;          /* something was wrong with an input, and has been said or will be */
    char *complaints;     /* what capture_close is to say: after the records, not between them */
    struct secrets_sink on_secrets; /* of pcapng; take may be NULL */
    void (*on_wait)(void *context); /* may be NULL: called while a read has to wait */
    void *wait_context;
};

/* The two kinds of inputs: capture_file.c and capture_live.c. False after a complaint. */
/* capture_open_file opens a file, unless it is open as fd, which is input's then. */
bool capture_open_file(struct capture_input *input, const char *name, int fd);
bool capture_begin_file(struct capture *capture, struct capture_input *input);
bool capture_reopen_file(struct capture *capture, struct capture_input *input);
bool capture_open_live(struct capture_input *input, const struct capture_config *config);

/* capture_live_drops counts the packets of an interface that were dropped. */
void capture_live_drops(struct capture_input *input, uint64_t *by_kernel, uint64_t *by_interface);

/* capture_list_interfaces writes what -D shows. False after a complaint. */
bool capture_list_interfaces(void);

/* capture_input_close releases what an input holds; it may be opened again. */
void capture_input_close(struct capture_input *input);

/* capture_note_link_type notes what the open pcap of an input says of its link type. */
void capture_note_link_type(struct capture_input *input);

/* capture_dlt_of returns what libpcap calls a LINKTYPE_ value. */
int capture_dlt_of(uint32_t link_type);

/* capture_input_read reads a packet by libpcap. It returns what pcap_next_ex does, or CAPTURE_NO_MEMORY. */
enum { CAPTURE_NO_MEMORY = -1000 };
int capture_input_read(struct capture_input *input);

/* capture_input_next reads the next packet of one input; has_next says whether there is one. */
void capture_input_next(struct capture *capture, struct capture_input *input);

/* capture_input_packet makes a packet of what has been read. */
void capture_input_packet(const struct capture *capture, const struct capture_input *input,
                          struct ds_packet *packet);

/* capture_input_say_other has capture_close say how many packets have link types that cannot be read. */
void capture_input_say_other(struct capture *capture, const struct capture_input *input);

/* capture_choose_oldest returns the input whose next packet is the oldest, NULL when all are
 * at their end. */
struct capture_input *capture_choose_oldest(struct capture *capture);

#endif
