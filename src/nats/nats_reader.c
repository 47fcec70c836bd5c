/*
 * nats_reader.c - see nats_reader.h.
 *
 * The process that talks to the servers hands over its files by a socket: a struct and a descriptor
 * each. One without a name ends them, and says whether all went well.
 */
#include "nats_reader.h"

#ifdef DISTSNIFF_NATS

#include "back_off.h"
#include "clock.h"
#include "complain.h"
#include "host_file.h"
#include "nats_client.h"
#include "own_process.h"
#include "packet_json.h"
#include "pass_fd.h"
#include "privileges.h"
#include "sandbox.h"
#include "stop.h"
#include "warm_up.h"

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
    WAIT_MS = 500,
    ASK_MS = 1000,
    ASK_LONG_MS = 5000, /* each ASK_LONG_EACH-th time */
    ASK_LONG_EACH = 4,
};
#define CONNECT_NS (5 * INT64_C(1000000000))
#define SUBSCRIBE_NS (30 * INT64_C(1000000000))
#define NOTHING_NS (2 * INT64_C(1000000000))
#define PATIENCE_NS (20 * INT64_C(1000000000)) /* while nothing comes */

/* handed is what is said of a file. */
struct handed {
    char name[NATS_MAX_LABEL]; /* "": no more come */
    bool good;
};

struct host {
    char name[NATS_MAX_WORD];
    struct host_file file;
};

struct reader {
    const struct nats_url *url;
    natsConnection *connection;
    jsCtx *context;
    natsSubscription *subscription;
    uint64_t last_seq;         /* of the stream, when it was begun */
    struct host hosts[NATS_MAX_HOSTS];
    size_t num_hosts;
    uint64_t num_packets, num_odd; /* odd: no packets, though they are called so */
    struct ds_buffer bytes;
};

/* In the process that talks to the servers */

static bool connect_to(struct reader *r, struct nats_client *client)
{
    const int64_t begin_ns = clock_now_ns();
    natsStatus status;
    for (int attempts = 0;; attempts++) {
        status = nats_client_connect(client, NULL, NULL, &r->connection);
        if (status == NATS_OK || nats_client_is_refused(status) ||
            clock_now_ns() - begin_ns > CONNECT_NS)
            break;
        usleep((useconds_t)back_off_ms(attempts) * 1000);
    }
    if (status == NATS_OK)
        status = nats.natsConnection_JetStream(&r->context, r->connection, NULL);
    if (status != NATS_OK)
        complain("NATS: cannot connect: %s", nats_client_trouble(status));
    return status == NATS_OK;
}

/* find_end asks for the last message that is there. */
static bool find_end(struct reader *r)
{
    const int64_t begin_ns = clock_now_ns();
    jsStreamInfo *info = NULL;
    natsStatus status;
    do {
        jsErrCode code = 0;
        status = nats.js_GetStreamInfo(&info, r->context, r->url->stream, NULL, &code);
    } while (status != NATS_OK && status != NATS_NOT_FOUND && clock_now_ns() - begin_ns < SUBSCRIBE_NS);
    if (status == NATS_OK)
        r->last_seq = info->State.Msgs != 0 ? info->State.LastSeq : 0;
    else if (status == NATS_NOT_FOUND)
        complain("NATS: there is no stream %s: nothing was published by -T nats=URL, or to another one, "
                 "which the URL names behind a /", r->url->stream);
    else
        complain("NATS: cannot ask for the stream %s: %s", r->url->stream,
                 nats_client_trouble(status));
    nats.jsStreamInfo_Destroy(info);
    return status == NATS_OK;
}

