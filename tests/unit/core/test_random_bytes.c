/* test_random_bytes.c - the variant for other systems, tested on this one: all bytes are random,
 * for any length. */
#define RANDOM_BYTES_BY_ENTROPY
#include "core/random_bytes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static void draws_all(void **state)
{
    static const size_t lens[] = {0, 1, 16, 255, 256, 257, 512, 1000};
    enum { AGAIN = 64 }; /* a byte that is 0 in every draw does not happen */
    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
        uint8_t bytes[1001], seen[1001] = {0};
        for (int again = 0; again < AGAIN; again++) {
            memset(bytes, 0, sizeof bytes);
            assert_true(random_bytes(bytes, lens[i]));
            for (size_t at = 0; at < sizeof bytes; at++)
                seen[at] |= bytes[at];
        }
        for (size_t at = 0; at < sizeof seen; at++)
            assert_int_equal(seen[at] != 0, at < lens[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
