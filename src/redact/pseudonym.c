/*
 * pseudonym.c - see pseudonym.h.
 *
 * The keyed hash is BLAKE2b (RFC 7693) of the kind of a value and the value. It gives 48 bytes: key,
 * and counter and nonce, of a ChaCha20 stream (RFC 8439), of which as much is used as is needed.
 *
 * The permutation of 0 to n-1 puts x, as a number of two digits, through 8 rounds of a Feistel network
 * with AES-128 as its round function, repeatedly until the result is below n (cycle walking); adds 1;
 * and then applies the inverse. So all n values are on one cycle: no value maps to itself, even if
 * reserved values are skipped.
 */
#include "redact/pseudonym.h"

#include "redact/pseudonym_class.h"

#include <endian.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEED_LEN = 48, /* of ChaCha20: 32 bytes of key, 16 of counter and nonce */
    SEED_KEY_LEN = 32,
    AES_LEN = 16,
    ROUNDS = 8,
    MAX_WALK = 4096,  /* maximum number of steps to a text that is not reserved */
    MAX_TRIES = 16,   /* the same for texts that are hashed */
    STREAM_LEN = 512, /* bytes generated at once */
};

/* The kind of a value: equal bytes of different kinds have different pseudonyms. */
enum kind { KIND_TEXT, KIND_NAME, KIND_ANY, KIND_BYTES, KIND_INTEGER, KIND_REAL,
            KIND_ADDRESS, KIND_DIGEST, KIND_AES_KEY };

struct pseudonym {
    EVP_MAC_CTX *mac;
    EVP_CIPHER_CTX *aes, *chacha;
    bool failed;
    uint8_t stream[STREAM_LEN];
    size_t stream_at;
};

/* A value is hashed in pieces. */
static void hash_begin(struct pseudonym *p, enum kind kind, unsigned attempt)
{
    const uint8_t head[] = {(uint8_t)kind, (uint8_t)attempt};
    if (!EVP_MAC_init(p->mac, NULL, 0, NULL) || !EVP_MAC_update(p->mac, head, sizeof head))
        p->failed = true;
}

static void hash_piece(struct pseudonym *p, const void *bytes, size_t len)
{
    if (!EVP_MAC_update(p->mac, bytes, len))
        p->failed = true;
}

static void hash_end(struct pseudonym *p, uint8_t seed[SEED_LEN])
{
    size_t seed_len = 0;
    if (!EVP_MAC_final(p->mac, seed, &seed_len, SEED_LEN) || seed_len != SEED_LEN) {
        p->failed = true;
        memset(seed, 0, SEED_LEN);
    }
}

/* begin_stream begins the stream of bytes for the value that was hashed. */
static void begin_stream(struct pseudonym *p)
{
    uint8_t seed[SEED_LEN];
    hash_end(p, seed);
    if (!EVP_EncryptInit_ex(p->chacha, NULL, NULL, seed, seed + SEED_KEY_LEN))
        p->failed = true;
    p->stream_at = STREAM_LEN;
}

static void open_stream(struct pseudonym *p, enum kind kind, const void *bytes, size_t len,
                        unsigned attempt)
{
    hash_begin(p, kind, attempt);
    hash_piece(p, bytes, len);
    begin_stream(p);
}

static uint8_t stream_byte(struct pseudonym *p)
{
    if (p->stream_at == STREAM_LEN) {
        static const uint8_t zeros[STREAM_LEN];
        int len = 0;
        if (!EVP_EncryptUpdate(p->chacha, p->stream, &len, zeros, STREAM_LEN) ||
            len != STREAM_LEN) {
            p->failed = true;
            memset(p->stream, 0, STREAM_LEN);
        }
        p->stream_at = 0;
    }
    return p->stream[p->stream_at++];
}

static uint32_t stream_u32(struct pseudonym *p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = value << 8 | stream_byte(p);
    return value;
}

/* The permutation */

/* permutation is one of 0 to n-1; a * b is at least n, and hardly more. */
struct permutation {
    enum kind kind;
    uint64_t n, a, b;
};

static struct permutation permutation_of(enum kind kind, uint64_t n)
{
    /* Compute the square root, bit by bit. */
    uint64_t a = 0;
    for (uint64_t bit = (uint64_t)1 << 32; bit != 0; bit >>= 1) {
        if ((a | bit) <= UINT32_MAX && (a | bit) * (a | bit) <= n)
            a |= bit;
    }
    return (struct permutation){kind, n, a, n / a + (n % a != 0)};
}

