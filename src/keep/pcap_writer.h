/*
 * pcap_writer.h - packets written to one capture file.
 */
#ifndef SRC_PCAP_WRITER_H
#define SRC_PCAP_WRITER_H

#include "capture/capture.h"
#include "files/output_file.h"

/* pcap_secrets says which secrets of TLS connections a pcapng file is to hold. */
struct pcap_secrets {
    const struct ds_keylog *keylog;             /* NULL: none */
    bool (*wants)(void *context, uint64_t tcp); /* of this connection (ds_conn.tcp); NULL: all */
    void *context;
};

/* So many link types go to one pcapng file. */
enum { PCAP_WRITER_TYPES = 32 };

struct pcap_writer {
    struct output_file output; /* see failed and closed for how it goes */
    bool is_open;
    pcap_dumper_t *dumper; /* NULL: it is pcapng */
    struct pcap_secrets secrets;
    uint64_t num_secrets;     /* that have been looked at */
    struct ds_buffer lines; /* of those being written */
    uint64_t size;         /* bytes of the file, with those not written out yet */
    bool nanoseconds;
    uint64_t no_memory;    /* packets left out for lack of it */
    uint32_t link_type[PCAP_WRITER_TYPES]; /* of the interfaces of the file; of pcap one */
    uint32_t num_link_types;
    uint64_t num_other;    /* packets left out for their link type */
    uint32_t made_key;     /* marks packets that stand for the past, see pseudo_packet.h; 0: none */
    struct ds_buffer made; /* the one being written */
};

/* pcap_writer_can_write says whether all inputs of a capture can go to one file of that name: pcapng takes
 * several link types, pcap one. False after a complaint. */
bool pcap_writer_can_write(const struct capture *capture, const char *name);

/* pcap_writer_config says what a file is to be. */
struct pcap_writer_config {
    bool has_made;   /* packets that stand for the past may be written */
    bool takes_pcap; /* else it is pcapng whatever it is called */
    struct pcap_secrets secrets; /* of no use to pcap */
};

/* pcap_writer_open opens the file, - for standard output; it takes the link type and the clock of the
 * capture's inputs, and the form that its name tells. The name must outlive the writer, which may
 * not move while it is open. False after a complaint. */
bool pcap_writer_open(struct pcap_writer *writer, const char *name, const struct capture *capture,
                      const struct pcap_writer_config *config);

/* pcap_writer_add_secrets adds the secrets of a connection that were not wanted before. */
void pcap_writer_add_secrets(struct pcap_writer *writer, uint64_t tcp);

/* pcap_writer_write writes a packet, with comments in a pcapng file (pcapng_form_comment; NULL: none).
 * What goes wrong is said once; what is in the file then ends with a whole packet. */
void pcap_writer_write(struct pcap_writer *writer, const struct ds_packet *packet,
                       const struct ds_buffer *comments);

/* pcap_writer_end_comments adds comments that belong to no packet to a pcapng file. */
void pcap_writer_end_comments(struct pcap_writer *writer, int64_t ts_ns,
                              const struct ds_buffer *comments);
void pcap_writer_flush(struct pcap_writer *writer);

/* pcap_writer_is_moved says whether what is written has another name now, or none; then there is a file
 * of its old name again. */
bool pcap_writer_is_moved(const struct pcap_writer *writer);

/* pcap_writer_close flushes and closes. */
void pcap_writer_close(struct pcap_writer *writer);

#endif
