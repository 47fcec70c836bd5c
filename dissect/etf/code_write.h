/*
 * code_write.h - writes the words of a language one after the other and folds wide lines.
 *
 * A line may end after a comma. The writer remembers these places; when the line has become too
 * wide, it inserts the newline at the last comma of the outermost open term, so that what belongs
 * together stays together. A text that is too wide by itself continues in the next line, in the
 * language's own way.
 */
#ifndef DISSECT_CODE_WRITE_H
#define DISSECT_CODE_WRITE_H

#include "util/buffer.h"

#include <distsniff/code.h>

/* How a language writes what all languages have. */
struct code_syntax {
    const char *comma; /* one character, and a space to separate where the line does not end */
    const char *arrow, *bar;
    const char *map_open;
    const char *string_open;                         /* of a list of characters */
    const char *text_open, *text_close, *utf8_close; /* of a binary that is text */
    const char *no_bytes;                            /* the empty binary */
    const char *bits_open, *bits_close;              /* around the number of bits: 5:3 */
    const char *split_end, *split_begin;             /* where text continues in the next line */
    bool split_indent; /* split_begin is indented like other lines */
    const char *fun_open, *fun_colon, *fun_slash, *fun_close; /* fun m:f/1 */
    const char *exact_open, *exact_close;
    const char *nothing; /* the atom for an unknown term */
    bool keywords;       /* there is a special form for keys that are atoms */
    void (*add_atom)(struct ds_buffer *out, struct cursor text); /* valid UTF-8 */
    void (*add_key)(struct ds_buffer *out, struct cursor text);
    void (*add_char)(struct ds_buffer *out, uint32_t code); /* between double quotes */
};

extern const struct code_syntax code_syntaxes[DS_CODE_NUM_LANGUAGES];

enum { CODE_MARKS = 16 };

/* A place where a line may end. */
struct code_mark {
    size_t at;      /* in the output, after a comma */
    size_t indent;  /* of the next line */
    uint64_t depth; /* number of terms open there */
};

struct code_writer {
    struct ds_buffer *out;
    const struct code_syntax *syntax;
    uint32_t width, indent; /* as in ds_code_options */
    uint64_t depth;         /* number of open terms */
    size_t line_start;      /* in out */
    /* In this line: the last mark of each depth, unless a mark further out comes after it. */
    struct code_mark marks[CODE_MARKS];
    unsigned num_marks;
};

/* code_writer_make returns a writer; options must live as long. */
struct code_writer code_writer_make(const struct ds_code_options *options, struct ds_buffer *out);

/* code_fold ends a line that has become too wide, if possible. */
void code_fold(struct code_writer *w);

void code_add(struct code_writer *w, const char *words);
void code_add_comma(struct code_writer *w);
void code_add_number(struct code_writer *w, uint64_t number);
void code_add_signed(struct code_writer *w, int64_t number);

/* code_add_atom and code_add_key append an atom; '?atom' if text is absent, {'$atom', Text} if the
 * language cannot write it. */
void code_add_atom(struct code_writer *w, struct cursor text);
void code_add_key(struct code_writer *w, struct cursor text);

/* code_add_exact_atom appends exactly this atom, if need be as binary_to_term(<<...>>): the
 * compiler of OTP 25 rejects atoms with more bytes than a key may have, and evaluates
 * binary_to_atom itself. */
void code_add_exact_atom(struct code_writer *w, struct cursor text);

/* code_add_char appends a character inside double quotes. */
void code_add_char(struct code_writer *w, uint32_t code);

/* code_add_bytes appends numbers separated by commas. */
void code_add_bytes(struct code_writer *w, struct cursor bytes);

/* code_add_binary appends a binary, as text if it is text. */
void code_add_binary(struct code_writer *w, struct cursor bytes);

/* code_add_mixed appends a binary that is not text but contains some: <<131,88,"alice">>. */
void code_add_mixed(struct code_writer *w, struct cursor bytes);

#endif
