/*
 * text_words.h - the words that the text of a message has by itself, for who writes it and for who
 * looks for a word in it before it is written. text_word_ID is each of text_words.def.
 */
#ifndef SRC_TEXT_WORDS_H
#define SRC_TEXT_WORDS_H

#include <stdbool.h>

#define TEXT_WORD(id, text) static const char text_word_##id[] = text;
#include "output/text_words.def"
#undef TEXT_WORD

/* text_words_have says whether part of a word, in any syntax of terms, is that text: then it may
 * stand in a message's text though nothing of the message has it. */
bool text_words_have(const char *part);

#endif
