/* What is kept aside for later in a file: that it comes back whole, and where it ends when there is
 * no time for all. */
#include "base/signals.h"
#include "fixtures/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { CLAUSE_LEN = 1000, NUM_CLAUSES = 12000 };

static struct spool spool;
static struct output_file output;

static void begin(void)
{
    stop_wanted = 0;
    (void)stop_is_late();
    memset(&output, 0, sizeof output);
    output.fd = memfd_create("output", MFD_CLOEXEC);
    assert_true(output.fd >= 0);
    assert_true(spool_open(&spool));
}

/* put puts clauses there, each of len bytes. */
static void put(size_t num, size_t len)
{
    for (size_t i = 0; i < num; i++) {
        const size_t from = spool.text.len;
        ds_buffer_printf(&spool.text, "f(%zu) ->\n    #{", i + 1);
        while (spool.text.len < from + len - 2)
            ds_buffer_add(&spool.text, spool.text.len % 80 == 0    ? "\n"
                                       : spool.text.len % 80 == 79 ? "x"
                                                                   : ";", 1);
        spool.text.data[spool.text.len - 1] = '}'; /* in the place of the last of them */
        ds_buffer_add_text(&spool.text, ";\n");
        assert_true(spool_end_record(&spool));
    }
}

/* end returns what came of it, ended by a NUL. */
static char *end(size_t *len)
{
    output_file_flush(&output);
    *len = (size_t)lseek(output.fd, 0, SEEK_END);
    char *all = malloc(*len + 1);
    assert_int_equal(pread(output.fd, all, *len, 0), *len);
    all[*len] = '\0';
    spool_close(&spool);
    output_file_close(&output);
    stop_wanted = 0;
    (void)stop_is_late();
    return all;
}

/* so_late has the end be wanted for so long that there is no more time. */
static void so_late(void)
{
    stop_wanted = 15;
    assert_false(stop_is_late());
    usleep(450000);
    assert_true(stop_is_late());
}

static void comes_back_whole(void **state)
{
    uint64_t num = 0;
    size_t len;
    (void)state;
    for (int wanted = 0; wanted < 2; wanted++) {
        bool is_late = true; /* a machine that takes so long for it tells nothing */
        for (int i = 0; i < 50 && is_late; i++) {
            begin();
            put(NUM_CLAUSES, CLAUSE_LEN);
            stop_wanted = wanted == 0 ? 0 : 15;
            assert_true(spool_copy_clauses(&spool, &output, &num));
            is_late = stop_is_late();
            free(end(&len));
        }
        assert_int_equal(num, NUM_CLAUSES);
        assert_int_equal(len, NUM_CLAUSES * CLAUSE_LEN);
    }
    begin();
    put(3, 10);
    so_late();
    assert_true(spool_copy(&spool, &output)); /* that of no clauses is never cut */
    free(end(&len));
}

/* Where the end is wanted there are so many clauses, the first ones, and each of them whole. */
static void ends_with_a_clause(void **state)
{
    static const size_t lens[] = {CLAUSE_LEN, 300000};
    uint64_t num = 0;
    size_t len;
    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        begin();
        put(NUM_CLAUSES * CLAUSE_LEN / lens[i], lens[i]);
        so_late();
        assert_true(spool_copy_clauses(&spool, &output, &num));
        char *all = end(&len);
        assert_int_equal(len, num * lens[i]);
        assert_in_range(len, 4 * 1024 * 1024, 5 * 1024 * 1024);
        assert_string_equal(all + len - 3, "};\n");
        free(all);
    }
}

static void of_little_nothing_is_cut(void **state)
{
    uint64_t num = 0;
    size_t len;
    (void)state;
    begin();
    put(4000, CLAUSE_LEN);
    so_late();
    assert_true(spool_copy_clauses(&spool, &output, &num));
    assert_int_equal(num, 4000);
    free(end(&len));
    assert_int_equal(len, 4000 * CLAUSE_LEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_whole),
        cmocka_unit_test(ends_with_a_clause),
        cmocka_unit_test(of_little_nothing_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
