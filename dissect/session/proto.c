/*
 * proto.c - the table of protocols. The first whose probe says yes has the connection; those of
 * sockets.def are asked last.
 */
#include "conn/proto.h"

#include "dist/dist.h"
#include "dist/epmd.h"
#include "sockets/socket_find.h"

static const struct proto *const protos[] = {
    &epmd_proto,
    &dist_proto,
};

enum proto_guess proto_find(const struct dissect_ctx *env, const struct conn *conn, int dir,
                            struct cursor bytes, const struct proto **out)
{
    enum proto_guess guess = PROTO_NO;
    for (size_t i = 0; i < sizeof protos / sizeof protos[0]; i++) {
        switch (protos[i]->probe(env, conn, dir, bytes)) {
        case PROTO_YES:
            *out = protos[i];
            return PROTO_YES;
        case PROTO_MORE:
            guess = PROTO_MORE;
            break;
        case PROTO_NO:
            break;
        }
    }
    const enum proto_guess other = socket_find(env, conn, dir, bytes, out);
    return other != PROTO_NO ? other : guess;
}
