/*
 * Input of an assistant, and messages between the processes of --mcp, may be anything.
 */
#include "ui/mcp/mcp_answer.h"
#include "ui/mcp/mcp_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const struct mcp_rules strict = {0}, plain = {.plain = true, .compares = true};

static void test_packed(void **state)
{
    (void)state;
    struct mcp_question asked = {.tool = MCP_TOOL_messages}, read;
    struct ds_buffer packed = {0};
    asked.value[MCP_filter] = "size > 7";
    asked.value[MCP_limit] = "";
    mcp_question_pack(&asked, &packed);
    assert_true(mcp_question_unpack(packed.data, packed.len, &read));
    assert_int_equal(read.tool, MCP_TOOL_messages);
    assert_string_equal(read.value[MCP_filter], "size > 7");
    assert_string_equal(read.value[MCP_limit], "");
    assert_null(read.value[MCP_cursor]);
    /* Cut anywhere but after an argument, it is invalid. */
    unsigned num = 0;
    for (size_t len = 0; len < packed.len; len++)
        num += mcp_question_unpack(packed.data, len, &read);
    assert_int_equal(num, 2);
    packed.data[0] = (char)MCP_TOOL_COUNT;
    assert_false(mcp_question_unpack(packed.data, packed.len, &read));
    packed.data[0] = 0;
    packed.data[1] = (char)MCP_ARGUMENT_COUNT;
    assert_false(mcp_question_unpack(packed.data, packed.len, &read));
    ds_buffer_free(&packed);
}

