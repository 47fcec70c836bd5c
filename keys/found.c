/*
 * found.c - see found.h. Erlang calls the function with the cipher, for each record or once, and for each
 * record with the key and the nonce: the latter calls count.
 */
#include "found.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_KEYS = 65536, /* written in one run */
    MAX_KEY = 32,
};

static const struct cipher {
    int nid;
    unsigned code;
    const char *name;
} ciphers[] = {
#define CIPHER(nid, code, name) {nid, code, name},
#include "ciphers.def"
#undef CIPHER
};

enum { NUM_CIPHERS = sizeof ciphers / sizeof ciphers[0] };

/* key is one of a process: two ends of a connection have the same. */
struct key {
    pid_t pid;
    int nid;
    bool encrypts;
    uint8_t bytes[MAX_KEY];
};

struct found {
    FILE *out;
    struct key *keys;
    unsigned num, num_written;
    bool is_failed;
};

struct found *found_new(FILE *out)
{
    struct found *found = calloc(1, sizeof *found);
    struct key *keys = calloc(MAX_KEYS, sizeof *keys);
    if (found == NULL || keys == NULL) {
        free(found);
        free(keys);
        return NULL;
    }
    found->out = out;
    found->keys = keys;
    return found;
}

void found_free(struct found *found)
{
    if (found == NULL)
        return;
    explicit_bzero(found->keys, found->num * sizeof *found->keys);
    free(found->keys);
    free(found);
}

/* is_known says whether a process has a key, or, with 0, any process. */
static bool is_known(const struct found *found, const struct key *key, pid_t pid)
{
    for (unsigned i = found->num; i-- != 0;) {
        const struct key *known = &found->keys[i];
        if ((pid == 0 || known->pid == pid) && known->nid == key->nid &&
            memcmp(known->bytes, key->bytes, MAX_KEY) == 0)
            return true;
    }
    return false;
}

static size_t key_len(const struct cipher *cipher)
{
    return strstr(cipher->name, "128") != NULL ? 16 : MAX_KEY;
}

static void put_hex(char *at, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sprintf(at + 2 * i, "%02x", (unsigned)bytes[i]);
}

static void write_key(struct found *found, const struct key *key, const uint8_t iv[12])
{
    char nonce[2 * 12 + 1], bytes[2 * MAX_KEY + 1];
    bool is_said = false;
    put_hex(nonce, iv, 12);
    for (size_t i = 0; i < NUM_CIPHERS; i++) {
        const struct cipher *cipher = &ciphers[i];
        if (cipher->nid != key->nid)
            continue;
        put_hex(bytes, key->bytes, key_len(cipher));
        if (!is_said)
            fprintf(found->out, "# process %d %s with %s\n", (int)key->pid,
                    key->encrypts ? "encrypts" : "decrypts", cipher->name);
        is_said = true;
        fprintf(found->out, "DISTSNIFF_WRITE_KEY_%u %s %s\n", cipher->code, nonce, bytes);
    }
    found->num_written++;
    found->is_failed |= fflush(found->out) != 0;
    explicit_bzero(bytes, sizeof bytes);
}

static const struct cipher *find_cipher(int nid)
{
    for (size_t i = 0; i < NUM_CIPHERS; i++) {
        if (ciphers[i].nid == nid)
            return &ciphers[i];
    }
    return NULL;
}

void found_on_call(void *context, pid_t pid, const struct probe_call *call)
{
    struct found *found = context;
    const struct cipher *cipher = call->has_key ? find_cipher(call->nid) : NULL;
    if (cipher == NULL || found->num == MAX_KEYS)
        return;
    struct key key = {.pid = pid, .nid = call->nid, .encrypts = call->encrypts};
    memcpy(key.bytes, call->key, key_len(cipher));
    const bool is_written = is_known(found, &key, 0);
    if (!is_known(found, &key, pid))
        found->keys[found->num++] = key;
    if (!is_written)
        write_key(found, &key, call->iv);
    explicit_bzero(&key, sizeof key);
}

unsigned found_num(const struct found *found, pid_t pid, bool encrypts)
{
    unsigned num = 0;
    for (unsigned i = 0; i < found->num; i++)
        num += found->keys[i].pid == pid && found->keys[i].encrypts == encrypts;
    return num;
}

unsigned found_num_written(const struct found *found)
{
    return found->num_written;
}

bool found_is_failed(const struct found *found)
{
    return found->is_failed;
}
