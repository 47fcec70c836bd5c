/*
 * test_safe_open.c - which links are followed on the way to a file, whose files are written, and
 * that a checked file cannot be exchanged for another.
 */
#include "privsep/folder_entry.h"
#include "privsep/safe_open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { NOBODY = 65534 };

static char folder[] = "/tmp/distsniff-open-XXXXXX";
static struct open_trouble trouble;

static const char *in_folder(const char *name)
{
    static char names[4][PATH_MAX];
    static unsigned next;
    next = (next + 1) % 4;
    snprintf(names[next], sizeof names[next], "%s/%s", folder, name);
    return names[next];
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    if (mkdtemp(folder) == NULL || mkdir(in_folder("own"), 0700) != 0 ||
        mkdir(in_folder("shared"), 0700) != 0)
        return -1;
    return chmod(in_folder("shared"), 0777);
}

static int remove_folder(void **state)
{
    char command[PATH_MAX];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void make_link(const char *target, const char *name)
{
    assert_int_equal(symlink(target, in_folder(name)), 0);
}

static bool opens(const char *name, enum open_use how)
{
    const int fd = safe_open(in_folder(name), how, &trouble);
    if (fd < 0)
        return false;
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    return true;
}

static bool is_there(const char *name)
{
    struct stat status;
    return lstat(in_folder(name), &status) == 0;
}

static void links_of_an_own_folder_are_followed(void **state)
{
    (void)state;
    make_link("there", "own/relative");
    make_link(in_folder("own/far"), "own/absolute");
    make_link("../own", "own/back");
    make_link("back", "own/again");
    assert_true(opens("own/relative", OPEN_WRITE));
    assert_true(is_there("own/there"));
    assert_true(opens("own/absolute", OPEN_WRITE));
    assert_true(is_there("own/far"));
    assert_true(opens("own/again/back/deep", OPEN_WRITE));
    assert_true(is_there("own/deep"));
    make_link("nowhere", "own/new");
    assert_false(opens("own/new", OPEN_NEW)); /* it would create the target */
    assert_int_equal(trouble.error, EEXIST);
    assert_false(is_there("own/nowhere"));
}

static void links_without_end_are_not(void **state)
{
    char name[32], target[32];
    (void)state;
    make_link("loop", "own/loop");
    assert_false(opens("own/loop", OPEN_WRITE));
    assert_int_equal(trouble.error, ELOOP);
    for (int i = 0; i < 41; i++) {
        snprintf(name, sizeof name, "own/link%d", i);
        snprintf(target, sizeof target, i == 0 ? "end" : "link%d", i - 1);
        make_link(target, name);
    }
    assert_true(opens("own/link39", OPEN_WRITE)); /* 40 of them */
    assert_false(opens("own/link40", OPEN_WRITE));
    assert_int_equal(trouble.error, ELOOP);
}

static void what_is_no_folder_ends_the_way(void **state)
{
    (void)state;
    assert_true(opens("own/file", OPEN_WRITE));
    assert_false(opens("own/file/more", OPEN_WRITE));
    assert_int_equal(trouble.error, ENOTDIR);
    assert_false(opens("none/more", OPEN_WRITE));
    assert_int_equal(trouble.error, ENOENT);
    make_link("file", "own/link");
    assert_false(opens("own/link/more", OPEN_WRITE));
    assert_int_equal(trouble.error, ENOTDIR);
}

static void no_link_is_the_end_in_a_shared_folder(void **state)
{
    (void)state;
    make_link("there", "shared/link");
    assert_false(opens("shared/link", OPEN_WRITE));
    assert_int_equal(trouble.error, ELOOP);
    assert_non_null(strstr(trouble.text, "is a symbolic link"));
    assert_false(is_there("shared/there"));
    assert_true(opens("shared/plain", OPEN_WRITE));
    assert_int_equal(link(in_folder("shared/plain"), in_folder("shared/other")), 0);
    assert_false(opens("shared/plain", OPEN_WRITE));
    assert_non_null(strstr(trouble.text, "second hard link"));
    make_link("../own", "shared/way"); /* one of our links, on the way */
    assert_true(opens("shared/way/file", OPEN_WRITE));
    assert_true(is_there("own/file"));
}

static void no_link_of_others_is_followed_there(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    make_link("../own", "shared/way");
    assert_int_equal(lchown(in_folder("shared/way"), NOBODY, NOBODY), 0);
    assert_false(opens("shared/way/file", OPEN_WRITE));
    assert_non_null(strstr(trouble.text, "way is a symbolic link"));
    assert_false(is_there("own/file"));
    assert_true(opens("shared/file", OPEN_WRITE));
    assert_int_equal(chown(in_folder("shared/file"), NOBODY, NOBODY), 0);
    assert_false(opens("shared/file", OPEN_WRITE));
    assert_non_null(strstr(trouble.text, "belongs to another user"));
    assert_int_equal(mkdir(in_folder("theirs"), 0700), 0);
    assert_int_equal(chown(in_folder("theirs"), NOBODY, NOBODY), 0);
    make_link("there", "theirs/link");
    assert_false(opens("theirs/link", OPEN_WRITE)); /* they may exchange it */
}

static void what_may_be_created(void **state)
{
    (void)state;
    assert_true(safe_may_create(in_folder("own/new")));
    assert_false(safe_may_create(in_folder("none/new")));
    assert_false(safe_may_create(in_folder("own/new/new")));
    assert_true(opens("own/new", OPEN_NEW));
    assert_true(safe_may_create(in_folder("own/new")));
    assert_true(safe_remove(in_folder("own/new")));
    assert_false(is_there("own/new"));
}

/* may_create tries as a user who is not root. */
static bool may_create(const char *name)
{
    const bool is_root = geteuid() == 0;
    assert_true(!is_root || seteuid(NOBODY) == 0);
    const bool may = safe_may_create(in_folder(name));
    assert_true(!is_root || seteuid(0) == 0);
    return may;
}

static void what_rights_allow_may_be(void **state)
{
    (void)state;
    assert_true(opens("own/file", OPEN_NEW));
    assert_int_equal(chmod(in_folder("own/file"), 0444), 0);
    assert_int_equal(chmod(in_folder("own"), 0777), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_false(may_create("own/file"));
    assert_true(may_create("own/new"));
    assert_int_equal(chmod(in_folder("own/file"), 0666), 0);
    assert_int_equal(chmod(in_folder("own"), 0555), 0);
    assert_true(may_create("own/file"));
    assert_false(may_create("own/new"));
    assert_int_equal(chmod(in_folder("own"), 0700), 0);
}

/* exchange swaps the files of two names. */
static void exchange(const char *name, const char *other)
{
    assert_int_equal(rename(in_folder(name), in_folder("own/aside")), 0);
    assert_int_equal(rename(in_folder(other), in_folder(name)), 0);
    assert_int_equal(rename(in_folder("own/aside"), in_folder(other)), 0);
}

static void what_was_looked_at_is_gone_through(void **state)
{
    struct folder_entry entry;
    struct stat before, after;
    char text[64];
    (void)state;
    const int own = folder_open(in_folder("own"));
    assert_true(own >= 0);
    make_link("good", "own/link");
    make_link("evil", "own/bad");
    assert_true(folder_look(own, "link", &entry));
    assert_int_equal(folder_read_link(own, "link", &entry, text, sizeof text), 4);
    assert_memory_equal(text, "good", 4);
    exchange("own/link", "own/bad");
    const ssize_t len = folder_read_link(own, "link", &entry, text, sizeof text);
    assert_true(len < 0 ? errno == ELOOP : len == 4 && memcmp(text, "good", 4) == 0);
    folder_let_go(&entry);

    assert_int_equal(mkdir(in_folder("own/good"), 0700), 0);
    assert_int_equal(mkdir(in_folder("own/evil"), 0700), 0);
    assert_true(folder_look(own, "good", &entry));
    before = entry.status;
    exchange("own/good", "own/evil");
    int fd = folder_enter(own, "good", &entry);
    assert_true(fd >= 0 ? fstat(fd, &after) == 0 && after.st_ino == before.st_ino : errno == ELOOP);
    if (fd >= 0)
        close(fd);
    exchange("own/good", "own/evil");
    fd = folder_enter(own, "good", &entry);
    assert_true(fd >= 0 && fstat(fd, &after) == 0 && after.st_ino == before.st_ino);
    close(fd);
    exchange("own/good", "own/link"); /* it is a link now */
    fd = folder_enter(own, "good", &entry);
    assert_true(fd < 0 || (fstat(fd, &after) == 0 && after.st_ino == before.st_ino));
    if (fd >= 0)
        close(fd);
    folder_let_go(&entry);
    close(own);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(links_of_an_own_folder_are_followed),
        IN_FOLDER(links_without_end_are_not),
        IN_FOLDER(what_is_no_folder_ends_the_way),
        IN_FOLDER(no_link_is_the_end_in_a_shared_folder),
        IN_FOLDER(no_link_of_others_is_followed_there),
        IN_FOLDER(what_may_be_created),
        IN_FOLDER(what_rights_allow_may_be),
        IN_FOLDER(what_was_looked_at_is_gone_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
