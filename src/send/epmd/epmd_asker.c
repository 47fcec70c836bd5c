/*
 * epmd_asker.c - see epmd_asker.h.
 */
#include "send/epmd/epmd_asker.h"

#include "core/complain.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/side_process.h"
#include "send/epmd/epmd_ask_loop.h"
#include "send/epmd/epmd_report.h"

#include <distsniff/counted.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_LIST = 1024,
    MAX_TEXT = 512,
    MAX_SAID = MAX_LIST + MAX_TEXT,
    MOST_NAMED = 8,
    MOST_AT_ONCE = 1024,
};

/* asked is the state of one host. */
struct asked {
    char said[MAX_SAID]; /* the last message about it */
    char names[MAX_TEXT];
    unsigned num_nodes;
};

struct epmd_asker {
    struct epmd_ask_config config;
    char list[MAX_LIST]; /* the hosts, each terminated by a NUL */
    const char *hosts[EPMD_MAX_HOSTS];
    size_t num_hosts;
    struct asked asked[EPMD_MAX_HOSTS];
    struct side_process process;
    uint8_t ports[65536 / 8]; /* a bit for each port that was added */
};

/* split fills in the hosts. False after an error message. */
static bool split(struct epmd_asker *a, const char *hosts)
{
    if (strlen(hosts) >= sizeof a->list) {
        complain("--ask-epmd: the list of hosts is too long");
        return false;
    }
    strcpy(a->list, hosts);
    char *rest = a->list;
    for (char *one; (one = strsep(&rest, ",")) != NULL;) {
        if (*one == '\0') {
            complain("--ask-epmd takes hosts, such as --ask-epmd=rab1,10.0.0.2");
            return false;
        }
        if (a->num_hosts == EPMD_MAX_HOSTS) {
            complain("--ask-epmd takes at most %d hosts", EPMD_MAX_HOSTS);
            return false;
        }
        a->hosts[a->num_hosts++] = one;
    }
    return true;
}

bool epmd_asker_check(const char *hosts)
{
    struct epmd_asker *a = calloc(1, sizeof *a);
    if (a == NULL)
        complain("out of memory");
    const bool is_good = a != NULL && split(a, hosts);
    free(a);
    return is_good;
}

/* The other process. */

static void run(void *context, int wake_fd, int told_fd)
{
    const struct epmd_asker *a = context;
    const struct epmd_ask_loop_config config = {
        .hosts = a->hosts,
        .num_hosts = a->num_hosts,
        .port = a->config.port,
        .is_confined = a->config.is_confined,
        .wake_fd = wake_fd,
        .told_fd = told_fd,
    };
    if (!privileges_return() || !privileges_drop(a->config.user))
        _exit(EXIT_FAILURE);
    (void)own_process_hide();
    epmd_ask_loop_run(&config);
    _exit(EXIT_SUCCESS);
}

/* This process. */

/* print_once prints a message about a host, unless it was the last one printed. */
static void print_once(struct asked *asked, const char *text)
{
    if (strcmp(asked->said, text) == 0)
        return;
    complain("%s", text);
    snprintf(asked->said, sizeof asked->said, "%s", text);
}

static const char *trouble_text(enum epmd_trouble trouble)
{
    static const char *const texts[EPMD_TROUBLE_COUNT] = {
        [EPMD_NO_TROUBLE] = "",
        [EPMD_SLOW] = "the answer did not end in 3 s",
        [EPMD_TOO_LONG] = "the answer is larger than 64 kB",
        [EPMD_TOO_MANY] = "the other nodes are left out",
        [EPMD_NO_ANSWER] = "the answer is not one of EPMD, or is cut off",
    };
    return texts[trouble];
}

static void print_answered(struct epmd_asker *a, const struct epmd_report *report)
{
    struct asked *asked = &a->asked[report->host];
    char text[MAX_SAID];
    const bool names = a->config.may_name && asked->num_nodes != 0;
    snprintf(text, sizeof text, "EPMD of %s knows %s%s%s%s%s%s", a->hosts[report->host],
             ds_counted(asked->num_nodes, "nodes").text, names ? ": " : "", names ? asked->names : "",
             names && asked->num_nodes > MOST_NAMED ? " ..." : "",
             report->trouble != EPMD_NO_TROUBLE ? "; " : "",
             trouble_text((enum epmd_trouble)report->trouble));
    print_once(asked, text);
    asked->num_nodes = 0;
    asked->names[0] = '\0';
}

