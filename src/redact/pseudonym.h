/*
 * pseudonym.h - pseudonyms: values of the same length and kind that replace others. Equal values get
 * equal pseudonyms, different values different ones, and without the key there is no way back.
 *
 * Values of which few are possible (a digit, a short word, any number of at most 64 bits) go through a
 * keyed permutation of those possible values that maps none to itself: so different values never get
 * the same pseudonym. For values of which many are possible, the pseudonym is the output of a keyed
 * hash. Whoever has the key can find out short values.
 */
#ifndef SRC_PSEUDONYM_H
#define SRC_PSEUDONYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <distsniff/term.h>

struct pseudonym;

enum { PSEUDONYM_KEY_LEN = 32 };

/* How text is replaced. If it contains control characters, it is not text, and any character may become
 * any other. Otherwise letters stay letters of the same case, digits stay digits, characters of other
 * scripts stay in a range of their kind, and white space does not change. */
enum pseudonym_text {
    PSEUDONYM_FREE, /* punctuation becomes other punctuation */
    PSEUDONYM_NAME, /* atoms or nodes: - _ . @ do not change */
};

/* pseudonym_reserved_fn says whether a text must not be used as a pseudonym, because it is never replaced
 * itself. */
typedef bool (*pseudonym_reserved_fn)(void *context, const uint32_t *codes, size_t num);

/* pseudonym_new returns NULL when memory ran out or libcrypto failed. */
struct pseudonym *pseudonym_new(const uint8_t key[PSEUDONYM_KEY_LEN]);
void pseudonym_free(struct pseudonym *p); /* NULL is allowed */

/* pseudonym_failed says whether libcrypto failed since the last call: then results since that call must
 * not be shown. */
bool pseudonym_failed(struct pseudonym *p);

/* Each of these functions replaces a value in place. */

/* pseudonym_text replaces characters. is_reserved may be NULL. */
void pseudonym_text(struct pseudonym *p, enum pseudonym_text kind, uint32_t *codes, size_t num,
                    pseudonym_reserved_fn is_reserved, void *context);

/* pseudonym_long_text appends the pseudonym of a text in UTF-8 (pseudonym_class.h). It is the same as
 * that of pseudonym_text for PSEUDONYM_FREE with is_reserved NULL, but needs no memory for all
 * characters. It ends early, with out->failed, if out->is_stopped returns true. */
void pseudonym_long_text(struct pseudonym *p, struct ds_text text, struct ds_buffer *out);

/* pseudonym_bytes replaces bytes that are not text in UTF-8 (pseudonym_class.h) by other such bytes. Of
 * the last byte, only the upper last_bits (1 to 8) count; the others become 0. */
void pseudonym_bytes(struct pseudonym *p, uint8_t *bytes, size_t len, unsigned last_bits);

/* pseudonym_integer replaces an absolute value, lowest byte first, by one with the same number of bits:
 * 1 does not change. Neither len nor the highest byte is 0. */
void pseudonym_integer(struct pseudonym *p, uint8_t *bytes, size_t len);

/* pseudonym_real replaces a finite float. The sign and magnitude (a power of 2) do not change, nor does
 * 0. */
void pseudonym_real(struct pseudonym *p, double *value);

/* pseudonym_address replaces an IP address of 4 or 16 bytes by one of 240.0.0.0/4, which is not in use,
 * or of 2001:db8::/32, which is for documentation. The IPv4 networks for documentation have too few
 * addresses to distinguish those of a cluster; here two of a hundred addresses get the same pseudonym
 * in one of 50000 runs. */
void pseudonym_address(struct pseudonym *p, uint8_t *bytes, size_t len);

/* pseudonym_digest replaces bytes of any kind by as many bytes of their keyed hash. */
void pseudonym_digest(struct pseudonym *p, uint8_t *bytes, size_t len);

#endif
