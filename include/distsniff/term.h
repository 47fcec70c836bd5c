/*
 * distsniff/term.h - external terms as read-only views over captured bytes.
 *
 * A ds_term is a piece of Erlang's external term format (erl_ext_dist, "Erlang External Term Format")
 * as it was in a distribution message: without the leading 131, and with its references to the atom
 * cache unresolved. The view has the atoms that these references mean. A term in an event has been
 * parsed once already: its lengths and counts are valid.
 */
#ifndef DISTSNIFF_TERM_H
#define DISTSNIFF_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <distsniff/public.h>

DS_BEGIN_PUBLIC

/* ds_text is text as the peer sent it: meant to be UTF-8, but not checked, not escaped, and without a
 * NUL at its end. Absent text has data == NULL. */
struct ds_text {
    const char *data;
    size_t len; /* bytes */
};

/* How an atom of the cache came to be known. */
enum ds_atom_state {
    DS_ATOM_UNKNOWN,  /* defined in a packet that was not captured; text is absent */
    DS_ATOM_KNOWN,    /* defined in a captured packet */
    DS_ATOM_INFERRED, /* certain although its definition was not captured: a FromPid's node is the sender */
    DS_ATOM_LIKELY,   /* a guess that is very probably right */
    DS_ATOM_ADDRESS,  /* the unknown name of the node at one end: text is the node's address,
                         "~10.0.0.7:25672", which cannot be a node's name */
    DS_ATOM_NUM_STATES
};

/* ds_atom_is_certain says whether the text of an atom in a state is certain. */
static inline bool ds_atom_is_certain(unsigned state)
{
    return state == DS_ATOM_KNOWN || state == DS_ATOM_INFERRED;
}

/* ds_atom_has_name says whether the text of an atom in a state is the atom's own. */
static inline bool ds_atom_has_name(unsigned state)
{
    return state != DS_ATOM_UNKNOWN && state != DS_ATOM_ADDRESS;
}

/* What is known about the characters of an atom's text. */
enum ds_atom_looks {
    DS_ATOM_BARE = 1,  /* it needs no quotes */
    DS_ATOM_SHOWN = 2, /* printable ASCII without quotes and backslashes */
};

/* ds_atom is an atom that a message refers to. slot is segment * 256 + index in the sender's cache (0
 * to 2047). The text is UTF-8; Latin-1 atoms have been converted. */
struct ds_atom {
    const uint8_t *text;
    uint16_t len; /* bytes, at most 1020 */
    uint16_t slot;
    uint8_t state; /* enum ds_atom_state */
    uint8_t looks; /* bits of enum ds_atom_looks; 0: nothing is known */
    bool is_new;   /* this message put it into its slot */
};

/* ds_term is one term. ATOM_CACHE_REF n in it means atoms[n]. An absent term has
 * data == NULL. */
struct ds_term {
    const uint8_t *data;
    size_t len; /* bytes, including the tag */
    const struct ds_atom *atoms;
    uint32_t num_atoms;
    bool damaged; /* it was not parsed to its end: see the event's fault */
};

/* ds_buffer is a growing byte buffer. Zero-initialise it; ds_buffer_free releases it. When memory runs out,
 * failed is set and further additions are ignored.
 *
 * Long operations can be stopped: ds_term_print, ds_code_term, ds_term_copy_portable and ds_term_rewrite
 * call is_stopped every thousand terms or so. Once it returns true they stop as if memory had run out:
 * failed is set, and their return value says so. Any thread that writes to the buffer may call it. */
struct ds_buffer {
    char *data;
    size_t len; /* bytes in use */
    size_t cap; /* bytes allocated */
    bool failed;
    bool (*is_stopped)(void); /* NULL: nothing can stop it */
};

/* ds_buffer_reserve makes room for more_len further bytes; returns false (and sets
 * failed) when memory runs out. */
bool ds_buffer_reserve(struct ds_buffer *buffer, size_t more_len);

/* ds_buffer_add appends len bytes. */
void ds_buffer_add(struct ds_buffer *buffer, const void *bytes, size_t len);

/* ds_buffer_add_text appends a C string. */
void ds_buffer_add_text(struct ds_buffer *buffer, const char *text);

