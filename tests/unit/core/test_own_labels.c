/* test_own_labels.c - lines in the language of otp.def: otp.def itself reads back as it is
 * compiled; mistakes are reported with their place; caps; failing memory. */
#include "core/own_labels.h"
#include "failing_alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct ds_text text_of(const char *text)
{
    return (struct ds_text){text, strlen(text)};
}

static void otp_def_reads_back(void **state)
{
    FILE *file = fopen("../dissect/labels/otp.def", "r");
    static char text[1 << 20];
    struct ds_otp_lines read;
    struct ds_otp_read_error error;
    size_t num;
    const struct ds_otp_line *known = ds_otp_lines(&num);
    (void)state;
    assert_non_null(file);
    const size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(ds_otp_read((struct ds_text){text, len}, &read, &error));
    assert_int_equal(read.num, num);
    for (size_t i = 0; i < num; i++) {
        assert_int_equal(read.line[i].kind, known[i].kind);
        assert_string_equal(read.line[i].group, known[i].group);
        assert_string_equal(read.line[i].label, known[i].label);
        assert_string_equal(read.line[i].to, known[i].to);
        assert_string_equal(read.line[i].pattern, known[i].pattern);
    }
    ds_otp_lines_free(&read);
}

static void assert_error(const char *text, size_t line, size_t column, const char *expected,
                         const char *word)
{
    struct ds_otp_lines read;
    struct ds_otp_read_error error;
    if (ds_otp_read(text_of(text), &read, &error)) {
        print_error("no error in %s\n", text);
        fail();
    }
    if (error.line != line || error.column != column || strstr(error.expected, expected) == NULL) {
        print_error("%s: line %zu, column %zu: %s\n", text, error.line, error.column,
                    error.expected);
        fail();
    }
    assert_int_equal(error.word.len, strlen(word));
    assert_memory_equal(error.word.data, word, error.word.len);
    assert_int_equal(read.num, 0);
    assert_null(read.line);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    assert_error("LABLE(CALL, \"\", \"a\", \"\", \"_\")", 1, 1, "LABEL(kind", "LABLE");
    assert_error("% nothing\n  LABEL(CAL, \"\", \"a\", \"\", \"_\")", 2, 9, "a kind", "CAL");
    assert_error("LABEL CALL", 1, 7, "a (", "CALL");
    assert_error("LABEL(CALL \"\", \"a\", \"\", \"_\")", 1, 12, "a comma", "");
    assert_error("LABEL(CALL, x, \"a\", \"\", \"_\")", 1, 13, "a group in quotes", "x");
    assert_error("LABEL(CALL, \"\", \"\", \"\", \"_\")", 1, 17, "a label of letters", "");
    assert_error("LABEL(CALL, \"\", \"a,b\", \"\", \"_\")", 1, 17, "a label of letters", "");
    assert_error("LABEL(CALL, \"\x1b\", \"a\", \"\", \"_\")", 1, 13, "a group of letters", "");
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"_\"", 1, 29, "a )", "");
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"_)", 1, 26, "an end of this string", "");
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"_\n\")", 1, 26, "an end of this string", "");
    assert_error("/* begins", 1, 1, "an end of this comment", "");
    assert_error("/*/", 1, 1, "an end of this comment", "");
    /* Mistakes in patterns are reported with their place in the file, also on a further line. */
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"{a, \")", 1, 31, "a term", "");
    assert_error("LABEL(CALL, \"\", \"a\", \"\",\n  \"{call,\"\n  \" From::pidd}\")", 3, 11,
                 "a type", "pidd");
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"{From, From}\")", 1, 38, "each variable once",
                 "");
    assert_error("LABEL(CALL, \"\", \"a\", \"\", \"#{}\")", 1, 27, "a term", "");
}

/* line_with makes a line with a label or pattern of that many bytes. */
static char *line_with(size_t label, size_t pattern)
{
    char *text = calloc(1, label + pattern + 100), *to = text;
    to += sprintf(to, "LABEL(INFO, \"\", \"");
    memset(to, 'a', label);
    to += label;
    to += sprintf(to, "\", \"\", \"");
    memset(to, 'a', pattern);
    sprintf(to + pattern, "\")");
    return text;
}

