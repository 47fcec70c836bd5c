/*
 * otlp_headers.c - see otlp_headers.h. The syntax of names and values is in RFC 9110, section 5.
 */
#include "send/otlp/otlp_headers.h"

#include "core/complain.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* is_ours says whether requests already have this header. */
static bool is_ours(const char *name, size_t len)
{
    static const char *const ours[] = {"content-type",      "content-length", "content-encoding",
                                       "transfer-encoding", "host",           "connection",
                                       "expect"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        if (strlen(ours[i]) == len && strncasecmp(name, ours[i], len) == 0)
            return true;
    }
    return false;
}

static size_t name_len(const char *line)
{
    size_t len = 0;
    while (isalnum((unsigned char)line[len]) ||
           (line[len] != '\0' && strchr("!#$%&'*+-.^_`|~", line[len]) != NULL))
        len++;
    return len;
}

/* trim removes spaces at both ends. */
static char *trim(char *line)
{
    size_t len;
    line += strspn(line, " \t");
    for (len = strlen(line); len != 0 && strchr(" \t\r", line[len - 1]) != NULL;)
        line[--len] = '\0';
    return line;
}

static const char *what_is_wrong(const char *line)
{
    const size_t len = name_len(line);
    const char *value = line + len + (line[len] == ':');
    if (len == 0 || line[len] != ':')
        return "is not \"name: value\"";
    if (is_ours(line, len))
        return "names a header that distsniff writes itself";
    value += strspn(value, " \t");
    if (*value == '\0')
        return "has no value";
    for (; *value != '\0'; value++) {
        if (iscntrl((unsigned char)*value) && *value != '\t')
            return "has a control character in it";
    }
    return NULL;
}

bool otlp_headers_parse(const char *name, char *text, struct otlp_headers *headers)
{
    unsigned number = 0;
    headers->num = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        line = trim(line);
        number++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        const char *wrong = headers->num == OTLP_MAX_HEADERS ? "is one too many" : what_is_wrong(line);
        if (wrong != NULL) {
            complain("%s, line %u %s", name, number, wrong);
            return false;
        }
        headers->lines[headers->num++] = line;
    }
    if (headers->num == 0)
        complain("%s has no header, such as authorization: Bearer TOKEN", name);
    return headers->num != 0;
}
