/*
 * fuzz_epmd.c - the protocol of EPMD; fuzz_conn.h says what the input means.
 */
#include "dist/epmd.h"
#include "fuzz_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    fuzz_run(&epmd_proto, 4369, data, len);
    return 0;
}
