/*
 * host_file.c - see host_file.h. A publisher sends again what was not acknowledged. A packet may
 * therefore come late, and twice if the stream no longer remembers that it has it. So each packet
 * is preceded by its order number (packet_json_order) until host_file_finish copies the packets
 * into the final file.
 */
#include "send/nats/host_file.h"

#include "capture/pseudo_packet.h"
#include "core/random_bytes.h"
#include "privsep/unnamed_file.h"
#include "send/nats/packet_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SNAPLEN = 262144 };

struct file_header {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t zone, digits, snaplen, link_type;
};

struct packet_header {
    uint32_t seconds, fraction, cap_len, len;
};

/* host_file_place is the place of a packet in the file. */
struct host_file_place {
    int64_t ts_ns;
    uint64_t order;
    long at;
};

const char *host_file_folder(void)
{
    const char *folder = secure_getenv("TMPDIR");
    return folder != NULL ? folder : P_tmpdir;
}

static FILE *open_unnamed(void)
{
    const int fd = unnamed_file_open(host_file_folder());
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

static bool write_header(FILE *file, const struct host_file *of)
{
    const struct file_header header = {
        .magic = of->has_nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4,
        .major = 2,
        .minor = 4,
        .digits = of->made_key,
        .snaplen = SNAPLEN,
        .link_type = of->link_type,
    };
    return fwrite(&header, sizeof header, 1, file) == 1;
}

/* write_packet writes a packet whose time stamps count in units of this many nanoseconds. */
static bool write_packet(FILE *file, const struct ds_packet *packet, uint32_t unit)
{
    const struct packet_header header = {
        .seconds = (uint32_t)(packet->ts_ns / 1000000000),
        .fraction = (uint32_t)(packet->ts_ns % 1000000000) / unit,
        .cap_len = packet->cap_len,
        .len = packet->len,
    };
    return fwrite(&header, sizeof header, 1, file) == 1 &&
           fwrite(packet->data, 1, packet->cap_len, file) == packet->cap_len;
}

bool host_file_open(struct host_file *file, uint32_t link_type)
{
    *file = (struct host_file){.link_type = link_type, .file = open_unnamed()};
    return file->file != NULL;
}

bool host_file_accepts(const struct ds_packet *packet)
{
    return packet->ts_ns >= 0 && packet->ts_ns / 1000000000 <= INT32_MAX && packet->cap_len <= SNAPLEN;
}

static bool is_made(uint64_t order)
{
    return order % 2 != 0;
}

/* sign writes the file's key into the mark of a pseudo packet. */
static bool sign(struct host_file *file, struct ds_packet *packet)
{
    if (file->made_key == 0 && !random_bytes(&file->made_key, sizeof file->made_key))
        return false;
    file->made_key |= PSEUDO_KEY_MIN;
    return pseudo_packet_sign(packet, file->made_key, &file->made);
}

bool host_file_add(struct host_file *file, const struct ds_packet *given)
{
    struct ds_packet signed_packet = *given;
    const struct ds_packet *packet = &signed_packet;
    if (given->past.kind != DS_SNAPSHOT_NONE && !sign(file, &signed_packet))
        return false;
    const uint64_t order = packet_json_order(packet);
    if (file->num_packets != 0 &&
        (packet->ts_ns < file->last_ns ||
         (packet->ts_ns == file->last_ns &&
          (order < file->last_order || (order == file->last_order && !is_made(order))))))
        file->is_disordered = true;
    file->last_ns = packet->ts_ns;
    file->last_order = order;
    file->num_packets++;
    return fwrite(&order, sizeof order, 1, file->file) == 1 &&
           write_packet(file->file, packet, 1);
}

static int by_time(const void *left, const void *right)
{
    const struct host_file_place *a = left, *b = right;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool is_twice(const struct host_file_place *a, const struct host_file_place *b)
{
    return a->ts_ns == b->ts_ns && a->order == b->order && !is_made(a->order);
}

/* read_packet reads the next packet, its data into bytes; false at the end. */
static bool read_packet(FILE *file, struct ds_packet *packet, uint64_t *order, uint8_t *bytes)
{
    struct packet_header header;
    if (fread(order, sizeof *order, 1, file) != 1 || fread(&header, sizeof header, 1, file) != 1 ||
        header.cap_len > SNAPLEN || fread(bytes, 1, header.cap_len, file) != header.cap_len)
        return false;
    *packet = (struct ds_packet){
        .ts_ns = header.seconds * INT64_C(1000000000) + header.fraction,
        .data = bytes,
        .cap_len = header.cap_len,
        .len = header.len,
    };
    return true;
}

/* find_places lists all packets by time; NULL if memory ran out or one cannot be read. */
static struct host_file_place *find_places(struct host_file *file, uint8_t *bytes)
{
    struct host_file_place *places = calloc(file->num_packets, sizeof *places);
    struct ds_packet packet;
    rewind(file->file);
    for (uint64_t i = 0; places != NULL && i < file->num_packets; i++) {
        places[i].at = ftell(file->file);
        if (!read_packet(file->file, &packet, &places[i].order, bytes)) {
            free(places);
            return NULL;
        }
        places[i].ts_ns = packet.ts_ns;
    }
    if (places != NULL)
        qsort(places, file->num_packets, sizeof *places, by_time);
    return places;
}

/* copy writes the packets to a file that libpcap can read, in the order of places, or as they came
 * if that is NULL. */
static bool copy(struct host_file *file, FILE *out, const struct host_file_place *places,
                 uint8_t *bytes)
{
    const uint32_t unit = file->has_nanoseconds ? 1 : 1000;
    struct ds_packet packet;
    uint64_t order;
    bool good = write_header(out, file);
    rewind(file->file);
    for (uint64_t i = 0; good && i < file->num_packets; i++) {
        if (places != NULL && i != 0 && is_twice(&places[i - 1], &places[i]))
            continue;
        good = (places == NULL || fseek(file->file, places[i].at, SEEK_SET) == 0) &&
               read_packet(file->file, &packet, &order, bytes) && write_packet(out, &packet, unit);
    }
    return good && fflush(out) == 0 && lseek(fileno(out), 0, SEEK_SET) == 0;
}

bool host_file_finish(struct host_file *file)
{
    FILE *out = open_unnamed();
    uint8_t *bytes = malloc(SNAPLEN);
    struct host_file_place *places = NULL;
    bool good = out != NULL && bytes != NULL && fflush(file->file) == 0;
    if (good && file->is_disordered) {
        places = find_places(file, bytes);
        good = places != NULL;
    }
    good = good && copy(file, out, places, bytes);
    const int error = errno;
    free(places);
    free(bytes);
    if (good) {
        fclose(file->file);
        file->file = out;
    } else if (out != NULL) {
        fclose(out);
    }
    errno = error;
    return good;
}

void host_file_close(struct host_file *file)
{
    if (file->file != NULL)
        fclose(file->file);
    file->file = NULL;
    ds_buffer_free(&file->made);
}
