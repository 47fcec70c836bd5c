/*
 * epmd_names.c - ds_epmd_names: parses an answer to NAMES_REQ that was not captured
 * (erl_dist_protocol, "Get All Registered Names from EPMD").
 */
#include "dist/epmd_list.h"

const char *ds_epmd_names(const void *answer, size_t len, ds_epmd_node_fn give, void *context)
{
    struct cursor at = cursor_make(answer, len);
    struct arena arena = {NULL};
    struct ds_epmd epmd = {0};
    const char *wrong = NULL;
    uint32_t epmd_port;
    bool dump = false;

    if (!cursor_read_u32(&at, &epmd_port))
        wrong = "no port of the EPMD";
    else if (!epmd_read_list(&at, &arena, &epmd, &dump, &wrong))
        wrong = "memory ran out";
    else if (dump)
        wrong = "not a list of names";
    for (size_t i = 0; i < epmd.num_nodes; i++)
        give(context, &epmd.nodes[i]);
    arena_free(&arena);
    return wrong;
}
