/*
 * test_registry.c - which node listens where, and when that is certain enough to be reported.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "dist/registry.h"
#include "failing_alloc.h"
#include "fake_conn.h"

static struct fake fake;
static const struct ds_addr localhost = {4, {127, 0, 0, 1}};
static const struct ds_addr localhost6 = {6, {[15] = 1}};
static const struct ds_addr host_a = {4, {10, 77, 1, 1}};
static const struct ds_addr host_b = {4, {10, 77, 1, 2}};
/* Owners are only compared. */
static const int owner_1, owner_2, owner_3;

static void add(const struct ds_addr *addr, uint16_t port, const char *name, const void *owner)
{
    registry_add(&fake.env, addr, port, (struct ds_text){name, strlen(name)}, 0, owner);
}

static void assert_is(const struct ds_addr *addr, uint16_t port, const char *expected)
{
    uint32_t creation = 0;
    struct ds_text name = registry_find(fake.env.registry, addr, port, &creation);
    if (expected == NULL) {
        assert_null(name.data);
        return;
    }
    assert_non_null(name.data);
    assert_int_equal(name.len, strlen(expected));
    assert_memory_equal(name.data, expected, name.len);
}

static int set_up(void **state)
{
    (void)state;
    return fake_begin(&fake) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return fake_finish(&fake) == 0 ? 0 : -1;
}

static void test_exact(void **state)
{
    (void)state;
    assert_is(&host_a, 5000, NULL);
    add(&host_a, 5000, "alice", NULL);
    assert_is(&host_a, 5000, "alice");
    assert_is(&host_b, 5000, NULL);
    assert_is(&host_a, 5000 + 1024, NULL); /* the same chain */
    add(&host_a, 5000, "alice@a", NULL);
    assert_is(&host_a, 5000, "alice@a");
    add(&host_a, 5000, "alice", NULL); /* no news */
    assert_is(&host_a, 5000, "alice@a");
    add(&host_a, 5000, "ali", NULL); /* another node */
    assert_is(&host_a, 5000, "ali");
    add(&host_a, 0, "nowhere", NULL);
    assert_is(&host_a, 0, NULL);
}

/* In a capture merged from several hosts, 127.0.0.1 means any of them. */
static void test_loopback(void **state)
{
    (void)state;
    add(&localhost, 25672, "rabbit", &owner_1);
    assert_is(&host_a, 25672, "rabbit"); /* the only host */
    assert_is(&localhost, 25672, "rabbit");
    add(&localhost, 25672, "rabbit", &owner_2);
    assert_is(&host_a, 25672, NULL);
    assert_is(&localhost, 25672, "rabbit"); /* they agree */
    add(&localhost, 25672, "hare", &owner_3);
    assert_is(&localhost, 25672, NULL);
    add(&host_a, 25672, "rabbit@a", NULL);
    assert_is(&host_a, 25672, "rabbit@a");
    assert_is(&host_b, 25672, NULL);
    registry_remove(fake.env.registry, 25672, &owner_3);
    registry_remove(fake.env.registry, 25672, &owner_2);
    registry_remove(fake.env.registry, 25672, &owner_1);
    assert_is(&localhost, 25672, NULL);
    assert_is(&host_b, 25672, NULL);
    add(&localhost6, 6000, "six", &owner_1);
    assert_is(&host_b, 6000, "six");
}

static void test_name_with_host_wins(void **state)
{
    (void)state;
    add(&host_a, 5000, "alice", &owner_1);
    add(&host_a, 5000, "alice@a", NULL);
    assert_is(&host_a, 5000, "alice@a");
    registry_remove(fake.env.registry, 5000, &owner_1);
    add(&host_a, 5000, "alice", &owner_2);
    assert_is(&host_a, 5000, "alice@a");
    add(&host_a, 5000, "bob", &owner_3);
    assert_is(&host_a, 5000, NULL);
}

static void test_creation(void **state)
{
    (void)state;
    uint32_t creation = 0;
    add(&host_a, 5000, "alice", &owner_1);
    registry_set_creation(fake.env.registry, 5000, &owner_1, 77);
    registry_set_creation(fake.env.registry, 5000, &owner_2, 78);
    (void)registry_find(fake.env.registry, &host_a, 5000, &creation);
    assert_int_equal(creation, 77);
}

