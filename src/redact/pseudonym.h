/*
 * pseudonym.h - values that stand for others: of the same length and kind, the same for the
 * same, different for different ones, and without the key nothing leads back.
 *
 * What has few possible values (a digit, a short word, any number of at most 64 bits) goes
 * through a keyed permutation of just those, which leaves none where it was: so different ones
 * never meet. What has many is the output of a keyed hash. Whoever has the key can find out
 * short values.
 */
#ifndef SRC_PSEUDONYM_H
#define SRC_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <distsniff/term.h>

struct pseudonym;

enum { PSEUDONYM_KEY_LEN = 32 };

/* How text is looked at. Of what is no text (control characters are in it) anything becomes
 * anything. Else letters stay letters of the same case, digits digits, characters
 * of other scripts stay in a range of their kind, and white space stays as it is. */
enum pseudonym_text {
    PSEUDONYM_FREE, /* punctuation becomes other punctuation */
    PSEUDONYM_NAME, /* of an atom or node: - _ . @ stay */
};

/* pseudonym_taken_fn says whether a text must not be given out, as it stands for itself. */
typedef bool (*pseudonym_taken_fn)(void *context, const uint32_t *codes, size_t num);

/* pseudonym_new returns NULL when memory ran out or libcrypto does not do its part. */
struct pseudonym *pseudonym_new(const uint8_t key[PSEUDONYM_KEY_LEN]);
void pseudonym_free(struct pseudonym *p); /* NULL is allowed */

/* pseudonym_failed says whether libcrypto failed since the last call: what was made then must
 * not be shown. */
bool pseudonym_failed(struct pseudonym *p);

/* Each of these replaces a value in place. */

/* pseudonym_text replaces characters. taken may be NULL. */
void pseudonym_text(struct pseudonym *p, enum pseudonym_text kind, uint32_t *codes, size_t num,
                    pseudonym_taken_fn taken, void *context);

/* pseudonym_long_text appends what a text in UTF-8 (pseudonym_class.h) becomes, the same that
 * pseudonym_text makes of it as PSEUDONYM_FREE where nothing is taken, without room for all of its
 * characters. It ends early, and out has failed, when out->is_stopped says so. */
void pseudonym_long_text(struct pseudonym *p, struct ds_text text, struct ds_buffer *out);

/* pseudonym_bytes replaces bytes that are no text in UTF-8 (pseudonym_class.h), by such. Of the
 * last one the upper last_bits (1 to 8) count, the others become 0. */
void pseudonym_bytes(struct pseudonym *p, uint8_t *bytes, size_t len, unsigned last_bits);

/* pseudonym_integer replaces an absolute value, lowest byte first, by one of as many bits: 1
 * stays. len is not 0, the highest byte not either. */
void pseudonym_integer(struct pseudonym *p, uint8_t *bytes, size_t len);

/* pseudonym_real replaces a finite float; sign and magnitude (a power of 2) stay, as does 0. */
void pseudonym_real(struct pseudonym *p, double *value);

/* pseudonym_address replaces an IP address of 4 or 16 bytes: by one of 240.0.0.0/4, which
 * nobody has, or of 2001:db8::/32, which is for examples. The documentation's networks for
 * IPv4 have too few addresses to keep those of one cluster apart; here two of a hundred meet in
 * one of 50000 runs. */
void pseudonym_address(struct pseudonym *p, uint8_t *bytes, size_t len);

/* pseudonym_digest replaces bytes of any kind by as many of a keyed hash of them. */
void pseudonym_digest(struct pseudonym *p, uint8_t *bytes, size_t len);

#endif
