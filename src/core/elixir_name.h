/*
 * elixir_name.h - names in Elixir's syntax where users enter names: Shop.Cart is the atom
 * 'Elixir.Shop.Cart', :cart is cart, :"a b" is 'a b'.
 */
#ifndef SRC_ELIXIR_NAME_H
#define SRC_ELIXIR_NAME_H

#include <distsniff/term.h>

/* elixir_name_means says whether the word is that name in Elixir's syntax. It is false for a word that
 * is not a name in Elixir, or is equal to the name. */
bool elixir_name_means(struct ds_text word, struct ds_text name);

#endif
