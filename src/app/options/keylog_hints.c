/*
 * keylog_hints.c - see keylog_hints.h. The file of -ssl_dist_optfile is evaluated, so it may
 * contain a fun. Since OTP 27.3.1 a node passes each line of its key log to a fun in it; since 23.2
 * the process of a connection can be asked for its secrets, if it keeps them.
 */
#include "app/options/keylog_hints.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_RELEASE = 24, FIRST_WITH_FUN = 27, LAST_RELEASE = 99 };

#define OPTION_FUN                                                                                 \
    "{keep_secrets, {keylog, fun(#{items := Lines}) ->\n"                                          \
    "             file:write_file(\"keys.log\", [[L, $\\n] || L <- Lines], [append]) end}}"
#define OPTION_KEEP "{keep_secrets, true}"
#define CONFIG(option) "[{server, [" option "]},\n {client, [" option "]}].\n"

#define ASK                                                                                        \
    "file:write_file(\"keys.log\", [[L, $\\n] || {_, C, _, _} <- "                                 \
    "supervisor:which_children(tls_dist_connection_sup), {receiver, P, _, _} <- "                  \
    "supervisor:which_children(C), {ok, [{keylog, Ls}]} <- "                                       \
    "[ssl:connection_information({sslsocket, nil, [P, P]}, [keylog])], L <- Ls], [append]).\n"

bool keylog_hints_release(const char *text, int *release)
{
    char *end;
    *release = FIRST_WITH_FUN;
    if (text == NULL)
        return true;
    const long number = strtol(text, &end, 10);
    *release = (int)number;
    return end != text && *end == '\0' && number >= FIRST_RELEASE && number <= LAST_RELEASE;
}

void keylog_hints_print(int release, FILE *out)
{
    const bool has_fun = release >= FIRST_WITH_FUN;
    fputs(has_fun ? CONFIG(OPTION_FUN) : CONFIG(OPTION_KEEP), out);
    if (!has_fun)
        fputs("\n" ASK, out);
    fprintf(stderr,
            "add these options to both lists in the file of -ssl_dist_optfile, and start the node "
            "again%s\n"
            "anyone who has keys.log can read all messages of these nodes, in this and every other "
            "capture of them: protect it, and remove the options afterwards\n",
            has_fun
                ? " (OTP 27.3.1 or later)"
                : "; the second part, run in its shell, writes the keys of the connections that "
                  "it has then");
}
