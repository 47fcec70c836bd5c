/*
 * nats_reader.c - see nats_reader.h.
 *
 * The process that talks to the servers sends its files through a socket: a struct and a descriptor
 * each. One without a name is the last, and says whether all went well.
 */
#include "send/nats/nats_reader.h"

#ifdef DISTSNIFF_NATS

#include "core/complain.h"
#include "core/hash.h"
#include "core/signals.h"
#include "privsep/file_helper.h"
#include "privsep/own_fds.h"
#include "privsep/own_process.h"
#include "privsep/pass_fd.h"
#include "privsep/privileges.h"
#include "privsep/sandbox.h"
#include "privsep/sandbox_preload.h"
#include "record/back_off.h"
#include "send/nats/host_file.h"
#include "send/nats/nats_client.h"
#include "send/nats/nats_states.h"
#include "send/nats/packet_json.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_OTHERS = 4096, /* hosts above the cap that are distinguished */
};

/* handed describes a file. */
struct handed {
    char name[NATS_MAX_LABEL]; /* "": no more files come */
    bool good;
    bool is_whole;             /* nothing is missing */
    int64_t from_ns;           /* at the end: as nats_read.from_ns, of this stream */
};

struct host {
    char name[NATS_MAX_NAME];
    struct host_file file;
};

struct nats_reader_state {
    const struct nats_url *url;
    natsConnection *connection;
    jsCtx *context;
    struct nats_pull pull;
    struct nats_states states;
    struct host hosts[NATS_MAX_HOSTS];
    size_t num_hosts, max_hosts; /* of which others have been read already */
    uint64_t num_odd;            /* records called packets that are none */
    uint64_t num_links;          /* packets of a link type that cannot be read ... */
    uint32_t link_type;          /* ... such as this one */
    uint64_t num_over;           /* packets of hosts above the cap */
    uint64_t others[MOST_OTHERS]; /* hashes of those hosts, 0: none */
    size_t num_others;
    struct ds_buffer bytes;
};

/* In the process that talks to the servers */

/* note_other records a host that there is no room for. */
static void note_other(struct nats_reader_state *r, const char *name, size_t len, uint32_t link_type)
{
    const uint64_t hash = hash_more(link_type, name, len) | 1;
    size_t at = hash % MOST_OTHERS;
    r->num_over++;
    while (r->others[at] != 0 && r->others[at] != hash)
        at = (at + 1) % MOST_OTHERS;
    if (r->others[at] == 0 && r->num_others < MOST_OTHERS - 1) {
        r->others[at] = hash;
        r->num_others++;
    }
}

/* find_host returns the file of a host, and makes it if necessary. NULL: is_full, or after an error
 * message. */
static struct host *find_host(struct nats_reader_state *r, const char *name, size_t len,
                              uint32_t link_type, bool *is_full)
{
    for (size_t i = 0; i < r->num_hosts; i++) {
        struct host *host = &r->hosts[i];
        if (strlen(host->name) == len && memcmp(host->name, name, len) == 0 &&
            host->file.link_type == link_type)
            return host;
    }
    *is_full = r->num_hosts >= r->max_hosts;
    if (*is_full)
        return NULL;
    struct host *host = &r->hosts[r->num_hosts];
    snprintf(host->name, sizeof host->name, "%.*s", (int)len, name);
    if (!host_file_open(&host->file, link_type)) {
        complain("cannot make a temporary file: %s: set TMPDIR to another folder", strerror(errno));
        return NULL;
    }
    r->num_hosts++;
    return host;
}

/* take processes a message. False after an error message. */
static bool take(struct nats_reader_state *r, natsMsg *message)
{
    const int text_len = nats.natsMsg_GetDataLength(message);
    const struct ds_text text = {nats.natsMsg_GetData(message), text_len > 0 ? (size_t)text_len : 0};
    struct ds_packet packet;
    struct capture_point_counts counts;
    bool has_nanoseconds, is_full = false;
    const struct ds_text name = nats_pull_host(message);
    if (!nats_states_accept(&r->states, name, r->pull.position))
        return true;
    if (!packet_json_read(text, &packet, &has_nanoseconds, &counts, &r->bytes) ||
        !host_file_accepts(&packet) || name.len == 0 || name.len >= NATS_MAX_NAME) {
        r->num_odd++;
        return true;
    }
    if (!ds_link_type_known(packet.link_type)) {
        r->num_links++;
        r->link_type = packet.link_type;
        return true;
    }
    struct host *host = find_host(r, name.data, name.len, packet.link_type, &is_full);
    if (host == NULL) {
        if (is_full)
            note_other(r, name.data, name.len, packet.link_type);
        return is_full;
    }
    host->file.has_nanoseconds |= has_nanoseconds;
    if (host_file_add(&host->file, &packet))
        return true;
    complain("cannot write the temporary file: %s: set TMPDIR to another folder", strerror(errno));
    return false;
}

/* say_left_out prints what was left out. */
static void say_left_out(const struct nats_reader_state *r)
{
    if (r->num_odd != 0)
        complain("NATS: %s of the stream skipped: not packets, although named so",
                 ds_counted(r->num_odd, "messages").text);
    if (r->num_links != 0)
        complain("NATS: %s skipped: unsupported link types, such as %" PRIu32,
                 ds_counted(r->num_links, "packets").text, r->link_type);
    if (r->num_over != 0)
        complain("NATS: %s skipped, of %s%s: at most %d hosts are read at once; ?host=NAME "
                 "after the URL selects one", ds_counted(r->num_over, "packets").text,
                 r->num_others == MOST_OTHERS - 1 ? "at least " : "",
                 ds_counted(r->num_others, "more hosts").text, NATS_MAX_HOSTS);
}

