/*
 * elixir_name.h - names as Elixir writes them, where the user gives one: Shop.Cart is the atom
 * 'Elixir.Shop.Cart', :cart is cart, :"a b" is 'a b'.
 */
#ifndef SRC_ELIXIR_NAME_H
#define SRC_ELIXIR_NAME_H

#include <distsniff/term.h>

/* elixir_name_means says whether the word, in Elixir's spelling, means that name. What is no name in
 * Elixir, or is the name itself, does not. */
bool elixir_name_means(struct ds_text word, struct ds_text name);

#endif
