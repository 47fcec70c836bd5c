/*
 * pcap_writer.c - see pcap_writer.h.
 *
 * libpcap makes the bytes of pcap: a header of 24 bytes for the file, and before each packet 16:
 * seconds, fraction, length captured, length on the wire. pcapng_form.c makes those of pcapng. They are
 * collected in the output's buffer, which is written out between packets. If a write ends halfway, on a
 * full disk, the file is truncated after the last complete packet.
 */
#include "keep/pcap_writer.h"

#include "capture/pseudo_packet.h"
#include "core/complain.h"
#include "core/random_bytes.h"
#include "files/function_file.h"
#include "keep/pcapng_form.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PACKET_HEADER_LEN = 16, CAPTURED_AT = 8 };

/* write_bytes adds the bytes that libpcap writes to the output's buffer, which records whether memory
 * ran out. */
static ssize_t write_bytes(void *cookie, const char *bytes, size_t len)
{
    struct pcap_writer *writer = cookie;
    ds_buffer_add(&writer->output.buffer, bytes, len);
    return (ssize_t)len;
}

static bool start_dump(struct pcap_writer *writer, const struct capture *capture)
{
    FILE *file = function_file_write(writer, write_bytes);
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(
        capture->inputs[0].dlt, MAX_SNAPLEN,
        writer->interfaces[0].nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
    if (file != NULL && pcap != NULL) {
        setvbuf(file, NULL, _IONBF, 0);
        writer->dumper = pcap_dump_fopen(pcap, file);
    }
    if (pcap != NULL)
        pcap_close(pcap);
    if (writer->dumper == NULL && file != NULL)
        fclose(file);
    return writer->dumper != NULL && !writer->output.buffer.failed;
}

/* draw_key sets a random number for a file. */
static bool draw_key(struct pcap_writer *writer)
{
    while (writer->made_key < PSEUDO_KEY_MIN) {
        if (!random_bytes(&writer->made_key, sizeof writer->made_key))
            return false;
    }
    return true;
}

/* begin_pcap writes the number into the head. */
static bool begin_pcap(struct pcap_writer *writer, const struct capture *capture)
{
    struct ds_buffer *head = &writer->output.buffer;
    if (!start_dump(writer, capture) || head->len < sizeof(struct pcap_file_header))
        return false;
    if (writer->made_key != 0)
        memcpy(head->data + PSEUDO_KEY_AT, &writer->made_key, sizeof writer->made_key);
    return true;
}

bool pcap_writer_can_write(const struct capture *capture, const char *name)
{
    for (size_t i = 1; i < capture->num_inputs && !pcapng_form_is_named(name); i++) {
        if (capture->inputs[i].link_type != capture->inputs[0].link_type) {
            complain("%s and %s cannot be written to one file of pcap, as their link types differ: "
                     "use -w FILE.pcapng",
                     capture->inputs[0].name, capture->inputs[i].name);
            return false;
        }
    }
    return true;
}

static bool is_no_input(const void *capture, int fd, const char *name)
{
    return !capture_is_input_file(capture, fd, name);
}

static bool begin_pcapng(struct pcap_writer *writer, const struct capture *capture)
{
    pcapng_form_begin(&writer->output.buffer, capture->inputs[0].link_type, MAX_SNAPLEN,
                      writer->interfaces[0].nanoseconds, writer->made_key);
    return !writer->output.buffer.failed;
}

bool pcap_writer_open(struct pcap_writer *writer, const char *name, const struct capture *capture,
                      const struct pcap_writer_config *config)
{
    const bool is_pcap = config->takes_pcap && !pcapng_form_is_named(name);
    const uint32_t link_type = capture->inputs[0].link_type;
    *writer = (struct pcap_writer){.num_interfaces = 1, .num_unread = !ds_link_type_known(link_type)};
    writer->interfaces[0] = (struct pcap_writer_interface){link_type, capture_has_nanoseconds(capture)};
    if (!is_pcap)
        writer->secrets = config->secrets;
    if (is_pcap && !pcap_writer_can_write(capture, name))
        return false;
    if (!output_file_open_if(&writer->output, strcmp(name, "-") == 0 ? NULL : name, false,
                             is_no_input, capture))
        return false;
    writer->is_open = (!config->has_made || draw_key(writer)) &&
                      (is_pcap ? begin_pcap(writer, capture) : begin_pcapng(writer, capture));
    if (!writer->is_open) {
        complain("out of memory");
        pcap_writer_close(writer);
        return false;
    }
    writer->size = writer->output.buffer.len;
    return true;
}

/* unit_len returns the length of the packet or block that begins there, of which len bytes are
 * available; 0 if they are too few. */
static size_t unit_len(const struct pcap_writer *writer, const char *bytes, size_t len)
{
    uint32_t captured;
    if (writer->dumper == NULL)
        return pcapng_form_block_len(bytes, len);
    if (len < PACKET_HEADER_LEN)
        return 0;
    memcpy(&captured, bytes + CAPTURED_AT, sizeof captured);
    return PACKET_HEADER_LEN + (size_t)captured;
}

/* cut_back truncates a file after a failed write, so that it ends with a complete packet. It leaves
 * alone outputs that are not files, and files without a complete header. */
static void cut_back(struct pcap_writer *writer)
{
    const struct ds_buffer *buffer = &writer->output.buffer;
    const size_t written = writer->output.partial_len;
    uint64_t before = writer->size - buffer->len; /* position of the buffer in the file */
    size_t end = before == 0 && writer->dumper != NULL ? sizeof(struct pcap_file_header) : 0;
    size_t len;
    struct stat status;
    if (written == 0 || written < end || fstat(writer->output.fd, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return;
    while ((len = unit_len(writer, buffer->data + end, written - end)) != 0 &&
           len <= written - end)
        end += len;
    if (ftruncate(writer->output.fd, (off_t)(before + end)) != 0)
        complain("%s ends inside a packet: %s", writer->output.name, strerror(errno));
}

static void dump(struct pcap_writer *writer, const struct ds_packet *packet)
{
    const int64_t fraction = packet->ts_ns % 1000000000;
    const struct pcap_pkthdr header = {
        .ts = {packet->ts_ns / 1000000000, writer->interfaces[0].nanoseconds ? fraction : fraction / 1000},
        .caplen = packet->cap_len,
        .len = packet->len,
    };
    pcap_dump((u_char *)writer->dumper, &header, packet->data);
}

/* end_unit completes an addition to the output, which had `before` bytes before it. */
static void end_unit(struct pcap_writer *writer, size_t before)
{
    writer->size += writer->output.buffer.len - before;
    output_file_end_record(&writer->output);
    if (writer->output.failed)
        cut_back(writer);
}

static void add_line(void *context, uint64_t tcp, struct ds_text line)
{
    struct pcap_writer *writer = context;
    if (writer->secrets.wants == NULL || writer->secrets.wants(writer->secrets.context, tcp))
        ds_buffer_add(&writer->lines, line.data, line.len);
}

struct adding {
    struct pcap_writer *writer;
    uint64_t tcp;
};

static void add_of(void *context, uint64_t tcp, struct ds_text line)
{
    const struct adding *adding = context;
    if (tcp == adding->tcp)
        ds_buffer_add(&adding->writer->lines, line.data, line.len);
}

/* write_lines writes the collected secrets. */
static void write_lines(struct pcap_writer *writer)
{
    struct ds_buffer *lines = &writer->lines;
    const size_t before = writer->output.buffer.len;
    if (!lines->failed && lines->len != 0)
        pcapng_form_secrets(&writer->output.buffer, lines->data, lines->len);
    writer->no_memory += lines->failed;
    if (lines->data != NULL)
        explicit_bzero(lines->data, lines->len);
    ds_buffer_free(lines);
    if (writer->output.buffer.len != before)
        end_unit(writer, before);
}

/* write_new_secrets writes the secrets that have turned out to be used. */
static void write_new_secrets(struct pcap_writer *writer)
{
    const struct ds_keylog *keylog = writer->secrets.keylog;
    if (keylog == NULL || ds_keylog_stats(keylog)->used == writer->num_secrets)
        return;
    writer->num_secrets = ds_keylog_used(keylog, writer->num_secrets, add_line, writer);
    write_lines(writer);
}

/* report_left_out complains of the first packet that is left out for its link type. */
static void report_left_out(struct pcap_writer *writer)
{
    if (writer->num_other++ != 0)
        return;
    if (writer->dumper != NULL)
        complain("%s is pcap, which has packets of one link type: others are left out; use -w FILE.pcapng",
                 writer->output.name);
    else
        complain("%s has packets of %d link types that cannot be read: others are left out",
                 writer->output.name, PCAP_WRITER_UNREAD);
}

/* has_room says whether another link type can go to the file. */
static bool has_room(const struct pcap_writer *writer, uint32_t link_type)
{
    return writer->dumper == NULL && writer->num_interfaces < PCAP_WRITER_INTERFACES &&
           (ds_link_type_known(link_type) || writer->num_unread < PCAP_WRITER_UNREAD);
}

/* find_interface finds the interface that a packet goes to, and adds it to a pcapng file where there is
 * none: nanoseconds may first come with a later interface of the input. False: there can be none. */
static bool find_interface(struct pcap_writer *writer, const struct ds_packet *packet, uint32_t *interface)
{
    struct ds_buffer *buffer = &writer->output.buffer;
    const size_t before = buffer->len;
    const uint32_t link_type = packet->link_type;
    const bool needs_ns = writer->dumper == NULL && packet->ts_ns % 1000 != 0;
    for (*interface = 0; *interface < writer->num_interfaces; ++*interface) {
        const struct pcap_writer_interface *one = &writer->interfaces[*interface];
        if (one->link_type == link_type && (one->nanoseconds || !needs_ns))
            return true;
    }
    if (!has_room(writer, link_type)) {
        report_left_out(writer);
        return false;
    }
    writer->num_unread += !ds_link_type_known(link_type);
    const bool nanoseconds = needs_ns || writer->interfaces[0].nanoseconds;
    writer->interfaces[writer->num_interfaces++] = (struct pcap_writer_interface){link_type, nanoseconds};
    pcapng_form_interface(buffer, link_type, MAX_SNAPLEN, nanoseconds);
    end_unit(writer, before);
    return !writer->output.failed;
}

void pcap_writer_write(struct pcap_writer *writer, const struct ds_packet *given,
                       const struct ds_buffer *comments)
{
    struct output_file *output = &writer->output;
    struct ds_packet signed_packet = *given;
    const struct ds_packet *packet = given;
    uint32_t interface;
    if (!writer->is_open || output->failed)
        return;
    write_new_secrets(writer);
    if (!find_interface(writer, given, &interface))
        return;
    if (given->past.kind != DS_SNAPSHOT_NONE) {
        packet = &signed_packet;
        if (!pseudo_packet_sign(&signed_packet, writer->made_key, &writer->made)) {
            writer->no_memory++;
            ds_buffer_free(&writer->made);
            return; /* without its mark it would be mistaken for traffic */
        }
    }
    const size_t before = output->buffer.len;
    if (writer->dumper != NULL)
        dump(writer, packet);
    else
        pcapng_form_packet(&output->buffer, packet, interface, writer->interfaces[interface].nanoseconds,
                           comments);
    end_unit(writer, before);
}

void pcap_writer_end_comments(struct pcap_writer *writer, int64_t ts_ns,
                              const struct ds_buffer *comments)
{
    struct ds_buffer *buffer = &writer->output.buffer;
    const size_t before = buffer->len;
    if (!writer->is_open || writer->output.failed || writer->dumper != NULL)
        return;
    pcapng_form_statistics(buffer, ts_ns, writer->interfaces[0].nanoseconds, comments);
    end_unit(writer, before);
}

void pcap_writer_add_secrets(struct pcap_writer *writer, uint64_t tcp)
{
    struct adding adding = {writer, tcp};
    if (!writer->is_open || writer->secrets.keylog == NULL)
        return;
    write_new_secrets(writer);
    (void)ds_keylog_used(writer->secrets.keylog, 0, add_of, &adding);
    write_lines(writer);
}

void pcap_writer_flush(struct pcap_writer *writer)
{
    if (!writer->is_open || writer->output.failed)
        return;
    output_file_flush(&writer->output);
    if (writer->output.failed)
        cut_back(writer);
}

bool pcap_writer_is_moved(const struct pcap_writer *writer)
{
    const int fd = writer->is_open ? output_file_find_new(&writer->output) : -1;
    if (fd >= 0)
        close(fd); /* pcap_writer_open checks it like any other */
    return fd >= 0;
}

void pcap_writer_close(struct pcap_writer *writer)
{
    if (writer->output.name == NULL)
        return;
    if (writer->is_open && !writer->output.failed)
        write_new_secrets(writer);
    pcap_writer_flush(writer);
    if (writer->dumper != NULL)
        pcap_dump_close(writer->dumper); /* its own buffer is empty */
    writer->dumper = NULL;
    writer->is_open = false;
    ds_buffer_free(&writer->made);
    output_file_close(&writer->output);
    output_file_say_unread(&writer->output, 0);
    writer->output.name = NULL;
}
