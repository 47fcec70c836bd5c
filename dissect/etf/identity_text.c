/*
 * identity_text.c - see identity_text.h: identities that are not in the memo.
 */
#include "etf/identity_text.h"

#include <stdlib.h>

struct ds_term_memo *ds_term_memo_new(void)
{
    return calloc(1, sizeof(struct ds_term_memo));
}

void ds_term_memo_free(struct ds_term_memo *memo)
{
    free(memo);
}

static const struct {
    char text[7];
    uint8_t len;
} marks[] = {
    [IDENTITY_TEXT_PID] = {"<", sizeof "<" - 1},
    [IDENTITY_TEXT_REFERENCE] = {"#Ref<", sizeof "#Ref<" - 1},
};

char *identity_text_put_new(struct identity identity, char *pen)
{
    const struct ds_atom *node = identity.node;
    struct cursor numbers = identity.numbers;
    uint32_t word[TOKEN_REFERENCE_WORDS_MAX], creation;
    unsigned num = 0;
    if (identity.kind == IDENTITY_TEXT_REFERENCE && !cursor_read_u32(&numbers, &creation))
        return pen;
    while (num < TOKEN_REFERENCE_WORDS_MAX && cursor_read_u32(&numbers, &word[num]))
        num++;
    memcpy(pen, marks[identity.kind].text, sizeof marks[0].text);
    pen += marks[identity.kind].len;
    memcpy(pen, node->text, node->len);
    pen += node->len;
    if (identity.kind == IDENTITY_TEXT_PID) {
        const uint32_t serial = word[1];
        word[1] = word[0];
        word[0] = serial;
        num = 2; /* and the creation, which is not shown */
    }
    while (num != 0) {
        *pen++ = '.';
        pen = ds_digits_put(pen, word[--num]);
    }
    *pen++ = '>';
    return pen;
}

char *identity_text_keep(struct identity_kept *kept, struct identity identity, char *pen)
{
    char *end = identity_text_put_new(identity, pen);
    const size_t len = (size_t)(end - pen);
    if (len > sizeof kept->text || !identity_make_key(&identity, &kept->key))
        return end;
    kept->key.text_len = (uint8_t)len;
    memcpy(kept->text, pen, len);
    return end;
}

char *identity_text_put_long(struct identity_kept *kept, struct identity identity, char *pen)
{
    const char *name = kept->text + marks[identity.kind].len;
    if (memcmp(name, identity.node->text, identity.node->len) != 0)
        return identity_text_keep(kept, identity, pen);
    return identity_put_kept(kept, pen);
}
