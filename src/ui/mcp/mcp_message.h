/*
 * mcp_message.h - a line that a client sent, which may be anything.
 */
#ifndef SRC_MCP_MESSAGE_H
#define SRC_MCP_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { MCP_LINE_MAX = 1024 * 1024, MCP_DEPTH_MAX = 32, MCP_ID_MAX = 256 };

/* mcp_message_parse returns the value that is a line without its end, to be freed by cJSON_Delete.
 * NULL where it is no JSON in UTF-8, too deep, or memory ran out: *why says so. */
cJSON *mcp_message_parse(const char *line, size_t len, const char **why);

/* mcp_message_id returns an id as JSON, to be freed; NULL where it is absent, or neither a short
 * text nor a whole number. */
char *mcp_message_id(const cJSON *id);

#endif
