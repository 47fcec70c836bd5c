/*
 * test_finding_identity.c - which findings are the same: those with the same code, variant and
 * parameters in the sentence, whatever its words.
 */
#include "analyse/findings/detect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEXT(literal) ((struct ds_text){literal, sizeof(literal) - 1})

static struct finding last;

static void keep(void *context, const struct record *record)
{
    (void)context;
    last = *record->finding;
}

/* commit returns the number of a finding with that sentence. */
static uint64_t commit(struct detect *d, enum finding_code code, unsigned variant, const char *sentence,
                       struct ds_text a, struct ds_text b)
{
    struct finding *f = detect_begin(d, code, NULL);
    f->variant = variant;
    wording_say(&f->sentence, sentence, a_node(a), a_node(b));
    return detect_commit(d);
}

static void parameters_and_not_words(void **state)
{
    static struct detect d;
    static const char sentence[] = "{node} refused {peer}";
    const struct findings_config config = {.emit = keep, .limits = {[DS_LIMIT_CONNECTIONS] = 4}};
    (void)state;
    detect_init(&d, &config);
    assert_int_equal(commit(&d, FINDING_DS101, 0, sentence, TEXT("a@h"), TEXT("b@h")), 1);
    assert_int_equal(commit(&d, FINDING_DS101, 0, "{node} did not accept {peer}", TEXT("a@h"), TEXT("b@h")), 1);
    assert_int_equal(last.count, 2);
    assert_int_equal(commit(&d, FINDING_DS102, 0, sentence, TEXT("a@h"), TEXT("b@h")), 2);
    assert_int_equal(commit(&d, FINDING_DS101, 1, sentence, TEXT("a@h"), TEXT("b@h")), 3);
    assert_int_equal(commit(&d, FINDING_DS101, 0, sentence, TEXT("b@h"), TEXT("a@h")), 4);
    assert_int_equal(commit(&d, FINDING_DS101, 0, "{peer} refused {node}", TEXT("a@h"), TEXT("b@h")), 5);
    assert_int_equal(commit(&d, FINDING_DS101, 0, sentence, TEXT("a@hb"), TEXT("@h")), 6);
    assert_int_equal(commit(&d, FINDING_DS101, 0, sentence, TEXT("a@h"), TEXT("")), 7);
    assert_int_equal(commit(&d, FINDING_DS101, 0, sentence, TEXT("a@h"), TEXT("b@h")), 1);
    assert_int_equal(last.count, 3);
    detect_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_not_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
