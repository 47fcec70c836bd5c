/*
 * etf_maker.h - external terms for tests, put together by calls that nest:
 *
 *     struct ds_term t = etf_tuple(2, etf_atom("ok"), etf_int(1));
 *
 * Terms live in one static area; etf_reset makes room again. Atoms are inline unless
 * etf_cached is used.
 */
#ifndef TESTS_ETF_MAKER_H
#define TESTS_ETF_MAKER_H

#include <distsniff/term.h>

#include <stdarg.h>
#include <string.h>

enum { ETF_AREA = 1 << 20, ETF_MAX_ATOMS = 64 };

static uint8_t etf_area[ETF_AREA];
static size_t etf_used;
static struct ds_atom etf_atoms[ETF_MAX_ATOMS];
static uint32_t etf_num_atoms;

static inline void etf_reset(void)
{
    etf_used = 0;
    etf_num_atoms = 0;
}

static inline struct ds_term etf_raw(const void *bytes, size_t len)
{
    uint8_t *at = etf_area + etf_used;
    memcpy(at, bytes, len);
    etf_used += len;
    return (struct ds_term){.data = at, .len = len, .atoms = etf_atoms, .num_atoms = ETF_MAX_ATOMS};
}

static inline struct ds_term etf_put(const char *head, size_t head_len, unsigned num, va_list args)
{
    uint8_t bytes[65536];
    size_t len = head_len;
    memcpy(bytes, head, head_len);
    while (num-- != 0) {
        struct ds_term part = va_arg(args, struct ds_term);
        memcpy(bytes + len, part.data, part.len);
        len += part.len;
    }
    return etf_raw(bytes, len);
}

static inline struct ds_term etf_atom(const char *text)
{
    uint8_t bytes[257] = {119, (uint8_t)strlen(text)};
    memcpy(bytes + 2, text, strlen(text));
    return etf_raw(bytes, 2 + strlen(text));
}

/* etf_cached makes a reference to the atom cache; text NULL: an unknown atom. */
static inline struct ds_term etf_cached(const char *text)
{
    uint8_t bytes[2] = {82, (uint8_t)etf_num_atoms};
    etf_atoms[etf_num_atoms++] = (struct ds_atom){
        .text = (const uint8_t *)text,
        .len = (uint16_t)(text != NULL ? strlen(text) : 0),
        .state = text != NULL ? DS_ATOM_KNOWN : DS_ATOM_UNKNOWN,
    };
    return etf_raw(bytes, 2);
}

/* etf_addressed makes a reference to the name of a node that is known by its address alone. */
static inline struct ds_term etf_addressed(const char *text)
{
    const struct ds_term term = etf_cached(text);
    etf_atoms[etf_num_atoms - 1].state = DS_ATOM_ADDRESS;
    return term;
}

static inline void etf_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static inline struct ds_term etf_int(int32_t value)
{
    uint8_t bytes[5] = {98};
    etf_u32(bytes + 1, (uint32_t)value);
    return etf_raw(bytes, sizeof bytes);
}

static inline struct ds_term etf_binary(const char *text)
{
    uint8_t bytes[1024] = {109};
    etf_u32(bytes + 1, (uint32_t)strlen(text));
    memcpy(bytes + 5, text, strlen(text));
    return etf_raw(bytes, 5 + strlen(text));
}

static inline struct ds_term etf_nil(void)
{
    return etf_raw("j", 1);
}

static inline struct ds_term etf_tuple(unsigned num, ...)
{
    const char head[2] = {104, (char)num};
    va_list args;
    va_start(args, num);
    struct ds_term t = etf_put(head, 2, num, args);
    va_end(args);
    return t;
}

/* etf_list takes num elements and the tail. */
static inline struct ds_term etf_list(unsigned num, ...)
{
    const char head[5] = {108, 0, 0, 0, (char)num};
    va_list args;
    va_start(args, num);
    struct ds_term t = etf_put(head, 5, num + 1, args);
    va_end(args);
    return t;
}

/* etf_map takes num pairs: key, value, key, value ... */
static inline struct ds_term etf_map(unsigned num, ...)
{
    va_list args;
    va_start(args, num);
    char head[5] = {'t', 0, 0, 0, (char)num};
    struct ds_term t = etf_put(head, 5, 2 * num, args);
    va_end(args);
    return t;
}

static inline struct ds_term etf_pid_of(struct ds_term node, uint32_t id, uint32_t creation)
{
    uint8_t bytes[512] = {88};
    memcpy(bytes + 1, node.data, node.len);
    etf_u32(bytes + 1 + node.len, id);
    etf_u32(bytes + 5 + node.len, 0);
    etf_u32(bytes + 9 + node.len, creation);
    return etf_raw(bytes, 13 + node.len);
}

static inline struct ds_term etf_pid(const char *node, uint32_t id)
{
    return etf_pid_of(etf_atom(node), id, 7);
}

static inline struct ds_term etf_ref_of(struct ds_term node, uint32_t creation, unsigned num_words,
                                        uint32_t first)
{
    uint8_t bytes[512] = {90, 0, (uint8_t)num_words};
    memcpy(bytes + 3, node.data, node.len);
    etf_u32(bytes + 3 + node.len, creation);
    for (unsigned i = 0; i < num_words; i++)
        etf_u32(bytes + 7 + node.len + 4 * i, i == 0 ? first : i);
    return etf_raw(bytes, 7 + node.len + 4 * num_words);
}

static inline struct ds_term etf_ref(const char *node, uint32_t first)
{
    return etf_ref_of(etf_atom(node), 7, 3, first);
}

#endif
