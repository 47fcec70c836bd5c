/*
 * test_finding_order.c - the order of findings: present ones first, then by severity and rank,
 * hygiene last, except errors; and the family of each code.
 */
#include "analyse/findings/finding_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Each row has a rank: a missing or unknown one does not compile. */
#define FINDING(code, severity, rank, title, advice, page)                                             \
    _Static_assert(RANK_##rank <= RANK_HYGIENE, #code " has a rank");
#include "analyse/findings/findings.def"
#undef FINDING

static void families(void **state)
{
    static const char *const codes[] = {
        [RANK_AVAILABILITY] = "DS101 DS102 DS103 DS104 DS105 DS106 DS107 DS108 DS109 DS110 DS111 DS112 DS113 DS114 "
                              "DS115 DS118 DS119 DS120 DS122 DS201 DS204 DS205 DS207 DS208 DS209 DS210 DS211 "
                              "DS214 DS215 DS216 DS303 DS305 DS310 DS312 DS313 DS314 DS601 DS602 DS603 DS604 DS605 DS606 "
                              "DS609 ",
        [RANK_CORRECTNESS] = "DS203 DS302 DS304 DS306 DS308 DS309 DS311 DS607 DS608 ",
        [RANK_PERFORMANCE] = "DS202 DS206 DS212 DS213 DS301 DS307 DS504 ",
        [RANK_HYGIENE] = "DS116 DS117 DS121 DS401 DS402 DS403 DS404 DS405 DS407 DS501 DS502 DS503 ",
    };
    (void)state;
    for (size_t i = 0; i < FINDING_CODE_COUNT; i++) {
        const struct finding_kind *kind = finding_kind_at(i);
        const char family = kind->code[2];
        /* Findings about exposure or about the capture are hygiene; all others are listed above. */
        if (strstr(codes[kind->rank], kind->code) == NULL &&
            !((family == '4' || family == '5') && kind->rank == RANK_HYGIENE))
            fail_msg("%s is not among the codes of its rank above", kind->code);
        assert_non_null(finding_rank_name(kind->rank));
    }
    assert_null(finding_rank_name((enum finding_rank)(RANK_HYGIENE + 1)));
}

static struct finding of(enum finding_code code, enum severity severity, bool is_past)
{
    static uint64_t number = 100;
    return (struct finding){
        .kind = finding_kind_at(code), .severity = severity, .is_past = is_past, .number = number--};
}

static int compare(const void *a, const void *b)
{
    return finding_compare(a, b);
}

static void order(void **state)
{
    (void)state;
    /* The right order; each was found before the one above it. */
    const struct finding wanted[] = {
        of(FINDING_DS105, SEVERITY_ERROR, false),   of(FINDING_DS310, SEVERITY_WARNING, false),
        of(FINDING_DS201, SEVERITY_ERROR, true),    of(FINDING_DS306, SEVERITY_ERROR, false),
        of(FINDING_DS121, SEVERITY_ERROR, false), /* hygiene: an error is never hidden */
        of(FINDING_DS310, SEVERITY_WARNING, true),  of(FINDING_DS302, SEVERITY_WARNING, false),
        of(FINDING_DS206, SEVERITY_WARNING, false),
        of(FINDING_DS204, SEVERITY_NOTE, false), /* a note, even about a present state */
        of(FINDING_DS308, SEVERITY_NOTE, false),    of(FINDING_DS403, SEVERITY_WARNING, false),
        of(FINDING_DS401, SEVERITY_NOTE, false),
    };
    enum { NUM = sizeof wanted / sizeof wanted[0] };
    struct finding *mixed = malloc(sizeof wanted);
    assert_non_null(mixed);
    for (size_t i = 0; i < NUM; i++)
        mixed[i * 5 % NUM] = wanted[i];
    qsort(mixed, NUM, sizeof mixed[0], compare);
    for (size_t i = 0; i < NUM; i++)
        assert_int_equal(mixed[i].number, wanted[i].number);
    for (size_t i = 0; i < NUM; i++)
        assert_int_equal(finding_is_aside(&wanted[i]), i >= 10);
    free(mixed);
    struct finding known = of(FINDING_DS107, SEVERITY_NOTE, false); /* it comes of what is known */
    known.is_aside = true;
    assert_true(finding_is_aside(&known) && finding_compare(&known, &wanted[9]) > 0);
    known.severity = SEVERITY_ERROR;
    assert_false(finding_is_aside(&known));
}

static void equals(void **state)
{
    (void)state;
    const struct finding later = of(FINDING_DS105, SEVERITY_ERROR, false);
    const struct finding earlier = of(FINDING_DS105, SEVERITY_ERROR, false);
    assert_true(finding_compare(&earlier, &later) < 0 && finding_compare(&later, &earlier) > 0);
    assert_int_equal(finding_compare(&later, &later), 0);
    struct finding cause = of(FINDING_DS105, SEVERITY_ERROR, false); /* found last, and it began first */
    cause.first_ns = 1;
    struct finding effect = earlier;
    effect.first_ns = 2;
    assert_true(finding_compare(&cause, &effect) < 0 && finding_compare(&effect, &cause) > 0);
    effect.first_ns = 0; /* it began before it had a cause */
    effect.last_ns = 3;
    assert_true(finding_compare(&effect, &cause) < 0);
    effect.is_effect = true;
    assert_true(finding_compare(&cause, &effect) < 0 && finding_compare(&effect, &cause) > 0);
    const struct finding line = {.number = UINT64_MAX - 1, .severity = SEVERITY_FINE};
    const struct finding next = {.number = UINT64_MAX - 2, .severity = SEVERITY_FINE};
    assert_true(finding_compare(&line, &next) < 0);  /* their numbers go down */
    assert_true(finding_compare(&later, &line) < 0); /* behind all findings */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families), cmocka_unit_test(order), cmocka_unit_test(equals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
