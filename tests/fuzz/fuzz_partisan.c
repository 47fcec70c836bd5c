/*
 * fuzz_partisan.c - a connection of partisan (dissect/sockets/); fuzz_conn.h says what the input means.
 */
#include "sockets/socket.h"

#include "fuzz_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    fuzz_run(&socket_partisan.proto, 6042, data, len);
    return 0;
}
