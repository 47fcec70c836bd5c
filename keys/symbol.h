/*
 * symbol.h - where a function is in a file.
 */
#ifndef KEYS_SYMBOL_H
#define KEYS_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

/* symbol_find finds the place of a function in the bytes of an ELF file of this machine. False if the
 * file is another one, or does not define the function, or has no symbols. */
bool symbol_find(int fd, const char *name, uint64_t *offset);

#endif
