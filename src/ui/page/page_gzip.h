/*
 * page_gzip.h - the data of a page: a text, compressed with gzip, as base64. It is safe anywhere in
 * a page whatever the text is, as it consists of letters, digits, + / and =.
 */
#ifndef SRC_PAGE_GZIP_H
#define SRC_PAGE_GZIP_H

#include <distsniff/term.h>

struct page_gzip;

/* page_gzip_new packs to out, quickly rather than well if is_quick. NULL if memory ran out. */
struct page_gzip *page_gzip_new(struct ds_buffer *out, bool is_quick);

/* page_gzip_add packs len bytes of text. If memory runs out, it sets out->failed. */
void page_gzip_add(struct page_gzip *pack, const void *text, size_t len);

/* page_gzip_end packs what is left, and frees. */
void page_gzip_end(struct page_gzip *pack);

/* Less than this is packed but not written to out yet. */
enum { PAGE_GZIP_HELD = 256 * 1024 };

#endif
