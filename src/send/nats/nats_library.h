/*
 * nats_library.h - libnats, which only the processes that talk to NATS load: it brings a TLS
 * library and its own threads.
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

/* nats is its functions; all are NULL before nats_library_load. */
extern struct nats_library nats;

/* nats_library_load loads it. False after an error message. */
bool nats_library_load(void);

#endif
