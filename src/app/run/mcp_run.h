/*
 * mcp_run.h - --mcp: two processes. One talks to the assistant (ui/mcp/mcp_serve.h); it drops all
 * rights and runs in the sandbox; all it can do is ask the other one a question of
 * ui/mcp/mcp_tools.def. The other one runs the program for each question, as if the user had typed
 * the options, so that an answer is what the command prints, and each run drops its rights as any
 * other does.
 */
#ifndef SRC_MCP_RUN_H
#define SRC_MCP_RUN_H

#include "app/options/options.h"

/* mcp_program runs a command line; key: for its pseudonyms, or NULL. It returns the exit status. */
typedef int mcp_program(int argc, char **argv, const uint8_t *key);

/* mcp_run serves until the assistant ends. It returns the exit status. */
int mcp_run(const struct options *options, mcp_program *program);

#endif
