/*
 * line_compact.c - see line_compact.h.
 */
#include "output/line_compact.h"

#include <string.h>

/* "..." replaces everything between this beginning and its end. */
static const struct {
    const char *begin;
    char end;
} rules[] = {
    {"{'$gen_call',{", '}'},
    {"{:\"$gen_call\", {", '}'},
    {"#Ref<", '>'},
    {"#Reference<", '>'},
};

/* find_rule returns the length of the beginning that a text has, 0: none, and the position of its
 * end. */
static size_t find_rule(struct ds_text text, size_t *end)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t len = strlen(rules[i].begin);
        if (text.len <= len || memcmp(text.data, rules[i].begin, len) != 0)
            continue;
        const char *found = memchr(text.data + len, rules[i].end, text.len - len);
        if (found == NULL)
            continue;
        *end = (size_t)(found - text.data);
        return len;
    }
    return 0;
}

void line_compact(struct ds_text text, struct ds_buffer *out)
{
    size_t from = 0, end;
    for (size_t at = 0; at < text.len; at++) {
        if (text.data[at] != '{' && text.data[at] != '#')
            continue;
        const size_t len = find_rule((struct ds_text){text.data + at, text.len - at}, &end);
        if (len == 0)
            continue;
        ds_buffer_add(out, text.data + from, at + len - from);
        ds_buffer_add_text(out, "...");
        from = at + end;
        at = from;
    }
    ds_buffer_add(out, text.data + from, text.len - from);
}

/* Replacements in a line that is still too wide. */
static const struct {
    const char *text, *instead;
} shorter[] = {
    {"#Ref<...>", "#Ref"},
    {"#Reference<...>", "#Ref"},
    {"{[alias|#Ref<...>],", "{$tag,"},
    {"{[:alias | #Reference<...>], ", "{$tag, "},
    {"{'$gen_call',{...},", "{$call,"},
    {"{'$gen_cast',", "{$cast,"},
    {"{:\"$gen_call\", {...}, ", "{$call, "},
    {"{:\"$gen_cast\", ", "{$cast, "},
};

/* Control messages that carry a message from a process; that one is sent is clear without the word. */
static const char *const sends[] = {"send",       "send_tt",       "reg_send",      "reg_send_tt",
                                    "send_sender", "send_sender_tt", "alias_send", "alias_send_tt",
                                    "altact_sig_send"};

/* in_line is a position in a line, and the names of both ends of the line: whole, and as they are shown
 * there. */
struct in_line {
    struct ds_text text;
    size_t at;
    struct ds_text name[2], shown[2];
    bool is_in_term; /* a bracket was before it: pids there may be of either end */
};

/* skip_paint returns the position after the colour codes at a position. */
static size_t skip_paint(struct ds_text text, size_t at)
{
    while (at < text.len && text.data[at] == '\033') {
        const char *end = memchr(text.data + at, 'm', text.len - at);
        if (end == NULL)
            return at;
        at = (size_t)(end - text.data) + 1;
    }
    return at;
}

static bool begins(const struct in_line *line, const char *word, size_t len)
{
    return line->text.len - line->at >= len && memcmp(line->text.data + line->at, word, len) == 0;
}

/* find_names finds both ends in "TIME a@h > b@h: ": where the first begins and the second ends.
 * False if a line has none. */
static bool find_names(struct in_line *line, size_t *begin, size_t *end)
{
    const struct ds_text text = line->text;
    const char *colon = text.len != 0 ? memmem(text.data, text.len, ": ", 2) : NULL;
    const char *arrow = colon != NULL ? memmem(text.data, (size_t)(colon - text.data), " > ", 3) : NULL;
    if (arrow == NULL)
        return false;
    const size_t first_end = (size_t)(arrow - text.data);
    size_t from = 0;
    for (size_t i = 0; i < first_end; i++) {
        const size_t painted = skip_paint(text, i);
        if (painted != i || text.data[i] == ' ') {
            from = painted != i ? painted : i + 1;
            i = from - 1;
        }
    }
    *begin = from;
    *end = first_end + 3;
    while (*end < (size_t)(colon - text.data) && text.data[*end] != '\033')
        ++*end;
    const size_t tilde[2] = {text.data[from] == '~', text.data[first_end + 3] == '~'};
    line->name[0] = (struct ds_text){text.data + from + tilde[0], first_end - from - tilde[0]};
    line->name[1] = (struct ds_text){text.data + first_end + 3 + tilde[1], *end - first_end - 3 - tilde[1]};
    return from < first_end;
}

