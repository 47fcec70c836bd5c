/*
 * redact_key.c - see redact_key.h. The key is the SHA-256 of the whole file.
 */
#include "redact/redact_key.h"

#include "core/complain.h"
#include "core/random_bytes.h"
#include "privsep/file_helper.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MIN_LEN = 16, MAX_LEN = 4096 };

#define HOW_TO "(umask 077; head -c 32 /dev/urandom > FILE) makes one"

/* read_file returns the number of bytes of the file; 0 after an error message. */
static size_t read_file(const char *name, FILE *file, uint8_t bytes[MAX_LEN + 1])
{
    struct stat status;
    const size_t len = fread(bytes, 1, MAX_LEN + 1, file);
    if (ferror(file)) {
        complain("cannot read the key file %s: %s: " HOW_TO, name, strerror(errno));
        return 0;
    }
    if (len < MIN_LEN || len > MAX_LEN) {
        complain("the key file %s has %s%zu bytes instead of %d to %d: " HOW_TO, name,
                 len > MAX_LEN ? "more than " : "", len > MAX_LEN ? MAX_LEN : len, MIN_LEN,
                 MAX_LEN);
        return 0;
    }
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & (S_IRGRP | S_IROTH)) != 0)
        complain("other users can read the key file %s, and could find short values with it: "
                 "chmod 600 %s",
                 name, name);
    return len;
}

static bool make_random(uint8_t key[PSEUDONYM_KEY_LEN])
{
    if (random_bytes(key, PSEUDONYM_KEY_LEN))
        return true;
    complain("cannot make a random key: %s: give a key with --redact-key-file", strerror(errno));
    return false;
}

bool redact_key_read(const char *name, uint8_t key[PSEUDONYM_KEY_LEN])
{
    uint8_t bytes[MAX_LEN + 1];
    unsigned key_len = 0;
    if (name == NULL)
        return make_random(key);
    FILE *file = file_helper_fopen(name);
    if (file == NULL) {
        complain("cannot read the key file %s: %s: " HOW_TO, name, strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IONBF, 0); /* no copy of the key is left in a buffer */
    const size_t len = read_file(name, file, bytes);
    fclose(file);
    const bool made = len != 0 && EVP_Digest(bytes, len, key, &key_len, EVP_sha256(), NULL) &&
                      key_len == PSEUDONYM_KEY_LEN;
    explicit_bzero(bytes, sizeof bytes);
    if (len != 0 && !made)
        complain("out of memory");
    return made;
}
