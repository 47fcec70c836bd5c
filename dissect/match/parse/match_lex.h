/*
 * match_lex.h - splits a pattern into words, like Erlang's own scanner.
 */
#ifndef DISSECT_MATCH_LEX_H
#define DISSECT_MATCH_LEX_H

#include <distsniff/match.h>

enum lex_kind { LEX_END, LEX_INTEGER, LEX_FLOAT, LEX_ATOM, LEX_VARIABLE, LEX_STRING, LEX_SIGN };

/* lex_token is a word. Its value is in the lexer until the next word is read. */
struct lex_token {
    enum lex_kind kind;
    size_t at, len; /* in the text */
    bool is_quoted; /* ATOM: never a keyword */
};

struct lexer {
    const char *text;
    size_t len, at; /* at is after token */
    struct lex_token token;
    struct ds_match_error *error;
    uint32_t *chars; /* ATOM, STRING: the characters; room for one per byte of the text */
    size_t num_chars;
    uint8_t *magnitude; /* INTEGER: its bytes, the lowest first; room as above */
    size_t magnitude_len;
    double real; /* FLOAT */
};

/* lexer_init allocates the memory that a text of that length may need; false if memory ran out.
 * lexer_free releases it. */
bool lexer_init(struct lexer *lexer, const char *text, struct ds_match_error *error);
void lexer_free(struct lexer *lexer);

/* lexer_next reads the next word into lexer->token; false after an error. */
bool lexer_next(struct lexer *lexer);

/* lexer_is says whether the current word is that sign, or that bare word. */
bool lexer_is(const struct lexer *lexer, const char *text);

/* lexer_fail reports an error at a position; lexer_expected reports what the current word should
 * have been. Both return false. */
__attribute__((format(printf, 3, 4))) bool lexer_fail(struct lexer *lexer, size_t at,
                                                      const char *format, ...);
bool lexer_expected(struct lexer *lexer, const char *what);

#endif
