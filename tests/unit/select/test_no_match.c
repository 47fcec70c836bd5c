/*
 * test_no_match.c - what is said if -e and -m selected nothing: the nearest name, or those that occur.
 */
#include "select/no_match.h"

#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct ds_conn conn;

static struct ds_text text(const char *string)
{
    return (struct ds_text){string, strlen(string)};
}

/* add adds a message to the process `to`; NULL: to none that has a name. */
static void add(struct no_match *none, const char *to, const char *group, uint32_t unknown)
{
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn, .unknown_atoms = unknown};
    struct record record = {.event = &event, .note = {.group = group}};
    if (to != NULL)
        record.note.to_name = text(to);
    no_match_add(none, &record);
}

/* hear returns what is said on standard error. */
static const char *hear(const struct no_match *none)
{
    static char said[1024];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const int before = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    no_match_say(none);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    const ssize_t len = read(ends[0], said, sizeof said - 1);
    close(ends[0]);
    said[len > 0 ? len : 0] = '\0';
    return said;
}

static void assert_said(const struct no_match *none, const char *wanted)
{
    assert_string_equal(hear(none), wanted);
}

static void words(void **state)
{
    static const struct sought searches[] = {{"-e", "nosuch"}, {"-e", "cart"}, {"-e", "no[s]"}, {"-m", "{nosuch,_}"}};
    struct no_match *none = no_match_new(searches, 4);
    (void)state;
    assert_non_null(none);
    assert_said(NULL, "");
    assert_said(none, "");
    add(none, "rex", "otp", 0);
    add(none, "shop", "", 0);
    add(none, "my_cart", "", 0); /* the text is in it, though the message is not selected */
    assert_said(none, "distsniff: -e: nosuch matched nothing; processes here: shop, my_cart, rex\n");
    add(none, "nosuck", "", 0);
    assert_said(none, "distsniff: -e: nosuch matched nothing; there was nosuck\n");
    no_match_free(none);
}

static void patterns(void **state)
{
    static const struct sought searches[] = {{"-m", "'crat'"}, {"-m", "cart/2"}, {"-m", "shop:add(1)"}};
    struct no_match *none = no_match_new(searches, 3);
    (void)state;
    assert_non_null(none);
    add(none, "my_cart", "", 0);
    add(none, "cart", "", 0); /* a pattern matches the whole name */
    assert_said(none, "distsniff: -m: 'crat' matched nothing; there was cart\n");
    no_match_free(none);
}

static void unread(void **state)
{
    static const struct sought search = {"-m", "{a,_}"};
    struct no_match *none = no_match_new(&search, 1);
    (void)state;
    assert_non_null(none);
    add(none, "rex", "otp", 0);
    add(none, NULL, "otp", 3);
    assert_said(none, "distsniff: 1 of 2 messages have unknown atoms, which may be what you look for: see distsniff "
                      "--print-refresh\n");
    no_match_free(none);
}

/* With many names, later ones are no longer compared. A word that is too long is none. */
static void caps(void **state)
{
    char name[80];
    static const struct sought search = {"-e", "nosuchname"};
    struct no_match *none = no_match_new(&search, 1);
    (void)state;
    assert_non_null(none);
    for (int i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "%d", i);
        add(none, name, "", 0);
    }
    add(none, "nosuchnam", "", 0);
    assert_null(strstr(hear(none), "there was"));
    assert_non_null(strstr(hear(none), "processes here: "));
    assert_non_null(strstr(hear(none), " and more\n"));
    no_match_free(none);
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const struct sought is_long = {"-e", name};
    none = no_match_new(&is_long, 1);
    assert_non_null(none);
    add(none, "rex", "otp", 0);
    assert_said(none, "");
    no_match_free(none);
}

static void run(void *context)
{
    static const struct sought search = {"-m", "shop:add"};
    struct no_match *none = no_match_new(&search, 1);
    static const uint8_t atoms[] = {119, 4, 's', 'h', 'o', 'p'};
    const struct ds_event event = {.type = DS_EVENT_MESSAGE, .conn = &conn};
    const struct ds_term atom = {.data = atoms, .len = sizeof atoms};
    const struct record record = {.event = &event, .note = {.mod = atom, .fun = atom}};
    (void)context;
    if (none != NULL)
        no_match_add(none, &record);
    no_match_free(none);
}

static void memory(void **state)
{
    (void)state;
    assert_int_equal(failing_alloc_each(run, NULL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(patterns), cmocka_unit_test(unread),
                                       cmocka_unit_test(caps), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
