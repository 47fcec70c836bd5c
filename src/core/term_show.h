/*
 * term_show.h - terms as this run shows them, everywhere alike: in records, tables, diagrams and
 * to those who search in the text.
 */
#ifndef SRC_TERM_SHOW_H
#define SRC_TERM_SHOW_H

#include <distsniff/term.h>

/* term_show_unicode has lists of printable characters above Latin-1 shown as strings from now on.
 * Called before the first term is shown, by one thread. */
void term_show_unicode(void);

/* term_show_limit bounds the text of one term from now on: max_len bytes, more or less, 0 for any
 * number. What is beyond is left out, and the text says how much that is. Called like the above. */
void term_show_limit(uint64_t max_len);

/* term_show_is_large says whether a term of len bytes as sent may come to more text than that. */
bool term_show_is_large(size_t len);

/* term_show_bounds says whether the length of a term's text is held against that limit. */
bool term_show_bounds(const struct ds_term *term);

/* term_show_note_cut notes that something was not written as a whole because of that limit, where
 * it is not term_show that left it out; term_show_num_cut says how often that, or term_show's, has
 * been so. Any thread may ask. */
void term_show_note_cut(void);
uint64_t term_show_num_cut(void);

/* term_show_use has all of it written in that syntax from now on; Erlang's before. Any thread may
 * ask which it is. */
void term_show_use(enum ds_syntax syntax);
enum ds_syntax term_show_syntax(void);

/* term_show_use_also says that something is written in that syntax, whatever all else is;
 * term_show_uses, whether anything is: what is made of a term that does not stay is made in each. */
void term_show_use_also(enum ds_syntax syntax);
bool term_show_uses(enum ds_syntax syntax);

/* term_show is ds_term_print in the way of this run; term_show_as is so but for the syntax, for what
 * others read and compare. */
bool term_show(const struct ds_term *term, const struct ds_term_print_options *options,
               struct ds_buffer *out);
bool term_show_as(enum ds_syntax syntax, const struct ds_term *term,
                  const struct ds_term_print_options *options, struct ds_buffer *out);

/* term_show_name appends the name of a process, an atom; term_show_call a function with its module. */
void term_show_name(struct ds_text name, struct ds_buffer *out);
void term_show_call(struct ds_text module, struct ds_text function, struct ds_buffer *out);

#endif
