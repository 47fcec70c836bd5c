/*
 * sandbox_preload.c - see sandbox_preload.h.
 *
 * Where TZ is not set, glibc looks at /etc/localtime again and again, and takes UTC if it cannot;
 * where it names that file, once. libcrypto reads its configuration before it does anything; what
 * opens TLS and reads certificates needs nothing that is in it. When glibc's malloc gives memory of a
 * thread back for the first time it asks the kernel how that lends memory, and does without an answer.
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

/* give_back takes more memory than a thread keeps for itself, and gives it back. */
static void *give_back(void *none)
{
    void *volatile blocks[64]; /* each small enough to come from the thread's own memory */
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        blocks[i] = malloc(100000);
    for (size_t i = sizeof blocks / sizeof blocks[0]; i-- > 0;)
        free(blocks[i]);
    return none;
}

/* Each source of names is asked for one that cannot be: a label has at most 63 letters (RFC 1035, section
 * 2.3.4), so that none goes out. */
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
    if (pthread_create(&thread, NULL, give_back, NULL) == 0)
        (void)pthread_join(thread, NULL); /* without it malloc asks later, in vain */
    if (with_crypto)
        EVP_MD_free(EVP_MD_fetch(NULL, "SHA2-256", NULL)); /* reads the configuration, too */
    else
        (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}
