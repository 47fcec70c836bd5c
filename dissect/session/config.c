/*
 * config.c - the default configuration of a session.
 */
#include <distsniff/dissect.h>

void ds_config_init(struct ds_config *config)
{
    *config = (struct ds_config){
        .limits =
            {
#define LIMIT(id, name, value, what) [DS_LIMIT_##id] = value,
#include <distsniff/limits.def>
#undef LIMIT
            },
        .epmd_port = 4369,
    };
}
