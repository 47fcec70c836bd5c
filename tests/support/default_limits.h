/*
 * default_limits.h - the default caps (no --max-* given), for the config of a stage.
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
