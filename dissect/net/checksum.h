/*
 * checksum.h - the checksums of a TCP segment and of the IPv4 header before it (RFC 1071; RFC 9293,
 * section 3.1). What does not fit is no proof of damage: a sender that leaves them to its network card
 * is captured before that fills them in.
 */
#ifndef DISSECT_CHECKSUM_H
#define DISSECT_CHECKSUM_H

#include "net/packet.h"

/* checksum_check verifies the checksums of a segment. A checksum that Linux leaves to the network card,
 * which holds the sum of the pseudo header alone, is good. */
enum packet_sum checksum_check(const struct segment *segment);

#endif
