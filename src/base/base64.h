/*
 * base64.h - bytes as text (RFC 4648, section 4).
 */
#ifndef SRC_BASE64_H
#define SRC_BASE64_H

#include <distsniff/term.h>

/* base64_add appends len bytes as base64, padded with '='. */
void base64_add(const uint8_t *bytes, size_t len, struct ds_buffer *out);

#endif
