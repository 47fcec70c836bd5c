/*
 * term_show.h - shows terms in the same way everywhere in this run: in records, tables, diagrams and
 * for searches in the text.
 */
#ifndef SRC_TERM_SHOW_H
#define SRC_TERM_SHOW_H

#include <distsniff/term.h>

/* term_show_unicode makes lists of printable characters above Latin-1 appear as strings from now on.
 * One thread calls it before the first term is shown. */
void term_show_unicode(void);

/* term_show_limit limits the text of one term from now on: roughly max_len bytes, 0 for no limit. The
 * text says how much is left out. Call it like term_show_unicode. */
void term_show_limit(uint64_t max_len);

/* term_show_is_large says whether a term of len bytes, as sent, may need more text than that. */
bool term_show_is_large(size_t len);

/* term_show_bounds says whether the length of a term's text is checked against that limit. */
bool term_show_bounds(const struct ds_term *term);

/* term_show_mark_cut counts that something was shortened because of that limit by other code than
 * term_show; term_show_num_cut returns how often that or term_show did so. Any thread may call them. */
void term_show_mark_cut(void);
uint64_t term_show_num_cut(void);

/* term_show_use sets the syntax for everything from now on; it is Erlang before. term_show_syntax
 * returns it; any thread may call that. */
void term_show_use(enum ds_syntax syntax);
enum ds_syntax term_show_syntax(void);

/* term_show_use_also says that something is written in that syntax, whatever the general syntax is;
 * term_show_uses says whether anything is: texts of terms that are not kept are made in each of them. */
void term_show_use_also(enum ds_syntax syntax);
bool term_show_uses(enum ds_syntax syntax);

/* term_show is ds_term_print with the settings of this run; term_show_as does the same in another
 * syntax, for text that other programs read and compare. */
bool term_show(const struct ds_term *term, const struct ds_term_print_options *options,
               struct ds_buffer *out);
bool term_show_as(enum ds_syntax syntax, const struct ds_term *term,
                  const struct ds_term_print_options *options, struct ds_buffer *out);

/* term_show_name appends the name of a process, an atom; term_show_call a function with its module. */
void term_show_name(struct ds_text name, struct ds_buffer *out);
void term_show_call(struct ds_text module, struct ds_text function, struct ds_buffer *out);

#endif
