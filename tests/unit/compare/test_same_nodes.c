/* test_same_nodes.c - a node that is an address in one profile and has its name in another one. */
#include "compare/same_nodes.h"

#include "compare/differ.h"
#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

/* put adds an entry, counted once in each part, and returns it. */
static struct profile_entry *put(struct profile *p, enum profile_kind kind, const char *key, bool is_unnamed)
{
    struct profile_entry *entry = profile_entry_get(p, kind, text_of(key));
    assert_non_null(entry);
    entry->is_unnamed = is_unnamed;
    for (unsigned i = 0; i < PROFILE_PARTS; i++)
        profile_count(entry, i, 100);
    entry->frame = 7;
    return entry;
}

static void put_place(struct profile *p, const char *place, const char *node)
{
    struct profile_entry *entry = profile_entry_get(p, PROFILE_PLACE, text_of(place));
    snprintf(entry->value, sizeof entry->value, "%s", node);
    entry->is_unnamed = node[0] == '\0';
}

struct world {
    struct profile profile[2], joined[2];
    bool is_joined;
};

static void begin(struct world *w)
{
    for (int side = 0; side < 2; side++)
        profile_init(&w->profile[side], 100);
    w->is_joined = false;
}

static bool join(struct world *w)
{
    const struct profile *const both[2] = {&w->profile[0], &w->profile[1]};
    bool no_memory = false;
    w->is_joined = same_nodes_join(both, w->joined, &no_memory);
    assert_false(no_memory);
    return w->is_joined;
}

static void end(struct world *w)
{
    if (w->is_joined)
        same_nodes_free(w->joined);
    for (int side = 0; side < 2; side++)
        profile_free(&w->profile[side]);
}

static const struct profile_entry *find(const struct world *w, int side, enum profile_kind kind, const char *key)
{
    return profile_find(&w->joined[side], kind, text_of(key));
}

/* Without an address in the place of a name, the profiles stay as they are. */
static void nothing_to_join(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    put(&w.profile[0], PROFILE_NODE, "a@h", false);
    put_place(&w.profile[0], "10.0.0.1", "a@h");
    assert_false(join(&w));
    end(&w);
}

static void addresses_become_names(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    put_place(&w.profile[0], "10.0.0.1", "z@h");
    put_place(&w.profile[0], "10.0.0.2:25672", "b@h");
    put_place(&w.profile[0], "fd00::3", "c@h");
    put(&w.profile[0], PROFILE_NODE, "z@h", false);
    put(&w.profile[1], PROFILE_NODE, "10.0.0.1:4000", true);
    put(&w.profile[1], PROFILE_NODE, "10.0.0.1:4001", true); /* the same, on another connection */
    put(&w.profile[1], PROFILE_NODE, "[fd00::3]:4000", true);
    put(&w.profile[1], PROFILE_NODE, "10.0.0.9:4000", true);
    put(&w.profile[1], PROFILE_LINK, "10.0.0.1:4000 - 10.0.0.2:25672", true);
    put(&w.profile[1], PROFILE_LINK, "10.0.0.2:25673 - c@h", true);
    put(&w.profile[1], PROFILE_MESSAGE, "10.0.0.1:4000 > b@h send {x, _} to 10.0.0.1:4000", true);
    w.profile[1].num_unnamed = 10;
    assert_true(join(&w));
    const struct profile_entry *z = find(&w, 1, PROFILE_NODE, "z@h");
    assert_non_null(z);
    assert_false(z->is_unnamed);
    assert_int_equal(profile_sum(z).count, 2 * PROFILE_PARTS);
    assert_int_equal(profile_sum(z).bytes, 200 * PROFILE_PARTS);
    assert_int_equal(z->frame, 7);
    assert_non_null(find(&w, 1, PROFILE_NODE, "c@h"));
    assert_true(find(&w, 1, PROFILE_NODE, "10.0.0.9")->is_unnamed);
    /* The names of a link are in their order again. */
    const struct profile_entry *link = find(&w, 1, PROFILE_LINK, "b@h - z@h");
    assert_non_null(link);
    assert_false(link->is_unnamed);
    /* That port is not known to be the node's. */
    assert_true(find(&w, 1, PROFILE_LINK, "10.0.0.2 - c@h")->is_unnamed);
    /* Only nodes are replaced; a message is not judged to be missing. */
    assert_true(find(&w, 1, PROFILE_MESSAGE, "z@h > b@h send {x, _} to 10.0.0.1:4000")->is_unnamed);
    assert_int_equal(w.joined[1].num_unnamed, 10 - PROFILE_PARTS);
    assert_int_equal(w.profile[1].num_unnamed, 10);
    assert_non_null(profile_find(&w.profile[1], PROFILE_NODE, text_of("10.0.0.1:4000")));
    end(&w);
}

