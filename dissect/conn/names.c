/*
 * names.c - names of all enumerations, from the tables (*.def).
 */
#include <distsniff/dissect.h>

#define NAME_OF(table, i)                                                                          \
    ((size_t)(i) < sizeof(table) / sizeof((table)[0]) ? (table)[i] : NULL)

const char *ds_epmd_op_name(enum ds_epmd_op op)
{
    static const char *const names[] = {
#define EPMD(code, id, name) [DS_EPMD_##id] = name,
#include <distsniff/epmd.def>
#undef EPMD
    };
    return NAME_OF(names, op);
}

const char *ds_handshake_step_name(enum ds_handshake_step step)
{
    static const char *const names[] = {
#define STEP(id, name) [DS_STEP_##id] = name,
#include <distsniff/handshake.def>
#undef STEP
    };
    return NAME_OF(names, step);
}

const char *ds_frame_kind_name(enum ds_frame_kind kind)
{
    static const char *const names[] = {
#define FRAME(id, name) [DS_FRAME_##id] = name,
#include <distsniff/frame.def>
#undef FRAME
    };
    return NAME_OF(names, kind);
}

const char *ds_conn_state_name(enum ds_conn_state state)
{
    static const char *const names[] = {
        [DS_CONN_OPEN] = "open",
        [DS_CONN_UP] = "up",
        [DS_CONN_FAILED] = "failed",
        [DS_CONN_CLOSED] = "closed",
        [DS_CONN_JOINED_LATE] = "joined_late",
        [DS_CONN_HALF_CLOSED] = "half_closed",
        [DS_CONN_OPEN_AT_END] = "open_at_end",
        [DS_CONN_ICMP_ERROR] = "icmp_error",
        [DS_CONN_CONTINUED] = "continued",
    };
    return NAME_OF(names, state);
}

const char *ds_stall_why_name(enum ds_stall_why why)
{
    static const char *const names[] = {
        [DS_STALL_ZERO_WINDOW] = "zero_window",
        [DS_STALL_FULL_WINDOW] = "full_window",
        [DS_STALL_LOST] = "lost",
        [DS_STALL_MISSING] = "missing",
    };
    return NAME_OF(names, why);
}

const char *ds_close_name(enum ds_close how)
{
    static const char *const names[] = {
        [DS_CLOSE_NOT] = "open",        [DS_CLOSE_FIN] = "fin",
        [DS_CLOSE_RESET] = "reset",     [DS_CLOSE_SYN_TIMEOUT] = "silent",
        [DS_CLOSE_ICMP] = "icmp",       [DS_CLOSE_REUSED] = "reused",
        [DS_CLOSE_EVICTED] = "dropped", [DS_CLOSE_CAPTURE] = "open_at_end",
    };
    return NAME_OF(names, how);
}

const char *ds_fault_kind_name(enum ds_fault_kind kind)
{
    static const char *const names[] = {
        [DS_FAULT_NONE] = "none",
        [DS_FAULT_MALFORMED] = "malformed",
        [DS_FAULT_TRUNCATED] = "truncated",
        [DS_FAULT_GAP] = "gap",
        [DS_FAULT_JOINED_LATE] = "joined_late",
        [DS_FAULT_CAP] = "cap",
    };
    return NAME_OF(names, kind);
}

const char *ds_role_name(enum ds_role role)
{
    static const char *const names[] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = key,
#include <distsniff/roles.def>
#undef ROLE
    };
    return NAME_OF(names, role);
}

bool ds_role_is_number(enum ds_role role)
{
    enum { IS_INTEGER = 1, IS_PID = 2, IS_PORT = 2, IS_REFERENCE = 2, IS_ATOM = 2, IS_TUPLE = 2 };
    enum { IS_LIST = 2, IS_ANY = 2 };
    static const uint8_t are[] = {
#define ROLE(letter, id, key, is) [DS_ROLE_##id] = is,
#include <distsniff/roles.def>
#undef ROLE
    };
    return (size_t)role < sizeof are && are[role] == IS_INTEGER;
}

const char *ds_limit_name(enum ds_limit limit)
{
    static const char *const names[] = {
#define LIMIT(id, name, value, what) [DS_LIMIT_##id] = name,
#include <distsniff/limits.def>
#undef LIMIT
    };
    return NAME_OF(names, limit);
}

const char *ds_limit_what(enum ds_limit limit)
{
    static const char *const texts[] = {
#define LIMIT(id, name, value, what) [DS_LIMIT_##id] = what,
#include <distsniff/limits.def>
#undef LIMIT
    };
    return NAME_OF(texts, limit);
}

const char *ds_tls_keys_name(enum ds_tls_keys keys)
{
    static const char *const names[] = {
        [DS_TLS_KEYS_MISSING] = "missing",
        [DS_TLS_KEYS_FOUND] = "found",
        [DS_TLS_KEYS_SWAPPED] = "swapped",
        [DS_TLS_KEYS_LATE] = "late",
    };
    return (size_t)keys < sizeof names / sizeof names[0] ? names[keys] : NULL;
}

const char *ds_tls_version_name(uint16_t version)
{
    static const char *const names[] = {"SSL 3.0", "1.0", "1.1", "1.2", "1.3"};
    const size_t minor = version & 0xff;
    return version >> 8 == 3 && minor < sizeof names / sizeof names[0] ? names[minor] : NULL;
}
