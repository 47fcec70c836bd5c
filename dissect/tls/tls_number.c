/*
 * tls_number.c - the number under which a record was encrypted. It is not sent but counted. After a
 * gap, or if the capture began late, it is searched for among the records that may have been lost;
 * the tag shows which number is right.
 */
#include "tls/tls_conn.h"

enum {
    ALWAYS_SEARCH = 64, /* the first numbers are tried again each time */
    MAX_SEARCHES = 80,  /* enough for all possible numbers */
};

bool tls_number_may_search(const struct tls_dir *d)
{
    return d->num_searches < MAX_SEARCHES || (d->num_wrong & (d->num_wrong - 1)) == 0;
}

/* search_len returns how many numbers to try: few for the first record, which may belong to other
 * keys. */
static uint64_t search_len(const struct tls_dir *d)
{
    const uint64_t len = (uint64_t)TLS_FIRST_SEARCH << (d->num_wrong < 12 ? d->num_wrong : 12);
    return len < TLS_MAX_SEARCH ? len : TLS_MAX_SEARCH;
}

/* open_in tries the numbers from *first up to end, and leaves *first where it stopped. */
static bool open_in(struct tls *tls, struct tls_dir *d, struct tls_cipher *cipher, uint64_t *first,
                    uint64_t end, const struct tls_record *record, size_t *len, uint8_t *type)
{
    for (; *first < end; ++*first) {
        if (!tls_budget_spend(tls, cursor_left(&record->body) + TLS_RECORD_COST))
            return false;
        if (tls_cipher_open(cipher, *first, record, tls->stage->text, len, type)) {
            d->seq = *first + 1;
            d->slack = d->tried = 0;
            d->num_searches = 0;
            return true;
        }
    }
    return false;
}

bool tls_number_open(struct tls *tls, struct tls_dir *d, struct tls_cipher *cipher,
                     const struct tls_record *record, size_t *len, uint8_t *type)
{
    const uint64_t slack = d->slack;
    if (tls_cipher_open(cipher, d->seq, record, tls->stage->text, len, type)) {
        d->seq++;
        d->slack = d->tried = 0;
        return true;
    }
    if (slack == 0 || !tls_number_may_search(d) || tls_budget_is_spent(tls))
        return false;
    const uint64_t seq = d->seq, always = slack < ALWAYS_SEARCH ? slack : ALWAYS_SEARCH;
    uint64_t number = seq + 1, next = d->tried < always ? always : d->tried;
    const uint64_t end = next + search_len(d) < slack ? next + search_len(d) : slack;
    next += seq + 1;
    d->num_searches++;
    if (open_in(tls, d, cipher, &number, seq + always + 1, record, len, type) ||
        open_in(tls, d, cipher, &next, seq + end + 1, record, len, type))
        return true;
    d->tried = next <= seq + slack ? next - seq - 1 : 0;
    return false;
}
