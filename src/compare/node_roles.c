/*
 * node_roles.c - see node_roles.h.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "compare/node_roles.h"

#include "core/bounded_regex.h"
#include "core/printable.h"

#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node_roles {
    bool keeps_words;
    size_t num;
    struct {
        struct bounded_regex *regex;
        char *role;
    } rule[NODE_ROLES_MAX];
};

struct node_roles *node_roles_new(void)
{
    return calloc(1, sizeof(struct node_roles));
}

void node_roles_keep_words(struct node_roles *roles)
{
    roles->keeps_words = true;
}

void node_roles_free(struct node_roles *roles)
{
    for (size_t i = 0; roles != NULL && i < roles->num; i++) {
        bounded_regex_free(roles->rule[i].regex);
        free(roles->rule[i].role);
    }
    free(roles);
}

bool node_roles_add(struct node_roles *roles, const char *rule, char why[static NODE_ROLE_TEXT])
{
    const char *equals = strrchr(rule, '=');
    struct regex_error error = {0};
    if (equals == NULL || equals == rule || equals[1] == '\0') {
        snprintf(why, NODE_ROLE_TEXT,
                 "a regular expression, = and a role are expected, as in '^web[0-9]+@=web'");
        return false;
    }
    if (roles->num == NODE_ROLES_MAX) {
        snprintf(why, NODE_ROLE_TEXT, "there are at most %d roles", NODE_ROLES_MAX);
        return false;
    }
    struct bounded_regex *regex = bounded_regex_new(rule, (size_t)(equals - rule), PCRE2_UTF, &error);
    if (regex == NULL) {
        snprintf(why, NODE_ROLE_TEXT, "%s at column %zu",
                 error.column != 0 ? error.what : "out of memory", error.column);
        return false;
    }
    char *role = strdup(equals + 1);
    if (role == NULL) {
        bounded_regex_free(regex);
        snprintf(why, NODE_ROLE_TEXT, "out of memory");
        return false;
    }
    roles->rule[roles->num].regex = regex;
    roles->rule[roles->num++].role = role;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_in(char c, char first, char last)
{
    return c >= first && c <= last;
}

/* is_made_of says whether a word of at least `least` characters consists of digits and letters from
 * first to last, and has both: with only one of them it may be a real word. */
static bool is_made_of(struct ds_text word, char first, char last, size_t least)
{
    size_t num_digits = 0, num_letters = 0;
    for (size_t i = 0; i < word.len; i++) {
        num_digits += is_digit(word.data[i]);
        num_letters += is_in(word.data[i], first, last);
    }
    return word.len >= least && num_digits != 0 && num_letters != 0 &&
           num_digits + num_letters == word.len;
}

/* num_kept returns the length of the part of a word before its *; the whole length: the word does not
 * change. */
static size_t num_kept(struct ds_text word)
{
    enum { LEAST_DIGITS = 3, LEAST_HEX = 6, LEAST_RANDOM = 10 };
    size_t digits = word.len, letters = 0;
    while (digits > 0 && is_digit(word.data[digits - 1]))
        digits--;
    while (letters < digits &&
           (is_in(word.data[letters], 'a', 'z') || is_in(word.data[letters], 'A', 'Z')))
        letters++;
    if (word.len - digits >= LEAST_DIGITS && letters == digits)
        return digits;
    return is_made_of(word, 'a', 'f', LEAST_HEX) || is_made_of(word, 'A', 'Z', LEAST_RANDOM) ? 0
                                                                                             : word.len;
}

static bool is_between(char c)
{
    return c == '-' || c == '_' || c == '.';
}

static void print_words(const struct node_roles *roles, struct ds_text text, struct ds_buffer *out)
{
    if (roles->keeps_words) {
        printable_text(text, out);
        return;
    }
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && !is_between(text.data[end]))
            end++;
        const struct ds_text word = {text.data + at, end - at};
        const size_t kept = num_kept(word);
        printable_text((struct ds_text){word.data, kept}, out);
        if (kept < word.len)
            ds_buffer_add_text(out, "*");
        if (end < text.len)
            ds_buffer_add(out, &text.data[end++], 1);
        at = end;
    }
}

void node_roles_print_name(const struct node_roles *roles, struct ds_text name, struct ds_buffer *out)
{
    print_words(roles, name, out);
}

void node_roles_print(struct node_roles *roles, struct ds_text node, struct ds_buffer *out)
{
    for (size_t i = 0; i < roles->num; i++) {
        if (bounded_regex_search(roles->rule[i].regex, node.data, node.len) == REGEX_YES) {
            const char *role = roles->rule[i].role;
            printable_text((struct ds_text){role, strlen(role)}, out);
            return;
        }
    }
    const char *at = memchr(node.data, '@', node.len);
    const size_t name_len = at != NULL ? (size_t)(at - node.data) : node.len;
    print_words(roles, (struct ds_text){node.data, name_len}, out);
    printable_text((struct ds_text){node.data + name_len, node.len - name_len}, out);
}
