/*
 * test_file_helper.c - the process that opens files gets every request for a file of each use: it
 * does what that use allows, and nothing else.
 */
#include "privsep/file_helper.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum epmd_lookup { READS, WRITES, NEW, NEW_SHARED, SCRIPT, UPDATES, EXISTS, MAY_CREATE, REMOVES,
                  REPLACES, NUM_ASKED };

static const struct {
    const char *name;
    enum helper_use use;
    const char *allowed; /* in the order above; x: it is done */
} kinds[] = {
    {"read", HELPER_READ, "x........."},   {"follow", HELPER_FOLLOW, "x........."},
    {"write", HELPER_WRITE, ".x....xx.."}, {"script", HELPER_SCRIPT, ".x..x....."},
    {"keep", HELPER_KEEP, "..x.....x."},   {"update", HELPER_UPDATE, ".....x..x."},
    {"a.new", HELPER_RENEW, "..xx..xxxx"}, {"later", HELPER_LATER, ".xx...xx.."},
    {NULL, 0, ".........."}, /* a file that this run does not use */
};
enum { NUM_KINDS = sizeof kinds / sizeof kinds[0] };

static void put(const char *name)
{
    const int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_int_equal(write(fd, "kept", 4), 4);
    close(fd);
}

static bool holds(const char *name)
{
    char text[8];
    const int fd = open(name, O_RDONLY);
    const bool ok = fd >= 0 && read(fd, text, sizeof text) == 4 && memcmp(text, "kept", 4) == 0;
    close(fd);
    return ok;
}

/* opens requests a descriptor, and checks that it allows what was requested and nothing else. */
static bool opens(const char *name, enum open_use how)
{
    struct open_trouble trouble;
    const int fd = file_helper_open(name, how, &trouble);
    if (fd >= 0) {
        const int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
        assert_int_equal(mode, how == OPEN_READ ? O_RDONLY : how == OPEN_UPDATE ? O_RDWR : O_WRONLY);
        close(fd);
    }
    errno = trouble.error;
    return fd >= 0;
}

static bool is_done(const char *name, enum epmd_lookup asked)
{
    static const enum open_use hows[] = {OPEN_READ, OPEN_WRITE, OPEN_NEW,
                                         OPEN_NEW_SHARED, OPEN_SCRIPT, OPEN_UPDATE};
    switch (asked) {
    case EXISTS:
        return file_helper_exists(name);
    case MAY_CREATE:
        return file_helper_may_create(name);
    case REMOVES:
        return file_helper_remove(name);
    case REPLACES:
        return file_helper_replace(name);
    default:
        return opens(name, hows[asked]);
    }
}

static void each_use_has_its_own_requests(void **state)
{
    (void)state;
    char folder[] = "/tmp/distsniff-helper-XXXXXX";
    struct helper_file files[NUM_KINDS - 1];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i + 1 < NUM_KINDS; i++)
        files[i] = (struct helper_file){kinds[i].name, kinds[i].use};
    const struct file_helper_config config = {.files = files, .num_files = NUM_KINDS - 1};
    assert_true(file_helper_start(&config));
    for (size_t i = 0; i < NUM_KINDS; i++) {
        const char *name = kinds[i].name != NULL ? kinds[i].name : "other.new";
        for (int asked = 0; asked < NUM_ASKED; asked++) {
            const bool is_allowed = kinds[i].allowed[asked] == 'x';
            put(name);
            if (is_allowed && (asked == NEW || asked == NEW_SHARED))
                unlink(name);
            errno = 0;
            const bool done = is_done(name, (enum epmd_lookup)asked);
            if (done != is_allowed || (!done && errno != EPERM))
                fail_msg("%s, %d: %d, %s", name, asked, done, strerror(errno));
            if (!is_allowed)
                assert_true(holds(name));
        }
        assert_false(opens(name, (enum open_use)77)); /* no such way to open */
        assert_false(opens(name, (enum open_use)-1));
        assert_int_equal(errno, EPERM);
        unlink(name);
    }
    pid_t pid;
    assert_int_equal(file_helper_spawn("true", "write", &pid), EPERM); /* this run has no command */
    assert_int_equal(file_helper_spawn_with("true", (struct ds_text){"{}", 2}, &pid), EPERM); /* nor another */
    file_helper_stop();
    unlink("a");
    unlink("other");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* The text becomes the command's standard input, whole, up to its cap; the command is the one that
 * the run names. */
static void a_command_is_told_a_text(void **state)
{
    (void)state;
    static char text[HELPER_TEXT_MAX + 1];
    static const size_t lens[] = {0, 1, HELPER_TEXT_MAX};
    char folder[] = "/tmp/distsniff-helper-XXXXXX", command[64];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    snprintf(command, sizeof command, "%s/takes", folder);
    FILE *script = fopen(command, "w");
    fputs("#!/bin/sh\nexit $(($(wc -c) % 251))\n", script);
    fclose(script);
    assert_int_equal(chmod(command, 0755), 0);
    const struct file_helper_config config = {.told = command};
    assert_true(file_helper_start(&config));
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        pid_t pid = 0;
        int status = 0;
        assert_int_equal(file_helper_spawn_with("false", (struct ds_text){text, lens[i]}, &pid), 0);
        assert_int_equal(file_helper_wait(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), lens[i] % 251);
    }
    pid_t pid;
    assert_int_equal(file_helper_spawn_with("false", (struct ds_text){text, sizeof text}, &pid), EMSGSIZE);
    assert_int_equal(file_helper_spawn("true", "takes", &pid), EPERM); /* this run has no command for -z */
    file_helper_stop();
    unlink(command);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_use_has_its_own_requests),
        cmocka_unit_test(a_command_is_told_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
