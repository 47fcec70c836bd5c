/*
 * cookie.c - the digests of the handshake (erl_dist_protocol, "The Handshake in Detail"): MD5 of
 * the cookie's text followed by the challenge as decimal text.
 */
#include "dist/cookie.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum { MD5_LEN = 16 };

enum ds_cookie_check cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest)
{
    if (cookie.data == NULL)
        return DS_COOKIE_UNCHECKED;
    EVP_MD_CTX *md5 = EVP_MD_CTX_new();
    if (md5 == NULL)
        return DS_COOKIE_UNCHECKED;
    char text[sizeof "4294967295"];
    int len = snprintf(text, sizeof text, "%u", (unsigned)challenge);
    unsigned char ours[EVP_MAX_MD_SIZE];
    unsigned ours_len = 0;
    bool done = EVP_DigestInit_ex(md5, EVP_md5(), NULL) &&
                EVP_DigestUpdate(md5, cookie.data, cookie.len) &&
                EVP_DigestUpdate(md5, text, (size_t)len) &&
                EVP_DigestFinal_ex(md5, ours, &ours_len) && ours_len == MD5_LEN;
    EVP_MD_CTX_free(md5);
    if (!done)
        return DS_COOKIE_UNCHECKED;
    return memcmp(ours, digest, MD5_LEN) == 0 ? DS_COOKIE_OK : DS_COOKIE_WRONG;
}

enum ds_cookie_check ds_cookie_check(struct ds_text cookie, uint32_t challenge, const uint8_t *digest)
{
    return cookie_check(cookie, challenge, digest);
}
