/*
 * file_helper.c - see file_helper.h.
 *
 * The two processes use a socket that preserves message boundaries. A request is a struct and a text, a
 * file's name or the input of a command. It is sent with write: the process that reads packets has no
 * system call that could send a descriptor (socket_calls.def). The answer is a struct, and a descriptor
 * if one was requested. There is one request at a time; the helper ends when the socket is closed.
 */
#include "privsep/file_helper.h"

#include "core/complain.h"
#include "core/signals.h"
#include "privsep/command.h"
#include "privsep/helper_user.h"
#include "privsep/own_fds.h"
#include "privsep/own_process.h"
#include "privsep/pass_fd.h"
#include "privsep/privileges.h"
#include "privsep/run_name.h"
#include "privsep/sandbox.h"
#include "privsep/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum helper_op {
    OP_OPEN,
    OP_TEMPORARY,
    OP_REMOVE,
    OP_REPLACE,
    OP_EXISTS,
    OP_MAY_CREATE,
    OP_SPAWN,
    OP_TELL,
    OP_WAIT
};

struct helper_request {
    int32_t op;
    int32_t how;   /* of OP_OPEN */
    int32_t pid;   /* of OP_WAIT */
    int32_t flags; /* of OP_WAIT */
    int32_t len;   /* of the text, without its NUL */
    char text[HELPER_TEXT_MAX + 1]; /* a file's name; of OP_TELL the input of the command */
};

struct answer {
    int32_t error; /* an errno value, 0: success */
    int32_t pid, status;
    struct open_trouble trouble;
};

