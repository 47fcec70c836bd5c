/*
 * test_send_spool.c - the file of a queue: the rights with which it is opened, and the processes
 * that have it.
 */
#include "privsep/side_process.h"
#include "send/sender.h"

#include <grp.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { SOMEBODY = 12345 };

static char folder[32];

static void make_folder(void)
{
    strcpy(folder, "/tmp/test_send_spool.XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    char name[64];
    snprintf(name, sizeof name, "%s/distsniff-X.spool", folder);
    (void)unlink(name);
    assert_int_equal(rmdir(folder), 0);
}

static struct send_spool_config config_of_folder(void)
{
    return (struct send_spool_config){.folder = folder, .name = "X", .size = 4096};
}

/* opens_as_somebody runs as a set-user-ID program of another user. It returns 0 if it got the file
 * and is root again, or the number of the failed check. */
static int opens_as_somebody(void)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        const struct send_spool_config config = config_of_folder();
        uint64_t num_left;
        int fd;
        struct stat file;
        if (setgroups(0, NULL) != 0 || setresgid(SOMEBODY, 0, 0) != 0 || setresuid(SOMEBODY, 0, 0) != 0)
            _exit(10);
        const struct send_queue *queue = send_spool_open(&config, &num_left, &fd);
        if (geteuid() != 0 || getegid() != 0)
            _exit(11);
        if (queue == NULL)
            _exit(1);
        _exit(fstat(fd, &file) == 0 && file.st_uid == SOMEBODY ? 0 : 12);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void it_is_the_matter_of_whoever_runs_it(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    make_folder();
    assert_int_equal(opens_as_somebody(), 1); /* the folder is root's */
    assert_int_equal(chown(folder, SOMEBODY, SOMEBODY), 0);
    assert_int_equal(opens_as_somebody(), 0);
    remove_folder();
}

/* has_it returns whether this process has the file of the queue, or its memory. */
static bool has_it(void)
{
    char line[512], target[256];
    bool has = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        has |= strstr(line, "distsniff-X.spool") != NULL;
    for (int fd = 0; fd < 64; fd++) {
        snprintf(line, sizeof line, "/proc/self/fd/%d", fd);
        const ssize_t len = readlink(line, target, sizeof target - 1);
        target[len > 0 ? len : 0] = '\0';
        has |= strstr(target, "distsniff-X.spool") != NULL;
    }
    return has || maps == NULL;
}

static bool is_ready(void *context)
{
    return has_it() == (context != NULL);
}

static void carry(void *context, struct send_queue *queue, int wake_fd)
{
    (void)context;
    while (wake_fd >= 0 && !atomic_load(&queue->shared->is_ending)) {
        struct pollfd wake = {wake_fd, POLLIN, 0};
        atomic_store(&queue->shared->is_asleep, true);
        if (poll(&wake, 1, 100) > 0)
            send_queue_wake(queue, &wake_fd);
    }
}

static void run(void *context, int wake_fd, int told_fd)
{
    (void)context;
    (void)wake_fd;
    _exit(write(told_fd, has_it() ? "1" : "0", 1) == 1 ? 0 : 1);
}

static void nobody_else_has_it(void **state)
{
    (void)state;
    make_folder();
    const struct send_spool_config spool = config_of_folder();
    struct sender one, other;
    struct side_process side;
    char said = '?';
    struct sender_config config = {.what = "one", .queue_option = "-", .queue_size = 4096, .spool = &spool,
                                   .rules = {.user = "root"}, .prepare = is_ready, .carry = carry,
                                   .context = folder};
    assert_true(sender_start(&one, &config));
    config.spool = NULL;
    config.context = NULL;
    assert_true(sender_start(&other, &config));
    assert_true(side_process_start(&side, run, NULL));
    assert_true(side_process_wait(&side));
    assert_int_equal(read(side.told_fd, &said, 1), 1);
    assert_int_equal(said, '0');
    side_process_end(&side);
    assert_true(has_it());
    sender_end(&other);
    sender_free(&other);
    sender_end(&one);
    sender_free(&one);
    assert_false(has_it());
    remove_folder();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); /* as the program does */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_matter_of_whoever_runs_it),
        cmocka_unit_test(nobody_else_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
