/*
 * pcap_writer.h - writes packets to one capture file.
 */
#ifndef SRC_PCAP_WRITER_H
#define SRC_PCAP_WRITER_H

#include "capture/capture.h"
#include "files/output_file.h"

/* pcap_secrets says which secrets of TLS connections a pcapng file contains. */
struct pcap_secrets {
    const struct ds_keylog *keylog;             /* NULL: none */
    bool (*wants)(void *context, uint64_t tcp); /* secrets of this connection (ds_conn.tcp); NULL: of all */
    void *context;
};

/* So many interfaces a pcapng file has; so many of them at most are of link types that distsniff cannot
 * read, so that there is room for all that it can, with micro- and with nanoseconds. */
enum { PCAP_WRITER_INTERFACES = 64, PCAP_WRITER_UNREAD = 32 };

struct pcap_writer_interface {
    uint32_t link_type;
    bool nanoseconds;
};

struct pcap_writer {
    struct output_file output; /* its fields failed and closed report errors */
    bool is_open;
    pcap_dumper_t *dumper; /* NULL: the file is pcapng */
    struct pcap_secrets secrets;
    uint64_t num_secrets;     /* secrets that have been checked */
    struct ds_buffer lines; /* secrets that are being written */
    uint64_t size;         /* bytes of the file, including those not written out yet */
    uint64_t no_memory;    /* packets left out for lack of it */
    struct pcap_writer_interface interfaces[PCAP_WRITER_INTERFACES]; /* of the file; of pcap one */
    uint32_t num_interfaces, num_unread;
    uint64_t num_other;    /* packets left out for their link type */
    uint32_t made_key;     /* marks pseudo packets, see pseudo_packet.h; 0: none */
    struct ds_buffer made; /* the one being written */
};

/* pcap_writer_can_write says whether all inputs of a capture can go to one file of that name: pcapng
 * supports several link types, pcap one. False after a complaint. */
bool pcap_writer_can_write(const struct capture *capture, const char *name);

/* pcap_writer_config describes a file. */
struct pcap_writer_config {
    bool has_made;   /* snapshot packets may be written */
    bool takes_pcap; /* if false, it is pcapng, whatever its name is */
    struct pcap_secrets secrets; /* unused for pcap */
};

/* pcap_writer_open opens the file, "-" for standard output, with the link type and time resolution of
 * the capture's inputs, and the format that its name implies. The name must outlive the writer, which
 * must not move while it is open. Returns false after an error message. */
bool pcap_writer_open(struct pcap_writer *writer, const char *name, const struct capture *capture,
                      const struct pcap_writer_config *config);

/* pcap_writer_add_secrets adds the secrets of a connection that was not wanted before. */
void pcap_writer_add_secrets(struct pcap_writer *writer, uint64_t tcp);

/* pcap_writer_write writes a packet, with comments in a pcapng file (pcapng_form_comment; NULL: none).
 * An error is reported once; the file then ends with a complete packet. */
void pcap_writer_write(struct pcap_writer *writer, const struct ds_packet *packet,
                       const struct ds_buffer *comments);

/* pcap_writer_end_comments adds comments that belong to no packet to a pcapng file. */
void pcap_writer_end_comments(struct pcap_writer *writer, int64_t ts_ns,
                              const struct ds_buffer *comments);
void pcap_writer_flush(struct pcap_writer *writer);

/* pcap_writer_is_moved says whether the open file has another name now, or none; then a file of its old
 * name exists again. */
bool pcap_writer_is_moved(const struct pcap_writer *writer);

/* pcap_writer_close flushes and closes the file. */
void pcap_writer_close(struct pcap_writer *writer);

#endif
