/*
 * filter_complete.c - filter_complete of filter.h: how an expression that is being typed can continue.
 */
#include "select/filter_program.h"

#include <string.h>

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':';
}

/* word_before returns the name that ends before len, or before the blanks there. */
static struct ds_text word_before(const char *text, size_t len)
{
    while (len != 0 && text[len - 1] == ' ')
        len--;
    size_t begin = len;
    while (begin != 0 && is_of_name(text[begin - 1]))
        begin--;
    return (struct ds_text){text + begin, len - begin};
}

/* field_before returns the field with which the word at len is compared; NULL if there is none. */
static const struct filter_field *field_before(const char *text, size_t len)
{
    while (len != 0 && text[len - 1] == ' ')
        len--;
    size_t end = len;
    while (end != 0 && strchr("=!", text[end - 1]) != NULL)
        end--;
    return end == len ? NULL : filter_field_find(word_before(text, end));
}

/* is_said_before says whether a vocabulary contains a word before that place: some contain words twice. */
static bool is_said_before(filter_word_fn *words, const struct own_labels *own, size_t place,
                           const char *word)
{
    size_t i = 0;
    while (i < place && strcmp(words(own, i), word) != 0)
        i++;
    return i < place;
}

/* nth_word returns the nth word of a field that begins with a given text. */
static const char *nth_word(const struct filter_field *field, const struct own_labels *own,
                            struct ds_text begin, size_t n)
{
    const char *word;
    for (size_t i = 0; field->words != NULL && (word = field->words(own, i)) != NULL; i++) {
        if (strncmp(word, begin.data, begin.len) == 0 &&
            !is_said_before(field->words, own, i, word) && n-- == 0)
            return word;
    }
    return NULL;
}

static const char *nth_field(struct ds_text begin, size_t n)
{
    const struct filter_field *field;
    for (size_t i = 0; (field = filter_field_at(i)) != NULL; i++) {
        if (strncmp(field->name, begin.data, begin.len) == 0 && n-- == 0)
            return field->name;
    }
    return NULL;
}

const char *filter_complete(const char *text, const struct own_labels *own, size_t n, size_t *typed)
{
    const size_t len = strlen(text);
    size_t begin = len;
    while (begin != 0 && is_of_name(text[begin - 1]))
        begin--;
    const struct ds_text word = {text + begin, len - begin};
    const bool is_quoted = begin != 0 && text[begin - 1] == '"';
    const struct filter_field *field = field_before(text, is_quoted ? begin - 1 : begin);
    *typed = word.len;
    if (is_quoted)
        return field != NULL ? nth_word(field, own, word, n) : NULL;
    return field != NULL ? NULL : nth_field(word, n);
}
