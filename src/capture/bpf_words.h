/*
 * bpf_words.h - the words of pcap-filter(7).
 */
#ifndef SRC_BPF_WORDS_H
#define SRC_BPF_WORDS_H

#include <stdbool.h>

/* bpf_words_have_names says whether an expression contains a word that is not part of the language: it
 * may be the name of a host, a network or a port. */
bool bpf_words_have_names(const char *expression);

#endif
