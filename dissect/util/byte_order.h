/*
 * byte_order.h - numbers in the byte order of foreign data: htobe32, le64toh and similar functions,
 * on machines of any byte order.
 */
#ifndef DISSECT_BYTE_ORDER_H
#define DISSECT_BYTE_ORDER_H

#if defined(__APPLE__)
#include <libkern/OSByteOrder.h>
#define be16toh(v) OSSwapBigToHostInt16(v)
#define be32toh(v) OSSwapBigToHostInt32(v)
#define be64toh(v) OSSwapBigToHostInt64(v)
#define htobe16(v) OSSwapHostToBigInt16(v)
#define htobe32(v) OSSwapHostToBigInt32(v)
#define htobe64(v) OSSwapHostToBigInt64(v)
#define htole16(v) OSSwapHostToLittleInt16(v)
#define le16toh(v) OSSwapLittleToHostInt16(v)
#define htole64(v) OSSwapHostToLittleInt64(v)
#define le64toh(v) OSSwapLittleToHostInt64(v)
#elif defined(__FreeBSD__) || defined(__NetBSD__) || defined(__DragonFly__)
#include <sys/endian.h>
#else
#include <endian.h> /* Linux with any libc, OpenBSD */
#endif

#endif
