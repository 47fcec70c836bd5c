/*
 * test_line_compact.c - what is omitted from a line that is too wide for a terminal.
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
    /* An incomplete reference stays, and so does a text that only looks like one. */
    assert_compact("#Ref<", "#Ref<");
    assert_compact("#Ref<1", "#Ref<1");
    assert_compact("{'$gen_call',{<a@b", "{'$gen_call',{<a@b");
    assert_compact("{'$gen_cast',{1}}", "{'$gen_cast',{1}}");
    assert_compact("#{a => #Ref<1>}", "#{a => #Ref<...>}");
}

static void assert_more(const char *line, const char *expected)
{
    struct ds_buffer out = {0};
    line_compact_more((struct ds_text){line, strlen(line)}, &out);
    ds_buffer_add(&out, "", 1);
    assert_false(out.failed);
    assert_string_equal(out.data, expected);
    ds_buffer_free(&out);
}

static void more(void **state)
{
    (void)state;
    assert_more("", "");
    assert_more("no ends: {'$gen_cast',1}", "no ends: {'$gen_cast',1}");
    assert_more("1:2 a@h > b@h: #4 gen:call reg_send <a@h.93.0> > calc {'$gen_call',{...},{add,<c@h.1.0>}}",
                "1:2 a > b: #4 gen:call <93.0> > calc {$call,{add,<c@h.1.0>}}");
    assert_more("1:2 r@a > r@b: reg_send x <r@a.1.0> > x {'$gen_cast',{hb,r@a}}",
                "1:2 @a > @b: x <1.0> > x {$cast,{hb,r@a}}");
    assert_more("a@h > b@k: send <?b@k.1.0> #Ref<...>", "a@h > b@k: <?1.0> #Ref");
    assert_more("~a@h > b@h: monitor_p <a@h.1.0> send {reg_send 1}", "~a > b: monitor_p <1.0> send {reg_send 1}");
    assert_more("10.0.0.1.5 > b@h: x", "10.0.0.1.5 > b@h: x");
    assert_more("1 10.0.0.1.5 > 10.0.0.2.6: send <a@h.1.0>", "1 10.0.0.1.5 > 10.0.0.2.6: <a@h.1.0>");
    assert_more("\033[2m1\033[0m \033[36ma@h > b@h\033[0m: \033[1malias_send\033[0m <a@h.1.0>",
                "\033[2m1\033[0m \033[36ma > b\033[0m: \033[1m\033[0m<1.0>");
    assert_more("1 b@h > a@h: #4 reply after 55 us alias_send <b@h.86.0> > #Ref<...> {[alias|#Ref<...>],{ok,1}}",
                "1 b > a: #4 reply after 55 us <86.0> > #Ref {$tag,{ok,1}}");
    /* In a term, a pid of the receiver keeps its node as the line shows it. */
    assert_more("1 a@h > b@h: reg_send x <a@h.1.0> > x <b@h.2.0> {<a@h.1.0>,[<b@h.2.0>]} <b@h.3.0>",
                "1 a > b: x <1.0> > x <2.0> {<1.0>,[<b.2.0>]} <b.3.0>");
    assert_more("1 r@a > r@b: send <r@b.2.0> {<r@a.1.0>,<?r@b.2.0>,f(<r@b.2.0>)}",
                "1 @a > @b: <2.0> {<1.0>,<?@b.2.0>,f(<@b.2.0>)}");
    assert_more("a@h > b@h: \033[1mx\033[0m <b@h.2.0> [<b@h.2.0>]", "a > b: \033[1mx\033[0m <2.0> [<b.2.0>]");
    assert_more("1 a@h > b@k: send {<b@k.2.0>}", "1 a@h > b@k: {<b@k.2.0>}");
    assert_more("1 a@h > 10.0.0.2.6: send {<a@h.2.0>}", "1 a@h > 10.0.0.2.6: {<2.0>}");
    /* Truncated lines, and texts that only look alike. */
    assert_more("1 a@h > b@h: reg_send", "1 a > b: reg_send");
    assert_more("1 a@h > b@h: resend <a@h", "1 a > b: resend <a@h");
    assert_more("1 a@h > b@h: x <a@h.", "1 a > b: x <a@h.");
    assert_more("1 a@h > b@h: x <aa@h.1.0>", "1 a > b: x <aa@h.1.0>");
    assert_more("1 a@h > : x", "1 a@h > : x");
    assert_more(" > : ", " > : ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compact), cmocka_unit_test(more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
