/*
 * mcp_message.h - parses a line from a client, which may contain anything.
 */
#ifndef SRC_MCP_MESSAGE_H
#define SRC_MCP_MESSAGE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum { MCP_LINE_MAX = 1024 * 1024, MCP_DEPTH_MAX = 32, MCP_ID_MAX = 256 };

/* mcp_message_parse parses a line without its end; the caller frees the value with cJSON_Delete.
 * NULL if it is not JSON in UTF-8, or nested too deeply, or memory ran out: *why is the reason. */
cJSON *mcp_message_parse(const char *line, size_t len, const char **why);

/* mcp_message_id returns an id as JSON, which the caller frees; NULL if it is absent, or neither a
 * short text nor a whole number. */
char *mcp_message_id(const cJSON *id);

#endif