static uint64_t round_value(struct pseudonym *p, const struct permutation *of, unsigned round,
                            uint64_t half)
{
    uint8_t block[AES_LEN], out[AES_LEN];
    /* half is below 2^34. htole64: pseudonyms are the same on every machine. */
    const uint64_t head = htole64(half << 16 | (uint64_t)of->kind << 8 | round);
    const uint64_t size = htole64(of->n);
    uint64_t value;
    int len = 0;
    memcpy(block, &head, sizeof head);
    memcpy(block + sizeof head, &size, sizeof size);
    if (!EVP_EncryptUpdate(p->aes, out, &len, block, AES_LEN) || len != AES_LEN) {
        p->failed = true;
        return 0;
    }
    memcpy(&value, out, sizeof value);
    return le64toh(value);
}

static uint64_t forth(struct pseudonym *p, const struct permutation *of, uint64_t x)
{
    do {
        uint64_t left = x % of->a, right = x / of->a;
        for (unsigned round = 0; round < ROUNDS; round += 2) {
            left = (left + round_value(p, of, round, right) % of->a) % of->a;
            right = (right + round_value(p, of, round + 1, left) % of->b) % of->b;
        }
        x = right * of->a + left;
    } while (x >= of->n);
    return x;
}

static uint64_t back(struct pseudonym *p, const struct permutation *of, uint64_t x)
{
    do {
        uint64_t left = x % of->a, right = x / of->a;
        for (unsigned round = ROUNDS; round != 0; round -= 2) {
            right = (right + of->b - round_value(p, of, round - 1, left) % of->b) % of->b;
            left = (left + of->a - round_value(p, of, round - 2, right) % of->a) % of->a;
        }
        x = right * of->a + left;
    } while (x >= of->n);
    return x;
}

/* permute returns the image of x. */
static uint64_t permute(struct pseudonym *p, const struct permutation *of, uint64_t x)
{
    return back(p, of, (forth(p, of, x) + 1) % of->n);
}

/* Text */

/* count_texts returns how many texts have the same classes; 0 if they are very many. */
static uint64_t count_texts(enum pseudonym_set set, const uint32_t *codes, size_t num)
{
    const uint64_t many = (uint64_t)1 << 62;
    uint64_t n = 1;
    for (size_t i = 0; i < num && n != 0; i++) {
        const uint32_t size = pseudonym_class(set, codes[i]).size;
        n = n > many / size ? 0 : n * size;
    }
    return n;
}

static uint64_t text_to_number(enum pseudonym_set set, const uint32_t *codes, size_t num)
{
    uint64_t x = 0;
    for (size_t i = 0; i < num; i++) {
        const struct pseudonym_class class = pseudonym_class(set, codes[i]);
        x = x * class.size + class.place;
    }
    return x;
}

static void number_to_text(enum pseudonym_set set, uint64_t x, uint32_t *codes, size_t num)
{
    while (num-- != 0) {
        const struct pseudonym_class class = pseudonym_class(set, codes[num]);
        codes[num] = pseudonym_class_member(&class, (uint32_t)(x % class.size));
        x /= class.size;
    }
}

/* may_be says whether a result is allowed. Characters that are not text must not become text: that
 * could equal the pseudonym of a text. */
static bool may_be(enum pseudonym_set set, const uint32_t *codes, size_t num,
                   pseudonym_reserved_fn is_reserved, void *context)
{
    return (set != CLASSES_ANY || !pseudonym_is_text(codes, num)) &&
           (is_reserved == NULL || !is_reserved(context, codes, num));
}

static const enum kind kind_of_set[] = {
    [CLASSES_TEXT] = KIND_TEXT, [CLASSES_NAME] = KIND_NAME, [CLASSES_ANY] = KIND_ANY};

static void hash_codes(struct pseudonym *p, enum pseudonym_set set, uint32_t *codes, size_t num,
                       pseudonym_reserved_fn is_reserved, void *context)
{
    for (unsigned i = 0; i < MAX_TRIES; i++) {
        /* The classes do not change: so a text can be replaced repeatedly. */
        open_stream(p, kind_of_set[set], codes, num * sizeof *codes, i);
        for (size_t c = 0; c < num; c++) {
            const struct pseudonym_class class = pseudonym_class(set, codes[c]);
            if (class.size > 1)
                codes[c] = pseudonym_class_member(&class, stream_u32(p) % class.size);
        }
        if (p->failed || may_be(set, codes, num, is_reserved, context))
            return;
    }
}

