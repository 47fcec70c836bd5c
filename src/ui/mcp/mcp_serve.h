/*
 * mcp_serve.h - the process that talks to an assistant: the Model Context Protocol on standard
 * input and output (https://modelcontextprotocol.io/specification), a message a line, revisions
 * 2026-07-28 and 2025-11-25.
 *
 * It reads no file and sees no packet: each question goes, as a tool and texts of its arguments, to
 * the process that started it, whose answer comes through pipes. What it reads may be anything;
 * what it keeps has caps.
 */
#ifndef SRC_MCP_SERVE_H
#define SRC_MCP_SERVE_H

#include "ui/mcp/mcp_tools.h"

/* What goes over the socket between the two: a byte and what belongs to it. */
enum mcp_word {
    MCP_ASK = 'a',    /* a question, packed */
    MCP_CANCEL = 'c', /* the one that is under way */
    MCP_DONE =
        'd', /* the other way: its exit status, an int32_t; all of its answer is in the pipes */
};

struct mcp_serve_config {
    struct mcp_rules rules;
    int ask_fd;    /* a socket of datagrams that arrive in order */
    int answer_fd; /* what a question has answered */
    int error_fd;  /* what was said on standard error */
};

/* mcp_serve answers until standard input ends, or its other end is gone. False when it could not.
 */
bool mcp_serve(const struct mcp_serve_config *config);

#endif
