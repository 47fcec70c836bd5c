/*
 * danger.c - see danger.h.
 */
#include "record/danger.h"

#include <string.h>

enum addr_scope addr_scope_of(const struct ds_addr *addr)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    static const uint8_t loopback6[16] = {[15] = 1};
    const uint8_t *b = addr->bytes;
    if (addr->family == 6) {
        if (memcmp(b, loopback6, sizeof loopback6) == 0)
            return ADDR_LOCAL;
        if (memcmp(b, mapped, sizeof mapped) != 0)
            return (b[0] & 0xfe) == 0xfc || (b[0] == 0xfe && (b[1] & 0xc0) == 0x80) ||
                           (b[0] == 0x20 && b[1] == 0x01 && b[2] == 0x0d && b[3] == 0xb8)
                       ? ADDR_PRIVATE
                       : ADDR_PUBLIC;
        b += sizeof mapped; /* it is an IPv4 address */
    }
    if (b[0] == 127)
        return ADDR_LOCAL;
    if (b[0] == 10 || (b[0] == 172 && (b[1] & 0xf0) == 16) || (b[0] == 192 && b[1] == 168) ||
        (b[0] == 169 && b[1] == 254) || (b[0] == 100 && (b[1] & 0xc0) == 64) || b[0] >= 224 ||
        (b[0] == 192 && b[1] == 0 && b[2] == 2) || (b[0] == 198 && (b[1] & 0xfe) == 18) ||
        (b[0] == 198 && b[1] == 51 && b[2] == 100) || (b[0] == 203 && b[1] == 0 && b[2] == 113))
        return ADDR_PRIVATE;
    return ADDR_PUBLIC;
}

bool danger_is_one_host(const struct ds_conn *conn)
{
    const struct ds_addr *a = &conn->end[0].addr, *b = &conn->end[1].addr;
    return addr_scope_of(a) == ADDR_LOCAL || addr_scope_of(b) == ADDR_LOCAL ||
           (a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0);
}

bool danger_is_old(const struct ds_handshake *handshake)
{
    enum { OLD_HANDSHAKE = 5 };
    return handshake->version == OLD_HANDSHAKE;
}

/* The unused element ('_' in ops.def) of a message that sends contained the cookie. */
bool danger_has_cookie(const struct ds_message *m)
{
    const char *roles = m->op != NULL && m->op->kind == DS_KIND_SEND ? m->op->roles : "";
    struct ds_term cookie;
    struct ds_text text;
    uint32_t unused = 0;
    while (roles[unused] != '\0' && roles[unused] != '_')
        unused++;
    return roles[unused] != '\0' && ds_term_get_element(&m->control, 1 + unused, &cookie) &&
           ds_term_get_atom(&cookie, &text) && text.len != 0;
}

static bool text_is(struct ds_text text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

const struct danger *danger_find(struct ds_text mod, struct ds_text fun)
{
    enum { OTHER, RUNS };
    static const struct danger dangers[] = {
#define DANGEROUS(module, function, power, what) {module, function, (power) == RUNS, what},
#include "record/dangerous.def"
#undef DANGEROUS
    };
    for (size_t i = 0; i < sizeof dangers / sizeof dangers[0]; i++) {
        if (text_is(mod, dangers[i].mod) &&
            (dangers[i].fun[0] == '\0' || text_is(fun, dangers[i].fun)))
            return &dangers[i];
    }
    return NULL;
}
