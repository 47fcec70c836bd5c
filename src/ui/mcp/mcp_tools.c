/*
 * mcp_tools.c - see mcp_tools.h.
 */
#include "ui/mcp/mcp_tools.h"

#include "output/json_escape.h"

#include <string.h>

/* Arguments that several tools have. */
enum {
#define ARGUMENT(id, option, type, plain, help) A_##id = 1 << MCP_##id,
#include "ui/mcp/mcp_tools.def"
    A_PAGE = A_limit | A_cursor,
    A_CHOOSE = A_filter | A_label | A_match | A_text | A_node | A_process,
    A_SPAN = A_since | A_until,
};

const struct mcp_argument_kind mcp_arguments[MCP_ARGUMENT_COUNT] = {
#define ARGUMENT(id, option, type, plain, help) {#id, option, MCP_##type, plain, help},
#include "ui/mcp/mcp_tools.def"
};

const struct mcp_tool_kind mcp_tools[MCP_TOOL_COUNT] = {
#define TOOL(id, title, shape, options, arguments, help) \
    {#id, title, MCP_##shape, options, arguments, help},
#include "ui/mcp/mcp_tools.def"
};

bool mcp_tool_is_there(const struct mcp_rules *rules, enum mcp_tool tool)
{
    return tool != MCP_TOOL_compare || rules->compares;
}

bool mcp_argument_is_there(const struct mcp_rules *rules, enum mcp_tool tool,
                           enum mcp_argument argument)
{
    return (mcp_tools[tool].arguments & 1u << argument) != 0 &&
           (rules->plain || !mcp_arguments[argument].plain);
}

static bool is_number(const char *text)
{
    const size_t len = strlen(text);
    return len != 0 && len <= 9 && strspn(text, "0123456789") == len;
}

const char *mcp_question_check(const struct mcp_rules *rules, const struct mcp_question *q)
{
    if (!mcp_tool_is_there(rules, q->tool))
        return "there is no other capture: the user names one with --compare";
    if (q->tool == MCP_TOOL_explain && q->value[MCP_what] == NULL)
        return "the argument what is missing: call:N, message:N, conn:N, finding:N, packet:N, or "
               "DS101";
    for (int i = 0; i < MCP_ARGUMENT_COUNT; i++) {
        const char *value = q->value[i];
        if (value == NULL)
            continue;
        if ((mcp_tools[q->tool].arguments & 1u << i) == 0)
            return "this tool has no such argument: tools/list shows those that it has";
        if (!mcp_argument_is_there(rules, q->tool, (enum mcp_argument)i))
            return "names and terms are replaced by pseudonyms, so they cannot be searched for: "
                   "use filter "
                   "with numbers, label and op. The user may choose --mcp=plain";
        if (strlen(value) > MCP_VALUE_MAX)
            return "an argument has at most 4096 bytes";
        if (mcp_arguments[i].type == MCP_NUMBER && !is_number(value))
            return "rows and limit are whole numbers up to 999999999";
    }
    return NULL;
}

/* A packed question is the number of its tool in a byte, then for each argument its number and its
 * text with the NUL. */
void mcp_question_pack(const struct mcp_question *q, struct ds_buffer *out)
{
    const uint8_t tool = (uint8_t)q->tool;
    ds_buffer_add(out, &tool, 1);
    for (uint8_t i = 0; i < MCP_ARGUMENT_COUNT; i++) {
        if (q->value[i] == NULL)
            continue;
        ds_buffer_add(out, &i, 1);
        ds_buffer_add(out, q->value[i], strlen(q->value[i]) + 1);
    }
}

bool mcp_question_unpack(char *bytes, size_t len, struct mcp_question *q)
{
    *q = (struct mcp_question){0};
    if (len == 0 || (uint8_t)bytes[0] >= MCP_TOOL_COUNT)
        return false;
    q->tool = (enum mcp_tool)bytes[0];
    for (size_t at = 1; at < len;) {
        const uint8_t argument = (uint8_t)bytes[at++];
        const char *end = at < len ? memchr(bytes + at, '\0', len - at) : NULL;
        if (argument >= MCP_ARGUMENT_COUNT || end == NULL)
            return false;
        q->value[argument] = bytes + at;
        at = (size_t)(end - bytes) + 1;
    }
    return true;
}

static void add(struct ds_buffer *out, const char *text)
{
    ds_buffer_add_text(out, text);
}

static void quote(struct ds_buffer *out, const char *text)
{
    json_quote((struct ds_text){text, strlen(text)}, out);
}

static void describe_arguments(const struct mcp_rules *rules, enum mcp_tool tool, struct ds_buffer *out)
{
    static const char *const types[] = {
        [MCP_TEXT] = "{\"type\":\"string\",\"maxLength\":4096",
        [MCP_NUMBER] = "{\"type\":\"integer\",\"minimum\":0,\"maximum\":999999999",
        [MCP_SWITCH] = "{\"type\":\"boolean\""};
    bool is_first = true;
    add(out, "{\"type\":\"object\",\"properties\":{");
    for (int i = 0; i < MCP_ARGUMENT_COUNT; i++) {
        if (!mcp_argument_is_there(rules, tool, (enum mcp_argument)i))
            continue;
        add(out, is_first ? "" : ",");
        quote(out, mcp_arguments[i].name);
        add(out, ":");
        add(out, types[mcp_arguments[i].type]);
        add(out, ",\"description\":");
        quote(out, mcp_arguments[i].help);
        add(out, "}");
        is_first = false;
    }
    add(out, tool == MCP_TOOL_explain ? "},\"required\":[\"what\"],\"additionalProperties\":false}"
                                      : "},\"additionalProperties\":false}");
}

/* The JSON types of a record's fields, by their kinds in fields.def. A number that does not fit
 * into a double is text. */
#define TEXT_SCHEMA "{\"type\":\"string\"}"
#define NUMBER_SCHEMA "{\"type\":[\"integer\",\"string\"]}"
#define OBJECT_SCHEMA "{\"type\":\"object\"}"
#define SCHEMA_WORD TEXT_SCHEMA
#define SCHEMA_TS TEXT_SCHEMA
#define SCHEMA_UNSIGNED NUMBER_SCHEMA
#define SCHEMA_UNKNOWN_ATOMS NUMBER_SCHEMA
#define SCHEMA_PEERS OBJECT_SCHEMA
#define SCHEMA_FAULT OBJECT_SCHEMA
#define SCHEMA_GUESSES "{\"type\":\"array\"}"

/* Fields of all records, and the most important ones of messages; records have others, too. */
static const char message_schema[] =
    "\"type\":" TEXT_SCHEMA
#define IN(name, kind) ",\"" #name "\":" SCHEMA_##kind
#define HEAD_FIELD(name, kind, when, value, help) IN(name, kind)
#include "record/fields.def"
    ",\"dst\":" SCHEMA_PEERS ",\"op\":" TEXT_SCHEMA ",\"term\":" TEXT_SCHEMA
    ",\"size\":" NUMBER_SCHEMA ",\"role\":" TEXT_SCHEMA ",\"call\":" NUMBER_SCHEMA
    ",\"label\":" TEXT_SCHEMA ",\"latency_us\":{\"type\":\"number\"}"
#define TROUBLE_FIELD(name, kind, when, value, help) IN(name, kind)
#include "record/fields.def"
    ;

static void describe_answer(enum mcp_shape shape, struct ds_buffer *out)
{
    add(out, "{\"type\":\"object\",\"properties\":{");
    if (shape == MCP_RECORDS) {
        add(out, "\"records\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{");
        add(out, message_schema);
        add(out, "},\"required\":[\"type\"]}}");
    } else {
        add(out, "\"lines\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}");
    }
    add(out, ",\"total\":{\"type\":\"integer\"},\"next\":{\"type\":\"string\"},\"note\":{\"type\":"
             "\"string\"}},"
             "\"required\":[");
    add(out, shape == MCP_RECORDS ? "\"records\"" : "\"lines\"");
    add(out, ",\"total\"]}");
}

void mcp_tools_describe(const struct mcp_rules *rules, struct ds_buffer *out)
{
    bool is_first = true;
    add(out, "[");
    for (int i = 0; i < MCP_TOOL_COUNT; i++) {
        const struct mcp_tool_kind *tool = &mcp_tools[i];
        if (!mcp_tool_is_there(rules, (enum mcp_tool)i))
            continue;
        add(out, is_first ? "{\"name\":" : ",{\"name\":");
        quote(out, tool->name);
        add(out, ",\"title\":");
        quote(out, tool->title);
        add(out, ",\"description\":");
        quote(out, tool->help);
        add(out, ",\"inputSchema\":");
        describe_arguments(rules, (enum mcp_tool)i, out);
        add(out, ",\"outputSchema\":");
        describe_answer(tool->shape, out);
        add(out, ",\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false,"
                 "\"idempotentHint\":true,"
                 "\"openWorldHint\":false}}");
        is_first = false;
    }
    add(out, "]");
}
