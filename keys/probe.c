/*
 * probe.c - see probe.h (Documentation/trace/uprobetracer.rst of Linux, perf_event_open(2)). An event is
 * defined through tracefs, and read through perf: the kernel then puts its breakpoints into the
 * processes that are followed and no others, what is read is in no trace that others read, and all
 * breakpoints are gone when this process is, however it ends.
 */
#include "probe.h"

#include "fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char events_file[] = "/sys/kernel/tracing/uprobe_events";

/* The arguments of the event. A context of libcrypto begins with the address of its cipher, which begins
 * with its number, and has at 16 whether it encrypts (OpenSSL 1.1 and 3). What cannot be read is 0. */
#define MACHINE(number, ctx, key, iv)                                                            \
    "key=" key ":u64 iv=" iv ":u64 nid=+0(+0(" ctx ")):s32 enc=+16(" ctx "):s32 "               \
    "k0=+0(" key "):u64 k1=+8(" key "):u64 k2=+16(" key "):u64 k3=+24(" key "):u64 "            \
    "n0=+0(" iv "):u64 n1=+8(" iv "):u32"
static const char arguments[] =
#include "machines.def"
    ;
#undef MACHINE

enum {
    MAX_THREADS = 4096,
    RING_PAGES = 4,
    SAMPLE_MAX = 256,
};

/* sample is what the kernel writes for an event: its fields have the order of the arguments. */
struct sample {
    uint32_t common[2];
    uint64_t at;
    uint64_t key, iv;
    int32_t nid, enc;
    uint8_t key_bytes[32];
    uint8_t iv_bytes[12];
} __attribute__((packed));

struct thread {
    pid_t pid, tid;
    int fd;
    struct perf_event_mmap_page *ring;
};

struct probe {
    struct thread *threads;
    unsigned num, num_ids;
    uint64_t ids[MAX_TARGETS];
    size_t page, ring_len;
};

bool probe_is_there(void)
{
    if (access(events_file, F_OK) == 0)
        return true;
    if (access("/sys/kernel/tracing/README", F_OK) == 0)
        fail_say("this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
    else
        fail_say("tracefs is not there: mount -t tracefs tracefs /sys/kernel/tracing");
    return false;
}

/* write_event writes a line to the file of definitions. */
static bool write_event(const char *line)
{
    const int fd = open(events_file, O_WRONLY | O_APPEND | O_CLOEXEC);
    const size_t len = strlen(line);
    if (fd < 0)
        return false;
    const bool is_written = write(fd, line, len) == (ssize_t)len;
    const int error = errno;
    close(fd);
    errno = error;
    return is_written;
}

bool probe_define(const char *group, const struct targets *targets)
{
    char line[1024];
    for (unsigned i = 0; i < targets->num; i++) {
        const struct target *target = &targets->items[i];
        snprintf(line, sizeof line, "p:%s/call%u %s:0x%llx %s\n", group, i, target->path,
                 (unsigned long long)target->offset, arguments);
        if (!write_event(line)) {
            fail_say("the kernel refuses the event: %s", strerror(errno));
            (void)probe_remove(group, i);
            return false;
        }
    }
    return true;
}

bool probe_remove(const char *group, unsigned num)
{
    bool is_removed = true;
    for (unsigned i = 0; i < num; i++) {
        char line[128];
        snprintf(line, sizeof line, "-:%s/call%u\n", group, i);
        is_removed &= write_event(line) || errno == ENOENT;
    }
    return is_removed;
}

static bool read_id(const char *group, unsigned i, uint64_t *id)
{
    char path[256];
    unsigned long long number;
    snprintf(path, sizeof path, "/sys/kernel/tracing/events/%s/call%u/id", group, i);
    FILE *file = fopen(path, "re");
    const bool is_read = file != NULL && fscanf(file, "%llu", &number) == 1;
    if (file != NULL)
        fclose(file);
    *id = is_read ? number : 0;
    return is_read;
}

struct probe *probe_new(const char *group, unsigned num_targets)
{
    struct probe *probe = calloc(1, sizeof *probe);
    struct thread *threads = calloc(MAX_THREADS, sizeof *threads);
    if (probe == NULL || threads == NULL) {
        free(probe);
        free(threads);
        fail_say("out of memory");
        return NULL;
    }
    probe->threads = threads;
    probe->page = (size_t)sysconf(_SC_PAGESIZE);
    probe->ring_len = probe->page * (RING_PAGES + 1);
    for (; probe->num_ids < num_targets; probe->num_ids++) {
        if (!read_id(group, probe->num_ids, &probe->ids[probe->num_ids])) {
            fail_say("the kernel does not say the number of its event: %s", strerror(errno));
            probe_free(probe);
            return NULL;
        }
    }
    return probe;
}

static void thread_close(struct probe *probe, struct thread *thread)
{
    munmap(thread->ring, probe->ring_len);
    close(thread->fd);
}

void probe_free(struct probe *probe)
{
    if (probe == NULL)
        return;
    for (unsigned i = 0; i < probe->num; i++)
        thread_close(probe, &probe->threads[i]);
    free(probe->threads);
    free(probe);
}

static bool is_followed(const struct probe *probe, pid_t tid)
{
    for (unsigned i = 0; i < probe->num; i++) {
        if (probe->threads[i].tid == tid)
            return true;
    }
    return false;
}

/* follow_thread begins to report the calls of a thread. False after an error message; a thread that has
 * ended is none. */
static bool follow_thread(struct probe *probe, pid_t pid, pid_t tid, uint64_t id)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof attr,
        .config = id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_RAW,
        .watermark = 1, /* a wake-up for each call would cost more than the breakpoint */
        .wakeup_watermark = (uint32_t)(probe->page * RING_PAGES / 2),
    };
    if (probe->num == MAX_THREADS) {
        fail_say("there are more than %d threads", (int)MAX_THREADS);
        return false;
    }
    struct thread thread = {.pid = pid, .tid = tid};
    thread.fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (thread.fd < 0) {
        if (errno == ESRCH)
            return true;
        fail_say("the kernel does not allow to trace process %d: %s", (int)pid, strerror(errno));
        return false;
    }
    void *ring = mmap(NULL, probe->ring_len, PROT_READ | PROT_WRITE, MAP_SHARED, thread.fd, 0);
    if (ring == MAP_FAILED) {
        fail_say("no memory for what process %d does: %s", (int)pid, strerror(errno));
        close(thread.fd);
        return false;
    }
    thread.ring = ring;
    probe->threads[probe->num++] = thread;
    return true;
}

