/*
 * cookie.h - the digests of the handshake.
 */
#ifndef DISSECT_COOKIE_H
#define DISSECT_COOKIE_H

#include <distsniff/dissect.h>

/* cookie_check says whether digest (16 bytes) answers the challenge with this cookie;
 * UNCHECKED when there is no cookie, or libcrypto could not compute it. */
enum ds_cookie_check cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest);

#endif
