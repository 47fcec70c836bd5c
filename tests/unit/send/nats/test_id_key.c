/*
 * test_id_key.c - the key for ids: valid key files, and the ids that a key gives.
 */
#include "send/nats/id_key.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/id_keyXXXXXX", path[64];

/* write_key makes a file of len bytes 'k', with that mode. */
static void write_key(size_t len, mode_t mode)
{
    unlink(path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(write(fd, "k", 1), 1);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void files(void **state)
{
    static const struct {
        size_t len;
        mode_t mode;
        bool is_key;
    } cases[] = {{16, 0600, true},    {15, 0600, false},   {0, 0600, false},  {4096, 0600, true},
                 {4097, 0600, false}, {32, 0400, true},    {32, 0640, false}, {32, 0604, false},
                 {32, 0620, false},   {32, 0601, false}};
    struct id_key key;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_key(cases[i].len, cases[i].mode);
        assert_int_equal(id_key_read(path, &key), cases[i].is_key);
        assert_int_equal(key.is_given, cases[i].is_key);
    }
    unlink(path);
    assert_false(id_key_read(path, &key)); /* no such file */
    assert_false(key.is_given);
    assert_false(id_key_read(folder, &key));
    assert_true(id_key_read(NULL, &key)); /* no key is wanted */
    assert_false(key.is_given);
}

/* The key is the output of: printf '%016d' 0 | tr 0 k | sha256sum. The ids are the first half of:
 * openssl dgst -sha256 -mac HMAC -macopt hexkey:KEY. */
static void ids(void **state)
{
    char out[SEND_MAX_ID + 1], again[SEND_MAX_ID + 1], long_id[SEND_MAX_ID + 1];
    struct id_key key, other;
    (void)state;
    write_key(16, 0600);
    assert_true(id_key_read(path, &key));
    assert_true(id_key_apply(&key, "m.10.0.0.1:4369>10.0.0.2:50000.77", out));
    assert_string_equal(out, "k.724b5dbb963ded33f46a14700118ed7f");
    assert_true(id_key_apply(&key, "m.10.0.0.1:4369>10.0.0.2:50000.77.part", again));
    assert_string_equal(again, "k.8938990a8d3fac3a80cef48b38d04281");
    write_key(17, 0600);
    assert_true(id_key_read(path, &other));
    assert_true(id_key_apply(&other, "m.10.0.0.1:4369>10.0.0.2:50000.77", again));
    assert_string_not_equal(out, again);
    memset(long_id, 'x', SEND_MAX_ID);
    long_id[SEND_MAX_ID] = '\0';
    assert_true(id_key_apply(&key, long_id, out));
    assert_int_equal(strlen(out), 2 + 32);
    key.is_given = false; /* ids stay as they are */
    assert_true(id_key_apply(&key, long_id, out));
    assert_string_equal(out, long_id);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(ids),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof path, "%s/key", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
