/*
 * ops.c - the control messages, by code (erl_dist_protocol, "Protocol between connected
 * nodes"): ops.def and roles.def as tables.
 */
#include "dist/ops.h"

#include "etf/term.h"

#include <assert.h>

enum { PAYLOAD_NONE = false, PAYLOAD_PAYLOAD = true };

/* The number of elements before the '?' in roles, and in all: a '?' occupies a place in the string
 * but is not an element. */
#define OPENS(roles, i) ((roles)[(i) < sizeof(roles) ? (i) : 0] == '?')
#define NUM_FIXED(roles)                                                                           \
    (OPENS(roles, 0)   ? 0                                                                         \
     : OPENS(roles, 1) ? 1                                                                         \
     : OPENS(roles, 2) ? 2                                                                         \
     : OPENS(roles, 3) ? 3                                                                         \
     : OPENS(roles, 4) ? 4                                                                         \
     : OPENS(roles, 5) ? 5                                                                         \
                       : sizeof(roles) - 1)
#define NUM_ALL(roles) (sizeof(roles) - 1 - (NUM_FIXED(roles) != sizeof(roles) - 1))

static const struct op OPS[] = {
#define OP(code, id, lower, kind, roles, payload, from, ref)                                       \
    [code] = {                                                                                     \
        {code, DS_KIND_##kind, #lower, roles, PAYLOAD_##payload}, OP_FROM_##from, OP_REF_##ref,    \
        NUM_FIXED(roles), NUM_ALL(roles)},
#include <distsniff/ops.def>
#undef OP
};

#define OP(code, id, lower, kind, roles, payload, from, ref)                                       \
    static_assert(sizeof roles - 1 <= OP_MAX_ROLES, #id " has more roles than fit");               \
    static_assert(sizeof #id == sizeof #lower, #id " and its name differ");
#include <distsniff/ops.def>
#undef OP

const uint8_t OP_ROLE_OF[256] = {
#define ROLE(letter, id, key, is) [letter] = DS_ROLE_##id + 1,
#include <distsniff/roles.def>
#undef ROLE
};

const struct op *op_find(int64_t code)
{
    const int64_t num = sizeof OPS / sizeof OPS[0];
    if (code < 0 || code >= num || OPS[code].face.name == NULL)
        return NULL;
    return &OPS[code];
}

const struct ds_op *ds_op_find(int64_t code)
{
    const struct op *op = op_find(code);
    return op != NULL ? &op->face : NULL;
}

enum ds_op_kind ds_message_kind(const struct ds_message *message)
{
    int64_t flags;
    if (message->op == NULL)
        return DS_KIND_UNKNOWN;
    if (message->op->code == OP_ALTACT_SIG_SEND &&
        term_get_integer(&message->role[DS_ROLE_FLAGS], &flags) && (flags & OP_ALTACT_EXIT) != 0)
        return DS_KIND_EXIT2;
    return message->op->kind;
}
