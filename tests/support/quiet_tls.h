/*
 * quiet_tls.h - callbacks for TLS events that a test ignores.
 */
#ifndef TESTS_QUIET_TLS_H
#define TESTS_QUIET_TLS_H

#include "tls/tls.h"

static inline void quiet_tls_note(void *context)
{
    (void)context;
}

static inline void quiet_tls_stall(void *context, int dir, const struct ds_stall *stall)
{
    (void)context;
    (void)dir;
    (void)stall;
}

static inline void quiet_tls_dir(void *context, int dir)
{
    (void)context;
    (void)dir;
}

static inline void quiet_tls_close(void *context, enum tcp_close why)
{
    (void)context;
    (void)why;
}

#endif
