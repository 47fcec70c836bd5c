/*
 * distsniff/code.h - terms as Erlang or Elixir source text that a node can read back. For files that
 * file:consult/1 or Code.eval_file/1 reads, and for generated modules and tests.
 *
 * A term that the language can express is written as itself. Other terms become tuples that describe them:
 *
 *     {'$pid', Node, Id, Serial, Creation}
 *     {'$port', Node, Id, Creation}
 *     {'$ref', Node, [A, B, C], Creation}          the words as in #Ref<node.A.B.C>
 *     {'$fun', Module, Index, Uniq, Arity, Free}   as erlang:fun_info/1 calls them; Free is the
 *                                                  list of free variables, Arity undefined (nil)
 *                                                  where the old form does not say
 *     {'$map', [{Key, Value}]}                     a map that has a key twice: no node accepts it
 *     {'$integer', Sign, Magnitude}                an integer of more bytes than some nodes accept: 0
 *                                                  or 1, and a binary, the lowest byte first
 *     {'$record', Module, Name, [{Field, Value}]}  a native record
 *     {'$local', Binary}                           LOCAL_EXT, opaque but to its own node
 *     {'$atom', Text}                              an atom with U+FFFE or U+FFFF, which not all
 *                                                  scanners accept
 *     {'$export', Module, Function, Arity}         fun m:f/1 with such names
 *     '?atom:SLOT'                                 a cached atom that was never seen
 *     '?atom'                                      an atom that no node accepts
 *     {'$deep', Bytes}                             a term nested deeper than the cap
 *     '$damaged'                                   the bytes end here, or are invalid
 *
 * Nodes are atoms. In Elixir these are the same tuples: {:"$pid", :"a@h", 90, 0, 1}. External
 * funs are fun m:f/1 and Function.capture(:m, :f, 1). Elixir's structs are maps with the key
 * __struct__, %{__struct__: Mod, ...}: a node can read them even if the module is not loaded.
 */
#ifndef DISTSNIFF_CODE_H
#define DISTSNIFF_CODE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

enum ds_code_language { DS_CODE_ERLANG, DS_CODE_ELIXIR, DS_CODE_NUM_LANGUAGES };

struct ds_code_options {
    enum ds_code_language language;
    /* Pids, references, ports, funs, and everything that the compiler of OTP 25 does not accept (-0.0,
     * atoms of more than 255 bytes, {'$atom'}) are written as binary_to_term(<<...>>), which returns
     * exactly that term. This is an expression: file:consult/1 cannot read it. */
    bool exact;
    uint32_t width;     /* lines end before this column if possible; 0: everything is on one line */
    uint32_t indent;    /* indentation of all lines but the first */
    uint32_t max_depth; /* nesting shown; 0: no limit */
};

/* ds_code_term appends the term. Nothing is shortened. The text of a damaged term is valid syntax, too.
 * out may contain text already: columns count from its last newline. No part of the term can break out
 * of the literal that contains it. Returns false when memory ran out. */
bool ds_code_term(const struct ds_term *term, const struct ds_code_options *options,
                  struct ds_buffer *out);

/* ds_code_atom appends an atom; text is UTF-8, as ds_atom has it. */
void ds_code_atom(struct ds_text text, enum ds_code_language language, struct ds_buffer *out);

/* ds_code_exact_atom does the same for the compiler: an atom that the compiler of OTP 25 does not
 * accept is written as binary_to_term(<<...>>). */
void ds_code_exact_atom(struct ds_text text, enum ds_code_language language, struct ds_buffer *out);

/* ds_code_key appends an atom as the key of a map, and the text between key and value: "a => " or
 * "a: ". All keys of a map must be written with it. */
void ds_code_key(struct ds_text text, enum ds_code_language language, struct ds_buffer *out);

/* ds_code_binary appends any bytes as a binary, shown as text if they are printable UTF-8. */
void ds_code_binary(struct ds_text bytes, enum ds_code_language language, struct ds_buffer *out);

DS_END_PUBLIC

#endif