int probe_follow(struct probe *probe, pid_t pid)
{
    char path[64];
    int num = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; num >= 0 && (entry = readdir(folder)) != NULL;) {
        const pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0)
            continue;
        num++;
        if (is_followed(probe, tid))
            continue;
        for (unsigned i = 0; i < probe->num_ids && num >= 0; i++) {
            if (!follow_thread(probe, pid, tid, probe->ids[i]))
                num = -1;
        }
    }
    closedir(folder);
    return num;
}

/* --- what the kernel writes --- */

/* copy_out copies from a ring, which goes on at its beginning. */
static void copy_out(const uint8_t *ring, size_t ring_len, uint64_t from, void *out, size_t len)
{
    uint8_t *bytes = out;
    for (size_t i = 0; i < len; i++)
        bytes[i] = ring[(from + i) % ring_len];
}

static void give_sample(const uint8_t *bytes, size_t len, pid_t pid, probe_fn give, void *context)
{
    struct sample sample;
    if (len < sizeof sample)
        return;
    memcpy(&sample, bytes, sizeof sample);
    struct probe_call call = {
        .has_key = sample.key != 0 && sample.iv != 0,
        .nid = sample.nid,
        .encrypts = sample.enc != 0,
    };
    memcpy(call.key, sample.key_bytes, sizeof call.key);
    memcpy(call.iv, sample.iv_bytes, sizeof call.iv);
    give(context, pid, &call);
    explicit_bzero(&sample, sizeof sample);
    explicit_bzero(&call, sizeof call);
}

/* read_ring gives what is in the ring of a thread. */
static void read_ring(const struct probe *probe, const struct thread *thread, probe_fn give, void *context)
{
    struct perf_event_mmap_page *head = thread->ring;
    const uint8_t *ring = (const uint8_t *)head + probe->page;
    const size_t ring_len = probe->page * RING_PAGES;
    const uint64_t end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = head->data_tail;
    while (at < end) {
        struct perf_event_header header;
        uint8_t bytes[SAMPLE_MAX];
        uint32_t len = 0;
        copy_out(ring, ring_len, at, &header, sizeof header);
        if (header.size < sizeof header)
            break;
        if (header.type == PERF_RECORD_SAMPLE && header.size >= sizeof header + sizeof len) {
            copy_out(ring, ring_len, at + sizeof header, &len, sizeof len);
            if (len > header.size - sizeof header - sizeof len)
                len = 0;
            len = len < SAMPLE_MAX ? len : SAMPLE_MAX;
            copy_out(ring, ring_len, at + sizeof header + sizeof len, bytes, len);
            give_sample(bytes, len, thread->pid, give, context);
            explicit_bzero(bytes, sizeof bytes);
        }
        at += header.size;
    }
    __atomic_store_n(&head->data_tail, end, __ATOMIC_RELEASE);
}

bool probe_read(struct probe *probe, int timeout_ms, probe_fn give, void *context)
{
    struct pollfd *fds = calloc(probe->num + 1, sizeof *fds);
    if (fds == NULL)
        return false;
    for (unsigned i = 0; i < probe->num; i++)
        fds[i] = (struct pollfd){.fd = probe->threads[i].fd, .events = POLLIN};
    (void)poll(fds, probe->num, timeout_ms);
    for (unsigned i = 0; i < probe->num; i++) {
        read_ring(probe, &probe->threads[i], give, context);
        if ((fds[i].revents & POLLHUP) == 0)
            continue;
        thread_close(probe, &probe->threads[i]); /* it has ended */
        probe->threads[i] = probe->threads[--probe->num];
        fds[i] = fds[probe->num];
        i--;
    }
    free(fds);
    return true;
}