static void print_failed(struct epmd_asker *a, const struct epmd_report *report)
{
    char text[MAX_TEXT];
    const bool is_here = report->error != 0 && strcmp(a->hosts[report->host], "localhost") == 0;
    snprintf(text, sizeof text, "EPMD of %s, port %u, does not answer: %s%s", a->hosts[report->host],
             a->config.port,
             report->error != 0 ? strerror(report->error)
                              : trouble_text((enum epmd_trouble)report->trouble),
             is_here ? "; for other hosts, use --ask-epmd=HOST" : "");
    print_once(&a->asked[report->host], text);
}

/* add_name adds a name to the next message. */
static void add_name(struct asked *asked, const struct epmd_report *report)
{
    const size_t used = strlen(asked->names);
    if (asked->num_nodes++ < MOST_NAMED)
        snprintf(asked->names + used, sizeof asked->names - used, "%s%.*s (port %u)",
                 used != 0 ? ", " : "", (int)report->name_len, report->name, report->port);
}

/* is_sound validates a record: the other process is not trusted either. */
static bool is_sound(const struct epmd_asker *a, const struct epmd_report *report)
{
    return report->kind < EPMD_REPORT_KIND_COUNT && report->trouble < EPMD_TROUBLE_COUNT &&
           report->host < a->num_hosts && (report->addr.family == 4 || report->addr.family == 6);
}

static void handle(struct epmd_asker *a, const struct epmd_report *report)
{
    const struct ds_text name = {report->name, report->name_len};
    switch ((enum epmd_report_kind)report->kind) {
    case EPMD_REPORT_NODE:
        add_name(&a->asked[report->host], report);
        a->config.on_node(a->config.context, &report->addr, report->port, name);
        break;
    case EPMD_REPORT_ALSO:
        a->config.on_node(a->config.context, &report->addr, report->port, name);
        break;
    case EPMD_REPORT_ANSWERED:
        print_answered(a, report);
        break;
    case EPMD_REPORT_FAILED:
        print_failed(a, report);
        break;
    case EPMD_REPORT_READY:
    case EPMD_REPORT_UNKNOWN_HOST:
    case EPMD_REPORT_KIND_COUNT:
        break;
    }
}

void epmd_asker_look(struct epmd_asker *a)
{
    struct epmd_report report;
    for (int i = 0; i < MOST_AT_ONCE && a->process.told_fd >= 0; i++) {
        const ssize_t len = read(a->process.told_fd, &report, sizeof report);
        if (len < 0)
            return; /* no more records */
        if (len == (ssize_t)sizeof report && is_sound(a, &report)) {
            handle(a, &report);
            continue;
        }
        complain("the process that asks EPMD has exited: EPMD is not asked again");
        side_process_close(&a->process);
    }
}

void epmd_asker_add_port(struct epmd_asker *a, uint16_t port)
{
    uint8_t *noted = &a->ports[port / 8];
    const uint8_t bit = (uint8_t)(1u << port % 8);
    if ((*noted & bit) != 0 || a->process.wake_fd < 0)
        return;
    *noted |= bit;
    if (write(a->process.wake_fd, "", 1) < 0)
        return; /* it is awake already, or gone */
}

/* is_ready waits until all hosts have addresses. */
static bool is_ready(struct epmd_asker *a)
{
    struct epmd_report report;
    if (!side_process_wait(&a->process))
        return true;
    if (read(a->process.told_fd, &report, sizeof report) != (ssize_t)sizeof report ||
        report.host >= a->num_hosts)
        return false; /* it has printed the reason */
    if (report.kind == EPMD_REPORT_READY)
        return true;
    complain("--ask-epmd: %s: %s", a->hosts[report.host], gai_strerror(report.error));
    return false;
}

struct epmd_asker *epmd_asker_start(const struct epmd_ask_config *config)
{
    struct epmd_asker *a = calloc(1, sizeof *a);
    if (a == NULL) {
        complain("out of memory");
        return NULL;
    }
    a->config = *config;
    a->process = SIDE_PROCESS_NONE;
    if (split(a, config->hosts)) {
        if (!side_process_start(&a->process, run, a))
            complain("cannot start the process that asks EPMD: %s", strerror(errno));
        else if (is_ready(a))
            return a;
    }
    epmd_asker_end(a);
    return NULL;
}

void epmd_asker_end(struct epmd_asker *a)
{
    if (a == NULL)
        return;
    side_process_end(&a->process);
    free(a);
}
