/*
 * redact_key.c - see redact_key.h. The key is the SHA-256 of the file.
 */
#include "redact_key.h"

#include "complain.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { MIN_LEN = 16, MAX_LEN = 4096 };

bool redact_key_read(const char *name, uint8_t key[PSEUDONYM_KEY_LEN])
{
    uint8_t bytes[MAX_LEN];
    unsigned key_len = 0;
    if (name == NULL) {
        if (getrandom(key, PSEUDONYM_KEY_LEN, 0) == PSEUDONYM_KEY_LEN)
            return true;
        complain("no random key to be had: %s: give one with --redact-key-file", strerror(errno));
        return false;
    }
    FILE *file = fopen(name, "re");
    const size_t len = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    const bool read = file != NULL && !ferror(file);
    if (!read)
        complain("cannot read the key file %s: %s: head -c 32 /dev/urandom > FILE makes one",
                 name, strerror(errno));
    else if (len < MIN_LEN)
        complain("the key file %s has %zu bytes, and %d are the least: head -c 32 /dev/urandom > "
                 "FILE makes one",
                 name, len, MIN_LEN);
    if (file != NULL)
        fclose(file);
    if (!read || len < MIN_LEN)
        return false;
    const bool ok = EVP_Digest(bytes, len, key, &key_len, EVP_sha256(), NULL) &&
                    key_len == PSEUDONYM_KEY_LEN;
    explicit_bzero(bytes, sizeof bytes);
    if (!ok)
        complain("out of memory");
    return ok;
}
