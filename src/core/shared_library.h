/*
 * shared_library.h - libraries that are loaded only if a run uses them. Other runs start faster and do
 * not have them in the process that reads packets. They are loaded while files can still be opened.
 */
#ifndef SRC_SHARED_LIBRARY_H
#define SRC_SHARED_LIBRARY_H

#include <stdbool.h>

/* shared_library_function is a function of a library; its address is stored at `at`. */
struct shared_library_function {
    const char *name;
    void *at;
};

/* shared_library_load loads the library with that file name, and looks up num functions in it. Returns
 * false after an error message that names the option that needs it and its Debian package. */
bool shared_library_load(const char *option, const char *file, const char *package,
                         const struct shared_library_function *functions, unsigned num);

#endif
