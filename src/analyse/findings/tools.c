/*
 * tools.c - see tools.h.
 */
#include "analyse/findings/tools.h"

#include <distsniff/identity.h>
#include <string.h>

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool tools_have_name(struct ds_text node)
{
    static const struct {
        const char *begin;
        size_t least;
        char behind;
    } tools[] = {
#define TOOL(begin, least, behind) {begin, least, behind},
#include "analyse/findings/tools.def"
#undef TOOL
    };
    for (size_t i = 0; node.data != NULL && i < sizeof tools / sizeof tools[0]; i++) {
        const size_t begin = strlen(tools[i].begin);
        size_t len = begin;
        if (node.len <= begin || memcmp(node.data, tools[i].begin, begin) != 0)
            continue;
        while (len < node.len && is_digit(node.data[len]))
            len++;
        if (len - begin >= tools[i].least && (len < node.len ? node.data[len] : '@') == tools[i].behind)
            return true;
    }
    return false;
}

size_t tools_number_len(struct ds_text node, size_t digits)
{
    const char *at = node.data != NULL ? memchr(node.data, '@', node.len) : NULL;
    const size_t end = node.data == NULL ? 0 : at != NULL ? (size_t)(at - node.data) : node.len;
    size_t len = end;
    while (len != 0 && node.data[len - 1] >= '0' && node.data[len - 1] <= '9')
        len--;
    return end - len >= digits ? len : 0;
}

bool tools_are_hidden(uint64_t flags)
{
    const uint64_t published = 1, name_me = UINT64_C(1) << 33;
    return (flags & published) == 0 || (flags & name_me) != 0;
}

bool tools_read_terminal(const char *label, const struct ds_term *payload)
{
    static const char get[] = "get_";
    enum { REQUEST = 3 };
    struct ds_term request, what;
    struct ds_text name;
    return label != NULL && strcmp(label, "io_request") == 0 && payload->data != NULL &&
           ds_term_get_element(payload, REQUEST, &request) && ds_term_get_element(&request, 0, &what) &&
           ds_term_get_atom(&what, &name) && name.len >= sizeof get - 1 &&
           memcmp(name.data, get, sizeof get - 1) == 0;
}
