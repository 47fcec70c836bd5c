/*
 * powers_of_ten.h - all powers of ten that fit into 64 bits.
 */
#ifndef DISSECT_POWERS_OF_TEN_H
#define DISSECT_POWERS_OF_TEN_H

#include <stdint.h>

enum { NUM_POWERS_OF_TEN = 20 };

static const uint64_t powers_of_ten[NUM_POWERS_OF_TEN] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    UINT64_C(10000000000000000000),
};

#endif
