/*
 * page_gzip.h - the data of a page: a text, compressed as gzip does it, as base64. It can be put
 * anywhere in a page, whatever the text says, for its bytes are letters, digits, + / and =.
 */
#ifndef SRC_PAGE_GZIP_H
#define SRC_PAGE_GZIP_H

#include <distsniff/term.h>

struct page_gzip;

/* page_gzip_new writes what it packs to out, rather quickly than small if so wanted. NULL when memory
 * ran out. */
struct page_gzip *page_gzip_new(struct ds_buffer *out, bool is_quick);

/* page_gzip_add packs so much more of the text. When memory runs out, out->failed is set. */
void page_gzip_add(struct page_gzip *pack, const void *text, size_t len);

/* page_gzip_end packs what is left, and frees. */
void page_gzip_end(struct page_gzip *pack);

/* What is packed but still held back is less than this. */
enum { PAGE_GZIP_HELD = 256 * 1024 };

#endif