/* ds_buffer_printf appends as printf would. */
void ds_buffer_printf(struct ds_buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ds_buffer_add_char appends one character, at most U+10FFFF, as UTF-8. */
void ds_buffer_add_char(struct ds_buffer *buffer, uint32_t character);

/* ds_buffer_add_base64 appends len bytes as base64 (RFC 4648, section 4), padded with '='. */
void ds_buffer_add_base64(struct ds_buffer *buffer, const void *bytes, size_t len);

/* ds_digits_put writes a number in decimal and returns a pointer to the byte after it. at has room for
 * DS_DIGITS_MAX bytes; the function may overwrite all of them. */
enum { DS_DIGITS_MAX = 20 }; /* of 2^64 - 1 */
char *ds_digits_put(char *at, uint64_t number);

/* ds_buffer_free releases the memory and zeroes the buffer, except is_stopped. */
void ds_buffer_free(struct ds_buffer *buffer);

/* ds_text_read_char reads the first character of text, which is not empty, as UTF-8 (RFC 3629: shortest
 * forms only, no surrogates, nothing above U+10FFFF). It returns the number of bytes read, or 0 for invalid
 * UTF-8: then *character is not set. */
size_t ds_text_read_char(struct ds_text text, uint32_t *character);

/* ds_char_is_shown says whether a character may go to a terminal as it is. It is false for control
 * characters, characters without a shape (zero width, tags), characters that reverse the direction of
 * writing or end a line, and the backslash, which escapes quotes. */
bool ds_char_is_shown(uint32_t character);

/* How terms are written: as Erlang's shell writes them, or as Elixir's inspect does. */
enum ds_syntax { DS_SYNTAX_ERLANG, DS_SYNTAX_ELIXIR, DS_SYNTAX_NUM };

/* ds_syntax_words returns *num static strings that the text of a term can contain although its bytes do
 * not, such as "#Ref<". A search through the bytes of terms instead of their text must try these words as
 * well. */
const char *const *ds_syntax_words(enum ds_syntax syntax, size_t *num);

/* ds_term_part is a term within another term, with the bytes up to the other term's end. */
struct ds_term_part {
    const uint8_t *data;
    size_t at, len; /* position of its text in the buffer; len 0: the text is not contiguous */
};

/* ds_term_memo is a cache of a few kilobytes: the texts of the pids and references printed last. It makes
 * printing many terms of the same conversations faster. It belongs to one thread at a time.
 * ds_term_memo_new returns NULL when memory ran out. NULL is allowed everywhere: nothing is cached. */
struct ds_term_memo;
struct ds_term_memo *ds_term_memo_new(void);
void ds_term_memo_free(struct ds_term_memo *memo);

/* ds_term_print_options limits the text of a term. Zero means no limit. The text says what is left out:
 * "... 1234 more bytes", "... 17 more". */
struct ds_term_print_options {
    uint32_t max_bytes; /* bytes shown of a binary or string */
    uint32_t max_items; /* elements shown of a list, tuple or map */
    uint32_t max_depth; /* levels of nesting shown */
    size_t max_len;     /* approximate length of the whole text */
    bool no_string;     /* the term itself is shown as a list, never as a string */
    bool unicode;       /* lists of printable characters above Latin-1 are shown as strings, too */
    uint32_t base64_min; /* binaries of at least this many bytes that are not text are shown as
                            base64:decode("...") */
    bool unmarked;      /* no '?' before an atom that is only likely */
    bool in_string;     /* the text will be inside double quotes, in JSON or C: double quotes and
                           backslashes get a backslash */
    bool *cut; /* set to true if max_bytes or max_len left something out; may be NULL */
    enum ds_syntax syntax;
    struct ds_term_part *part; /* ds_term_print sets at and len; may be NULL. Erlang syntax only */
    struct ds_term_memo *memo; /* may be NULL */
};

/* ds_term_print appends the term in Erlang syntax. erl_scan and erl_parse read a term without pids,
 * references, ports, funs and unknown atoms back. The text is printable: control characters and invalid
 * UTF-8 are escaped. A damaged term is printed up to the damage and ends in "...". An atom that is only
 * likely has a '?' before its quotes: ?ok, ?'$gen_call'. options may be NULL. Returns false when memory ran
 * out.
 *
 * DS_SYNTAX_ELIXIR writes what inspect of Elixir 1.15 or later writes without limits, with these
 * differences:
 *   - Pids, ports and references name their node: #PID<bob@h.85.0>.
 *   - Each struct is %Shop.Order{...} with all of its fields: Elixir's own structs in the order of their
 *     definition, others in that of the map.
 *   - Funs lack the name of their function.
 *   - Atoms with letters beyond Latin-1 are quoted.
 *   - Invisible characters are \u{AD}.
 *   - Integers of thousands of digits are 0xFF.
 *   - An atom that is only likely has its '?' before the colon: ?:ok. */
bool ds_term_print(const struct ds_term *term, const struct ds_term_print_options *options,
                   struct ds_buffer *out);

/* ds_term_print_atom appends an atom, quoted where Erlang needs it. text is UTF-8.
 * ds_term_print_atom_as does so in any syntax: :ok, Shop.Cart. */
void ds_term_print_atom(struct ds_text text, struct ds_buffer *out);
void ds_term_print_atom_as(struct ds_text text, enum ds_syntax syntax, struct ds_buffer *out);

/* ds_term_print_call appends a function of a module as in a call, without arguments: lists:seq, :lists.seq,
 * Shop.Cart.add. */
void ds_term_print_call(struct ds_text module, struct ds_text function, enum ds_syntax syntax,
                        struct ds_buffer *out);

/* ds_term_copy_etf appends the term in the standard external format, 131 first, independent of the atom
 * cache: cache references become SMALL_ATOM_UTF8_EXT or ATOM_UTF8_EXT, and the size field of funs is
 * recomputed. All other bytes are as sent. An unknown atom becomes '?atom:SLOT'. Returns false for a
 * damaged term, or when memory ran out: then out->failed is set. */
bool ds_term_copy_etf(const struct ds_term *term, struct ds_buffer *out);

/* ds_term_copy_portable does the same so that each node of OTP 25 or later can read the result. Terms that
 * not all nodes can read become the tuples of code.h: {'$record', ...}, {'$map', ...} and others. Pids,
 * ports and references with old tags get newer tags unless a number is too large. A cached atom that no
 * node accepts becomes '?atom'. It also returns false for terms that nodes do not send and that would need
 * far more memory: many megabytes of tuples of code.h, or that many nested ones. */
bool ds_term_copy_portable(const struct ds_term *term, struct ds_buffer *out);

/* ds_term_has_twice sets *twice to whether a map in the term has a key twice: no node accepts such a
 * term. It returns false when memory ran out or is_stopped returned true. is_stopped is called as for a
 * buffer and may be NULL. */
bool ds_term_has_twice(const struct ds_term *term, bool *twice, bool (*is_stopped)(void));

/* ds_atom_ok says whether nodes accept an atom with that text: UTF-8 of at most 255 characters. */
bool ds_atom_ok(struct ds_text text);

DS_END_PUBLIC

#endif
