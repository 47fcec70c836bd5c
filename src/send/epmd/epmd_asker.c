/*
 * epmd_asker.c - see epmd_asker.h.
 */
#include "send/epmd/epmd_asker.h"

#include "core/complain.h"
#include "privsep/own_process.h"
#include "privsep/privileges.h"
#include "privsep/side_process.h"
#include "send/epmd/epmd_ask_loop.h"
#include "send/epmd/epmd_told.h"

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

/* say prints a message about a host, unless it was the last one printed. */
static void say(struct asked *asked, const char *text)
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

static void say_answered(struct epmd_asker *a, const struct epmd_told *told)
{
    struct asked *asked = &a->asked[told->host];
    char text[MAX_SAID];
    const bool names = a->config.may_name && asked->num_nodes != 0;
    snprintf(text, sizeof text, "EPMD of %s knows %s%s%s%s%s%s", a->hosts[told->host],
             ds_counted(asked->num_nodes, "nodes").text, names ? ": " : "", names ? asked->names : "",
             names && asked->num_nodes > MOST_NAMED ? " ..." : "",
             told->trouble != EPMD_NO_TROUBLE ? "; " : "",
             trouble_text((enum epmd_trouble)told->trouble));
    say(asked, text);
    asked->num_nodes = 0;
    asked->names[0] = '\0';
}

static void say_failed(struct epmd_asker *a, const struct epmd_told *told)
{
    char text[MAX_TEXT];
    const bool is_here = told->error != 0 && strcmp(a->hosts[told->host], "localhost") == 0;
    snprintf(text, sizeof text, "EPMD of %s, port %u, does not answer: %s%s", a->hosts[told->host],
             a->config.port,
             told->error != 0 ? strerror(told->error)
                              : trouble_text((enum epmd_trouble)told->trouble),
             is_here ? "; for other hosts, use --ask-epmd=HOST" : "");
    say(&a->asked[told->host], text);
}

/* note_name adds a name to the next message. */
static void note_name(struct asked *asked, const struct epmd_told *told)
{
    const size_t used = strlen(asked->names);
    if (asked->num_nodes++ < MOST_NAMED)
        snprintf(asked->names + used, sizeof asked->names - used, "%s%.*s (port %u)",
                 used != 0 ? ", " : "", (int)told->name_len, told->name, told->port);
}

/* is_sound validates a record: the other process is not trusted either. */
static bool is_sound(const struct epmd_asker *a, const struct epmd_told *told)
{
    return told->kind < EPMD_TOLD_KIND_COUNT && told->trouble < EPMD_TROUBLE_COUNT &&
           told->host < a->num_hosts && (told->addr.family == 4 || told->addr.family == 6);
}

static void take(struct epmd_asker *a, const struct epmd_told *told)
{
    const struct ds_text name = {told->name, told->name_len};
    switch ((enum epmd_told_kind)told->kind) {
    case EPMD_TOLD_NODE:
        note_name(&a->asked[told->host], told);
        a->config.on_node(a->config.context, &told->addr, told->port, name);
        break;
    case EPMD_TOLD_ALSO:
        a->config.on_node(a->config.context, &told->addr, told->port, name);
        break;
    case EPMD_TOLD_ANSWERED:
        say_answered(a, told);
        break;
    case EPMD_TOLD_FAILED:
        say_failed(a, told);
        break;
    case EPMD_TOLD_READY:
    case EPMD_TOLD_UNKNOWN_HOST:
    case EPMD_TOLD_KIND_COUNT:
        break;
    }
}

void epmd_asker_look(struct epmd_asker *a)
{
    struct epmd_told told;
    for (int i = 0; i < MOST_AT_ONCE && a->process.told_fd >= 0; i++) {
        const ssize_t len = read(a->process.told_fd, &told, sizeof told);
        if (len < 0)
            return; /* no more records */
        if (len == (ssize_t)sizeof told && is_sound(a, &told)) {
            take(a, &told);
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
    struct epmd_told told;
    if (!side_process_wait(&a->process))
        return true;
    if (read(a->process.told_fd, &told, sizeof told) != (ssize_t)sizeof told || told.host >= a->num_hosts)
        return false; /* it has printed the reason */
    if (told.kind == EPMD_TOLD_READY)
        return true;
    complain("--ask-epmd: %s: %s", a->hosts[told.host], gai_strerror(told.error));
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