static void caps(void **state)
{
    static const struct {
        size_t label, pattern;
        bool ok;
    } cases[] = {{64, 4096, true}, {65, 1, false}, {1, 4097, false}};
    struct ds_otp_lines read;
    struct ds_otp_read_error error;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char *text = line_with(cases[i].label, cases[i].pattern);
        assert_int_equal(ds_otp_read(text_of(text), &read, &error), cases[i].ok);
        ds_otp_lines_free(&read);
        free(text);
    }
    /* As many lines as allowed, then one more. */
    static const char one[] = "LABEL(INFO,\"\",\"a\",\"\",\"{z,_}\")\n";
    char *many = calloc(DS_OTP_MAX_LINES + 1, sizeof one);
    for (size_t i = 0; i < DS_OTP_MAX_LINES; i++)
        strcpy(many + i * (sizeof one - 1), one);
    assert_true(ds_otp_read(text_of(many), &read, &error));
    assert_int_equal(read.num, DS_OTP_MAX_LINES);
    struct ds_otp *otp = ds_otp_new_with(read.line, read.num);
    assert_non_null(otp);
    ds_otp_free(otp);
    assert_null(ds_otp_new_with(read.line, read.num + 1));
    ds_otp_lines_free(&read);
    strcat(many, one);
    assert_false(ds_otp_read(text_of(many), &read, &error));
    assert_int_equal(error.line, DS_OTP_MAX_LINES + 1);
    free(many);
}

/* As many different names as allowed: all are found. */
static void many_names(void **state)
{
    struct ds_otp_lines read;
    struct ds_otp_read_error error;
    char *text = calloc(DS_OTP_MAX_LINES, 80), *to = text;
    (void)state;
    for (int i = 0; i < DS_OTP_MAX_LINES; i++)
        to += sprintf(to, "LABEL(INFO,\"\",\"label%d\",\"name%d\",\"{word%d,_}\")\n", i, i, i);
    assert_true(ds_otp_read(text_of(text), &read, &error));
    struct ds_otp *otp = ds_otp_new_with(read.line, read.num);
    assert_non_null(otp);
    for (int i = 0; i < DS_OTP_MAX_LINES; i++) {
        char name[32], label[32];
        uint8_t term[32] = {104, 2, 119};
        struct ds_otp_match match;
        term[3] = (uint8_t)sprintf((char *)term + 4, "word%d", i);
        term[4 + term[3]] = 106;
        const struct ds_term payload = {.data = term, .len = (size_t)term[3] + 5};
        sprintf(name, "name%d", i);
        sprintf(label, "label%d", i);
        assert_true(ds_otp_find_message(otp, text_of(name), &payload, &match));
        assert_string_equal(match.line->label, label);
    }
    ds_otp_free(otp);
    ds_otp_lines_free(&read);
    free(text);
}

static void own_lines_come_first(void **state)
{
    static const uint8_t hb[] = {104, 2, 119, 2, 'h', 'b', 106};
    const struct ds_term payload = {.data = hb, .len = sizeof hb};
    const struct ds_otp_line own[] = {{DS_OTP_INFO, "mine", "mine:beat", "", "{hb, _}"}};
    struct ds_otp *otp = ds_otp_new_with(own, 1);
    struct ds_otp_match match;
    (void)state;
    assert_true(ds_otp_find_message(otp, text_of("x"), &payload, &match));
    assert_string_equal(match.line->label, "mine:beat");
    ds_otp_free(otp);
}

static void run(void *context)
{
    struct ds_otp_lines read;
    struct ds_otp_read_error error;
    (void)context;
    if (!ds_otp_read(text_of("LABEL(INFO, \"\", \"a\", \"\", \"{z, _}\")"), &read, &error)) {
        assert_non_null(strstr(error.expected, "more memory"));
        return;
    }
    ds_otp_free(ds_otp_new_with(read.line, read.num));
    ds_otp_lines_free(&read);
}

static void without_memory(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 12; n++) {
        failing_alloc_at(n);
        run(NULL);
    }
    failing_alloc_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(otp_def_reads_back),
        cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(caps),
        cmocka_unit_test(many_names),
        cmocka_unit_test(own_lines_come_first),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
