/*
 * match_lex.h - the words of a pattern, as Erlang's own scanner takes them apart.
 */
#ifndef DISSECT_MATCH_LEX_H
#define DISSECT_MATCH_LEX_H

#include <distsniff/match.h>

enum lex_kind { LEX_END, LEX_INTEGER, LEX_FLOAT, LEX_ATOM, LEX_VARIABLE, LEX_STRING, LEX_SIGN };

/* lex_token is a word. What it means is in the lexer until the next word is read. */
struct lex_token {
    enum lex_kind kind;
    size_t at, len; /* in the text */
    bool is_quoted; /* ATOM: never a keyword */
};

struct lexer {
    const char *text;
    size_t len, at; /* at is behind token */
    struct lex_token token;
    struct ds_match_error *error;
    uint32_t *chars; /* ATOM, STRING: the characters; room for one a byte of the text */
    size_t num_chars;
    uint8_t *magnitude; /* INTEGER: its bytes, the lowest first; room as above */
    size_t magnitude_len;
    double real; /* FLOAT */
};

/* lexer_init allocates what a text of that length can need; false when memory ran out.
 * lexer_free releases it. */
bool lexer_init(struct lexer *lexer, const char *text, struct ds_match_error *error);
void lexer_free(struct lexer *lexer);

/* lexer_next reads the next word into lexer->token; false after an error. */
bool lexer_next(struct lexer *lexer);

/* lexer_is says whether the word that was read is that sign, or that bare word. */
bool lexer_is(const struct lexer *lexer, const char *text);

/* lexer_fail says what is wrong at a place; lexer_expected what the word that was read should
 * have been. Both return false. */
__attribute__((format(printf, 3, 4))) bool lexer_fail(struct lexer *lexer, size_t at,
                                                      const char *format, ...);
bool lexer_expected(struct lexer *lexer, const char *what);

#endif