static void assert_said(const struct ds_addr *addr, uint16_t port, uint32_t creation, const char *expected)
{
    const struct ds_text name = registry_find_said(fake.env.registry, addr, port, creation);
    assert_int_equal(name.data != NULL, expected != NULL);
    if (expected == NULL)
        return;
    assert_int_equal(name.len, strlen(expected));
    assert_memory_equal(name.data, expected, name.len);
}

static void say(const struct ds_addr *addr, uint16_t port, const char *name, uint32_t creation)
{
    registry_add_said(&fake.env, addr, port, (struct ds_text){name, strlen(name)}, creation);
}

/* What a node says about itself is certain for that incarnation, until another node contradicts. */
static void test_said(void **state)
{
    (void)state;
    const uint32_t before = registry_num_changes(fake.env.registry);
    add(&host_a, 5000, "alice", &owner_1);
    assert_said(&host_a, 5000, 0, NULL);
    say(&host_a, 5000, "alice@a", 77);
    assert_int_not_equal(registry_num_changes(fake.env.registry), before);
    const uint32_t after = registry_num_changes(fake.env.registry);
    say(&host_a, 5000, "alice@a", 77); /* no news */
    assert_int_equal(registry_num_changes(fake.env.registry), after);
    assert_said(&host_a, 5000, 77, "alice@a");
    assert_said(&host_a, 5000, 78, NULL);
    assert_said(&host_a, 5001, 77, NULL);
    assert_said(&host_b, 5000, 77, NULL);
    say(&host_a, 5000, "alice@a", 78); /* restarted */
    assert_said(&host_a, 5000, 77, NULL);
    assert_said(&host_a, 5000, 78, "alice@a");
    say(&host_b, 6000, "bob@b", 79);
    assert_said(&host_a, 5000, 78, "alice@a");
    say(&host_b, 6000, "bob@b", 78); /* in the same second */
    assert_said(&host_a, 5000, 78, NULL);
    assert_said(&host_b, 6000, 78, NULL);
    say(&host_b, 6000, "bob@b", 80);
    assert_said(&host_a, 5000, 78, "alice@a");
    add(&host_a, 5000, "carol", &owner_2); /* EPMD contradicts */
    assert_said(&host_a, 5000, 78, NULL);
    registry_remove(fake.env.registry, 5000, &owner_2);
    assert_said(&host_a, 5000, 78, "alice@a");
    say(&host_a, 5000, "carol@a", 78);
    assert_said(&host_a, 5000, 78, NULL);
    say(&host_a, 5000, "carol@a", 78);
    assert_said(&host_a, 5000, 78, NULL);
    say(&host_a, 5000, "carol@a", 81);
    assert_said(&host_a, 5000, 81, NULL); /* alice is still registered there */
    registry_remove(fake.env.registry, 5000, &owner_1);
    assert_said(&host_a, 5000, 81, "carol@a");
    add(&host_a, 5000, "dave", NULL);
    assert_said(&host_a, 5000, 81, NULL);
    say(&localhost, 7000, "eve@e", 82);
    assert_said(&localhost, 7000, 82, NULL);
    say(&host_a, 8000, "frank", 83);
    assert_said(&host_a, 8000, 83, NULL);
    say(&host_a, 9000, "gina@a", 0);
    assert_said(&host_a, 9000, 0, NULL);
}

static void test_ports(void **state)
{
    (void)state;
    assert_false(registry_has_port(fake.env.registry, 5000));
    add(&host_a, 5000, "alice", NULL);
    add(&host_b, 5000, "bob", NULL);
    assert_string_equal(fake.log, "port 5000 alice\n");
    assert_true(registry_has_port(fake.env.registry, 5000));
    registry_add_port(fake.env.registry, 65535);
    assert_true(registry_has_port(fake.env.registry, 65535));
    add(&host_b, 65535, "carol", NULL); /* known before: not reported */
    assert_string_equal(fake.log, "port 5000 alice\n");
}

/* fill_and_find adds num nodes on one port of num hosts and finds each of them. It returns the
 * processor time for that in nanoseconds. */