static struct {
    const struct file_helper_config *config; /* NULL: there is no helper */
    int socket;
    pid_t pid;
    pthread_mutex_t lock;
} helper = {.socket = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

/* replace renames a file whose name ends in .new to the name without .new. */
static bool replace(const char *name)
{
    static const char suffix[] = ".new";
    char final[PATH_MAX];
    const size_t len = strlen(name), suffix_len = sizeof suffix - 1;
    if (len <= suffix_len || len >= sizeof final || strcmp(name + len - suffix_len, suffix) != 0) {
        errno = EINVAL;
        return false;
    }
    memcpy(final, name, len - suffix_len);
    final[len - suffix_len] = '\0';
    return rename(name, final) == 0;
}

/* tell runs a command with a text as its standard input. */
static int tell(const char *command, const struct helper_request *request, pid_t *pid)
{
    const int input = unnamed_file_open(P_tmpdir);
    const bool ok = input >= 0 && write(input, request->text, (size_t)request->len) == request->len &&
                    lseek(input, 0, SEEK_SET) == 0;
    const int error = ok ? command_spawn(command, NULL, input, pid) : errno;
    if (input >= 0)
        close(input);
    return error;
}

/* serve does what the helper does, or the process itself if there is no helper. Returns a descriptor,
 * or -1. */
static int serve(const struct helper_request *request, const char *command, struct answer *answer)
{
    int fd = -1;
    int status = 0;
    *answer = (struct answer){0};
    errno = 0;
    switch ((enum helper_op)request->op) {
    case OP_OPEN:
        fd = safe_open(request->text, (enum open_use)request->how, &answer->trouble);
        break;
    case OP_TEMPORARY:
        fd = unnamed_file_open(P_tmpdir);
        break;
    case OP_REMOVE:
        errno = safe_remove(request->text) ? 0 : errno;
        return fd;
    case OP_REPLACE:
        errno = replace(request->text) ? 0 : errno;
        return fd;
    case OP_EXISTS:
        errno = faccessat(AT_FDCWD, request->text, F_OK, AT_EACCESS) == 0 ? 0 : errno;
        return fd;
    case OP_MAY_CREATE:
        errno = safe_may_create(request->text) ? 0 : errno;
        return fd;
    case OP_SPAWN:
        errno = command_spawn(command, request->text, -1, &answer->pid);
        return fd;
    case OP_TELL:
        errno = tell(command, request, &answer->pid);
        return fd;
    case OP_WAIT:
        answer->pid = waitpid(request->pid, &status, request->flags);
        answer->status = status;
        break;
    }
    return fd;
}

/* In the helper */

/* use_allows says whether a request is allowed for files of that use. */
static bool use_allows(enum helper_use use, const struct helper_request *request)
{
#define HOW(how) (1u << OPEN_##how)
#define ACT(act) (1u << OP_##act)
    static const struct {
        unsigned hows, acts;
    } uses[] = {
#define USE(name, hows, acts) [HELPER_##name] = {hows, acts},
#include "privsep/helper_uses.def"
#undef USE
    };
#undef HOW
#undef ACT
    const bool opens = request->op == OP_OPEN;
    const int32_t asked = opens ? request->how : request->op;
    return asked >= 0 && asked < 32 && ((opens ? uses[use].hows : uses[use].acts) >> asked & 1) != 0;
}

/* find_file returns the file that allows a request; NULL if none does. */
static const struct helper_file *find_file(const struct file_helper_config *config,
                                           const struct helper_request *request)
{
    for (size_t i = 0; i < config->num_files; i++) {
        const struct helper_file *file = &config->files[i];
        if (use_allows(file->use, request) &&
            (strcmp(file->name, request->text) == 0 ||
             (file->use == HELPER_LATER && run_name_fits(file->name, request->text))))
            return file;
    }
    return NULL;
}

static int serve_allowed(const struct file_helper_config *config, const struct helper_user *user,
                         const struct helper_request *request, struct answer *answer)
{
    const bool has_name = request->op != OP_TEMPORARY && request->op != OP_WAIT && request->op != OP_TELL;
    const struct helper_file *file = has_name ? find_file(config, request) : NULL;
    const char *command = request->op == OP_TELL ? config->told : config->command;
    const bool spawns = request->op == OP_SPAWN || request->op == OP_TELL;
    *answer = (struct answer){0};
    if ((has_name && file == NULL) || (spawns && command == NULL)) {
        snprintf(answer->trouble.text, sizeof answer->trouble.text, "%.*s is not a file of this run",
                 PATH_MAX - 1, has_name ? request->text : "that");
        answer->error = answer->trouble.error = EPERM;
        return -1;
    }
    const bool is_users = spawns || (file != NULL && file->use == HELPER_LATER);
    const bool became = is_users && helper_user_become(user, has_name ? request->text : NULL);
    if (request->op == OP_TELL && user->is_another && !became) {
        answer->error = EPERM; /* root never runs it instead */
        return -1;
    }
    const int fd = serve(request, command, answer);
    answer->error = errno;
    if (became && !helper_user_return()) {
        if (fd >= 0)
            close(fd);
        _exit(EXIT_FAILURE);
    }
    return fd;
}

static bool runs_commands(const struct file_helper_config *config)
{
    return config->command != NULL || config->told != NULL;
}

/* receive_request reads a request, and checks its length. */
static bool receive_request(int socket, struct helper_request *request)
{
    ssize_t len;
    do
        len = recv(socket, request, sizeof *request, 0);
    while (len < 0 && errno == EINTR);
    const ssize_t head = (ssize_t)offsetof(struct helper_request, text);
    if (len < head || request->len < 0 || request->len != len - head || request->len > HELPER_TEXT_MAX)
        return false;
    request->text[request->len] = '\0';
    return true;
}

static _Noreturn void run_helper(const struct file_helper_config *config, int socket)
{
    struct helper_user user;
    struct helper_request request;
    signals_ignore_all();
    own_fds_close();
    if (!privileges_return())
        _exit(EXIT_FAILURE);
    helper_user_find(&user, config->user);
    if (!privileges_keep_for_files(runs_commands(config)))
        _exit(EXIT_FAILURE);
    (void)own_process_gain_nothing();
    if (config->is_confined && !runs_commands(config))
        sandbox_confine_helper(config->files, config->num_files);
    for (;;) {
        struct answer answer;
        if (!receive_request(socket, &request))
            _exit(EXIT_SUCCESS);
        const int fd = serve_allowed(config, &user, &request, &answer);
        const bool sent = pass_fd_send(socket, &answer, sizeof answer, fd);
        if (fd >= 0)
            close(fd);
        if (!sent)
            _exit(EXIT_SUCCESS);
    }
}

/* In the process that reads packets */

bool file_helper_start(const struct file_helper_config *config)
{
    int sockets[2];
    if (config->num_files == 0 && !config->has_temporary && !runs_commands(config))
        return true;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        complain("cannot start the file helper process: %s", strerror(errno));
        return false;
    }
    fflush(NULL); /* otherwise both would write the buffer */
    helper.pid = fork();
    if (helper.pid == 0) {
        close(sockets[0]);
        run_helper(config, sockets[1]);
    }
    close(sockets[1]);
    if (helper.pid < 0) {
        complain("cannot start the file helper process: %s", strerror(errno));
        close(sockets[0]);
        return false;
    }
    helper.socket = sockets[0];
    helper.config = config;
    return true;
}

