/*
 * shared_library.h - libraries that are loaded only by a run that uses them: whoever does not has none
 * of them in the process that looks at packets, and starts faster. They are loaded while files can
 * still be opened.
 */
#ifndef SRC_SHARED_LIBRARY_H
#define SRC_SHARED_LIBRARY_H

#include <stdbool.h>

/* shared_library_function is a function of a library; at is where its address is put. */
struct shared_library_function {
    const char *name;
    void *at;
};

/* shared_library_load loads the library of that file name, and looks up num functions of it. False after
 * a complaint that names the option which needs it, and the package of Debian's that has it. */
bool shared_library_load(const char *option, const char *file, const char *package,
                         const struct shared_library_function *functions, unsigned num);

#endif
