/*
 * page_pack.h - the data of a page: a text, compressed as gzip does it, as base64. It can be put
 * anywhere in a page, whatever the text says, for its bytes are letters, digits, + / and =.
 */
#ifndef SRC_PAGE_PACK_H
#define SRC_PAGE_PACK_H

#include <distsniff/term.h>

struct page_pack;

/* page_pack_new writes what it packs to out, rather quickly than small if so wanted. NULL when memory
 * ran out. */
struct page_pack *page_pack_new(struct ds_buffer *out, bool is_quick);

/* page_pack_add packs so much more of the text. When memory runs out, out->failed is set. */
void page_pack_add(struct page_pack *pack, const void *text, size_t len);

/* page_pack_end packs what is left, and frees. */
void page_pack_end(struct page_pack *pack);

/* What is packed but still held back is less than this. */
enum { PAGE_PACK_HELD = 256 * 1024 };

#endif