void pseudonym_text(struct pseudonym *p, enum pseudonym_text kind, uint32_t *codes, size_t num,
                    pseudonym_reserved_fn is_reserved, void *context)
{
    const enum pseudonym_set set = kind == PSEUDONYM_NAME          ? CLASSES_NAME
                                   : pseudonym_is_text(codes, num) ? CLASSES_TEXT
                                                                   : CLASSES_ANY;
    const uint64_t n = count_texts(set, codes, num);
    if (n == 1)
        return;
    if (n == 0) {
        hash_codes(p, set, codes, num, is_reserved, context);
        return;
    }
    const struct permutation of = permutation_of(kind_of_set[set], n);
    uint64_t x = text_to_number(set, codes, num);
    for (unsigned i = 0; i < MAX_WALK; i++) {
        x = permute(p, &of, x);
        number_to_text(set, x, codes, num);
        if (p->failed || may_be(set, codes, num, is_reserved, context))
            return;
    }
}

/* Long text. White space, which stays, does not count: so few other characters may be left that there
 * are few texts with the same classes. */

enum { FEW_CODES = 62, PIECE_CODES = 4096 }; /* if each has 2 or more possible characters: 2^62 texts
                                                are many */

/* few_codes is the characters of a text that do not stay, as long as they are few. */
struct few_codes {
    uint32_t codes[FEW_CODES];
    size_t num, next;
    bool are_many;
};

static void add_code(struct few_codes *few, uint32_t code)
{
    if (few->num == FEW_CODES)
        few->are_many = true;
    else
        few->codes[few->num++] = code;
}

static uint32_t next_code(struct pseudonym *p, struct few_codes *few, uint32_t code)
{
    const struct pseudonym_class class = pseudonym_class(CLASSES_TEXT, code);
    if (class.size == 1)
        return code;
    return few->are_many ? pseudonym_class_member(&class, stream_u32(p) % class.size)
                         : few->codes[few->next++];
}

/* read_piece reads some characters. */
static size_t read_piece(struct ds_text *text, uint32_t codes[PIECE_CODES])
{
    size_t num = 0;
    while (num < PIECE_CODES && text->len != 0) {
        const size_t used = ds_text_read_char(*text, &codes[num++]);
        text->data += used;
        text->len -= used;
    }
    return num;
}

static bool is_stopped(struct ds_buffer *out)
{
    out->failed |= out->is_stopped != NULL && out->is_stopped();
    return out->failed;
}

/* look_at hashes all of a text, and collects the characters that do not stay. */
static void look_at(struct pseudonym *p, struct ds_text text, struct few_codes *few,
                    struct ds_buffer *out)
{
    uint32_t codes[PIECE_CODES];
    hash_begin(p, KIND_TEXT, 0);
    for (size_t num; !is_stopped(out) && (num = read_piece(&text, codes)) != 0;) {
        hash_piece(p, codes, num * sizeof *codes);
        for (size_t i = 0; i < num && !few->are_many; i++) {
            if (pseudonym_class(CLASSES_TEXT, codes[i]).size > 1)
                add_code(few, codes[i]);
        }
    }
    begin_stream(p);
    few->are_many |= count_texts(CLASSES_TEXT, few->codes, few->num) == 0;
}

void pseudonym_long_text(struct pseudonym *p, struct ds_text text, struct ds_buffer *out)
{
    uint32_t codes[PIECE_CODES];
    struct few_codes few = {.num = 0};
    look_at(p, text, &few, out);
    if (!few.are_many)
        pseudonym_text(p, PSEUDONYM_FREE, few.codes, few.num, NULL, NULL);
    for (size_t num; !is_stopped(out) && (num = read_piece(&text, codes)) != 0;) {
        for (size_t i = 0; i < num; i++)
            ds_buffer_add_char(out, next_code(p, &few, codes[i]));
    }
}

/* Bytes */

static void hash_bytes(struct pseudonym *p, enum kind kind, uint8_t *bytes, size_t len)
{
    open_stream(p, kind, bytes, len, 0);
    for (size_t i = 0; i < len; i++)
        bytes[i] = stream_byte(p);
}

