/*
 * page_parts.h - the page without its data: the parts before and after it. CMake makes them from
 * the files in page/parts (join.cmake). The head ends within the policy: a page that is served adds
 * the right to ask its server between the two parts.
 */
#ifndef SRC_PAGE_PARTS_H
#define SRC_PAGE_PARTS_H

#include <stddef.h>

struct page_part {
    const unsigned char *bytes;
    size_t len; /* 0: this build has no page */
};

extern const struct page_part page_head_data, page_before_data, page_behind_data;

#endif
