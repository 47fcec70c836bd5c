/*
 * test_tail_file.c - a file that is read while others write it: what is read when it grows, is
 * emptied, is replaced by another, or does not exist.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "files/tail_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/followed-XXXXXX";
static char name[64], other[64], taken[32768], rest[8192];

static void take(void *context, const char *bytes, size_t len, bool is_rest)
{
    (void)context;
    char *to = is_rest ? rest : taken + strlen(taken);
    memcpy(to, bytes, len);
    to[len] = '\0';
}

static void put(const char *to, const char *text, int flags)
{
    const int fd = open(to, O_WRONLY | O_CREAT | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* reads checks the result of one more look: whole lines, and the last without an end. */
static void reads(struct tail_file *file, const char *lines, const char *last)
{
    taken[0] = rest[0] = '\0';
    assert_int_equal(tail_file_look(file), 0);
    assert_true(tail_file_read(file, true, take, NULL));
    assert_string_equal(taken, lines);
    assert_string_equal(rest, last);
}

static struct tail_file opened(const char *text)
{
    struct tail_file file;
    unlink(name);
    put(name, text, 0);
    assert_true(tail_file_open(&file, name));
    return file;
}

static void test_grows(void **state)
{
    (void)state;
    struct tail_file file = opened("one\ntw");
    reads(&file, "one\n", "tw");
    reads(&file, "", "tw");
    put(name, "o\nthree\r", O_APPEND);
    reads(&file, "two\nthree\r", "");
    reads(&file, "", "");
    put(name, "\nfour\n", O_APPEND);
    reads(&file, "\nfour\n", "");
    tail_file_close(&file);
}

static void test_does_not_grow(void **state)
{
    (void)state;
    struct tail_file file = opened("one\ntw");
    taken[0] = rest[0] = '\0';
    assert_true(tail_file_read(&file, false, take, NULL));
    assert_string_equal(taken, "one\ntw");
    assert_string_equal(rest, "");
    tail_file_close(&file);
}

/* A line that is longer than the buffer is delivered in pieces, once. */
static void test_long_line(void **state)
{
    (void)state;
    static char text[10002];
    memset(text, 'x', 10000);
    struct tail_file file = opened(text);
    reads(&file, text + 10000 - 8192, text + 8192);
    put(name, "\n", O_APPEND);
    text[10000] = '\n';
    reads(&file, text + 8192, "");
    tail_file_close(&file);
}

static void test_emptied(void **state)
{
    (void)state;
    struct tail_file file = opened("one\ntwo\n");
    reads(&file, "one\ntwo\n", "");
    put(name, "", O_TRUNC);
    reads(&file, "", "");
    put(name, "three\n", 0);
    reads(&file, "three\n", "");
    /* The contents come again, and more: of the same length, or longer. */
    put(name, "other\n", O_TRUNC);
    reads(&file, "other\n", "");
    put(name, "fourth line\nfifth line\n", O_TRUNC);
    reads(&file, "fourth line\nfifth line\n", "");
    reads(&file, "", "");
    put(name, "sixth\n", O_APPEND);
    reads(&file, "sixth\n", "");
    tail_file_close(&file);
}

static void test_replaced(void **state)
{
    (void)state;
    struct tail_file file = opened("one\n");
    reads(&file, "one\n", "");
    /* Renamed, while its writer does not know yet. */
    assert_int_equal(rename(name, other), 0);
    reads(&file, "", "");
    put(other, "two\n", O_APPEND);
    reads(&file, "two\n", "");
    put(name, "three\n", 0);
    put(other, "four\n", O_APPEND);
    reads(&file, "four\nthree\n", "");
    put(other, "five\n", O_APPEND);
    put(name, "six\n", O_APPEND);
    reads(&file, "five\nsix\n", "");
    /* Another is put in its place at once. */
    put(other, "seven\n", O_TRUNC);
    assert_int_equal(rename(other, name), 0);
    reads(&file, "seven\n", "");
    assert_int_equal(unlink(name), 0);
    reads(&file, "", "");
    tail_file_close(&file);
}

/* A symbolic link works like its target, and may change its target. */
static void test_link(void **state)
{
    (void)state;
    unlink(name);
    put(other, "one\n", O_TRUNC);
    assert_int_equal(symlink(other, name), 0);
    struct tail_file file;
    assert_true(tail_file_open(&file, name));
    reads(&file, "one\n", "");
    unlink(name);
    unlink(other);
    put(other, "two\n", 0);
    assert_int_equal(symlink(other, name), 0);
    reads(&file, "two\n", "");
    tail_file_close(&file);
    unlink(other);
}

static void test_no_file(void **state)
{
    (void)state;
    struct tail_file file = opened("one\n");
    reads(&file, "one\n", "");
    unlink(name);
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_int_equal(tail_file_look(&file), ENOTSUP);
    reads(&file, "", ""); /* reported once */
    unlink(name);
    put(name, "two\n", 0);
    reads(&file, "two\n", "");
    unlink(name);
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_int_equal(tail_file_look(&file), ENOTSUP);
    tail_file_close(&file);
    /* Opening does not wait for a writer. */
    assert_false(tail_file_open(&file, name));
    assert_int_equal(errno, ENOTSUP);
    assert_false(tail_file_open(&file, folder));
    assert_int_equal(errno, ENOTSUP);
    unlink(name);
    assert_false(tail_file_open(&file, name));
    assert_int_equal(errno, ENOENT);
    tail_file_close(&file);
    file = (struct tail_file){.name = NULL};
    tail_file_close(&file);
}

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/log", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(name);
    unlink(other);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),        cmocka_unit_test(test_does_not_grow),
        cmocka_unit_test(test_long_line),    cmocka_unit_test(test_emptied),
        cmocka_unit_test(test_replaced),     cmocka_unit_test(test_link),
        cmocka_unit_test(test_no_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