static void test_checked(void **state)
{
    (void)state;
    struct mcp_question q = {.tool = MCP_TOOL_messages};
    char longest[MCP_VALUE_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[MCP_VALUE_MAX] = '\0';
    q.value[MCP_filter] = longest;
    assert_null(mcp_question_check(&strict, &q));
    longest[MCP_VALUE_MAX] = 'x';
    longest[MCP_VALUE_MAX + 1] = '\0';
    assert_non_null(mcp_question_check(&strict, &q));
    q.value[MCP_filter] = NULL;
    for (int i = 0; i < MCP_ARGUMENT_COUNT; i++) {
        q.value[i] = mcp_arguments[i].type == MCP_NUMBER ? "999999999" : "x";
        const char *wrong = mcp_question_check(&strict, &q);
        assert_int_equal(wrong == NULL,
                         mcp_argument_is_there(&strict, q.tool, (enum mcp_argument)i));
        q.value[i] = NULL;
    }
    q.value[MCP_limit] = "1000000000";
    assert_non_null(mcp_question_check(&plain, &q));
    q = (struct mcp_question){.tool = MCP_TOOL_compare};
    assert_non_null(mcp_question_check(&strict, &q));
    assert_null(mcp_question_check(&plain, &q));
    q.tool = MCP_TOOL_explain;
    assert_non_null(mcp_question_check(&plain, &q));
}

static void test_cursor(void **state)
{
    (void)state;
    struct mcp_answer answer = {0};
    struct mcp_question q = {.tool = MCP_TOOL_fields};
    struct mcp_page page = {.limit = 2};
    struct ds_buffer out = {0};
    mcp_answer_key(&q, &answer.key);
    ds_buffer_add_text(&answer.text, "a\nb\nc\n");
    mcp_answer_put_page(&answer, MCP_LINES, &page, &out);
    ds_buffer_add(&out, "", 1);
    char *next = strstr(out.data, "\"next\":\"");
    assert_non_null(next);
    next += strlen("\"next\":\"");
    *strchr(next, '"') = '\0';
    q.value[MCP_cursor] = next;
    assert_null(mcp_page_read(&q, &answer.key, &page));
    assert_int_equal(page.offset, 2);
    next[0] = '1'; /* any line of the same answer, but not of another */
    assert_null(mcp_page_read(&q, &answer.key, &page));
    next[2] = next[2] == '0' ? '1' : '0';
    assert_non_null(mcp_page_read(&q, &answer.key, &page));
    q.value[MCP_cursor] = "";
    assert_non_null(mcp_page_read(&q, &answer.key, &page));
    ds_buffer_free(&out);
    mcp_answer_free(&answer);
}

/* A text that is cut ends with a whole character, in any encoding of it. */
static void test_brief(void **state)
{
    (void)state;
    static const char *const units[] = {"x", "\xc3\xa4", "\xf0\x9f\x98\x80", "\\n", "\\\"", "\\u202e", "\\ud83d\\ude00"};
    for (size_t unit = 0; unit < sizeof units / sizeof units[0]; unit++) {
        for (int before = 0; before < 12; before++) {
            struct mcp_answer answer = {0};
            const struct mcp_page page = {.limit = 1};
            struct ds_buffer out = {0};
            const char *why;
            ds_buffer_add_text(&answer.text, "{\"a\":\"");
            for (int i = 0; i < before; i++)
                ds_buffer_add_text(&answer.text, "y");
            for (int i = 0; i < 300; i++)
                ds_buffer_add_text(&answer.text, units[unit]);
            ds_buffer_add_text(&answer.text, "\",\"b\":9007199254740991}\n");
            ds_buffer_add_text(&out, "{");
            mcp_answer_put_page(&answer, MCP_RECORDS, &page, &out);
            ds_buffer_add_text(&out, "}");
            cJSON *message = mcp_message_parse(out.data, out.len, &why);
            assert_non_null(message);
            cJSON_Delete(message);
            ds_buffer_add(&out, "", 1);
            assert_non_null(strstr(out.data, " bytes)\",\"b\":9007199254740991}"));
            ds_buffer_free(&out);
            mcp_answer_free(&answer);
        }
    }
}

static bool parses(const char *text, size_t len)
{
    const char *why;
    cJSON *message = mcp_message_parse(text, len, &why);
    const bool ok = message != NULL;
    assert_true(ok || why != NULL);
    cJSON_Delete(message);
    return ok;
}

static void test_message(void **state)
{
    (void)state;
    char deep[2 * MCP_DEPTH_MAX + 3];
    memset(deep, '[', MCP_DEPTH_MAX + 1);
    memset(deep + MCP_DEPTH_MAX + 1, ']', MCP_DEPTH_MAX + 1);
    assert_false(parses(deep, 2 * MCP_DEPTH_MAX + 2));
    assert_true(parses(deep + 1, 2 * MCP_DEPTH_MAX));
    assert_true(parses("{\"a\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}", 48));
    assert_true(parses("{} \r", 4));
    assert_false(parses("{}x", 3));
    assert_false(parses("\"\xc3\"", 3));
    assert_true(parses("\"\xc3\xa4\"", 4));
    assert_false(parses("\"\0\"", 3));
    assert_false(parses("", 0));
}

static void test_id(void **state)
{
    (void)state;
    static const struct {
        const char *message, *id;
    } cases[] = {
        {"{\"id\":7}", "7"},
        {"{\"id\":\"7\"}", "\"7\""},
        {"{\"id\":-1}", "-1"},
        {"{\"id\":1.5}", NULL},
        {"{\"id\":null}", NULL},
        {"{\"id\":[]}", NULL},
        {"{}", NULL},
        {"{\"id\":1e300}", NULL},
        {"{\"id\":9007199254740991}", "9007199254740991"},
        {"{\"id\":true}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *why;
        cJSON *message = mcp_message_parse(cases[i].message, strlen(cases[i].message), &why);
        char *id = mcp_message_id(cJSON_GetObjectItem(message, "id"));
        if (cases[i].id == NULL)
            assert_null(id);
        else
            assert_string_equal(id, cases[i].id);
        free(id);
        cJSON_Delete(message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed), cmocka_unit_test(test_checked),
        cmocka_unit_test(test_cursor), cmocka_unit_test(test_brief), cmocka_unit_test(test_message),
        cmocka_unit_test(test_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
