/*
 * mcp_message.c - see mcp_message.h.
 */
#include "ui/mcp/mcp_message.h"

#include <distsniff/term.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* is_utf8 says whether a line is valid UTF-8 without NUL. */
static bool is_utf8(const char *line, size_t len)
{
    uint32_t character;
    for (size_t at = 0, num; at < len; at += num) {
        num = ds_text_read_char((struct ds_text){line + at, len - at}, &character);
        if (num == 0 || character == 0)
            return false;
    }
    return true;
}

/* has_escaped_nul looks for an escaped NUL, at which a C string would end. */
static bool has_escaped_nul(const char *line, size_t len)
{
    for (size_t i = 0; i + 6 <= len; i++) {
        if (line[i] != '\\')
            continue;
        if (memcmp(line + i + 1, "u0000", 5) == 0)
            return true;
        i++;
    }
    return false;
}

/* is_shallow counts nested brackets: cJSON uses stack for each. */
static bool is_shallow(const char *line, size_t len)
{
    int depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < len; i++) {
        const char c = line[i];
        if (in_text && c == '\\')
            i++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && (c == '{' || c == '[') && ++depth > MCP_DEPTH_MAX)
            return false;
        else if (!in_text && (c == '}' || c == ']'))
            depth--;
    }
    return true;
}

cJSON *mcp_message_parse(const char *line, size_t len, const char **why)
{
    const char *end = NULL;
    *why = "the line is no UTF-8";
    if (!is_utf8(line, len))
        return NULL;
    *why = "the message has more than 32 brackets within each other";
    if (!is_shallow(line, len))
        return NULL;
    *why = "the message has a NUL in a text";
    if (has_escaped_nul(line, len))
        return NULL;
    *why = "the line is no JSON: a message is one line";
    cJSON *message = cJSON_ParseWithLengthOpts(line, len, &end, false);
    while (message != NULL && end < line + len && strchr(" \t\r", *end) != NULL)
        end++;
    if (message != NULL && end != line + len) {
        cJSON_Delete(message);
        return NULL;
    }
    return message;
}

char *mcp_message_id(const cJSON *id)
{
    const double most = 9007199254740991.0;
    const bool is_text = cJSON_IsString(id) && strlen(id->valuestring) <= MCP_ID_MAX;
    const bool is_number = cJSON_IsNumber(id) && fabs(id->valuedouble) <= most &&
                           trunc(id->valuedouble) == id->valuedouble;
    char *text = NULL;
    if (is_number) /* cJSON prints 15 digits */
        return asprintf(&text, "%.0f", id->valuedouble) < 0 ? NULL : text;
    return is_text ? cJSON_PrintUnformatted(id) : NULL;
}
