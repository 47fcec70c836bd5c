/*
 * mcp_run.c - see mcp_run.h.
 */
#include "app/run/mcp_run.h"

#include "app/options/option_conflicts.h"
#include "app/options/option_line.h"
#include "app/run/sniff.h"
#include "core/complain.h"
#include "core/random_bytes.h"
#include "core/signals.h"
#include "privsep/privileges.h"
#include "redact/pseudonym.h"
#include "ui/mcp/mcp_serve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct runner {
    const struct options *options;
    mcp_program *program;
    struct mcp_rules rules;
    int ask[2], answer[2],
        error[2];     /* [0] is this process's end of ask, and the serving process's end of the
                       * pipes */
    pid_t front, run; /* 0: none */
    uint8_t own_key[PSEUDONYM_KEY_LEN];
    const uint8_t *key; /* own_key; NULL: the user gave one */
};

/* words is a growing command line. */
struct words {
    char **word;
    size_t num, cap;
    bool failed;
};

static void add_word(struct words *w, char *word)
{
    if (w->num + 1 >= w->cap) {
        const size_t cap = 2 * w->cap + 16;
        char **more = reallocarray(w->word, cap, sizeof *more);
        if (more == NULL)
            free(word);
        w->failed |= more == NULL;
        if (more == NULL)
            return;
        w->word = more;
        w->cap = cap;
    }
    w->failed |= word == NULL;
    w->word[w->num++] = word;
    w->word[w->num] = NULL;
}

static void add_option(struct words *w, const char *name, const char *value)
{
    char *word = NULL;
    if (value == NULL ? asprintf(&word, "--%s", name) < 0
                      : asprintf(&word, "--%s=%s", name, value) < 0)
        word = NULL;
    add_word(w, word);
}

/* add_own adds the user's options: where packets come from, how they are read, what is private. */
static void add_own(struct words *w, const struct options *o, bool compares)
{
    for (size_t i = 0; i < o->num_given; i++) {
        const char *name = o->given[i].line->name;
        if (strcmp(name, "mcp") != 0 && strcmp(name, "config") != 0 &&
            (compares || strcmp(name, "compare") != 0))
            add_option(w, name, o->given[i].value);
    }
    for (int i = 0; i < DS_LIMIT_COUNT; i++) {
        char name[48], value[24];
        snprintf(name, sizeof name, "max-%s", ds_limit_name((enum ds_limit)i));
        snprintf(value, sizeof value, "%" PRIu64, o->config.limits[i]);
        add_option(w, name, value);
    }
}

/* make_line makes the command line for a question. */
static void make_line(const struct runner *r, const struct mcp_question *q, struct words *w)
{
    const struct options *o = r->options;
    const struct mcp_tool_kind *tool = &mcp_tools[q->tool];
    add_word(w, strdup(o->argv[0]));
    add_own(w, o, q->tool == MCP_TOOL_compare);
    if (!r->rules.plain && o->redact.what == 0)
        add_option(w, "redact", "all");
    for (const char *at = tool->options; *at != '\0';) {
        const size_t len = strcspn(at, " ");
        add_word(w, strndup(at, len));
        at += len + (at[len] == ' ');
    }
    for (int i = 0; i < MCP_ARGUMENT_COUNT; i++) {
        if (q->value[i] != NULL && mcp_arguments[i].option[0] != '\0')
            add_option(w, mcp_arguments[i].option, q->value[i]);
    }
    if (o->follow.expression != NULL) {
        add_word(w, strdup("--"));
        add_word(w, strdup(o->follow.expression));
    }
}

/* answer runs a question in its own process, which it ends. */
static _Noreturn void answer(const struct runner *r, const struct mcp_question *q)
{
    struct words line = {0};
    const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
    make_line(r, q, &line);
    if (line.failed || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 ||
        dup2(r->answer[1], STDOUT_FILENO) < 0 || dup2(r->error[1], STDERR_FILENO) < 0)
        _exit(STATUS_TROUBLE);
    close(r->ask[0]);
    const int status = r->program((int)line.num, line.word, r->key);
    _exit(fflush(stdout) == 0 ? status : STATUS_TROUBLE);
}

static void say_done(const struct runner *r, int32_t status)
{
    char bytes[1 + sizeof status] = {MCP_DONE};
    memcpy(bytes + 1, &status, sizeof status);
    (void)!write(r->ask[0], bytes, sizeof bytes);
}