void pseudonym_bytes(struct pseudonym *p, uint8_t *bytes, size_t len, unsigned last_bits)
{
    const unsigned unused = 8 - last_bits;
    if (len == 0)
        return;
    bytes[len - 1] &= (uint8_t)(0xffu << unused);
    if (len >= sizeof(uint64_t)) {
        for (unsigned i = 0; i < MAX_TRIES; i++) {
            hash_bytes(p, KIND_BYTES, bytes, len);
            bytes[len - 1] &= (uint8_t)(0xffu << unused);
            if (p->failed || unused != 0 || !pseudonym_is_utf8_text((const char *)bytes, len))
                return;
        }
        return;
    }
    uint64_t x = 0;
    for (size_t i = 0; i < len; i++)
        x = x << 8 | bytes[i];
    x >>= unused;
    const struct permutation of = permutation_of(KIND_BYTES, (uint64_t)1 << (8 * len - unused));
    for (unsigned i = 0; i < MAX_WALK; i++) {
        x = permute(p, &of, x);
        uint64_t rest = x << unused;
        for (size_t at = len; at-- != 0; rest >>= 8)
            bytes[at] = (uint8_t)rest;
        if (p->failed || unused != 0 || !pseudonym_is_utf8_text((const char *)bytes, len))
            return;
    }
}

void pseudonym_digest(struct pseudonym *p, uint8_t *bytes, size_t len)
{
    hash_bytes(p, KIND_DIGEST, bytes, len);
}

/* Numbers */

void pseudonym_integer(struct pseudonym *p, uint8_t *bytes, size_t len)
{
    uint8_t top = 0x80; /* the highest bit that is set */
    while ((bytes[len - 1] & top) == 0)
        top >>= 1;
    if (len > sizeof(uint64_t)) {
        hash_bytes(p, KIND_INTEGER, bytes, len);
        bytes[len - 1] = (uint8_t)(top | (bytes[len - 1] & (top - 1)));
        return;
    }
    uint64_t x = 0;
    for (size_t i = len; i-- != 0;)
        x = x << 8 | bytes[i];
    const uint64_t n = (uint64_t)top << 8 * (len - 1);
    if (n == 1)
        return;
    const struct permutation of = permutation_of(KIND_INTEGER, n);
    x = n + permute(p, &of, x - n);
    for (size_t i = 0; i < len; i++, x >>= 8)
        bytes[i] = (uint8_t)x;
}

void pseudonym_real(struct pseudonym *p, double *value)
{
    const uint64_t n = (uint64_t)1 << 52; /* of the mantissa */
    uint64_t bits;
    if (*value == 0)
        return;
    memcpy(&bits, value, sizeof bits);
    const struct permutation of = permutation_of(KIND_REAL, n);
    bits = (bits & ~(n - 1)) | permute(p, &of, bits & (n - 1));
    memcpy(value, &bits, sizeof bits);
}

void pseudonym_address(struct pseudonym *p, uint8_t *bytes, size_t len)
{
    static const uint8_t v6_net[] = {0x20, 0x01, 0x0d, 0xb8};
    hash_bytes(p, KIND_ADDRESS, bytes, len);
    if (len == 4)
        bytes[0] = (uint8_t)(240 + bytes[0] % 15); /* not 255, which is used for broadcasts */
    else
        memcpy(bytes, v6_net, sizeof v6_net);
}

/* Opening */

static bool open_mac(struct pseudonym *p, const uint8_t *key)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2BMAC", NULL);
    size_t seed_len = SEED_LEN;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &seed_len),
        OSSL_PARAM_construct_end(),
    };
    p->mac = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    return p->mac != NULL && EVP_MAC_init(p->mac, key, PSEUDONYM_KEY_LEN, params);
}

static bool open_ciphers(struct pseudonym *p)
{
    uint8_t seed[SEED_LEN];
    hash_begin(p, KIND_AES_KEY, 0);
    hash_end(p, seed);
    p->aes = EVP_CIPHER_CTX_new();
    p->chacha = EVP_CIPHER_CTX_new();
    return p->aes != NULL && p->chacha != NULL &&
           EVP_EncryptInit_ex(p->aes, EVP_aes_128_ecb(), NULL, seed, NULL) &&
           EVP_CIPHER_CTX_set_padding(p->aes, 0) &&
           EVP_EncryptInit_ex(p->chacha, EVP_chacha20(), NULL, NULL, NULL) && !p->failed;
}

struct pseudonym *pseudonym_new(const uint8_t key[PSEUDONYM_KEY_LEN])
{
    struct pseudonym *p = calloc(1, sizeof *p);
    if (p != NULL && !(open_mac(p, key) && open_ciphers(p))) {
        pseudonym_free(p);
        p = NULL;
    }
    return p;
}

void pseudonym_free(struct pseudonym *p)
{
    if (p == NULL)
        return;
    EVP_MAC_CTX_free(p->mac);
    EVP_CIPHER_CTX_free(p->aes);
    EVP_CIPHER_CTX_free(p->chacha);
    free(p);
}

bool pseudonym_failed(struct pseudonym *p)
{
    const bool failed = p->failed;
    p->failed = false;
    return failed;
}
