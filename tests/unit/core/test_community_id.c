/* test_community_id.c - Community ID, the name of a connection in other programs. */
#include "core/community_id.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct ds_endpoint end_of(const char *addr, uint16_t port)
{
    struct ds_endpoint end = {.addr.family = strchr(addr, ':') != NULL ? 6 : 4, .port = port};
    assert_int_equal(inet_pton(end.addr.family == 6 ? AF_INET6 : AF_INET, addr, end.addr.bytes), 1);
    return end;
}

static void assert_id(const char *a, uint16_t a_port, const char *b, uint16_t b_port,
                      const char *wanted)
{
    for (int turned = 0; turned < 2; turned++) {
        struct ds_endpoint ends[2];
        char out[COMMUNITY_ID_SIZE];
        ends[turned] = end_of(a, a_port);
        ends[!turned] = end_of(b, b_port);
        assert_true(community_id_print(ends, out));
        assert_string_equal(out, wanted);
    }
}

/* The values are those of the published baseline. */
static void names(void **state)
{
    (void)state;
    assert_id("128.232.110.120", 34855, "66.35.250.204", 80, "1:LQU9qZlK+B5F3KDmev6m5PMibrg=");
    assert_id("10.0.0.1", 10, "10.0.0.1", 20, "1:1Lc+0H/HgLmR5V4rmOeuDZQS11k=");
    assert_id("fe80::1", 4369, "fe80::2", 4000, "1:Y/58em5UwiieE9HaljV89loACbM=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
