/*
 * checksum.h - the checksums of a TCP segment and of the IPv4 header before it (RFC 1071; RFC 9293,
 * section 3.1). A wrong checksum does not prove damage: if the sender leaves checksums to its
 * network card, a packet is captured before the card fills them in.
 */
#ifndef DISSECT_CHECKSUM_H
#define DISSECT_CHECKSUM_H

#include "net/packet.h"

/* checksum_check verifies the checksums of a segment. A checksum that Linux leaves to the network
 * card, which contains only the sum of the pseudo header, is good. */
enum packet_sum checksum_check(const struct segment *segment);

#endif
