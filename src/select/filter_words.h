/*
 * filter_words.h - the values of fields whose values are words of this program: comparing them with
 * other text is an error.
 */
#ifndef SRC_FILTER_WORDS_H
#define SRC_FILTER_WORDS_H

#include <distsniff/event.h>
#include <stdbool.h>
#include <stddef.h>

struct own_labels;

/* filter_word_fn returns word i of a vocabulary, from 0; NULL after the last. The words of labels and
 * groups are those of own. */
typedef const char *filter_word_fn(const struct own_labels *own, size_t i);

filter_word_fn filter_word_of_type, filter_word_of_op, filter_word_of_proto, filter_word_of_step,
    filter_word_of_state, filter_word_of_why, filter_word_of_fault, filter_word_of_role,
    filter_word_of_outcome, filter_word_of_label, filter_word_of_group, filter_word_of_keys,
    filter_word_of_tls, filter_word_of_finding, filter_word_of_severity,
    filter_word_of_certainty, filter_word_of_class, filter_word_of_flag, filter_word_of_release,
    filter_word_of_suite, filter_word_of_tls_group, filter_word_of_alert;

/* filter_word_check says whether text is a word of the vocabulary, or the form for something without a
 * name ("op_77", "bit_60"). If not, *nearest is the most similar word, or NULL if none is similar. */
bool filter_word_check(filter_word_fn *words, const struct own_labels *own, struct ds_text text,
                       const char **nearest);

/* filter_word_list writes all the words, each once, separated by commas. Returns false if there is no
 * room. */
bool filter_word_list(filter_word_fn *words, const struct own_labels *own, char *out, size_t size);

#endif
