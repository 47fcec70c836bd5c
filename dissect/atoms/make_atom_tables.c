/*
 * make_atom_tables.c - runs at build time: writes otpNN.def, otp_patches.def and atom_uses.def as
 * constant tables (atom_tables.h), with all texts in one pool, and the tables of
 * make_shape_tables.c.
 */
#include "atoms/make_tables.h"
#include "util/fnv1a.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATOM(text) {text, sizeof(text) - 1},
static const struct pool_text table25[] = {
#include "atoms/otp25.def"
};
static const struct pool_text table26[] = {
#include "atoms/otp26.def"
};
static const struct pool_text table27[] = {
#include "atoms/otp27.def"
};
static const struct pool_text table29[] = {
#include "atoms/otp29.def"
};
#undef ATOM

/* patch begins a patched table, or changes it: text is added after the atom after, or removed. */
struct patch {
    const char *release, *of;
    struct pool_text text, after;
};
#define PATCHED(release, of) {release, of, {NULL, 0}, {NULL, 0}},
#define WITHOUT(text) {NULL, NULL, {text, sizeof(text) - 1}, {NULL, 0}},
#define AFTER(after, text) {NULL, NULL, {text, sizeof(text) - 1}, {after, sizeof(after) - 1}},
static const struct patch patches[] = {
#include "atoms/otp_patches.def"
};

enum table_kind { KIND_FAMILIES, KIND_USE, KIND_ROLE, KIND_ALL, KIND_TOTAL };
struct line {
    enum table_kind kind;
    const char *text;
    size_t len;
    unsigned families, num;
};
#define FAMILIES(num) {KIND_FAMILIES, "", 0, 0, num},
#define USE(text, families, num) {KIND_USE, text, sizeof(text) - 1, families, num},
#define ROLE(role, num) {KIND_ROLE, role, sizeof(role) - 1, 0, num},
#define ALL(role, num) {KIND_ALL, role, sizeof(role) - 1, 0, num},
#define TOTAL(num) {KIND_TOTAL, "", 0, 0, num},
static const struct line lines[] = {
#include "atoms/atom_uses.def"
};

#define NUM(a) (sizeof(a) / sizeof((a)[0]))

static struct made_table {
    const char *name;
    const struct pool_text *atoms;
    size_t num, num_common; /* num_common: atom.names and bif.tab */
} tables[NUM(patches) + 4] = {{"25", table25, NUM(table25), 1073},
                              {"27", table27, NUM(table27), 1106},
                              {"29", table29, NUM(table29), 1150},
                              {"26", table26, NUM(table26), NUM(table26)}};
static size_t num_tables = 4;

/* place_of returns the index of a text in atoms, and exits if it is not there. */
static size_t place_of(const struct pool_text *atoms, size_t num, struct pool_text text)
{
    size_t at = 0;
    while (at < num && make_compare(&atoms[at], &text) != 0)
        at++;
    if (at == num) {
        fprintf(stderr, "otp_patches.def: %s is not there\n", text.bytes);
        exit(1);
    }
    return at;
}

/* add_patched makes the tables that are described by their differences from another one. */
static void add_patched(void)
{
    struct pool_text *atoms = NULL;
    for (size_t i = 0; i < NUM(patches); i++) {
        const struct patch *patch = &patches[i];
        struct made_table *table = &tables[num_tables - 1];
        if (patch->release != NULL) {
            size_t of = 0;
            while (of < num_tables && strcmp(tables[of].name, patch->of) != 0)
                of++;
            if (of == num_tables || (atoms = calloc(MAX_TEXTS, sizeof *atoms)) == NULL)
                exit(1);
            const size_t num = tables[of].num_common;
            memcpy(atoms, tables[of].atoms, num * sizeof *atoms);
            tables[num_tables++] = (struct made_table){patch->release, atoms, num, num};
        } else if (patch->after.bytes == NULL) {
            const size_t at = place_of(atoms, table->num, patch->text);
            table->num_common = --table->num;
            memmove(&atoms[at], &atoms[at + 1], (table->num - at) * sizeof *atoms);
        } else {
            const size_t at = place_of(atoms, table->num, patch->after) + 1;
            memmove(&atoms[at + 1], &atoms[at], (table->num - at) * sizeof *atoms);
            atoms[at] = patch->text;
            table->num_common = ++table->num;
        }
    }
}

/* indexed is a text of a table and its index there. */
struct indexed {
    unsigned text;
    size_t index;
};

static int compare_indexed(const void *a, const void *b)
{
    const struct indexed *x = a, *y = b;
    return (x->text > y->text) - (x->text < y->text);
}

static void write_table(size_t t)
{
    static struct indexed by_text[MAX_TEXTS];
    printf("static const uint16_t texts_%zu[] = {\n", t);
    for (size_t i = 0; i < tables[t].num; i++) {
        by_text[i] = (struct indexed){make_find(tables[t].atoms[i]), i};
        printf("%u,\n", by_text[i].text);
    }
    qsort(by_text, tables[t].num, sizeof by_text[0], compare_indexed);
    printf("};\nstatic const struct atom_table_index indices_%zu[] = {\n", t);
    for (size_t i = 0; i < tables[t].num; i++)
        printf("{%u,%zu},\n", by_text[i].text, by_text[i].index);
    printf("};\n");
}

