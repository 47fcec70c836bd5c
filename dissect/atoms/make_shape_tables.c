/*
 * make_shape_tables.c - runs at build time: writes shapes.def as constant tables
 * (atom_shape_tables.h). A SHAPE is hexadecimal text: eight digits of the context's hash, two of
 * its novelty, two of its rarity, and for each atom four of its number among the SHAPE_TEXTs before
 * and two of its share. A WHOLE is hashes of eight digits each.
 */
#include "atoms/make_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum shape_kind { KIND_SHAPES, KIND_TEXT, KIND_SHAPE, KIND_WHOLE };
static const struct shape_line {
    enum shape_kind kind;
    struct pool_text text;
    const char *title;
} lines[] = {
#define SHAPES(name, title) {KIND_SHAPES, {name, sizeof(name) - 1}, title},
#define SHAPE_TEXT(text) {KIND_TEXT, {text, sizeof(text) - 1}, ""},
#define SHAPE(row) {KIND_SHAPE, {row, sizeof(row) - 1}, ""},
#define WHOLE(row) {KIND_WHOLE, {row, sizeof(row) - 1}, ""},
#include "atoms/shapes.def"
};

enum { NUM_LINES = sizeof lines / sizeof lines[0], MAX_TABLES = 32, HASH_DIGITS = 8, CODE_DIGITS = 2,
       TEXT_DIGITS = 4, KEYS_AT = 7 /* index in columns */, HEAD_DIGITS = HASH_DIGITS + 2 * CODE_DIGITS };

static unsigned long digits(const char *at, size_t num)
{
    char copy[16];
    memcpy(copy, at, num);
    copy[num] = '\0';
    return strtoul(copy, NULL, 16);
}

void make_shapes_add(void)
{
    for (size_t i = 0; i < NUM_LINES; i++) {
        if (lines[i].kind == KIND_TEXT)
            make_add(lines[i].text);
    }
}

/* write_column writes one column of all lines of a kind, from line first up to the next table. */
static void write_column(size_t first, enum shape_kind kind, const char *title, int column)
{
    size_t text = first, start = 0;
    printf("%s = {", title);
    if (column == KEYS_AT)
        make_index_begin();
    while (lines[text].kind != KIND_TEXT)
        text++;
    for (size_t i = first; i < NUM_LINES && lines[i].kind != KIND_SHAPES; i++) {
        const struct pool_text row = lines[i].text;
        if (lines[i].kind != kind)
            continue;
        if (kind == KIND_WHOLE) {
            for (size_t at = 0; at < row.len; at += HASH_DIGITS)
                printf("0x%lx,", digits(row.bytes + at, HASH_DIGITS));
        } else if (column == 0) {
            printf("0x%lx,", digits(row.bytes, HASH_DIGITS));
        } else if (column == KEYS_AT) {
            make_index_add((uint32_t)digits(row.bytes, HASH_DIGITS));
            continue;
        } else if (column == 1 || column == 2) {
            printf("%lu,", digits(row.bytes + HASH_DIGITS + (column - 1) * CODE_DIGITS, CODE_DIGITS));
        } else if (column == 3) {
            printf("%zu,", start);
            start += (row.len - HEAD_DIGITS) / (TEXT_DIGITS + CODE_DIGITS);
        } else {
            for (size_t at = HEAD_DIGITS; at < row.len; at += TEXT_DIGITS + CODE_DIGITS)
                printf("%lu,", column == 5
                                   ? digits(row.bytes + at + TEXT_DIGITS, CODE_DIGITS)
                                   : make_find(lines[text + digits(row.bytes + at, TEXT_DIGITS)].text));
        }
        printf("\n");
    }
    if (column == 3)
        printf("%zu", start);
    if (column == KEYS_AT)
        make_index_end();
    else
        printf("};\n");
}

static size_t count(size_t first, enum shape_kind kind)
{
    size_t num = 0;
    for (size_t i = first; i < NUM_LINES && lines[i].kind != KIND_SHAPES; i++)
        num += lines[i].kind == kind ? kind == KIND_WHOLE ? lines[i].text.len / HASH_DIGITS : 1 : 0;
    return num;
}

void make_shapes_write(void)
{
    static const struct {
        const char *type, *name;
        enum shape_kind kind;
    } columns[] = {{"uint32_t", "keys", KIND_SHAPE},    {"uint8_t", "novelty", KIND_SHAPE},
                   {"uint8_t", "rarity", KIND_SHAPE},   {"uint16_t", "starts", KIND_SHAPE},
                   {"uint16_t", "fillers", KIND_SHAPE}, {"uint8_t", "shares", KIND_SHAPE},
                   {"uint32_t", "wholes", KIND_WHOLE},  {"uint16_t", "keys_at", KIND_SHAPE}};
    size_t table_at[MAX_TABLES], num = 0;
    for (size_t i = 0; i < NUM_LINES; i++) {
        if (lines[i].kind != KIND_SHAPES)
            continue;
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            char title[80];
            snprintf(title, sizeof title, "static const %s %s_%zu[]", columns[c].type, columns[c].name,
                     num);
            write_column(i + 1, columns[c].kind, title, (int)c);
        }
        if (num == MAX_TABLES)
            exit(1);
        table_at[num++] = i;
    }
    printf("_Static_assert(SHAPE_TABLES_NUM == %zu, \"as many as there are\");\n"
           "const struct shape_table shape_tables[] = {\n", num);
    for (size_t t = 0; t < num; t++)
        printf("{\"%s\", \"%s\", keys_%zu, keys_at_%zu, novelty_%zu, rarity_%zu, starts_%zu, fillers_%zu, "
               "shares_%zu, wholes_%zu, %zu, %zu},\n",
               lines[table_at[t]].text.bytes, lines[table_at[t]].title, t, t, t, t, t, t, t, t,
               count(table_at[t] + 1, KIND_SHAPE), count(table_at[t] + 1, KIND_WHOLE));
    printf("};\n");
}
