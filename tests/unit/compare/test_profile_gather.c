/* test_profile_gather.c - the key under which a record is counted. */
#include "compare/profile_gather.h"

#include "analyse/findings/finding_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct profile profile;

static struct finding finding_of(enum finding_code id, const char *first, const char *second)
{
    struct finding f = {.kind = finding_kind_at(id), .severity = SEVERITY_WARNING, .last_ns = 1};
    const char *const names[] = {first, second};
    for (int i = 0; i < 2; i++) {
        f.node[i].len = strlen(names[i]);
        memcpy(f.node[i].text, names[i], f.node[i].len);
    }
    return f;
}

/* has_key returns whether two findings, with a pair of nodes named in both orders, are counted
 * under a key. */
static bool has_key(enum finding_code id, const char *a, const char *b, const char *key)
{
    struct node_roles *roles = node_roles_new();
    struct profile_gather gather;
    assert_non_null(roles);
    profile_init(&profile, 100);
    profile_gather_init(&gather, &profile, roles, 100);
    struct finding one = finding_of(id, a, b), other = finding_of(id, b, a);
    profile_gather_record(&gather, &(struct record){.finding = &one});
    profile_gather_record(&gather, &(struct record){.finding = &other});
    const bool found =
        profile_find(&profile, PROFILE_FINDING, (struct ds_text){key, strlen(key)}) != NULL;
    profile_gather_free(&gather);
    profile_free(&profile);
    node_roles_free(roles);
    return found;
}

static void findings_of_pairs(void **state)
{
    (void)state;
    assert_true(has_key(FINDING_DS201, "b@h", "a@h",
                        "DS201 a node stopped responding and was disconnected a@h, b@h"));
    assert_false(has_key(FINDING_DS201, "a@h", "b@h",
                         "DS201 a node stopped responding and was disconnected b@h, a@h"));
    assert_true(has_key(FINDING_DS201, "ab@h", "a",
                        "DS201 a node stopped responding and was disconnected a, ab@h"));
    assert_true(has_key(FINDING_DS201, "b@h", "",
                        "DS201 a node stopped responding and was disconnected b@h"));
    /* The node that does not read matters. */
    assert_true(has_key(FINDING_DS205, "b@h", "a@h", "DS205 a node does not read from its link b@h, a@h"));
    assert_true(has_key(FINDING_DS205, "b@h", "a@h", "DS205 a node does not read from its link a@h, b@h"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
