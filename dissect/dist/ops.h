/*
 * ops.h - the control messages, by code: ops.def as a table.
 */
#ifndef DISSECT_OPS_H
#define DISSECT_OPS_H

#include <distsniff/dissect.h>

/* What the 'f' of an op says about the sending node: see ops.def. */
enum op_from { OP_FROM_ANY, OP_FROM_ECHO, OP_FROM_OWN };

/* The node that the 'r' of an op belongs to. */
enum op_ref { OP_REF_ANY, OP_REF_OWN, OP_REF_PEER };

/* op is a line of ops.def. */
struct op {
    struct ds_op face; /* the part that events show */
    enum op_from from;
    enum op_ref ref;
    uint8_t min_roles, max_roles; /* elements after the code */
};

enum { OP_MAX_ROLES = 6 };

/* The op altact_sig_send, and its flags: it has a token, it is an exit signal. */
enum { OP_ALTACT_SIG_SEND = 37, OP_ALTACT_TOKEN = 2, OP_ALTACT_EXIT = 16 };

/* op_find returns the op with that code, or NULL. */
const struct op *op_find(int64_t code);

/* op_fits says whether num elements after the code are right for the op. */
static inline bool op_fits(const struct op *op, uint64_t num)
{
    return num >= op->min_roles && num <= op->max_roles;
}

/* The role of each letter of roles, plus one; 0 if it has none. */
extern const uint8_t OP_ROLE_OF[256];

/* op_role returns the role of a letter of roles; DS_ROLE_COUNT for '_'. */
static inline enum ds_role op_role(char letter)
{
    uint8_t role = OP_ROLE_OF[(unsigned char)letter];
    return role != 0 ? (enum ds_role)(role - 1) : DS_ROLE_COUNT;
}

#endif
