/*
 * raw_writer.c - see raw_writer.h.
 */
#include "raw_writer.h"

#include "complain.h"
#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Of the file format, pcap-savefile(5). */
enum { FILE_HEADER_LEN = 24, PACKET_HEADER_LEN = 16 };

bool raw_writer_open(struct raw_writer *writer, const char *name, const struct capture *capture)
{
    enum { BUFFER = 256 * 1024 };
    *writer = (struct raw_writer){.name = name,
                                  .nanoseconds = capture_has_nanoseconds(capture),
                                  .num_bytes = FILE_HEADER_LEN};
    for (size_t i = 1; i < capture->num_inputs; i++) {
        if (capture->inputs[i].link_type != capture->inputs[0].link_type) {
            complain("-w cannot write one file from %s and %s: their link types differ",
                     capture->inputs[0].name, capture->inputs[i].name);
            return false;
        }
    }
    bool to_stdout = strcmp(name, "-") == 0;
    if (to_stdout)
        writer->name = "standard output";
    int fd = to_stdout ? dup(STDOUT_FILENO) : output_create(name);
    if (fd < 0)
        return false;
    writer->file = fdopen(fd, "wb");
    pcap_t *pcap = pcap_open_dead_with_tstamp_precision(
        pcap_datalink(capture->inputs[0].pcap), MAX_SNAPLEN,
        writer->nanoseconds ? PCAP_TSTAMP_PRECISION_NANO : PCAP_TSTAMP_PRECISION_MICRO);
    if (writer->file == NULL || pcap == NULL) {
        complain("out of memory");
        return false;
    }
    setvbuf(writer->file, NULL, _IOFBF, BUFFER);
    writer->dumper = pcap_dump_fopen(pcap, writer->file);
    if (writer->dumper == NULL)
        complain("cannot write %s: %s", writer->name, pcap_geterr(pcap));
    pcap_close(pcap);
    return writer->dumper != NULL;
}

static void fail(struct raw_writer *writer, int error)
{
    if (writer->failed)
        return;
    writer->failed = true;
    writer->closed = error == EPIPE;
    if (!writer->closed)
        complain("cannot write %s: %s", writer->name, strerror(error));
}

void raw_writer_write(struct raw_writer *writer, const struct ds_packet *packet)
{
    if (writer->dumper == NULL || writer->failed)
        return;
    int64_t fraction = packet->ts_ns % 1000000000;
    struct pcap_pkthdr header = {
        .ts = {packet->ts_ns / 1000000000, writer->nanoseconds ? fraction : fraction / 1000},
        .caplen = packet->cap_len,
        .len = packet->len,
    };
    errno = 0;
    pcap_dump((u_char *)writer->dumper, &header, packet->data);
    writer->num_bytes += PACKET_HEADER_LEN + packet->cap_len;
    if (ferror(writer->file))
        fail(writer, errno != 0 ? errno : EIO);
}

void raw_writer_flush(struct raw_writer *writer)
{
    if (writer->dumper != NULL && !writer->failed && pcap_dump_flush(writer->dumper) != 0)
        fail(writer, errno);
}

void raw_writer_close(struct raw_writer *writer)
{
    if (writer->dumper == NULL)
        return;
    raw_writer_flush(writer);
    if (fclose(writer->file) != 0) /* which is all that the dumper consists of */
        fail(writer, errno);
    writer->dumper = NULL;
}