struct role {
    uint32_t hash;
    unsigned text, num;
};

static int compare_roles(const void *a, const void *b)
{
    const struct role *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

static void write_roles(const char *name, struct role *roles, size_t num)
{
    qsort(roles, num, sizeof *roles, compare_roles);
    printf("const struct atom_table_role %s[] = {\n", name);
    for (size_t i = 0; i < num; i++)
        printf("{0x%xu,%u,%u},\n", (unsigned)roles[i].hash, roles[i].text,
               roles[i].num < 65535 ? roles[i].num : 65535);
    printf("};\nconst unsigned %s_num = %zu;\nconst uint16_t %s_at[] = {\n", name, num, name);
    make_index_begin();
    for (size_t i = 0; i < num; i++)
        make_index_add(roles[i].hash);
    make_index_end();
}

/* write_pool writes the bytes of all texts in a row, and where each begins. */
static void write_pool(const struct pool_text *texts, size_t num_texts)
{
    printf("#include \"atoms/atom_shape_tables.h\"\nconst uint8_t atom_table_pool[] = {\n");
    for (size_t i = 0; i < num_texts; i++) {
        for (size_t c = 0; c < texts[i].len; c++)
            printf("%u,", (unsigned char)texts[i].bytes[c]);
        printf("\n");
    }
    printf("0};\nconst uint32_t atom_table_start[] = {");
    size_t start = 0;
    for (size_t i = 0; i < num_texts; start += texts[i++].len)
        printf("%zu,\n", start);
    printf("%zu};\nconst unsigned atom_table_num_texts = %zu;\n", start, num_texts);
}

/* write_places writes the hash table of the texts, at most half of which is used. */
static void write_places(const struct pool_text *texts, size_t num_texts)
{
    static uint16_t places[4 * MAX_TEXTS];
    uint32_t mask = 1;
    while (mask < 2 * num_texts)
        mask = 2 * mask + 1;
    for (size_t i = 0; i < num_texts; i++) {
        uint32_t at = fnv1a((struct ds_text){texts[i].bytes, texts[i].len}) & mask;
        while (places[at] != 0)
            at = (at + 1) & mask;
        places[at] = (uint16_t)(i + 1);
    }
    printf("const uint32_t atom_table_places_mask = 0x%x;\nconst uint16_t atom_table_places[] = {\n",
           (unsigned)mask);
    for (uint32_t at = 0; at <= mask; at++)
        printf("%u,\n", places[at]);
    printf("};\n");
}

static void write_tables(void)
{
    for (size_t t = 0; t < num_tables; t++)
        write_table(t);
    printf("_Static_assert(ATOM_TABLES_NUM == %zu, \"as many as there are\");\n"
           "const struct atom_table atom_tables[] = {\n",
           num_tables);
    for (size_t t = 0; t < num_tables; t++)
        printf("{\"%s\", texts_%zu, indices_%zu, %zu, %zu},\n", tables[t].name, t, t, tables[t].num,
               tables[t].num_common);
    printf("};\n");
}

int main(void)
{
    static struct role roles[NUM(lines)], all[NUM(lines)];
    static unsigned families[MAX_TEXTS], nums[MAX_TEXTS];
    size_t num_roles = 0, num_all = 0;
    unsigned text = 0, num_families = 1, total = 1;

    add_patched();
    for (size_t t = 0; t < num_tables; t++) {
        for (size_t i = 0; i < tables[t].num; i++)
            make_add(tables[t].atoms[i]);
    }
    for (size_t i = 0; i < NUM(lines); i++) {
        if (lines[i].kind == KIND_USE)
            make_add((struct pool_text){lines[i].text, lines[i].len});
    }
    make_shapes_add();
    const struct pool_text *texts;
    const size_t num_texts = make_pool(&texts);

    write_pool(texts, num_texts);
    write_places(texts, num_texts);
    write_tables();
    for (size_t i = 0; i < NUM(lines); i++) {
        const struct line *line = &lines[i];
        switch (line->kind) {
        case KIND_FAMILIES:
            num_families = line->num;
            break;
        case KIND_USE:
            text = make_find((struct pool_text){line->text, line->len});
            families[text] = line->families;
            nums[text] = line->num;
            break;
        case KIND_ROLE:
            roles[num_roles++] = (struct role){fnv1a_string(line->text), text, line->num};
            break;
        case KIND_ALL:
            all[num_all++] = (struct role){fnv1a_string(line->text), 0, line->num};
            break;
        case KIND_TOTAL:
            total = line->num;
            break;
        }
    }
    printf("const struct atom_table_use atom_table_uses[] = {\n");
    for (size_t i = 0; i < num_texts; i++)
        printf("{%u,%u},\n", families[i], nums[i]);
    printf("};\nconst unsigned atom_table_families = %u, atom_table_total = %u;\n", num_families,
           total);
    write_roles("atom_table_roles", roles, num_roles);
    write_roles("atom_table_all", all, num_all);
    make_shapes_write();
    return 0;
}