static bool subscribe(struct reader *r)
{
    char subject[2 * NATS_MAX_WORD + 32];
    jsSubOptions options;
    jsErrCode code = 0;
    natsStatus status = nats.jsSubOptions_Init(&options);
    snprintf(subject, sizeof subject, "%s.%s.%s", r->url->prefix, r->url->host,
             nats_type_names[NATS_PACKET]);
    options.Stream = r->url->stream;
    options.Ordered = true; /* what is lost on the way is asked for again */
    if (r->url->since_ns != 0) {
        options.Config.DeliverPolicy = js_DeliverByStartTime;
        options.Config.OptStartTime = clock_since_1970_ns() - r->url->since_ns;
    }
    /* A cluster may ask a server for it that is gone, as often as one that is there, and another one the
     * next time: so it is asked often, and now and then waited for as long as a slow one takes. */
    const int64_t begin_ns = clock_now_ns();
    for (unsigned attempts = 0; status == NATS_OK && r->subscription == NULL; attempts++) {
        jsOptions asking = {.Wait = attempts % ASK_LONG_EACH == ASK_LONG_EACH - 1 ? ASK_LONG_MS : ASK_MS};
        status = nats.js_SubscribeSync(&r->subscription, r->context, subject, &asking, &options, &code);
        if (status != NATS_OK && clock_now_ns() - begin_ns < SUBSCRIBE_NS)
            status = NATS_OK;
    }
    if (status != NATS_OK)
        complain("NATS: cannot read the stream %s: %s", r->url->stream, nats_client_trouble(status));
    return status == NATS_OK;
}

/* find_host returns the file of a host; NULL after a complaint. */
static struct host *find_host(struct reader *r, const char *subject, uint32_t link_type)
{
    const char *name = strchr(subject, '.');
    const size_t len = name != NULL ? strcspn(++name, ".") : 0;
    if (len == 0 || len >= NATS_MAX_WORD)
        return NULL;
    for (size_t i = 0; i < r->num_hosts; i++) {
        struct host *host = &r->hosts[i];
        if (strlen(host->name) == len && memcmp(host->name, name, len) == 0 &&
            host->file.link_type == link_type)
            return host;
    }
    if (r->num_hosts == NATS_MAX_HOSTS) {
        complain("NATS: more than %d hosts: choose one with ?host=NAME behind the URL", NATS_MAX_HOSTS);
        return NULL;
    }
    struct host *host = &r->hosts[r->num_hosts];
    snprintf(host->name, sizeof host->name, "%.*s", (int)len, name);
    if (!host_file_open(&host->file, link_type)) {
        complain("cannot make a file for what is read: %s: TMPDIR names another folder", strerror(errno));
        return NULL;
    }
    r->num_hosts++;
    return host;
}

/* take takes a message. False after a complaint. */
static bool take(struct reader *r, natsMsg *message)
{
    const int len = nats.natsMsg_GetDataLength(message);
    const struct ds_text text = {nats.natsMsg_GetData(message), len > 0 ? (size_t)len : 0};
    struct ds_packet packet;
    bool has_nanoseconds;
    if (!packet_json_read(text, &packet, &has_nanoseconds, &r->bytes) || packet.ts_ns < 0) {
        r->num_odd++;
        return true;
    }
    struct host *host = find_host(r, nats.natsMsg_GetSubject(message), packet.link_type);
    if (host == NULL)
        return false;
    r->num_packets++;
    host->file.has_nanoseconds |= has_nanoseconds;
    if (host_file_add(&host->file, &packet))
        return true;
    complain("cannot write what is read: %s: TMPDIR names another folder", strerror(errno));
    return false;
}

/* is_last says whether a message was the last one that was there in the beginning. */
static bool is_last(const struct reader *r, natsMsg *message)
{
    jsMsgMetaData *data = NULL;
    if (nats.natsMsg_GetMetaData(&data, message) != NATS_OK)
        return false;
    const bool last = data->NumPending == 0 || data->Sequence.Stream >= r->last_seq;
    nats.jsMsgMetaData_Destroy(data);
    return last;
}