static int64_t fill_and_find(uint32_t num)
{
    struct timespec begin, end;
    struct registry *before = fake.env.registry;
    fake.env.registry = registry_new(num);
    assert_non_null(fake.env.registry);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (uint32_t i = 0; i < num; i++) {
        const struct ds_addr addr = {4, {10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
        add(&addr, 25672, "rabbit", NULL);
    }
    for (uint32_t i = 0; i < num; i++) {
        const struct ds_addr addr = {4, {10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}};
        assert_is(&addr, 25672, "rabbit");
        assert_is(&addr, 25673, NULL);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    registry_free(fake.env.registry);
    fake.env.registry = before;
    return (end.tv_sec - begin.tv_sec) * INT64_C(1000000000) + end.tv_nsec - begin.tv_nsec;
}

/* Four times the nodes cost four times as much, not sixteen times, even if all listen on one port. */
static void test_many_on_one_port(void **state)
{
    enum { FEW = 4000, TIMES = 4, ROUNDS = 3 };
    double least = 1e9;
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t few = fill_and_find(FEW);
        const double ratio = (double)fill_and_find(TIMES * FEW) / (double)few;
        least = ratio < least ? ratio : least;
    }
    assert_true(least < TIMES * TIMES / 2);
}

/* The number of names for one place is capped, however much room there is for others: each new one
 * is compared with all of them. */
static void test_many_at_one_place(void **state)
{
    enum { MOST = 64 };
    static const char owners[MOST + 1];
    (void)state;
    add(&host_a, 5000, "first", &owners[MOST]);
    for (size_t i = 0; i + 1 < MOST; i++)
        add(&host_a, 5000, "other", &owners[i]);
    add(&host_b, 5000, "elsewhere", NULL);
    add(&host_a, 5001, "beside", NULL);
    assert_int_equal(fake.env.stats.limits_hit[DS_LIMIT_NODES], 0);
    assert_is(&host_a, 5000, NULL); /* the first name contradicts */
    add(&host_a, 5000, "other", &owners[MOST - 1]);
    assert_int_equal(fake.env.stats.limits_hit[DS_LIMIT_NODES], 1);
    assert_is(&host_a, 5000, "other");
    assert_is(&host_b, 5000, "elsewhere");
    assert_is(&host_a, 5001, "beside");
}

static void test_cap(void **state)
{
    (void)state;
    registry_free(fake.env.registry);
    fake.env.registry = registry_new(3);
    assert_non_null(fake.env.registry);
    add(&host_a, 1, "a", NULL);
    add(&host_a, 2, "b", NULL);
    add(&host_a, 3, "c", NULL);
    assert_int_equal(fake.env.stats.limits_hit[DS_LIMIT_NODES], 0);
    add(&host_a, 4, "d", NULL);
    assert_int_equal(fake.env.stats.limits_hit[DS_LIMIT_NODES], 1);
    assert_is(&host_a, 1, NULL);
    assert_is(&host_a, 2, "b");
    assert_is(&host_a, 4, "d");
}

/* A name within the greatest length is kept; a longer one is unknown. */
static void test_long_names(void **state)
{
    static char name[2048 + 2];
    (void)state;
    memset(name, 'a', sizeof name - 1);
    add(&host_a, 5000, name, NULL);
    assert_is(&host_a, 5000, NULL);
    name[2048] = '\0';
    add(&host_a, 5000, name, NULL);
    assert_is(&host_a, 5000, name);
}

static void test_no_memory(void **state)
{
    (void)state;
    failing_alloc_at(1);
    add(&host_a, 1, "a", NULL);
    failing_alloc_at(0);
    assert_int_equal(fake.env.stats.no_memory, 1);
    assert_is(&host_a, 1, NULL);
    add(&host_a, 1, "a", NULL);
    assert_is(&host_a, 1, "a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_exact), TEST(test_loopback), TEST(test_name_with_host_wins),
        TEST(test_creation), TEST(test_said), TEST(test_ports), TEST(test_cap), TEST(test_many_at_one_place), TEST(test_long_names),
        TEST(test_no_memory), TEST(test_many_on_one_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
