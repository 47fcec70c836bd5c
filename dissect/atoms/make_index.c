/*
 * make_index.c - runs at build time: writes an index of sorted hashes, as a constant array without
 * its declaration.
 */
#include "atoms/atom_tables.h"
#include "atoms/make_tables.h"

#include <stdio.h>

static unsigned num_hashes;
static uint32_t next; /* the first number without an entry */

/* write_up_to writes the entries up to a number. */
static void write_up_to(uint32_t end)
{
    for (; next < end; next++)
        printf("%u,", num_hashes);
}

void make_index_begin(void)
{
    num_hashes = 0;
    next = 0;
}

void make_index_add(uint32_t hash)
{
    write_up_to((hash >> (32 - ATOM_INDEX_BITS)) + 1);
    num_hashes++;
}

void make_index_end(void)
{
    write_up_to((1u << ATOM_INDEX_BITS) + 1);
    printf("};\n");
}
