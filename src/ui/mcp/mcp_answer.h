/*
 * mcp_answer.h - the answer of a run of the program to a question, kept for further pages.
 */
#ifndef SRC_MCP_ANSWER_H
#define SRC_MCP_ANSWER_H

#include "ui/mcp/mcp_tools.h"

enum { MCP_ANSWER_MAX = 16 * 1024 * 1024, MCP_COMPLAINT_MAX = 4096, MCP_ANSWERS = 4 };

struct mcp_answer {
    struct ds_buffer key; /* the question, without its page */
    struct ds_buffer text;
    struct ds_buffer complaint; /* the output on standard error */
    int status;                 /* exit status */
    bool is_broken;             /* the run was killed, or died */
    bool is_cut;                /* it was longer than MCP_ANSWER_MAX, or memory ran out */
    uint64_t used;              /* a higher number is more recent */
};

/* mcp_page is the requested part of an answer. */
struct mcp_page {
    uint64_t offset, limit;
    bool payload; /* long texts are not cut */
};

void mcp_answer_free(struct mcp_answer *answer);

/* mcp_answer_key makes the key of a question. */
void mcp_answer_key(const struct mcp_question *question, struct ds_buffer *key);

/* mcp_page_read reads the page from the arguments of a question. It returns what is wrong with
 * them, or NULL. */
const char *mcp_page_read(const struct mcp_question *question, const struct ds_buffer *key,
                          struct mcp_page *page);

/* mcp_answer_has_failed says whether an answer consists only of error messages. */
bool mcp_answer_has_failed(const struct mcp_answer *answer);

/* mcp_answer_put_page appends a page as the fields of a tools/call result: content,
 * structuredContent, isError. */
void mcp_answer_put_page(const struct mcp_answer *answer, enum mcp_shape shape,
                         const struct mcp_page *page, struct ds_buffer *out);

#endif
