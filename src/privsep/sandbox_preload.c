/*
 * sandbox_preload.c - see sandbox_preload.h.
 *
 * If TZ is not set, glibc reads /etc/localtime again and again, and uses UTC if that fails; if TZ names
 * that file, it reads it once. libcrypto reads its configuration before everything else; opening TLS
 * and reading certificates does not need it. When glibc's malloc first returns memory of a thread, it
 * queries a setting of the kernel, and can do without an answer.
 */
#include "privsep/sandbox_preload.h"

#include "privsep/client_files.h"

#include <netdb.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* free_much allocates more memory than a thread's heap keeps, and frees it. */
static void *free_much(void *none)
{
    void *volatile blocks[64]; /* each small enough to come from the thread's own memory */
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        blocks[i] = malloc(100000);
    for (size_t i = sizeof blocks / sizeof blocks[0]; i-- > 0;)
        free(blocks[i]);
    return none;
}

/* Each source of names is queried for an impossible name: a label has at most 63 letters (RFC 1035,
 * section 2.3.4), so no query is sent. */
void sandbox_preload_names(void)
{
    client_files_keep_servers();
    struct addrinfo *found = NULL;
    char name[64 + 1];
    memset(name, 'a', 64);
    name[64] = '\0';
    if (getaddrinfo(name, NULL, NULL, &found) == 0)
        freeaddrinfo(found);
}

void sandbox_preload(bool with_crypto)
{
    (void)setenv("TZ", ":/etc/localtime", 0);
    tzset();
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_much, NULL) == 0)
        (void)pthread_join(thread, NULL); /* if it fails, malloc queries later, without success */
    if (with_crypto)
        EVP_MD_free(EVP_MD_fetch(NULL, "SHA2-256", NULL)); /* reads the configuration, too */
    else
        (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}
