/*
 * test_keys_found.c - what distsniff-keys writes of calls: each key once, with its cipher. And where a function is in a file, whatever the file says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_alloc.h"
#include "found.h"
#include "symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
    struct found *found;
    FILE *out;
    char *text;
    size_t len;
};

static void begin(struct world *w)
{
    *w = (struct world){0};
    w->out = open_memstream(&w->text, &w->len);
    w->found = found_new(w->out);
    assert_non_null(w->found);
}

static void end(struct world *w)
{
    found_free(w->found);
    fclose(w->out);
    free(w->text);
}

static void call(struct world *w, pid_t pid, int nid, bool encrypts, uint8_t key, uint8_t iv)
{
    struct probe_call call = {.has_key = true, .nid = nid, .encrypts = encrypts};
    memset(call.key, key, sizeof call.key);
    memset(call.iv, iv, sizeof call.iv);
    found_on_call(w->found, pid, &call);
}

static void each_key_is_written_once(void **state)
{
    const struct probe_call without = {.nid = 901};
    struct world w;
    (void)state;
    begin(&w);
    found_on_call(w.found, 7, &without);
    call(&w, 7, 0, true, 1, 1);
    assert_int_equal(w.len, 0);
    call(&w, 7, 901, true, 0xab, 0x12);
    call(&w, 7, 901, true, 0xab, 0x13);
    assert_string_equal(w.text, "# process 7 encrypts with AES-256-GCM\n"
                                "DISTSNIFF_WRITE_KEY_4866 121212121212121212121212 "
                                "abababababababababababababababababababababababababababababababab\n");
    assert_int_equal(found_num_written(w.found), 1);
    /* The other end has the same one. */
    call(&w, 8, 901, false, 0xab, 0x14);
    call(&w, 8, 901, false, 0xab, 0x15);
    assert_int_equal(found_num_written(w.found), 1);
    assert_int_equal(found_num(w.found, 7, true), 1);
    assert_int_equal(found_num(w.found, 7, false), 0);
    assert_int_equal(found_num(w.found, 8, false), 1);
    assert_false(found_is_failed(w.found));
    end(&w);
}

static void a_file_that_is_full_is_said(void **state)
{
    struct world w = {.out = fopen("/dev/full", "w")};
    (void)state;
    assert_non_null(w.out);
    w.found = found_new(w.out);
    assert_non_null(w.found);
    call(&w, 7, 901, true, 1, 1);
    assert_true(found_is_failed(w.found));
    found_free(w.found);
    fclose(w.out);
}

static void a_cipher_says_how_long_its_key_is(void **state)
{
    static const struct {
        int nid;
        const char *line;
        unsigned keys;
    } cases[] = {
        {895, "DISTSNIFF_WRITE_KEY_4865 000000000000000000000000 11111111111111111111111111111111\n", 1},
        {896, "DISTSNIFF_WRITE_KEY_4869 000000000000000000000000 11111111111111111111111111111111\n", 1},
        {1018, "DISTSNIFF_WRITE_KEY_4867 000000000000000000000000 "
               "1111111111111111111111111111111111111111111111111111111111111111\n", 1},
        {427, "", 0}, /* AES-256-CBC */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world w;
        begin(&w);
        call(&w, 7, cases[i].nid, true, 0x11, 0);
        fflush(w.out);
        assert_int_equal(found_num_written(w.found), cases[i].keys);
        assert_true(w.len >= strlen(cases[i].line));
        assert_string_equal(w.text + w.len - strlen(cases[i].line), cases[i].line);
        end(&w);
    }
}

static void no_memory_is_no_keys(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 2; n++) {
        failing_alloc_at(n);
        assert_null(found_new(stderr));
        failing_alloc_at(0);
    }
}

/* make_file opens a file of bytes. */
static int make_file(const uint8_t *bytes, size_t len)
{
    char name[] = "/tmp/symbolXXXXXX";
    const int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(write(fd, bytes, len), len);
    return fd;
}

void symbol_that_is_here(void);
void symbol_that_is_here(void)
{
}

static void a_symbol_is_found_or_not(void **state)
{
    uint64_t offset = 0;
    uint8_t code[4], head[sizeof(Elf64_Ehdr)];
    const int self = open("/proc/self/exe", O_RDONLY);
    (void)state;
    assert_true(symbol_find(self, "symbol_that_is_here", &offset));
    assert_int_equal(pread(self, code, sizeof code, (off_t)offset), sizeof code);
    assert_memory_equal(code, (const void *)(uintptr_t)symbol_that_is_here, sizeof code);
    assert_false(symbol_find(self, "symbol_that_is_nowhere", &offset));
    assert_false(symbol_find(self, "abort", &offset)); /* of another file */
    /* What is no file of this machine, or is cut, or says what cannot be. */
    assert_int_equal(pread(self, head, sizeof head, 0), sizeof head);
    for (size_t len = 0; len <= sizeof head; len += 8) {
        const int fd = make_file(head, len);
        assert_false(symbol_find(fd, "symbol_that_is_here", &offset));
        close(fd);
    }
    for (size_t at = 0; at < sizeof head; at++) {
        const uint8_t was = head[at];
        head[at] = 0xff;
        const int fd = make_file(head, sizeof head);
        assert_false(symbol_find(fd, "symbol_that_is_here", &offset));
        close(fd);
        head[at] = was;
    }
    close(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_key_is_written_once),
        cmocka_unit_test(a_file_that_is_full_is_said),
        cmocka_unit_test(a_cipher_says_how_long_its_key_is),
        cmocka_unit_test(no_memory_is_no_keys),
        cmocka_unit_test(a_symbol_is_found_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
