/* test_finding_json.c - parameters of a finding in JSON: each kind, once each, and none. */
#include "failing_alloc.h"
#include "output/finding_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* make makes a finding: n1 waited for "a", twice, for 1.5 ms. */
static struct finding make(void)
{
    struct finding f = {0};
    wording_put(&f.sentence, WORD_NODE, (struct ds_text){"n1\"", 3});
    wording_mark(&f.sentence, 0, PARAM_node);
    wording_add(&f.sentence, " waited ");
    wording_add(&f.sentence, "1.50 ms");
    wording_mark_number(&f.sentence, 2, PARAM_since, 1500000);
    wording_add(&f.detail, "n2");
    wording_mark(&f.detail, 0, PARAM_node); /* a repeated parameter */
    wording_add(&f.detail, "3");
    wording_mark_number(&f.detail, 1, PARAM_times, 3);
    return f;
}

static const char whole[] = "{\"node\":\"n1\\\"\",\"since_us\":1500,\"times\":3}";

static void prints_each_once(void **state)
{
    const struct finding f = make();
    const struct finding none = {0};
    struct ds_buffer out = {0};
    (void)state;
    finding_params_print(&none, &out);
    assert_int_equal(out.len, 0);
    finding_params_print(&f, &out);
    assert_int_equal(out.len, strlen(whole));
    assert_memory_equal(out.data, whole, out.len);
    ds_buffer_free(&out);
}

/* An object is whole or absent. */
static void print(void *context)
{
    const struct finding f = make();
    struct ds_buffer out = {0};
    (void)context;
    finding_params_print(&f, &out);
    if (out.failed)
        assert_int_equal(out.len, 0);
    else
        assert_int_equal(out.len, strlen(whole));
    ds_buffer_free(&out);
}

static void survives_no_memory(void **state)
{
    (void)state;
    assert_true(failing_alloc_each(print, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_each_once),
        cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
