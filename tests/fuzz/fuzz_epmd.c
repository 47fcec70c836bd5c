/*
 * fuzz_epmd.c - the protocol of EPMD, and its answers alone; fuzz_conn.h says what the input means.
 */
#include "dist/epmd.h"
#include "fuzz_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void take_node(void *context, const struct ds_epmd_node *node)
{
    size_t *sum = context;
    for (size_t i = 0; i < node->name.len; i++)
        *sum += (uint8_t)node->name.data[i]; /* the whole answer */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    size_t sum = 0;
    (void)ds_epmd_names(data, len, take_node, &sum);
    fuzz_run(&epmd_proto, 4369, data, len);
    return 0;
}
