/*
 * test_rights.c - what the sandbox refuses, and which file names a run may use.
 */
#include "privsep/call_filter.h"
#include "privsep/landlock.h"
#include "privsep/privileges.h"
#include "privsep/run_name.h"
#include "privsep/safe_open.h"
#include "privsep/sandbox.h"
#include "privsep/sandbox_preload.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netdb.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* inside runs a call in a process of its own, behind the filter or Landlock. It returns true if the
 * call failed for lack of rights, and what the process printed in said. */
static bool inside(bool (*enter)(void), bool (*is_refused)(void), char said[512])
{
    int out[2], status = 0;
    assert_int_equal(pipe(out), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], STDERR_FILENO);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        _exit(!enter() ? 2 : is_refused() ? 0 : 1);
    }
    close(out[1]);
    ssize_t len = 0, n;
    while ((n = read(out[0], said + len, (size_t)(511 - len))) > 0)
        len += n;
    said[len] = '\0';
    close(out[0]);
    waitpid(pid, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
        skip(); /* this kernel or build does not have it */
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool filter(void)
{
    return call_filter_enter(CALLS_ALWAYS | CALLS_LIVE, NULL);
}

static bool landlock(void)
{
    return landlock_enter(NULL, 0, LANDLOCK_NO_PORT) != 0;
}

static bool open_is_refused(void)
{
    const bool twice = open("/dev/null", O_RDONLY) < 0 && open("/dev/null", O_RDONLY) < 0;
    return twice && (errno == EPERM || errno == EACCES);
}

static bool socket_is_refused(void)
{
    return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM;
}

static bool exec_is_refused(void)
{
    char *arguments[] = {"true", NULL};
    execv("/bin/true", arguments);
    return errno == EPERM || errno == EACCES;
}

static bool kill_is_refused(void)
{
    const long other = syscall(SYS_tgkill, 1, 1, 0); /* 0 sends nothing */
    return other < 0 && errno == EPERM && syscall(SYS_tgkill, getpid(), gettid(), 0) == 0;
}

static bool limit_is_refused(void)
{
    const struct rlimit limit = {1, 1};
    struct rlimit old;
    return getrlimit(RLIMIT_STACK, &old) == 0 && setrlimit(RLIMIT_NOFILE, &limit) < 0 &&
           errno == EPERM;
}

static void calls_are_refused_and_named(void **state)
{
    (void)state;
    static const struct {
        bool (*is_refused)(void);
        const char *name;
    } kinds[] = {
        {open_is_refused, " open"}, {socket_is_refused, " socket"}, {exec_is_refused, " execve;"},
        {kill_is_refused, " tgkill;"}, {limit_is_refused, " prlimit64;"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char said[512];
        assert_true(inside(filter, kinds[i].is_refused, said));
        assert_non_null(strstr(said, kinds[i].name));
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* once */
    }
}

/* A root process that stays root has no capabilities either, with libcap-ng and without. */
static bool has_no_capabilities(void)
{
    char line[256];
    int num = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        num += strcmp(line, "CapPrm:\t0000000000000000\n") == 0 ||
               strcmp(line, "CapEff:\t0000000000000000\n") == 0;
    return num == 2;
}

/* keep_two keeps one capability that files need, and one that they do not. */
static bool keep_two(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t kept = 1u << CAP_SETUID | 1u << CAP_KILL;
    struct __user_cap_data_struct sets[2] = {{.effective = kept, .permitted = kept}};
    return geteuid() == 0 && syscall(SYS_capset, &header, sets) == 0;
}

static bool one_is_kept(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2];
    return privileges_keep_for_files(false) && syscall(SYS_capget, &header, sets) == 0 &&
           sets[0].permitted == 1u << CAP_SETUID && sets[0].effective == 1u << CAP_SETUID &&
           sets[1].permitted == 0;
}

/* In a container root may have few capabilities: the helper keeps those that it needs and has. */
static void few_are_kept_for_files(void **state)
{
    (void)state;
    char said[512];
    assert_true(inside(keep_two, one_is_kept, said));
    assert_string_equal(said, "");
}

static bool drop(void)
{
    return privileges_drop("root");
}

static void capabilities_are_given_up(void **state)
{
    (void)state;
    char said[512];
    assert_true(inside(drop, has_no_capabilities, said));
}

static void files_are_refused_by_landlock(void **state)
{
    (void)state;
    char said[512];
    assert_true(inside(landlock, open_is_refused, said));
    assert_true(inside(landlock, exec_is_refused, said));
}

/* A process that talks to servers can only resolve names, read certificates and connect. */
static int listener;
static struct sockaddr_in listens_at;

static bool listen_somewhere(void)
{
    socklen_t len = sizeof listens_at;
    listens_at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* nothing is confined where that is looked for */
    return bind(listener, (struct sockaddr *)&listens_at, len) == 0 && listen(listener, 4) == 0 &&
           getsockname(listener, (struct sockaddr *)&listens_at, &len) == 0;
}

/* has_both returns whether Landlock and the filter are available; another process tries it. */
static bool has_both(void)
{
    const int forked = landlock_is_built() && call_filter_is_built() ? fork() : 0;
    if (forked == 0)
        _exit(landlock_enter(NULL, 0, LANDLOCK_ANY_PORT) == 0);
    int status = 0;
    return waitpid(forked, &status, 0) >= 0 && status == 0;
}

static bool client(void)
{
    if (!listen_somewhere() || !has_both())
        return false;
    sandbox_preload_names();
    sandbox_confine_client("/var/tmp");
    return true;
}

static bool opens(const char *name)
{
    const int fd = open(name, O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Refused: files that are no secret, and files that only root may read. */
static bool other_files_are_refused(void)
{
    static const char *const names[] = {"/etc/passwd", "/etc/shadow", "/proc/self/environ", "/etc", "/tmp",
                                        "/etc/ssl/private", "/dev/mem", "/proc/self/mem"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (opens(names[i]) || (errno != EACCES && errno != ENOENT))
            return false;
    }
    return open("/etc/hosts", O_WRONLY | O_APPEND) < 0 && errno == EACCES &&
           open("/tmp", O_TMPFILE | O_RDWR, 0600) < 0 && errno == EACCES;
}

static bool fails_by(int family, int type, int error)
{
    return socket(family, type, 0) < 0 && errno == error;
}

static bool other_sockets_are_refused(void)
{
    return fails_by(AF_UNIX, SOCK_STREAM, EAFNOSUPPORT) && fails_by(AF_UNIX, SOCK_DGRAM, EAFNOSUPPORT) &&
           fails_by(AF_NETLINK, SOCK_RAW, EAFNOSUPPORT) && fails_by(AF_NETLINK, SOCK_DGRAM, EAFNOSUPPORT);
}

static bool raw_sockets_are_refused(void)
{
    return fails_by(AF_PACKET, SOCK_RAW, EPERM) && fails_by(AF_INET, SOCK_RAW, EPERM) &&
           fails_by(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, EPERM) && fails_by(AF_ALG, SOCK_SEQPACKET, EPERM) &&
           syscall(SYS_socket, (long)(0x100000000UL | AF_PACKET), SOCK_RAW, 0) < 0 &&
           errno == EPERM;
}

static bool serving_is_refused(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && bind(fd, (struct sockaddr *)&any, sizeof any) < 0 && errno == EPERM;
}

static bool connections_are_left(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int udp = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int pair[2];
    return fd >= 0 && (udp >= 0 || errno == EAFNOSUPPORT) &&
           socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 &&
           (connect(fd, (struct sockaddr *)&listens_at, sizeof listens_at) == 0 || errno == EINPROGRESS);
}

static bool names_are_left(void)
{
    const struct addrinfo wanted = {.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    return getaddrinfo("localhost", "80", &wanted, &found) == 0 && found != NULL &&
           opens("/etc/hosts");
}

static bool certificates_are_left(void)
{
    return access("/etc/ssl/certs", F_OK) != 0 || opens("/etc/ssl/certs");
}

static bool unnamed_files_are_left(void)
{
    return open("/var/tmp", O_TMPFILE | O_RDWR, 0600) >= 0;
}

static void who_talks_to_servers_has_little_else(void **state)
{
    (void)state;
    static const struct {
        bool (*is_so)(void);
        const char *what;
        bool says;
    } kinds[] = {
        {other_sockets_are_refused, "sockets of this machine", false},
        {raw_sockets_are_refused, "sockets of packets", true},
        {serving_is_refused, "serving", true},
        {other_files_are_refused, "files", false},
        {connections_are_left, "connections", false},
        {names_are_left, "names", false},
        {certificates_are_left, "certificates", false},
        {unnamed_files_are_left, "files without a name", false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char said[512];
        const bool is_so = inside(client, kinds[i].is_so, said);
        if (!is_so || (said[0] != '\0') != kinds[i].says)
            fail_msg("%s: %d, '%s'", kinds[i].what, is_so, said);
    }
}

/* A process that asks EPMD can only connect to its port. */
static bool asker(void)
{
    if (!listen_somewhere() || !has_both())
        return false;
    sandbox_confine_asker(ntohs(listens_at.sin_port));
    return true;
}

static bool no_file_is_left(void)
{
    return !opens("/etc/hosts") && !opens("/dev/null");
}

static bool other_kinds_are_refused(void)
{
    return fails_by(AF_UNIX, SOCK_STREAM, EPERM) && fails_by(AF_INET, SOCK_DGRAM, EPERM) &&
           fails_by(AF_INET6, SOCK_DGRAM, EPERM) && fails_by(AF_NETLINK, SOCK_RAW, EPERM) &&
           raw_sockets_are_refused();
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in to = listens_at;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to.sin_port = htons(port);
    return fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof to);
}

static bool its_port_is_left(void)
{
    return connect_to(ntohs(listens_at.sin_port)) == 0;
}

static bool other_ports_are_refused(void)
{
    return connect_to((uint16_t)(ntohs(listens_at.sin_port) ^ 1)) < 0 && errno == EACCES;
}

static void who_asks_epmd_has_less(void **state)
{
    (void)state;
    static const struct {
        bool (*is_so)(void);
        const char *what;
        bool says;
    } kinds[] = {
        {other_kinds_are_refused, "sockets of other kinds", true},
        {serving_is_refused, "serving", true},
        {no_file_is_left, "files", true},
        {its_port_is_left, "the port of EPMD", false},
        {other_ports_are_refused, "other ports", false},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char said[512];
        const bool is_so = inside(asker, kinds[i].is_so, said);
        if (!is_so || (said[0] != '\0') != kinds[i].says)
            fail_msg("%s: %d, '%s'", kinds[i].what, is_so, said);
    }
}

static void names_of_a_run(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool fits;
    } cases[] = {
        {"ring.pcap", "ring.pcap", true},
        {"ring.pcap", "ring.pcap7", true},
        {"ring.pcap", "ring-20261231-235959.pcap", true},
        {"ring.pcap", "ring-20261231-235959-2.pcap", true},
        {"ring", "ring07", true},
        {"ring.pcap", "ring.pcap/7", false},
        {"ring.pcap", "ring.pcap.sh", false},
        {"ring.pcap", "other.pcap", false},
        {"ring.pcap", "../ring.pcap", false},
        {"a/ring.pcap", "b/ring.pcap", false},
        {"%H%M.pcap", "2359.pcap", true},
        {"%H%M.pcap", "2359-2.pcap", true},
        {"%H%M.pcap", "/etc/2359.pcap", false},
        {"%Y/%m/part", "2026/12/part", true},
        {"%Y/%m/part", "../12/part", false},
        {"%Y/%m/part", "2026/12/13/part", false},
        {"%D.pcap", "12/31/26.pcap", true},
        {"%D.pcap", "../etc.pcap", false},
        {"100%", "100%", true},
        {"a%Hb", "a%Hb", true}, /* -C alone uses it unchanged */
        {"%H.pcap", "x.pcap", false}, /* digits have no letters */
        {"/etc/%Y", "/etc/passwd", false},
        {"/etc/%Y%m%d", "/etc/20261231", true},
        {"%b-%d", "Dec-31", true},
        {"%T %F %z", "23:59:59 2026-12-31 +0100", true},
        {"", "7", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (run_name_fits(cases[i].pattern, cases[i].name) != cases[i].fits)
            fail_msg("%s and %s", cases[i].pattern, cases[i].name);
    }
}

/* Opening a FIFO does not wait for a reader. */
static void fifo_is_not_waited_for(void **state)
{
    (void)state;
    char folder[] = "/tmp/rightsXXXXXX";
    char name[64];
    struct open_trouble trouble;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/fifo", folder);
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_int_equal(safe_open(name, OPEN_WRITE, &trouble), -1);
    assert_true(trouble.nobody_reads);
    assert_false(safe_remove(name)); /* nor is it a file that this run made */
    const int reader = safe_open(name, OPEN_READ, &trouble);
    assert_true(reader >= 0);
    assert_int_equal(fcntl(reader, F_GETFL) & O_NONBLOCK, 0);
    close(reader);
    unlink(name);
    snprintf(name, sizeof name, "%s/new", folder);
    assert_true(safe_may_create(name));
    const int fd = safe_open(name, OPEN_NEW, &trouble);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(safe_open(name, OPEN_NEW, &trouble), -1);
    assert_int_equal(trouble.error, EEXIST);
    assert_true(safe_remove(name));
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_refused_and_named),
        cmocka_unit_test(files_are_refused_by_landlock),
        cmocka_unit_test(capabilities_are_given_up),
        cmocka_unit_test(few_are_kept_for_files),
        cmocka_unit_test(who_talks_to_servers_has_little_else),
        cmocka_unit_test(who_asks_epmd_has_less),
        cmocka_unit_test(names_of_a_run),
        cmocka_unit_test(fifo_is_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