/* accept_word reads a message of the serving process. False: it has ended, or sent an invalid one. */
static bool accept_word(struct runner *r)
{
    static char bytes[1 + MCP_QUESTION_MAX];
    struct mcp_question q;
    const ssize_t len = read(r->ask[0], bytes, sizeof bytes);
    if (len < 0 && errno == EINTR)
        return true;
    if (len <= 0)
        return false;
    if (bytes[0] == MCP_CANCEL) {
        if (r->run != 0)
            kill(-r->run, SIGKILL);
        return true;
    }
    if (bytes[0] != MCP_ASK || r->run != 0 ||
        !mcp_question_unpack(bytes + 1, (size_t)len - 1, &q) ||
        mcp_question_check(&r->rules, &q) != NULL)
        return false;
    r->run = fork();
    if (r->run == 0) {
        setpgid(0, 0);
        answer(r, &q);
    }
    if (r->run < 0) {
        r->run = 0;
        say_done(r, STATUS_TROUBLE);
    } else {
        setpgid(r->run, r->run);
    }
    return true;
}

/* look_for_end detects the end of the run. */
static void look_for_end(struct runner *r)
{
    int status;
    if (r->run == 0 || waitpid(r->run, &status, WNOHANG) != r->run)
        return;
    kill(-r->run, SIGKILL); /* the processes that it left behind */
    r->run = 0;
    say_done(r, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* serve is the serving process; it ends the process. */
static _Noreturn void serve(struct runner *r)
{
    const struct sandbox_config sandbox = {.wish = r->options->sandbox,
                                           .says_so = r->options->output.verbose > 0};
    const struct mcp_serve_config config = {
        .rules = r->rules, .ask_fd = r->ask[1], .answer_fd = r->answer[0], .error_fd = r->error[0]};
    close(r->ask[0]);
    close(r->answer[1]);
    close(r->error[1]);
    explicit_bzero(r->own_key, sizeof r->own_key); /* this process parses input from others, and
                                                    * needs no key */
    const bool ok = privileges_return() && privileges_drop(r->options->keep.user) &&
                    sandbox_enter(&sandbox) && mcp_serve(&config);
    _exit(ok ? STATUS_OK : STATUS_TROUBLE);
}

static bool open_ways(struct runner *r)
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, r->ask) == 0 &&
        pipe2(r->answer, O_CLOEXEC) == 0 && pipe2(r->error, O_CLOEXEC) == 0)
        return true;
    complain("cannot begin to serve an assistant: %s", strerror(errno));
    return false;
}

int mcp_run(const struct options *options, mcp_program *program)
{
    enum { LOOK_MS = 5 };
    struct runner r = {
        .options = options,
        .program = program,
        .rules = {.plain = options->mcp_plain, .compares = options->compare.file != NULL}};
    if (!open_ways(&r))
        return STATUS_TROUBLE;
    if (options->redact.key_file == NULL && !random_bytes(r.own_key, sizeof r.own_key)) {
        complain("cannot make a random key: %s: give a key with --redact-key-file",
                 strerror(errno));
        return STATUS_TROUBLE;
    }
    r.key = options->redact.key_file == NULL ? r.own_key : NULL;
    r.front = fork();
    if (r.front == 0)
        serve(&r);
    close(r.ask[1]);
    close(r.answer[0]);
    close(r.error[0]);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (r.front < 0 || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 ||
        dup2(nowhere, STDOUT_FILENO) < 0) {
        complain("cannot begin to serve an assistant: %s", strerror(errno));
        return STATUS_TROUBLE;
    }
    struct pollfd fd = {.fd = r.ask[0], .events = POLLIN};
    signals_install(false); /* a run in progress ends with this process */
    for (bool goes_on = true; goes_on && !stop_wanted;) {
        const int num = poll(&fd, 1, r.run != 0 ? LOOK_MS : -1);
        if (num > 0)
            goes_on = accept_word(&r);
        look_for_end(&r);
    }
    int status = 0;
    if (r.run != 0)
        kill(-r.run, SIGKILL);
    while (waitpid(r.front, &status, 0) < 0 && errno == EINTR)
        continue;
    explicit_bzero(r.own_key, sizeof r.own_key);
    return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_TROUBLE;
}
