/*
 * mcp_tools.h - the tables of mcp_tools.def, and questions that use them.
 */
#ifndef SRC_MCP_TOOLS_H
#define SRC_MCP_TOOLS_H

#include <distsniff/term.h>

enum mcp_argument {
#define ARGUMENT(id, option, type, plain, help) MCP_##id,
#include "ui/mcp/mcp_tools.def"
    MCP_ARGUMENT_COUNT
};

enum mcp_tool {
#define TOOL(id, title, shape, options, arguments, help) MCP_TOOL_##id,
#include "ui/mcp/mcp_tools.def"
    MCP_TOOL_COUNT
};

enum mcp_type { MCP_TEXT, MCP_NUMBER, MCP_SWITCH };
enum mcp_shape { MCP_RECORDS, MCP_LINES };

struct mcp_argument_kind {
    const char *name, *option;
    enum mcp_type type;
    bool plain;
    const char *help;
};

struct mcp_tool_kind {
    const char *name, *title;
    enum mcp_shape shape;
    const char *options;
    uint32_t arguments; /* bits 1 << enum mcp_argument */
    const char *help;
};

extern const struct mcp_argument_kind mcp_arguments[MCP_ARGUMENT_COUNT];
extern const struct mcp_tool_kind mcp_tools[MCP_TOOL_COUNT];

/* mcp_rules defines which questions this run allows. */
struct mcp_rules {
    bool plain;    /* nothing is redacted */
    bool compares; /* there is another capture */
};

enum { MCP_VALUE_MAX = 4096, MCP_QUESTION_MAX = 16384 };

/* mcp_question is what one process asks the other: a tool, and texts of its arguments; NULL: not
 * given. */
struct mcp_question {
    enum mcp_tool tool;
    const char *value[MCP_ARGUMENT_COUNT];
};

/* mcp_tool_is_there and mcp_argument_is_there say whether the rules allow one. */
bool mcp_tool_is_there(const struct mcp_rules *rules, enum mcp_tool tool);
bool mcp_argument_is_there(const struct mcp_rules *rules, enum mcp_tool tool,
                           enum mcp_argument argument);

/* mcp_question_check returns an error for the assistant; NULL: the question is valid. */
const char *mcp_question_check(const struct mcp_rules *rules, const struct mcp_question *question);

/* mcp_question_pack appends a question, mcp_question_unpack parses it: its texts point into bytes.
 * False if it is malformed. */
void mcp_question_pack(const struct mcp_question *question, struct ds_buffer *out);
bool mcp_question_unpack(char *bytes, size_t len, struct mcp_question *question);

/* mcp_tools_describe appends the list of tools as JSON: names, schemas of input and output. */
void mcp_tools_describe(const struct mcp_rules *rules, struct ds_buffer *out);

#endif
