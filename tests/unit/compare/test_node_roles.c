/* test_node_roles.c - the part of a node's name that is the same wherever it runs. */
#include "compare/node_roles.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct ds_text text(const char *s)
{
    return (struct ds_text){s, strlen(s)};
}

static void assert_role(struct node_roles *roles, const char *node, const char *role)
{
    struct ds_buffer out = {0};
    node_roles_print(roles, text(node), &out);
    ds_buffer_add(&out, "", 1);
    assert_string_equal(out.data, role);
    ds_buffer_free(&out);
}

static void words_of_one_run(void **state)
{
    static const char *const names[][2] = {
        {"rabbitmqcli-404-rabbit@rab1", "rabbitmqcli-*-rabbit@rab1"},
        {"rabbit@rab1", "rabbit@rab1"},
        {"rem-3f09ac-shop@web1", "rem-*-shop@web1"},
        {"c13579@host", "c*@host"},
        {"web12@host", "web12@host"},                 /* two digits are a number that the user chose */
        {"web123@host", "web*@host"},
        {"2RT6VHGF2H8GO@host", "*@host"},
        {"HEADQUARTERS@host", "HEADQUARTERS@host"},   /* no digit */
        {"1234567890@host", "*@host"},
        {"facade@host", "facade@host"},               /* a word with other letters than a to f */
        {"abc_99.node.4711@10.0.0.111", "abc_99.node.*@10.0.0.111"},
        {"app_1.2.3@host", "app_1.2.3@host"},
        {"a1b2@host", "a1b2@host"},
        {"", ""},
        {"@", "@"},
        {"---", "---"},
        {"no_host_123", "no_host_*"},
    };
    struct node_roles *roles = node_roles_new();
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_role(roles, names[i][0], names[i][1]);
    node_roles_keep_words(roles);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_role(roles, names[i][0], names[i][0]);
    node_roles_free(roles);
}

static void rules_come_first(void **state)
{
    char why[NODE_ROLE_TEXT];
    struct node_roles *roles = node_roles_new();
    (void)state;
    assert_true(node_roles_add(roles, "^web[0-9]+@=web", why));
    assert_true(node_roles_add(roles, "@a=b$=of=host", why)); /* at the last '=' */
    assert_role(roles, "web4711@x", "web");
    assert_role(roles, "xweb4711@x", "xweb*@x");
    assert_role(roles, "node@a=b$=of", "node@a=b$=of"); /* '$' ends the name */
    node_roles_free(roles);
}

static void what_is_no_rule(void **state)
{
    static const char *const wrong[] = {"", "=", "web=", "=web", "web", "(=web"};
    char why[NODE_ROLE_TEXT];
    struct node_roles *roles = node_roles_new();
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        why[0] = '\0';
        assert_false(node_roles_add(roles, wrong[i], why));
        assert_int_not_equal(strlen(why), 0);
    }
    for (int i = 0; i < NODE_ROLES_MAX; i++)
        assert_true(node_roles_add(roles, "a=b", why));
    assert_false(node_roles_add(roles, "a=b", why));
    assert_non_null(strstr(why, "64"));
    node_roles_free(roles);
}

static void what_peers_say_is_made_fit(void **state)
{
    struct node_roles *roles = node_roles_new();
    (void)state;
    assert_role(roles, "a\x1b[2J@b\n", "a\\x1B[2J@b\\x0A");
    node_roles_free(roles);
}

static void run(void *context)
{
    char why[NODE_ROLE_TEXT];
    struct node_roles *roles = node_roles_new();
    (void)context;
    if (roles != NULL)
        (void)node_roles_add(roles, "^web=web", why);
    node_roles_free(roles);
}

static void without_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(run, NULL) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_one_run),
        cmocka_unit_test(rules_come_first),
        cmocka_unit_test(what_is_no_rule),
        cmocka_unit_test(what_peers_say_is_made_fit),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