static bool read_all(struct reader *r)
{
    int64_t heard_ns = clock_now_ns();
    for (bool last = r->last_seq == 0; !last;) {
        natsMsg *message = NULL;
        const natsStatus status = nats.natsSubscription_NextMsg(&message, r->subscription, WAIT_MS);
        if (status != NATS_OK) {
            /* Where none has this subject, none comes. */
            const int64_t silent_ns = clock_now_ns() - heard_ns;
            if (r->num_packets + r->num_odd == 0 && status == NATS_TIMEOUT &&
                silent_ns > NOTHING_NS)
                break;
            if (silent_ns > PATIENCE_NS) {
                complain("NATS: the servers have stopped answering: %s read until then",
                         ds_counted(r->num_packets, "packets").text);
                return false;
            }
            if (status != NATS_TIMEOUT)
                usleep(WAIT_MS * 1000);
            continue;
        }
        heard_ns = clock_now_ns();
        last = is_last(r, message);
        const bool good = take(r, message);
        nats.natsMsg_Destroy(message);
        if (!good)
            return false;
    }
    if (r->num_odd != 0)
        complain("NATS: %s of the stream left out: they are called packets, and are none",
                 ds_counted(r->num_odd, "messages").text);
    return true;
}

static int by_name(const void *left, const void *right)
{
    const struct host *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    const uint32_t one = a->file.link_type, other = b->file.link_type;
    return order != 0 ? order : (one > other) - (one < other);
}

static bool hand_over_all(struct reader *r, int socket)
{
    struct handed handed = {.good = true};
    qsort(r->hosts, r->num_hosts, sizeof r->hosts[0], by_name);
    for (size_t i = 0; i < r->num_hosts; i++) {
        struct host *host = &r->hosts[i];
        if (!host_file_finish(&host->file)) {
            complain("cannot write what is read: %s: TMPDIR names another folder", strerror(errno));
            return false;
        }
        snprintf(handed.name, sizeof handed.name, "nats:%s", host->name);
        if (!pass_fd_send(socket, &handed, sizeof handed, fileno(host->file.file)))
            return false;
        host_file_close(&host->file);
    }
    return true;
}

static _Noreturn void run_reader(const struct nats_reader_config *config, const struct nats_url *url,
                                 int socket)
{
    static struct reader reader;
    struct nats_client client;
    reader.url = url;
    signal(SIGPIPE, SIG_IGN);
    bool good = privileges_return() && nats_library_load() &&
                nats_client_init(&client, config->nats, url) && privileges_drop(config->user);
    (void)own_process_hide(); /* there are credentials in it */
    if (good && config->is_confined) {
        warm_up_names();
        sandbox_confine_client(host_file_folder());
    }
    srandom((unsigned)(getpid() ^ clock_now_ns()));
    good = good && connect_to(&reader, &client) && find_end(&reader) && subscribe(&reader) &&
           read_all(&reader) && hand_over_all(&reader, socket);
    const struct handed end = {.good = good};
    (void)pass_fd_send(socket, &end, sizeof end, -1);
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* In this process */

/* receive takes the next file; false when the other process is gone. */
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
        if (handed.name[0] == '\0')
            return handed.good;
        if (fd < 0 || read->num_files == NATS_MAX_HOSTS)
            break;
        struct nats_read_file *file = &read->files[read->num_files++];
        memcpy(file->name, handed.name, sizeof file->name);
        file->fd = fd;
    }
    if (fd >= 0)
        close(fd);
    if (!stop_wanted)
        complain("NATS: the process that reads the stream is gone");
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
    fflush(NULL); /* or both would write it */
    const pid_t pid = fork();
    if (pid == 0) {
        close(sockets[0]);
        run_reader(config, url, sockets[1]);
    }
    close(sockets[1]);
    bool good = pid > 0 && receive_all(sockets[0], read);
    close(sockets[0]);
    if (pid > 0 && !good)
        kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (good && read->num_files == before) {
        complain("NATS: the stream %s holds no packets%s: -r reads those alone, and --redact or "
                 "--nats-types leave them out", url->stream, url->since_ns != 0 ? " of that time" : "");
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
