/*
 * tls_suite.c - see tls_suite.h.
 */
#include "tls/tls_suite.h"

#include <distsniff/dissect.h>
#include <stddef.h>

static const struct tls_suite suites[] = {
#define SUITE(code, name, kind, key, hash, mac) {code, #name, TLS_##kind, key, hash, mac},
#include "tls/tls_suites.def"
#undef SUITE
};

const struct tls_suite *tls_suite_find(uint16_t code)
{
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        if (suites[i].code == code)
            return &suites[i];
    }
    return NULL;
}

const char *ds_tls_suite_at(size_t i)
{
    return i < sizeof suites / sizeof suites[0] ? suites[i].name : NULL;
}
