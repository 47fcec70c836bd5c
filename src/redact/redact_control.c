/*
 * redact_control.c - see redact_control.h. The contents of roles are replaced; the numbers of the
 * protocol stay.
 */
#include "redact/redact_control.h"

#include <distsniff/dissect.h>
#include <distsniff/encode.h>
#include <distsniff/identity.h>
#include <string.h>

static void put_integer(struct redact_parts *p, int64_t value)
{
    ds_encode_number(&p->scratch, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_tuple(struct redact_parts *p, size_t num)
{
    ds_encode_tuple(&p->scratch, (uint32_t)num);
}

static void put_token(struct redact_parts *p, const struct ds_token *token)
{
    put_tuple(p, 5);
    put_integer(p, token->flags);
    redact_put_term(p, &token->label, false);
    put_integer(p, token->serial);
    redact_put_term(p, &token->from, false);
    put_integer(p, token->previous);
}

static void put_role(struct redact_parts *p, const struct ds_message *m, enum ds_role role)
{
    const struct ds_term *term = &m->role[role];
    int64_t value;
    if (role == DS_ROLE_TOKEN && m->token.present && m->token.label.data != NULL &&
        m->token.from.data != NULL)
        put_token(p, &m->token);
    else if (ds_role_is_number(role) && ds_term_get_integer(term, &value))
        put_integer(p, value);
    else
        redact_put_term(p, term, role == DS_ROLE_MFA);
}

/* role_of returns the role with that letter; DS_ROLE_COUNT if there is none. */
static enum ds_role role_of(char letter)
{
    static const char letters[] = {
#define ROLE(a, id, key, is) [DS_ROLE_##id] = a,
#include <distsniff/roles.def>
#undef ROLE
    };
    int role = 0;
    while (role < DS_ROLE_COUNT && letters[role] != letter)
        role++;
    return (enum ds_role)role;
}

/* count_elements returns how many elements a control tuple has: if it was truncated, all that it must
 * have. */
static size_t count_elements(const struct ds_message *m)
{
    size_t num = 1; /* 1 for the code */
    bool optional = false;
    for (const char *letter = m->op->roles; *letter != '\0'; letter++) {
        const bool must = *letter == '_' || (m->control.damaged && !optional);
        optional |= *letter == '?';
        num += *letter != '?' && (must || m->role[role_of(*letter)].data != NULL);
    }
    return num;
}

/* replace_control rebuilds the control tuple from its redacted roles, which then point into it. An
 * element without a role is emptied: nodes before OTP 21 and C nodes send the cookie there. */
static void replace_control(struct redact_parts *p, struct ds_message *m)
{
    static const struct ds_text empty_atom = {"", 0};
    const struct ds_message old = *m;
    size_t at[DS_ROLE_COUNT] = {0}, len[DS_ROLE_COUNT] = {0};
    p->scratch.len = 0;
    put_tuple(p, count_elements(&old));
    put_integer(p, old.code);
    for (const char *letter = old.op->roles; *letter != '\0'; letter++) {
        const enum ds_role role = role_of(*letter);
        if (*letter == '_')
            ds_encode_atom(&p->scratch, empty_atom);
        if (role == DS_ROLE_COUNT)
            continue;
        if (old.role[role].data == NULL)
            break; /* optional, or truncated */
        at[role] = p->scratch.len;
        put_role(p, &old, role);
        len[role] = p->scratch.len - at[role];
    }
    redact_part_atoms(p, &m->control);
    m->control.data = redact_get_scratch(p, &m->control.len);
    for (int role = 0; role < DS_ROLE_COUNT; role++) {
        if (old.role[role].data == NULL)
            continue;
        m->role[role] = m->control;
        m->role[role].damaged = old.role[role].damaged;
        if (m->control.data != NULL) {
            m->role[role].data += at[role];
            m->role[role].len = len[role];
        }
    }
}

/* replace_odd_control redacts a tuple that does not fit its code. If the tuple of that code can contain
 * the cookie, only the code is left. */
static void replace_odd_control(struct redact_parts *p, struct ds_message *m)
{
    const struct ds_op *op = ds_op_find(m->code);
    if (op == NULL || strchr(op->roles, '_') == NULL) {
        redact_part_term(p, &m->control);
        return;
    }
    p->scratch.len = 0;
    put_tuple(p, count_elements(&(struct ds_message){.op = op, .control.damaged = true}));
    put_integer(p, m->code);
    redact_part_atoms(p, &m->control);
    m->control.damaged = true;
    m->control.data = redact_get_scratch(p, &m->control.len);
}

void redact_message(struct redact_parts *p, struct ds_message *m)
{
    if (m->op != NULL && m->control.data != NULL) {
        replace_control(p, m);
    } else {
        replace_odd_control(p, m);
        for (int role = 0; role < DS_ROLE_COUNT; role++)
            redact_part_term(p, &m->role[role]);
    }
    redact_part_term(p, &m->payload);
    redact_part_term(p, &m->token.label);
    redact_part_term(p, &m->token.from);
}