static bool read_all(struct nats_reader_state *r, bool *is_whole)
{
    natsMsg *message;
    bool good = nats_states_find(&r->states, r->url, r->connection, r->context) &&
                nats_pull_begin(&r->pull, r->url, NATS_PACKET, nats_states_first(&r->states), r->connection,
                                r->context);
    while (good && (message = nats_pull_next(&r->pull)) != NULL) {
        good = take(r, message);
        nats.natsMsg_Destroy(message);
    }
    if (good) {
        say_left_out(r);
        *is_whole = nats_pull_is_whole(&r->pull) && r->num_over == 0;
    }
    nats_pull_end(&r->pull);
    return good;
}

static int by_name(const void *left, const void *right)
{
    const struct host *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    const uint32_t one = a->file.link_type, other = b->file.link_type;
    return order != 0 ? order : (one > other) - (one < other);
}

static bool hand_over_all(struct nats_reader_state *r, int socket)
{
    struct handed handed = {.good = true};
    qsort(r->hosts, r->num_hosts, sizeof r->hosts[0], by_name);
    for (size_t i = 0; i < r->num_hosts; i++) {
        struct host *host = &r->hosts[i];
        if (!host_file_finish(&host->file)) {
            complain("cannot write the temporary file: %s: set TMPDIR to another folder", strerror(errno));
            return false;
        }
        snprintf(handed.name, sizeof handed.name, "nats:%s", host->name);
        if (!pass_fd_send(socket, &handed, sizeof handed, fileno(host->file.file)))
            return false;
        host_file_close(&host->file);
    }
    return true;
}

bool nats_reader_prepare(const struct nats_reader_config *config, const struct nats_url *url,
                         const char *folder, struct nats_client *client)
{
    if (!privileges_return() || !nats_library_load() || !nats_client_init(client, config->nats, url) ||
        !privileges_drop(config->user))
        return false;
    (void)own_process_hide(); /* it contains credentials */
    if (config->is_confined) {
        sandbox_preload_names();
        sandbox_confine_client(folder);
    }
    back_off_begin();
    return true;
}

static _Noreturn void run_reader(const struct nats_reader_config *config, const struct nats_url *url,
                                 size_t max_hosts, int socket)
{
    static struct nats_reader_state reader;
    struct nats_client client;
    struct handed end = {0};
    reader.url = url;
    reader.max_hosts = max_hosts;
    signal(SIGPIPE, SIG_IGN);
    file_helper_forget();
    own_fds_close();
    bool good = nats_reader_prepare(config, url, host_file_folder(), &client);
    reader.connection = good ? nats_client_open(&client, &reader.context) : NULL;
    good = good && reader.connection != NULL && read_all(&reader, &end.is_whole) &&
           hand_over_all(&reader, socket);
    end.good = good;
    end.from_ns = reader.states.num != 0 ? reader.states.from_ns : INT64_MIN;
    (void)pass_fd_send(socket, &end, sizeof end, -1);
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* In the process that looks at packets */

/* receive receives the next file; false if the other process is gone. */
static bool receive(int socket, struct handed *handed, int *fd)
{
    bool received;
    do
        received = pass_fd_receive(socket, handed, sizeof *handed, fd);
    while (!received && errno == EINTR && !stop_wanted);
    handed->name[sizeof handed->name - 1] = '\0';
    return received;
}

static bool receive_all(int socket, struct nats_read *read)
{
    struct handed handed;
    int fd;
    while (receive(socket, &handed, &fd)) {
        if (handed.name[0] == '\0') {
            read->is_partial |= handed.good && !handed.is_whole;
            read->from_ns = handed.from_ns;
            return handed.good;
        }
        if (fd < 0 || read->num_files == NATS_MAX_HOSTS)
            break;
        struct nats_read_file *file = &read->files[read->num_files++];
        memcpy(file->name, handed.name, sizeof file->name);
        file->fd = fd;
    }
    if (fd >= 0)
        close(fd);
    if (!stop_wanted)
        complain("NATS: the process that reads the stream has exited");
    return false;
}

bool nats_read(const struct nats_reader_config *config, const struct nats_url *url,
               struct nats_read *read)
{
    int sockets[2];
    const size_t before = read->num_files;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        complain("cannot start the process that talks to NATS: %s", strerror(errno));
        return false;
    }
    fflush(NULL); /* otherwise both processes would write it */
    const pid_t pid = fork();
    if (pid == 0) {
        close(sockets[0]);
        run_reader(config, url, NATS_MAX_HOSTS - before, sockets[1]);
    }
    close(sockets[1]);
    bool good = pid > 0 && receive_all(sockets[0], read);
    close(sockets[0]);
    if (pid > 0 && !good)
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (good && read->num_files == before) {
        complain("NATS: the stream %s has no packets%s: -r reads only packets, and --redact or "
                 "--nats-types leave them out", url->stream,
                 url->since_ns != 0 || url->until_ns != 0 ? " of that time" : "");
        good = false;
    }
    return good;
}

#else

bool nats_read(const struct nats_reader_config *config, const struct nats_url *url,
               struct nats_read *read)
{
    (void)config;
    (void)url;
    (void)read;
    return false;
}

#endif
