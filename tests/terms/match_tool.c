/*
 * match_tool.c - holds terms against patterns, for match.escript.
 *
 * Standard input, for each pattern: length, text, number of terms, and of each its length and
 * the term (131 first); numbers have 4 bytes. Standard output: length and text of the error, of
 * length 0 when there is none; then a byte for each term, 1 when it matches. Every term is tried
 * twice, the second time with its atoms in a cache, as they come from a node.
 */
#include "etf/term.h"
#include "util/buffer.h"

#include <distsniff/match.h>
#include <stdio.h>
#include <stdlib.h>

static void die(const char *why)
{
    fprintf(stderr, "match_tool: %s\n", why);
    exit(1);
}

static uint32_t read_u32(bool *end)
{
    uint32_t word;
    *end = fread(&word, sizeof word, 1, stdin) != 1;
    return *end ? 0 : __builtin_bswap32(word);
}

/* read_block reads a length and that many bytes, and appends a NUL. */
static uint8_t *read_block(uint32_t *len)
{
    bool end;
    *len = read_u32(&end);
    uint8_t *bytes = end ? NULL : malloc(*len + 1);
    if (bytes == NULL || fread(bytes, 1, *len, stdin) != *len)
        die("input ends early");
    bytes[*len] = '\0';
    return bytes;
}

static struct ds_atom atoms[255];
static uint32_t num_atoms;

/* add_token copies a token; an atom becomes a reference. */
static void add_token(const struct term_token *token, struct ds_buffer *out)
{
    if (token->class != TERM_ATOM || num_atoms == 255 || token->latin1) {
        buffer_add_cursor(out, &token->bytes);
        return;
    }
    buffer_add_char(out, TERM_TAG_ATOM_CACHE_REF);
    buffer_add_char(out, (char)num_atoms);
    atoms[num_atoms++] = (struct ds_atom){.text = token->body.at,
                                          .len = (uint16_t)cursor_left(&token->body),
                                          .state = DS_ATOM_KNOWN};
}

static struct ds_term with_cache(const struct ds_term *term, struct ds_buffer *out)
{
    const struct term_env env = {0};
    struct cursor c = cursor_make(term->data, term->len);
    struct term_token token;
    out->len = 0;
    num_atoms = 0;
    while (cursor_left(&c) != 0) {
        if (term_read_token(&c, &env, &token, NULL) != TERM_OK)
            die("not a term");
        add_token(&token, out);
    }
    return (struct ds_term){.data = (const uint8_t *)out->data,
                            .len = out->len,
                            .atoms = atoms,
                            .num_atoms = num_atoms};
}

static void answer(struct ds_match *match, struct ds_buffer *cached)
{
    uint32_t len;
    uint8_t *bytes = read_block(&len);
    enum ds_match_result result = DS_MATCH_NO;
    if (match != NULL) {
        const struct ds_term term = {.data = bytes + 1, .len = len - 1};
        result = ds_match_run_term(match, &term);
        const struct ds_term other = with_cache(&term, cached);
        if (ds_match_run_term(match, &other) != result)
            die("a cached atom makes a difference");
    }
    putchar((int)result);
    free(bytes);
}

int main(void)
{
    struct ds_buffer cached = {0};
    for (;;) {
        bool end;
        uint32_t len = read_u32(&end);
        if (end)
            break;
        char *text = malloc(len + 1);
        if (text == NULL || fread(text, 1, len, stdin) != len)
            die("input ends early");
        text[len] = '\0';
        struct ds_match_error error = {0};
        struct ds_match *match = ds_match_compile(text, &error);
        const size_t error_len = match == NULL ? strlen(error.what) : 0;
        const uint32_t head = __builtin_bswap32((uint32_t)error_len);
        fwrite(&head, sizeof head, 1, stdout);
        fwrite(error.what, 1, error_len, stdout);
        for (uint32_t num = read_u32(&end); num != 0; num--)
            answer(match, &cached);
        ds_match_free(match);
        free(text);
    }
    ds_buffer_free(&cached);
    return 0;
}
