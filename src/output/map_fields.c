/*
 * map_fields.c - see map_fields.h.
 */
#include "output/map_fields.h"

#include <string.h>

void map_field_text(struct map_writer *map, const char *key, struct ds_text text, bool atom)
{
    if (text.data == NULL)
        return;
    map_key(map, key);
    if (atom)
        map_put_atom(map, text);
    else
        map_put_binary(map, text);
}

void map_field_string(struct map_writer *map, const char *key, const char *text, bool atom)
{
    if (text != NULL)
        map_field_text(map, key, (struct ds_text){text, strlen(text)}, atom);
}

void map_field_unsigned(struct map_writer *map, const char *key, uint64_t number)
{
    map_key(map, key);
    map_put_unsigned(map, number);
}

void map_field_signed(struct map_writer *map, const char *key, int64_t number)
{
    map_key(map, key);
    map_put_signed(map, number);
}

void map_field_true(struct map_writer *map, const char *key, bool value)
{
    if (!value)
        return;
    map_key(map, key);
    map_put_word(map, "true");
}

void map_field_term(struct map_writer *map, const char *key, const struct ds_term *term)
{
    if (term->data == NULL)
        return;
    map_key(map, key);
    map_put_term(map, term);
}

void map_field_nonzero(struct map_writer *map, const char *key, uint64_t number)
{
    if (number != 0)
        map_field_unsigned(map, key, number);
}

static void put_field(struct map_writer *map, const struct field *field, const void *base)
{
    const void *at = (const char *)base + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
    case FIELD_ATOM:
        map_field_text(map, field->key, *(const struct ds_text *)at, field->kind == FIELD_ATOM);
        break;
    case FIELD_WORD:
    case FIELD_SAY:
        map_field_string(map, field->key, *(const char *const *)at, field->kind == FIELD_WORD);
        break;
    case FIELD_TERM:
        map_field_term(map, field->key, at);
        break;
    case FIELD_BOOL:
        map_field_true(map, field->key, *(const bool *)at);
        break;
    case FIELD_U8:
        map_field_nonzero(map, field->key, *(const uint8_t *)at);
        break;
    case FIELD_U16:
        map_field_nonzero(map, field->key, *(const uint16_t *)at);
        break;
    case FIELD_U32:
        map_field_nonzero(map, field->key, *(const uint32_t *)at);
        break;
    case FIELD_U64:
        map_field_nonzero(map, field->key, *(const uint64_t *)at);
        break;
    case FIELD_COUNT:
        map_field_unsigned(map, field->key, *(const uint64_t *)at);
        break;
    case FIELD_I64:
        if (*(const int64_t *)at != 0)
            map_field_signed(map, field->key, *(const int64_t *)at);
        break;
    }
}

void map_fields(struct map_writer *map, const struct field *fields, size_t num, const void *base)
{
    for (size_t i = 0; i < num; i++)
        put_field(map, &fields[i], base);
}
