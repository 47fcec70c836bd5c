/*
 * raw_writer.c - see raw_writer.h.
 *
 * libpcap makes the bytes: a header of 24 for the file, and before each packet 16: seconds,
 * fraction, length captured, length on the wire. They gather in the output's buffer, which is
 * written out between packets. When a write ends halfway, on a full disk, the file is cut
 * back to the end of the last whole packet.
 */
#include "raw_writer.h"

#include "complain.h"
#include "made_packet.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PACKET_HEADER_LEN = 16, CAPTURED_AT = 8 };

/* What libpcap writes goes to the output's buffer; whether there was memory for it is the
 * output's to say. */
static ssize_t take_bytes(void *cookie, const char *bytes, size_t len)
{
    struct raw_writer *writer = cookie;
    ds_buffer_add(&writer->output.buffer, bytes, len);
    return (ssize_t)len;
}

static bool start_dump(struct raw_writer *writer, const struct capture *capture)
{
    FILE *file = fopencookie(writer, "w", (cookie_io_functions_t){.write = take_bytes});
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(
        capture->inputs[0].dlt, MAX_SNAPLEN,
        writer->nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
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

/* mark_file draws the number of a file, and puts it into its head. */
static bool mark_file(struct raw_writer *writer)
{
    struct ds_buffer *head = &writer->output.buffer;
    while (writer->made_key < MADE_KEY_MIN) {
        if (getrandom(&writer->made_key, sizeof writer->made_key, 0) !=
            (ssize_t)sizeof writer->made_key)
            return false;
    }
    if (head->len < sizeof(struct pcap_file_header))
        return false;
    memcpy(head->data + MADE_KEY_AT, &writer->made_key, sizeof writer->made_key);
    return true;
}

bool raw_writer_can_write(const struct capture *capture)
{
    for (size_t i = 1; i < capture->num_inputs; i++) {
        if (capture->inputs[i].link_type != capture->inputs[0].link_type) {
            complain("%s and %s cannot be written to one file: their link types differ",
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

bool raw_writer_open(struct raw_writer *writer, const char *name, const struct capture *capture,
                     bool has_made)
{
    *writer = (struct raw_writer){.nanoseconds = capture_has_nanoseconds(capture)};
    if (!raw_writer_can_write(capture))
        return false;
    if (!output_file_open_if(&writer->output, strcmp(name, "-") == 0 ? NULL : name, false,
                             is_no_input, capture))
        return false;
    if (!start_dump(writer, capture) || (has_made && !mark_file(writer))) {
        complain("out of memory");
        raw_writer_close(writer);
        return false;
    }
    writer->size = writer->output.buffer.len;
    return true;
}

/* cut_back leaves whole packets in a file of which the last write ended halfway. What is no
 * file stays as it is, and so does one in which not even the first header is whole. */
static void cut_back(struct raw_writer *writer)
{
    const struct ds_buffer *buffer = &writer->output.buffer;
    const size_t written = writer->output.partial_len;
    uint64_t before = writer->size - buffer->len; /* of these bytes */
    size_t end = before == 0 ? sizeof(struct pcap_file_header) : 0;
    struct stat status;
    uint32_t captured;
    if (written == 0 || written < end || fstat(writer->output.fd, &status) != 0 ||
        !S_ISREG(status.st_mode))
        return;
    while (end + PACKET_HEADER_LEN <= written) {
        memcpy(&captured, buffer->data + end + CAPTURED_AT, sizeof captured);
        if (captured > written - end - PACKET_HEADER_LEN)
            break;
        end += PACKET_HEADER_LEN + captured;
    }
    if (ftruncate(writer->output.fd, (off_t)(before + end)) != 0)
        complain("%s ends inside a packet: %s", writer->output.name, strerror(errno));
}

void raw_writer_write(struct raw_writer *writer, const struct ds_packet *given)
{
    struct output_file *output = &writer->output;
    struct ds_packet signed_packet = *given;
    const struct ds_packet *packet = given;
    if (writer->dumper == NULL || output->failed)
        return;
    if (given->past.kind != DS_PAST_NONE) {
        packet = &signed_packet;
        if (!made_packet_sign(&signed_packet, writer->made_key, &writer->made)) {
            writer->no_memory++;
            ds_buffer_free(&writer->made);
            return; /* without its mark it would be taken for traffic */
        }
    }
    int64_t fraction = packet->ts_ns % 1000000000;
    struct pcap_pkthdr header = {
        .ts = {packet->ts_ns / 1000000000, writer->nanoseconds ? fraction : fraction / 1000},
        .caplen = packet->cap_len,
        .len = packet->len,
    };
    pcap_dump((u_char *)writer->dumper, &header, packet->data);
    writer->size += PACKET_HEADER_LEN + packet->cap_len;
    output_file_end_record(output);
    if (output->failed)
        cut_back(writer);
}

void raw_writer_flush(struct raw_writer *writer)
{
    if (writer->dumper == NULL || writer->output.failed)
        return;
    output_file_flush(&writer->output);
    if (writer->output.failed)
        cut_back(writer);
}

void raw_writer_close(struct raw_writer *writer)
{
    if (writer->output.name == NULL)
        return;
    raw_writer_flush(writer);
    if (writer->dumper != NULL)
        pcap_dump_close(writer->dumper); /* which has nothing left */
    writer->dumper = NULL;
    ds_buffer_free(&writer->made);
    output_file_close(&writer->output);
    output_file_say_unread(&writer->output, 0);
    writer->output.name = NULL;
}