void file_helper_stop(void)
{
    if (helper.config == NULL)
        return;
    close(helper.socket);
    while (waitpid(helper.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    helper.config = NULL;
}

void file_helper_forget(void)
{
    if (helper.config != NULL)
        close(helper.socket);
    helper.config = NULL;
}

/* receive reads the answer. Returns false if the helper has ended. */
static bool receive(struct answer *answer, int *fd)
{
    bool received;
    do
        received = pass_fd_receive(helper.socket, answer, sizeof *answer, fd);
    while (!received && errno == EINTR);
    return received;
}

/* ask sends a request, and returns a descriptor or -1; errno is the helper's. */
static int ask(const struct helper_request *request, const char *command, struct answer *answer)
{
    const size_t sent_len = offsetof(struct helper_request, text) + (size_t)request->len;
    int fd;
    if (helper.config == NULL) {
        fd = serve(request, command, answer);
        answer->error = errno;
        return fd;
    }
    pthread_mutex_lock(&helper.lock);
    const bool done =
        write(helper.socket, request, sent_len) >= 0 && receive(answer, &fd);
    pthread_mutex_unlock(&helper.lock);
    if (!done) {
        *answer = (struct answer){.error = EPIPE, .pid = -1};
        snprintf(answer->trouble.text, sizeof answer->trouble.text,
                 "cannot open %.*s: the file helper process has exited", PATH_MAX - 1,
                 request->text);
        answer->trouble.error = EPIPE;
        fd = -1;
    }
    errno = answer->error;
    return fd;
}

static void make_request(struct helper_request *request, enum helper_op op, struct ds_text text)
{
    request->op = (int32_t)op;
    request->how = request->pid = request->flags = 0;
    request->len = (int32_t)text.len;
    memcpy(request->text, text.data, text.len);
    request->text[text.len] = '\0';
}

static bool make_request_for(struct helper_request *request, enum helper_op op, const char *name)
{
    const size_t len = strlen(name);
    errno = ENAMETOOLONG;
    if (len >= PATH_MAX)
        return false;
    make_request(request, op, (struct ds_text){name, len});
    return true;
}

int file_helper_open(const char *name, enum open_use how, struct open_trouble *trouble)
{
    struct helper_request request;
    struct answer answer;
    *trouble = (struct open_trouble){.error = ENAMETOOLONG};
    if (!make_request_for(&request, OP_OPEN, name))
        return -1;
    request.how = (int32_t)how;
    const int fd = ask(&request, NULL, &answer);
    *trouble = answer.trouble;
    errno = trouble->error;
    return fd;
}

/* wait_for_writer waits for the other end of a FIFO in this process, where a signal can interrupt it;
 * the helper must not block. */
static bool wait_for_writer(int fd)
{
    struct stat status;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
        return true;
    int num;
    do /* a signal that came just before this has interrupted nothing */
        num = poll(&poll_fd, 1, 100);
    while ((num == 0 || (num < 0 && errno == EINTR)) && !stop_may_be_wanted());
    if (num == 0)
        errno = EINTR;
    return num > 0;
}

FILE *file_helper_fopen(const char *name)
{
    struct open_trouble trouble;
    const int fd = file_helper_open(name, OPEN_READ, &trouble);
    FILE *file = fd >= 0 && wait_for_writer(fd) ? fdopen(fd, "r") : NULL;
    if (file == NULL && fd >= 0) {
        const int error = errno;
        close(fd);
        errno = error;
    }
    return file;
}

FILE *file_helper_temporary(void)
{
    struct helper_request request;
    struct answer answer;
    if (!make_request_for(&request, OP_TEMPORARY, ""))
        return NULL;
    const int fd = ask(&request, NULL, &answer);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0)
        close(fd);
    return file;
}

static bool ask_about(enum helper_op op, const char *name)
{
    struct helper_request request;
    struct answer answer;
    if (!make_request_for(&request, op, name))
        return false;
    (void)ask(&request, NULL, &answer);
    return errno == 0;
}

bool file_helper_replace(const char *name)
{
    return ask_about(OP_REPLACE, name);
}

bool file_helper_remove(const char *name)
{
    return ask_about(OP_REMOVE, name);
}

bool file_helper_exists(const char *name)
{
    return ask_about(OP_EXISTS, name);
}

bool file_helper_may_create(const char *name)
{
    return ask_about(OP_MAY_CREATE, name);
}

int file_helper_spawn(const char *command, const char *name, pid_t *pid)
{
    struct helper_request request;
    struct answer answer;
    if (!make_request_for(&request, OP_SPAWN, name))
        return errno;
    (void)ask(&request, command, &answer);
    const int error = errno;
    *pid = answer.pid;
    return error;
}

int file_helper_spawn_with(const char *command, struct ds_text text, pid_t *pid)
{
    struct helper_request request;
    struct answer answer;
    if (text.len > HELPER_TEXT_MAX)
        return EMSGSIZE;
    make_request(&request, OP_TELL, text);
    (void)ask(&request, command, &answer);
    const int error = errno;
    *pid = answer.pid;
    return error;
}

pid_t file_helper_wait(pid_t pid, int *status, int flags)
{
    struct helper_request request;
    struct answer answer;
    (void)make_request_for(&request, OP_WAIT, "");
    request.pid = pid;
    request.flags = flags;
    (void)ask(&request, NULL, &answer);
    *status = answer.status;
    return answer.pid;
}
