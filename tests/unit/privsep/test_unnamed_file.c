/*
 * test_unnamed_file.c - a file without a name can be written and read, and leaves nothing in its folder.
 */
#include "privsep/unnamed_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static unsigned num_names(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned num = 0;
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        num++;
    closedir(dir);
    return num;
}

static void is_nowhere(void **state)
{
    char folder[] = "/tmp/unnamedXXXXXX", byte = 0;
    struct stat status;
    (void)state;
    assert_non_null(mkdtemp(folder));
    const unsigned before = num_names(folder);
    const int fd = unnamed_file_open(folder);
    assert_true(fd >= 0);
    assert_int_equal(num_names(folder), before);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 'x');
    close(fd);
    assert_int_equal(rmdir(folder), 0);
    errno = 0;
    assert_int_equal(unnamed_file_open(folder), -1);
    assert_int_equal(errno, ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_nowhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
