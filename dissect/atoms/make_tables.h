/*
 * make_tables.h - shared by the parts of the program that writes tables at build time.
 */
#ifndef DISSECT_MAKE_TABLES_H
#define DISSECT_MAKE_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct pool_text {
    const char *bytes;
    size_t len;
};

enum { MAX_TEXTS = 65534 };

/* make_compare orders texts. */
int make_compare(const void *a, const void *b);

/* make_add adds a text to the pool. make_pool sorts it and returns the number of texts; then
 * make_find returns the number of a text. */
size_t make_pool(const struct pool_text **pool);
void make_add(struct pool_text text);
unsigned make_find(struct pool_text text);

/* make_index_begin, _add and _end write an index of sorted hashes: the first hash for each value
 * of their first ATOM_INDEX_BITS. */
void make_index_begin(void);
void make_index_add(uint32_t hash);
void make_index_end(void);

/* make_shapes_add adds the texts of shapes.def; make_shapes_write writes its tables. */
void make_shapes_add(void);
void make_shapes_write(void);

#endif
