/*
 * templates.h - the fixed parts of generated files. Each lies beside this header as a file that
 * can be read, run and tested by itself; embed.cmake makes it part of the program.
 */
#ifndef SRC_TEMPLATES_H
#define SRC_TEMPLATES_H

#include <stddef.h>

struct template {
    const unsigned char *bytes;
    size_t len;
};

extern const struct template template_replay, template_eunit, template_exunit;

#endif
