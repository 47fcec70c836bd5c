/*
 * id_key.c - see id_key.h.
 */
#include "send/nats/id_key.h"

#include "core/complain.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_LEN = 16, MAX_LEN = 4096, ID_LEN = 16 };

#define HOW_TO "(umask 077; head -c 32 /dev/urandom > FILE) makes one"

/* is_for_others says whether users other than its owner may read the file, and prints an error
 * message if so. */
static bool is_for_others(int fd, const char *name)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return false;
    complain("other users can read the key file %s, and could make ids with it: chmod 600 %s", name, name);
    return true;
}

/* take reads up to the end, or until the buffer is full; -1, with errno set, if it cannot. */
static ssize_t take(int fd, uint8_t bytes[MAX_LEN + 1])
{
    ssize_t len = 0, more;
    while (len <= MAX_LEN && (more = read(fd, bytes + len, (size_t)(MAX_LEN + 1 - len))) != 0) {
        if (more < 0 && errno != EINTR)
            return -1;
        len += more > 0 ? more : 0;
    }
    return len;
}

static bool read_key(int fd, const char *name, struct id_key *key)
{
    uint8_t bytes[MAX_LEN + 1];
    unsigned key_len = 0;
    const ssize_t len = take(fd, bytes);
    if (len < 0)
        complain("cannot read the key file %s: %s", name, strerror(errno));
    else if (len < MIN_LEN || len > MAX_LEN)
        complain("the key file %s must have %d to %d bytes: " HOW_TO, name, MIN_LEN, MAX_LEN);
    else
        key->is_given = EVP_Digest(bytes, (size_t)len, key->bytes, &key_len, EVP_sha256(), NULL) &&
                        key_len == ID_KEY_LEN;
    explicit_bzero(bytes, sizeof bytes);
    return key->is_given;
}

bool id_key_read(const char *name, struct id_key *key)
{
    *key = (struct id_key){0};
    if (name == NULL)
        return true;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        complain("cannot read the key file %s: %s: " HOW_TO, name, strerror(errno));
        return false;
    }
    const bool good = !is_for_others(fd, name) && read_key(fd, name, key);
    close(fd);
    return good;
}

bool id_key_apply(const struct id_key *key, const char *id, char out[SEND_MAX_ID + 1])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    if (!key->is_given) {
        snprintf(out, SEND_MAX_ID + 1, "%s", id);
        return true;
    }
    if (HMAC(EVP_sha256(), key->bytes, ID_KEY_LEN, (const uint8_t *)id, strlen(id), digest, &len) == NULL ||
        len < ID_LEN)
        return false;
    memcpy(out, "k.", 2);
    for (int i = 0; i < ID_LEN; i++)
        snprintf(out + 2 + 2 * i, 3, "%02x", digest[i]);
    return true;
}
