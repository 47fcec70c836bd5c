/*
 * map_fields.h - fields of a record's map, one by one or by a table of what is in a struct.
 * What says nothing is left out: no text, no name, no term, and where it is said, zero.
 */
#ifndef SRC_MAP_FIELDS_H
#define SRC_MAP_FIELDS_H

#include "output/map_write.h"

#include <stddef.h>

/* These write a field; text as a binary or as an atom. */
void map_field_text(struct map_writer *map, const char *key, struct ds_text text, bool atom);
void map_field_string(struct map_writer *map, const char *key, const char *text, bool atom);
void map_field_unsigned(struct map_writer *map, const char *key, uint64_t number);
void map_field_nonzero(struct map_writer *map, const char *key, uint64_t number);
void map_field_signed(struct map_writer *map, const char *key, int64_t number);
void map_field_true(struct map_writer *map, const char *key, bool value); /* left out when false */
void map_field_term(struct map_writer *map, const char *key, const struct ds_term *term);

/* What a member of a struct is. Numbers of zero are left out, but for counts. */
enum field_kind {
    FIELD_TEXT, /* struct ds_text, a binary */
    FIELD_ATOM, /* struct ds_text, an atom */
    FIELD_WORD, /* const char *, an atom */
    FIELD_SAY,  /* const char *, a binary */
    FIELD_TERM,
    FIELD_BOOL,
    FIELD_U8,
    FIELD_U16,
    FIELD_U32,
    FIELD_U64,
    FIELD_I64,
    FIELD_COUNT, /* uint64_t */
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
};

/* FIELD is a line of a table: that member of struct type. */
#define FIELD(type, key, kind, member)                                                             \
    {                                                                                              \
        key, FIELD_##kind, offsetof(struct type, member)                                           \
    }

/* map_fields writes num fields from the struct at base; MAP_FIELDS those of a whole table. */
void map_fields(struct map_writer *map, const struct field *fields, size_t num, const void *base);
#define MAP_FIELDS(map, fields, base)                                                              \
    map_fields(map, fields, sizeof(fields) / sizeof((fields)[0]), base)

#endif
