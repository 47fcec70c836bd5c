/*
 * warm_up.c - see warm_up.h.
 *
 * Where TZ is not set, glibc looks at /etc/localtime again and again, and takes UTC if it cannot;
 * where it names that file, once. libcrypto reads its configuration before it does anything; what
 * opens TLS and reads certificates needs nothing that is in it.
 */
#include "warm_up.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <time.h>

void warm_up(bool with_crypto)
{
    (void)setenv("TZ", ":/etc/localtime", 0);
    tzset();
    if (with_crypto)
        EVP_MD_free(EVP_MD_fetch(NULL, "SHA2-256", NULL)); /* reads the configuration, too */
    else
        (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}
