/*
 * community_id.c - see community_id.h.
 */
#include "core/community_id.h"

#include <openssl/evp.h>
#include <string.h>

enum { PROTOCOL_TCP = 6, IP4_LEN = 4, IP6_LEN = 16, SHA1_LEN = 20, PREFIX_LEN = 2 };
_Static_assert(PREFIX_LEN + (SHA1_LEN + 2) / 3 * 4 + 1 == COMMUNITY_ID_SIZE, "all of it has room");

static bool is_second_smaller(const struct ds_endpoint ends[2], size_t len)
{
    const int order = memcmp(ends[0].addr.bytes, ends[1].addr.bytes, len);
    return order > 0 || (order == 0 && ends[0].port > ends[1].port);
}

bool community_id_print(const struct ds_endpoint ends[2], char out[COMMUNITY_ID_SIZE])
{
    uint8_t bytes[2 + 2 * IP6_LEN + 2 + 2 * 2] = {0}, hash[EVP_MAX_MD_SIZE];
    const size_t len = ends[0].addr.family == 4 ? IP4_LEN : IP6_LEN;
    const bool turned = is_second_smaller(ends, len);
    uint8_t *at = bytes + 2;
    for (int i = 0; i < 2; i++, at += len)
        memcpy(at, ends[i ^ turned].addr.bytes, len);
    *at++ = PROTOCOL_TCP;
    *at++ = 0;
    for (int i = 0; i < 2; i++) {
        *at++ = (uint8_t)(ends[i ^ turned].port >> 8);
        *at++ = (uint8_t)ends[i ^ turned].port;
    }
    if (EVP_Digest(bytes, (size_t)(at - bytes), hash, NULL, EVP_sha1(), NULL) != 1)
        return false;
    memcpy(out, "1:", PREFIX_LEN);
    EVP_EncodeBlock((unsigned char *)out + PREFIX_LEN, hash, SHA1_LEN);
    return true;
}
