/*
 * fuzz_handshake.c - a distribution connection from its handshake on; fuzz_conn.h says what
 * the input means.
 */
#include "dist/dist.h"
#include "fuzz_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    fuzz_run(&dist_proto, 40002, data, len);
    return 0;
}
