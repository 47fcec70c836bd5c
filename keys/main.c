/*
 * main.c - distsniff-keys: the keys of TLS connections that processes have, found as they are used. It
 * touches these processes: the kernel stops each thread where it gives a key to libcrypto. See its
 * manual page and docs/tls.md.
 */
#include "fail.h"
#include "found.h"
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PIDS = 256, DEFAULT_SECONDS = 60, MAX_SECONDS = 86400, LOOK_MS = 50 };

struct request {
    pid_t pids[MAX_PIDS];
    unsigned num_pids;
    const char *file; /* NULL: standard output */
    long seconds;
    long num_keys; /* 0: no limit */
};

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static const char usage[] =
    "usage: distsniff-keys [-t SECONDS] [-n KEYS] [-w FILE] PID ...\n"
    "\n"
    "Writes the keys of TLS connections that these processes have, for distsniff --keylog-file. It\n"
    "touches the processes: while it runs, the kernel stops each thread that encrypts or decrypts, for\n"
    "some microseconds. Anyone who has the keys can read these connections.\n"
    "\n"
    "  -t SECONDS  for how long (60)\n"
    "  -n KEYS     end when so many keys were found: each connection has two\n"
    "  -w FILE     write them to a file that only its owner can read; to the end of it, if there is one\n"
    "  -h, -V      show this, or the version\n";

static bool read_number(const char *word, long least, long most, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(word, &end, 10);
    return errno == 0 && end != word && *end == '\0' && *number >= least && *number <= most;
}

static bool read_pids(struct request *request, int num, char **words)
{
    for (int i = 0; i < num; i++) {
        long pid;
        if (!read_number(words[i], 1, INT32_MAX, &pid)) {
            fail_say("%s is not the number of a process", words[i]);
            return false;
        }
        if (request->num_pids == MAX_PIDS) {
            fail_say("more than %d processes", (int)MAX_PIDS);
            return false;
        }
        request->pids[request->num_pids++] = (pid_t)pid;
    }
    if (num == 0)
        fputs(usage, stderr);
    return num != 0;
}

/* read_words returns whether the program goes on; *status is its exit status otherwise. */
static bool read_words(struct request *request, int argc, char **argv, int *status)
{
    *status = 2;
    for (int option; (option = getopt(argc, argv, "t:n:w:hV")) != -1;) {
        switch (option) {
        case 't':
            if (!read_number(optarg, 1, MAX_SECONDS, &request->seconds)) {
                fail_say("-t takes seconds, 1 to %d", (int)MAX_SECONDS);
                return false;
            }
            break;
        case 'n':
            if (!read_number(optarg, 1, INT32_MAX, &request->num_keys)) {
                fail_say("-n takes a number of keys");
                return false;
            }
            break;
        case 'w':
            request->file = optarg;
            break;
        case 'h':
        case 'V':
            fputs(option == 'h' ? usage : "distsniff-keys " DISTSNIFF_VERSION "\n", stdout);
            *status = 0;
            return false;
        default:
            fputs(usage, stderr);
            return false;
        }
    }
    return read_pids(request, argc - optind, argv + optind);
}

/* open_file opens a file that nobody else can read. NULL after an error message. */
static FILE *open_file(const char *name)
{
    struct stat status;
    if (name == NULL && isatty(STDOUT_FILENO))
        fail_say("keys are not for the eyes: name a file with -w");
    if (name == NULL)
        return isatty(STDOUT_FILENO) ? NULL : stdout;
    const int fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &status) != 0) {
        fail_say("%s cannot be written: %s", name, strerror(errno));
        return NULL;
    }
    if (!S_ISREG(status.st_mode) || (status.st_mode & 077) != 0 || status.st_uid != geteuid()) {
        fail_say("others may read %s: it must be a file of yours with mode 0600", name);
        close(fd);
        return NULL;
    }
    return fdopen(fd, "a");
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* look follows the processes until the time is over, or all is found. False after an error message. */
static bool look(const struct request *request, struct probe *probe, struct found *found)
{
    const long end = now_ms() + request->seconds * 1000;
    while (!is_over && now_ms() < end && !found_is_failed(found)) {
        int num = 0;
        for (unsigned i = 0; i < request->num_pids; i++) {
            const int threads = probe_follow(probe, request->pids[i]);
            if (threads < 0)
                return false;
            num += threads;
        }
        if (num == 0)
            return true; /* all have ended */
        if (!probe_read(probe, LOOK_MS, found_on_call, found)) {
            fail_say("out of memory");
            return false;
        }
        if (request->num_keys != 0 && (long)found_num_written(found) >= request->num_keys)
            return true;
    }
    if (found_is_failed(found))
        fail_say("the keys cannot be written: %s", strerror(errno));
    return !found_is_failed(found);
}

static void say_found(const struct request *request, const struct found *found)
{
    for (unsigned i = 0; i < request->num_pids; i++)
        fail_say("process %d: %u keys that encrypt, %u that decrypt", (int)request->pids[i],
                 found_num(found, request->pids[i], true), found_num(found, request->pids[i], false));
}

/* run looks at the targets: the events are there while it does. */
static bool run(const struct request *request, const struct targets *targets, struct found *found)
{
    char group[64];
    bool is_done = false;
    snprintf(group, sizeof group, "distsniff_keys_%d", (int)getpid());
    const int guard = guard_start(group, targets->num);
    if (guard < 0)
        return false;
    if (probe_define(group, targets)) {
        struct probe *probe = probe_new(group, targets->num);
        is_done = probe != NULL && look(request, probe, found);
        probe_free(probe);
    }
    return guard_end(guard, group, targets->num) && is_done;
}

int main(int argc, char **argv)
{
    static struct targets targets;
    struct request request = {.seconds = DEFAULT_SECONDS};
    int status;
    if (!read_words(&request, argc, argv, &status))
        return status;
    if (geteuid() != 0) {
        fail_say("only root can do this");
        return 1;
    }
    if (!probe_is_there())
        return 1;
    for (unsigned i = 0; i < request.num_pids; i++) {
        if (!targets_add(&targets, request.pids[i]))
            return 1;
    }
    (void)prctl(PR_SET_DUMPABLE, 0);
    FILE *out = open_file(request.file);
    if (out == NULL)
        return 1;
    struct found *found = found_new(out);
    if (found == NULL) {
        fail_say("out of memory");
        return 1;
    }
    const struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < 3; i++)
        (void)sigaction((const int[]){SIGINT, SIGTERM, SIGHUP}[i], &action, NULL);
    const bool is_done = run(&request, &targets, found);
    say_found(&request, found);
    found_free(found);
    return is_done && fclose(out) == 0 ? 0 : 1;
}
