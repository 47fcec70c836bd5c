/*
 * default_limits.h - the caps that hold where no --max-* is given, for a stage's config.
 */
#ifndef TESTS_DEFAULT_LIMITS_H
#define TESTS_DEFAULT_LIMITS_H

#include <distsniff/dissect.h>

#include <string.h>

static inline void default_limits(uint64_t limits[DS_LIMIT_COUNT])
{
    struct ds_config config;
    ds_config_init(&config);
    memcpy(limits, config.limits, sizeof config.limits);
}

#endif
