/*
 * cookie.h - the digests of the handshake.
 */
#ifndef DISSECT_COOKIE_H
#define DISSECT_COOKIE_H

#include <distsniff/dissect.h>

/* cookie_check says whether digest (16 bytes) answers the challenge with this cookie. UNCHECKED if
 * there is no cookie, or if libcrypto could not compute the digest. */
enum ds_cookie_check cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest);

#endif