/* add_names adds both names without their common part: their host, or their name. */
static void add_names(struct in_line *line, size_t begin, size_t end, struct ds_buffer *out)
{
    const struct ds_text *a = &line->name[0], *b = &line->name[1];
    const char *at[2] = {memchr(a->data, '@', a->len), memchr(b->data, '@', b->len)};
    const size_t len[2] = {at[0] != NULL ? (size_t)(at[0] - a->data) : 0,
                           at[1] != NULL ? (size_t)(at[1] - b->data) : 0};
    line->shown[0] = *a;
    line->shown[1] = *b;
    if (len[0] == 0 || len[1] == 0) {
        ds_buffer_add(out, line->text.data + begin, end - begin);
        return;
    }
    const bool same_host = a->len - len[0] == b->len - len[1] && memcmp(at[0], at[1], a->len - len[0]) == 0;
    const bool same_name = len[0] == len[1] && memcmp(a->data, b->data, len[0]) == 0;
    for (int i = 0; i < 2; i++) {
        const struct ds_text *name = &line->name[i];
        ds_buffer_add_text(out, i == 1 ? " > " : "");
        if (name->data > line->text.data && name->data[-1] == '~')
            ds_buffer_add_text(out, "~");
        const size_t from = !same_host && same_name ? len[i] : 0;
        line->shown[i] = (struct ds_text){name->data + from, same_host ? len[i] : name->len - from};
        ds_buffer_add(out, line->shown[i].data, line->shown[i].len);
    }
}

/* skip_node returns the length of the node in a pid "<a@h.1.0>", if it is an end of the line. In a
 * term, where a pid without a node is one of the sender's, it adds the receiver as it is shown. */
static size_t skip_node(const struct in_line *line, struct ds_buffer *out)
{
    for (int i = 0; i < 2; i++) {
        const struct ds_text node = line->name[i];
        const size_t rest = line->text.len - line->at;
        if (node.len != 0 && rest > node.len + 1 && begins(line, node.data, node.len) &&
            line->text.data[line->at + node.len] == '.') {
            if (i == 0 || !line->is_in_term)
                return node.len + 1;
            ds_buffer_add(out, line->shown[i].data, line->shown[i].len);
            return node.len;
        }
    }
    return 0;
}

/* add_shorter adds the replacement for the text at this position, and returns the length of that
 * text; 0: none. */
static size_t add_shorter(const struct in_line *line, struct ds_buffer *out)
{
    for (size_t i = 0; i < sizeof shorter / sizeof shorter[0]; i++) {
        const size_t len = strlen(shorter[i].text);
        if (!begins(line, shorter[i].text, len))
            continue;
        ds_buffer_add_text(out, shorter[i].instead);
        return len;
    }
    return 0;
}

/* skip_send returns the length of a word such as reg_send at this position, including the blank
 * after it. */
static size_t skip_send(const struct in_line *line)
{
    for (size_t i = 0; i < sizeof sends / sizeof sends[0]; i++) {
        const size_t len = strlen(sends[i]);
        const size_t behind = begins(line, sends[i], len) ? skip_paint(line->text, line->at + len) : 0;
        if (behind != 0 && behind < line->text.len && line->text.data[behind] == ' ')
            return behind + 1 - line->at;
    }
    return 0;
}

void line_compact_more(struct ds_text text, struct ds_buffer *out)
{
    struct in_line line = {.text = text};
    size_t begin = 0, end = 0;
    bool may_be_send = true;
    if (!find_names(&line, &begin, &end)) {
        ds_buffer_add(out, text.data, text.len);
        return;
    }
    ds_buffer_add(out, text.data, begin);
    add_names(&line, begin, end, out);
    for (line.at = end; line.at < text.len;) {
        const char c = text.data[line.at], before = text.data[line.at - 1];
        size_t skipped = 0;
        if (before == '<' || (before == '?' && text.data[line.at - 2] == '<'))
            skipped = skip_node(&line, out);
        else if (c == '{' || c == '#')
            skipped = add_shorter(&line, out);
        may_be_send &= c != '<' && c != '{';
        line.is_in_term |= c == '{' || (c == '[' && before != '\033') || c == '(';
        if (may_be_send && (before == ' ' || before == 'm')) {
            skipped = skip_send(&line);
            may_be_send = skipped == 0;
            const char *paint = skipped != 0 ? memchr(text.data + line.at, '\033', skipped) : NULL;
            if (paint != NULL) /* keep the colour code after it, without the blank */
                ds_buffer_add(out, paint, skipped - 1 - (size_t)(paint - text.data - line.at));
        }
        if (skipped == 0)
            ds_buffer_add(out, &c, 1);
        line.at += skipped != 0 ? skipped : 1;
    }
}
