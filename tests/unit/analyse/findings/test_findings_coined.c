/*
 * test_findings_coined.c - a node keeps creating atoms (possible atom leak): which atoms have one
 * form, how many are needed, and what the finding shows.
 */
#include "findings_world.h"

/* coin sends num atoms: text followed by numbers in base 2 with these two digits. */
static void coin(unsigned num, const char *before, const char *digits)
{
    for (unsigned n = 0; n < num; n++) {
        char name[100];
        size_t len = (size_t)snprintf(name, sizeof name, "%s", before);
        for (unsigned bit = 0; bit < 9; bit++)
            name[len++] = digits[n >> bit & 1];
        const struct ds_atom atom = {.text = (const uint8_t *)name, .len = (uint16_t)len,
                                     .state = DS_ATOM_KNOWN, .is_new = true};
        struct ds_event event = message(0, NULL, 0);
        event.message.control = (struct ds_term){.atoms = &atom, .num_atoms = 1};
        put(&event);
    }
}

/* Characters of a number or a hash. */
static void digits(void **state)
{
    static const struct {
        const char *digits, *codes;
    } cases[] = {{"01", "DS309"}, {"19", "DS309"}, {"1a", "DS309"}, {"1f", "DS309"}, {"1A", "DS309"},
                 {"1F", "DS309"}, {"1g", ""},      {"1G", ""},      {"1/", ""},      {"1:", ""},
                 {"af", ""},      {"AF", ""},      {"1@", ""},      {"1`", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        up();
        coin(400, "u_", cases[i].digits);
        found(cases[i].codes);
    }
}

static void what_is_shown(void **state)
{
    (void)state;
    begin();
    up();
    w.frame = 100;
    coin(400, "user_", "01");
    found("DS309");
    assert_int_equal(w.last.count, 1);
    detail_has("200 different atoms of the same form in ");
    detail_has("such as user_000000000, user_100000000, user_010000000");
    assert_int_equal(w.last.evidence[0].packet[0].frame, 101);
    assert_int_equal(w.last.evidence[0].packet[1].frame, 300); /* the 200th different one */
    char before[100];
    for (int len = 51; len <= 52; len++) { /* as much of each as is kept: 60 */
        memset(before, 'x', sizeof before);
        before[len] = '\0';
        begin();
        up();
        coin(400, before, "10");
        found("DS309");
        strcat(before, "111111111" + (len - 51));
        detail_has(before);
    }
}

/* One fewer is no finding, however often they come; and a repeated one does not count. */
static void how_many(void **state)
{
    (void)state;
    begin();
    up();
    for (int round = 0; round < 3; round++)
        coin(199, "user_", "01");
    found("");
    w.frame = 5000;
    coin(200, "user_", "01");
    found("DS309");
    assert_int_equal(w.last.evidence[0].packet[1].frame, 5200);
    for (int round = 0; round < 3; round++)
        coin(400, "user_", "01");
    found("DS309");
    assert_int_equal(w.last.count, 1);
}

/* The greatest length of a form; an atom without a known text has none. */
static void long_forms(void **state)
{
    enum { SHAPE_LEN = 64 };
    (void)state;
    for (int len = SHAPE_LEN - 1; len <= SHAPE_LEN; len++) {
        char before[100] = "";
        memset(before, 'x', (size_t)len);
        begin();
        up();
        coin(400, before, "01");
        found(len < SHAPE_LEN ? "DS309" : "");
    }
    begin();
    up();
    const struct ds_atom unknown = {.is_new = true, .len = 3};
    struct ds_event event = message(0, NULL, 0);
    event.message.control = (struct ds_term){.atoms = &unknown, .num_atoms = 1};
    put(&event);
    found("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits),
        cmocka_unit_test(what_is_shown),
        cmocka_unit_test(how_many),
        cmocka_unit_test(long_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
