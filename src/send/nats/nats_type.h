/*
 * nats_type.h - the types of what is published: each type has its own subject.
 */
#ifndef SRC_NATS_TYPE_H
#define SRC_NATS_TYPE_H

#include <stdint.h>

struct record;

enum nats_type {
#define NATS_TYPE(id, name) NATS_##id,
#include "send/nats/nats_type.def"
#undef NATS_TYPE
    NATS_TYPE_COUNT
};

#define NATS_TYPES_ALL ((UINT32_C(1) << NATS_TYPE_COUNT) - 1)

/* nats_type_names are the names in that order, static strings. */
extern const char *const nats_type_names[NATS_TYPE_COUNT];

/* nats_type_of returns the type of a record. */
enum nats_type nats_type_of(const struct record *record);

#endif
