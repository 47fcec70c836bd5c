/*
 * nats_library.h - libnats, which is loaded by the processes that talk to NATS, and by no other: it
 * brings a library for TLS and threads of its own.
 */
#ifndef SRC_NATS_LIBRARY_H
#define SRC_NATS_LIBRARY_H

#include <nats/nats.h>
#include <stdbool.h>

struct nats_library {
#define NATS(name) __typeof__(name) *name;
#include "send/nats/nats_library.def"
#undef NATS
};

/* nats is its functions, all NULL before nats_library_load. */
extern struct nats_library nats;

/* nats_library_load loads it. False after a complaint. */
bool nats_library_load(void);

#endif
