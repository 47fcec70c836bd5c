/*
 * text_words.h - the words that the text of a message contains by itself: for writing it, and for
 * searching it before it is written. text_word_ID is each of text_words.def.
 */
#ifndef SRC_TEXT_WORDS_H
#define SRC_TEXT_WORDS_H

#include <stdbool.h>

#define TEXT_WORD(id, text) static const char text_word_##id[] = text;
#include "output/text_words.def"
#undef TEXT_WORD

/* text_words_have says whether that text is part of one of the words, in any syntax of terms: then
 * it may be in a message's text although the message itself does not contain it. */
bool text_words_have(const char *part);

#endif
