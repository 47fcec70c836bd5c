/*
 * mcp_serve.h - the process that talks to an assistant: the Model Context Protocol on standard
 * input and output (https://modelcontextprotocol.io/specification), one message a line, revisions
 * 2026-07-28 and 2025-11-25.
 *
 * It reads no file and sees no packet: it sends each question, a tool and the texts of its
 * arguments, to the process that started it, whose answer comes through pipes. Its input may be
 * anything; what it keeps is capped.
 */
#ifndef SRC_MCP_SERVE_H
#define SRC_MCP_SERVE_H

#include "ui/mcp/mcp_tools.h"

/* The messages on the socket between the two processes: a byte, then its data. */
enum mcp_word {
    MCP_ASK = 'a',    /* a question, packed */
    MCP_CANCEL = 'c', /* cancels the current question */
    MCP_DONE =
        'd', /* from the other process: its exit status, an int32_t; the whole answer is in the
              * pipes */
};

struct mcp_serve_config {
    struct mcp_rules rules;
    int ask_fd;    /* a socket of datagrams that arrive in order */
    int answer_fd; /* output of the question's run */
    int error_fd;  /* its standard error */
};

/* mcp_serve answers until standard input or the other process ends. False on failure. */
bool mcp_serve(const struct mcp_serve_config *config);

#endif
