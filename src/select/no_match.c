/*
 * no_match.c - see no_match.h. Only a search for a word can be compared with names: a regular expression
 * without operators, or the name or function at the beginning of a pattern.
 */
#include "select/no_match.h"

#include "core/complain.h"
#include "core/hash.h"
#include "core/printable.h"
#include "select/names_here.h"
#include "select/suggestion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Names that were compared already: with more of them, new ones are ignored. */
enum { NUM_SEEN = 4096, MAX_PROBES = 8 };

struct sought_word {
    char text[SUGGESTION_MAX + 1];
    size_t len;         /* 0: the search is not for a word */
    bool is_function;   /* "lists:seq" */
    bool is_part;       /* it may be found within a name */
    struct suggestion near;
};

struct no_match {
    const struct sought *searches;
    size_t num;
    struct names_here names, functions;
    uint64_t num_messages, num_unread;
    uint64_t seen[NUM_SEEN]; /* hashes; 0: free */
    struct ds_buffer text;
    struct sought_word word[];
};

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c & 0x80) != 0 ||
           strchr("_@.:-", c) != NULL;
}

/* read_word takes the word out of a search: all of an -e, what is before the arguments of an -m. */
static void read_word(struct sought_word *word, const struct sought *search)
{
    const bool is_pattern = strcmp(search->option, "-m") == 0;
    const char *end = search->text + (is_pattern ? strcspn(search->text, "(/ \t") : strlen(search->text));
    word->is_part = !is_pattern;
    for (const char *at = search->text; at < end; at++) {
        if (is_pattern && *at == '\'')
            continue;
        if (!is_plain(*at) || word->len == SUGGESTION_MAX) {
            word->len = 0;
            return;
        }
        word->text[word->len++] = *at;
    }
    word->is_function = is_pattern && memchr(word->text, ':', word->len) != NULL;
}

struct no_match *no_match_new(const struct sought *searches, size_t num)
{
    struct no_match *none = calloc(1, sizeof *none + num * sizeof(struct sought_word));
    if (none == NULL)
        return NULL;
    none->searches = searches;
    none->num = num;
    for (size_t i = 0; i < num; i++)
        read_word(&none->word[i], &searches[i]);
    return none;
}

void no_match_free(struct no_match *none)
{
    if (none == NULL)
        return;
    ds_buffer_free(&none->text);
    free(none);
}

/* is_new says whether a name is compared for the first time. */
static bool is_new(struct no_match *none, struct ds_text name, bool is_function)
{
    const uint64_t hash = hash_more(is_function ? 1 : 2, name.data, name.len) | 1;
    for (size_t i = 0; i < MAX_PROBES; i++) {
        uint64_t *seen = &none->seen[(hash / 2 + i) % NUM_SEEN];
        if (*seen == hash)
            return false;
        if (*seen == 0) {
            *seen = hash;
            return true;
        }
    }
    return false;
}

static void compare(struct no_match *none, struct ds_text name, bool is_function)
{
    if (name.data == NULL || name.len == 0 || !is_new(none, name, is_function))
        return;
    for (size_t i = 0; i < none->num; i++) {
        struct sought_word *word = &none->word[i];
        const struct ds_text text = {word->text, word->len};
        if (word->len == 0 || word->is_function != is_function)
            continue;
        const void *found = memmem(name.data, name.len, text.data, text.len);
        word->near.occurs |= found != NULL && (word->is_part || name.len == text.len);
        suggestion_add(&word->near, text, name);
    }
}

/* on_end adds the names of one end of a message. Those of the application weigh more. */
static void on_end(struct no_match *none, const struct record *record, enum ds_role role,
                   struct ds_text name, const struct titles *titles)
{
    enum { HOUSEKEEPING = 1, APPLICATION = 1000000 };
    const char *group = record->note.group;
    const uint64_t weight = group != NULL && strcmp(group, "otp") == 0 ? HOUSEKEEPING : APPLICATION;
    const struct ds_term *term = &record->event->message.role[role];
    if (name.data == NULL && term->data != NULL)
        ds_term_get_atom(term, &name);
    names_here_add(&none->names, name, weight);
    compare(none, name, false);
    for (size_t i = 0; titles != NULL && i < titles->num; i++) {
        names_here_add(&none->names, titles->text[i], weight);
        compare(none, titles->text[i], false);
    }
}

static void on_atoms(struct no_match *none, const struct ds_term *term)
{
    for (uint32_t i = 0; i < term->num_atoms; i++)
        compare(none, (struct ds_text){(const char *)term->atoms[i].text, term->atoms[i].len}, false);
}

static void on_function(struct no_match *none, const struct note *note)
{
    struct ds_text mod, fun;
    if (note->mod.data == NULL || note->fun.data == NULL || !ds_term_get_atom(&note->mod, &mod) ||
        !ds_term_get_atom(&note->fun, &fun))
        return;
    none->text.len = 0;
    ds_buffer_add(&none->text, mod.data, mod.len);
    ds_buffer_add(&none->text, ":", 1);
    ds_buffer_add(&none->text, fun.data, fun.len);
    if (none->text.failed)
        return;
    const struct ds_text name = {none->text.data, none->text.len};
    names_here_add(&none->functions, name, 1);
    compare(none, name, true);
}

void no_match_add(struct no_match *none, const struct record *record)
{
    const struct ds_event *event = record->event;
    const struct note *note = &record->note;
    if (event->type != DS_EVENT_MESSAGE)
        return;
    none->num_messages++;
    none->num_unread += event->unknown_atoms != 0;
    on_end(none, record, DS_ROLE_FROM, note->from_name, note->from_titles);
    on_end(none, record, DS_ROLE_TO, note->to_name, note->to_titles);
    on_atoms(none, &event->message.control);
    if (event->message.payload.atoms != event->message.control.atoms)
        on_atoms(none, &event->message.payload);
    for (int i = 0; i < 2; i++)
        compare(none, event->conn->end[i].node, false);
    on_function(none, note);
}

/* say_word reports what there was instead of a word. */
static void say_word(const struct no_match *none, size_t i)
{
    const struct sought_word *word = &none->word[i];
    const struct names_here *names = word->is_function ? &none->functions : &none->names;
    struct ds_buffer text = {0};
    if (word->len == 0 || word->near.occurs || (word->near.len == 0 && names->num == 0))
        return;
    printable_text((struct ds_text){none->searches[i].text, strlen(none->searches[i].text)}, &text);
    ds_buffer_add_text(&text, " matched nothing; ");
    if (word->near.len != 0) {
        ds_buffer_add_text(&text, "there was ");
        printable_text((struct ds_text){word->near.nearest, word->near.len}, &text);
    } else {
        ds_buffer_add_text(&text, word->is_function ? "functions called here: " : "processes here: ");
        names_here_print(names, &text);
    }
    if (!text.failed)
        complain("%s: %.*s", none->searches[i].option, (int)text.len, text.data);
    ds_buffer_free(&text);
}

void no_match_say(const struct no_match *none)
{
    if (none == NULL)
        return;
    for (size_t i = 0; i < none->num; i++)
        say_word(none, i);
    no_match_say_unread(none->num_unread, none->num_messages);
}

void no_match_say_unread(uint64_t num_unread, uint64_t num_messages)
{
    if (num_unread != 0)
        complain("%" PRIu64 " of %" PRIu64 " messages have unknown atoms, which may be what you look "
                 "for: see distsniff --print-refresh",
                 num_unread, num_messages);
}
