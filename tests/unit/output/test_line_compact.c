/*
 * test_line_compact.c - what is left out of a line that is too wide for a terminal.
 */
#include "output/line_compact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_compact(const char *line, const char *expected)
{
    struct ds_buffer out = {0};
    line_compact((struct ds_text){line, strlen(line)}, &out);
    ds_buffer_add(&out, "", 1);
    assert_false(out.failed);
    assert_string_equal(out.data, expected);
    ds_buffer_free(&out);
}

static void compact(void **state)
{
    (void)state;
    assert_compact("", "");
    assert_compact("no reference", "no reference");
    assert_compact("a #Ref<a@b.1.2.3> b #Ref<c.4>", "a #Ref<...> b #Ref<...>");
    assert_compact("#Reference<0.1.2>", "#Reference<...>");
    assert_compact("{'$gen_call',{<a@b.1.0>,[alias|#Ref<a@b.1.2>]},{add,3}} #Ref<1>",
                   "{'$gen_call',{...},{add,3}} #Ref<...>");
    assert_compact("{:\"$gen_call\", {#PID<0.1.2>, [:alias | #Reference<1>]}, :get}",
                   "{:\"$gen_call\", {...}, :get}");
    /* What has no end stays, and so does what looks alike. */
    assert_compact("#Ref<", "#Ref<");
    assert_compact("#Ref<1", "#Ref<1");
    assert_compact("{'$gen_call',{<a@b", "{'$gen_call',{<a@b");
    assert_compact("{'$gen_cast',{1}}", "{'$gen_cast',{1}}");
    assert_compact("#{a => #Ref<1>}", "#{a => #Ref<...>}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