/* Two nodes of one host are told apart by their ports; two names at one address and port are none. */
static void shared_addresses(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    put_place(&w.profile[0], "127.0.0.1", "");
    put_place(&w.profile[0], "127.0.0.1:4000", "a@h");
    put_place(&w.profile[0], "10.0.0.1", "a@h");
    put_place(&w.profile[1], "10.0.0.1", "b@h"); /* another node has the address now */
    put(&w.profile[1], PROFILE_NODE, "127.0.0.1:4000", true);
    put(&w.profile[1], PROFILE_NODE, "127.0.0.1:4001", true);
    put(&w.profile[1], PROFILE_NODE, "10.0.0.1:4000", true);
    assert_true(join(&w));
    assert_false(find(&w, 1, PROFILE_NODE, "a@h")->is_unnamed);
    assert_true(find(&w, 1, PROFILE_NODE, "127.0.0.1:4001")->is_unnamed);
    assert_true(find(&w, 1, PROFILE_NODE, "10.0.0.1")->is_unnamed);
    end(&w);
}

static void findings(void **state)
{
    struct world w;
    (void)state;
    begin(&w);
    put_place(&w.profile[0], "10.0.0.1", "a@h");
    put(&w.profile[1], PROFILE_NODE, "10.0.0.1:4000", true);
    put(&w.profile[1], PROFILE_FINDING, "DS101 it is ~ so ~10.0.0.1:4000, ~[fd00::9]:1", false);
    put(&w.profile[1], PROFILE_FINDING, "DS102 it is so b@h, c@h", false);
    assert_true(join(&w));
    assert_true(find(&w, 1, PROFILE_FINDING, "DS101 it is ~ so a@h, fd00::9")->is_unnamed);
    assert_false(find(&w, 1, PROFILE_FINDING, "DS102 it is so b@h, c@h")->is_unnamed);
    end(&w);
}

/* Keys of damaged baselines do no harm. */
static void odd_keys(void **state)
{
    static const char *const keys[] = {"", ":", "[", "[]", "[:", " - ", " > ", "~", "a", "::", "[::1", "10.0.0.1:"};
    struct world w;
    (void)state;
    begin(&w);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        put(&w.profile[0], PROFILE_NODE, keys[i], true);
        put(&w.profile[0], PROFILE_LINK, keys[i], true);
        put(&w.profile[1], PROFILE_MESSAGE, keys[i], true);
        put(&w.profile[1], PROFILE_FINDING, keys[i], true);
    }
    assert_true(join(&w));
    end(&w);
}

/* differ sees one node, and judges it. */
static void one_node_is_compared(void **state)
{
    double thresholds[THRESHOLD_COUNT_OF];
    struct differences out;
    struct world w;
    (void)state;
    begin(&w);
    thresholds_init(thresholds);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 32; i++)
            (void)profile_at(&w.profile[side], i * PROFILE_LEAST_WIDTH_NS);
    }
    put_place(&w.profile[0], "10.0.0.1", "a@h");
    for (int i = 0; i < 100; i++) {
        put(&w.profile[0], PROFILE_NODE, "a@h", false);
        put(&w.profile[1], PROFILE_NODE, "10.0.0.1:4000", true);
    }
    differ(&w.profile[0], &w.profile[1], thresholds, &out);
    assert_int_equal(out.num, 0);
    assert_int_equal(out.num_compared, 1);
    assert_int_equal(out.num_not_judged, 0);
    differences_free(&out);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_join), cmocka_unit_test(addresses_become_names),
        cmocka_unit_test(shared_addresses), cmocka_unit_test(findings),
        cmocka_unit_test(odd_keys),         cmocka_unit_test(one_node_is_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
