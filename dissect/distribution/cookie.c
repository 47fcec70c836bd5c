/*
 * cookie.c - the digests of the handshake (erl_dist_protocol, "The Handshake in Detail"):
 * MD5 over the cookie's text followed by the challenge as decimal text.
 */
#include "cookie.h"

#include "md5.h"

#include <stdio.h>
#include <string.h>

enum ds_cookie_check cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest)
{
    char number[sizeof "4294967295"];
    uint8_t ours[MD5_LEN];
    if (cookie.data == NULL)
        return DS_COOKIE_UNCHECKED;
    const int len = snprintf(number, sizeof number, "%u", (unsigned)challenge);
    const struct ds_text texts[] = {cookie, {number, (size_t)len}};
    md5_of(texts, sizeof texts / sizeof texts[0], ours);
    return memcmp(ours, digest, MD5_LEN) == 0 ? DS_COOKIE_OK : DS_COOKIE_WRONG;
}

enum ds_cookie_check ds_cookie_check(struct ds_text cookie, uint32_t challenge,
                                     const uint8_t *digest)
{
    return cookie_check(cookie, challenge, digest);
}
