/*
 * redact_title.c - see redact_title.h. A title is text: global or pg, perhaps a scope, which is
 * an atom, and the name, any term as ds_term_print writes it. Colons within that part nothing.
 */
#include "redact_title.h"

#include "titles.h"
#include "term_show.h"

#include <string.h>

enum { TAG_STRING = 107, TAG_BINARY = 109, TAG_SMALL_ATOM_UTF8 = 119 };

/* is_plain_atom says whether the text of a term is that of an atom without quotes. */
static bool is_plain_atom(struct ds_text text)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool is_lower = c >= 'a' && c <= 'z';
        if (!is_lower &&
            (i == 0 || !((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '@')))
            return false;
    }
    return text.len != 0;
}

/* take_word takes the word before a colon away from text, and the colon. False if there is none. */
static bool take_word(struct ds_text *text, struct ds_text *word)
{
    const char *colon = text->len != 0 ? memchr(text->data, ':', text->len) : NULL;
    *word = (struct ds_text){text->data, colon != NULL ? (size_t)(colon - text->data) : 0};
    if (!is_plain_atom(*word))
        return false;
    text->data += word->len + 1;
    text->len -= word->len + 1;
    return true;
}

/* literal is how a term is written that is all text, and its tag. */
static const struct literal {
    const char *opens, *closes;
    uint8_t tag;
} literals[] = {
    {"'", "'", TAG_SMALL_ATOM_UTF8}, {"\"", "\"", TAG_STRING}, {"<<\"", "\">>", TAG_BINARY}};

static bool takes_quotes(struct ds_text *text, const struct literal *literal)
{
    const size_t before = strlen(literal->opens), behind = strlen(literal->closes);
    if (text->len <= before + behind || memcmp(text->data, literal->opens, before) != 0 ||
        memcmp(text->data + text->len - behind, literal->closes, behind) != 0)
        return false;
    text->data += before;
    text->len -= before + behind;
    return true;
}

/* read_literal makes a term of its text, where that is plain ASCII without escapes. Returns its
 * length, 0 for other terms. */
static size_t read_literal(struct ds_text text, uint8_t term[5 + TITLE_LEN_MAX])
{
    uint8_t tag = is_plain_atom(text) ? TAG_SMALL_ATOM_UTF8 : 0;
    for (size_t i = 0; tag == 0 && i < sizeof literals / sizeof literals[0]; i++) {
        if (takes_quotes(&text, &literals[i]))
            tag = literals[i].tag;
    }
    bool is_plain = tag != 0 && text.len <= TITLE_LEN_MAX;
    for (size_t i = 0; is_plain && i < text.len; i++)
        is_plain =
            text.data[i] >= ' ' && text.data[i] <= '~' && strchr("'\"\\", text.data[i]) == NULL;
    if (!is_plain)
        return 0;
    size_t len = 0;
    term[len++] = tag;
    for (size_t zeros = tag == TAG_BINARY ? 3 : tag == TAG_STRING ? 1 : 0; zeros != 0; zeros--)
        term[len++] = 0;
    term[len++] = (uint8_t)text.len;
    memcpy(term + len, text.data, text.len);
    return len + text.len;
}

static void redact_name(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    uint8_t bytes[5 + TITLE_LEN_MAX];
    const struct ds_term term = {.data = bytes, .len = read_literal(text, bytes)};
    struct ds_buffer new_bytes = {0};
    if (term.len == 0) {
        redact_other(v, text, out);
        return;
    }
    redact_rewrite(v, &term, false, &new_bytes);
    const struct ds_term new_term = {.data = (const uint8_t *)new_bytes.data, .len = new_bytes.len};
    out->failed |= new_bytes.failed || !term_show(&new_term, NULL, out);
    ds_buffer_free(&new_bytes);
}

void redact_title(struct redact_values *v, struct ds_text text, struct ds_buffer *out)
{
    struct ds_text word;
    if (take_word(&text, &word)) {
        ds_buffer_add(out, word.data, word.len);
        ds_buffer_add(out, ":", 1);
        if (take_word(&text, &word)) {
            redact_atom(v, word, out);
            ds_buffer_add(out, ":", 1);
        }
    }
    redact_name(v, text, out);
}
