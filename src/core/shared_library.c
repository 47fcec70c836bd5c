/*
 * shared_library.c - see shared_library.h.
 */
#include "core/shared_library.h"

#include "core/complain.h"

#include <dlfcn.h>
#include <string.h>

/* find looks up a function. A pointer to data is not cast to a function pointer. */
static bool find(void *library, const struct shared_library_function *function)
{
    void *const found = dlsym(library, function->name);
    memcpy(function->at, &found, sizeof found);
    return found != NULL;
}

bool shared_library_load(const char *option, const char *file, const char *package,
                         const struct shared_library_function *functions, unsigned num)
{
    void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
    for (unsigned i = 0; i < num && good; i++)
        good = find(library, &functions[i]);
    if (!good)
        complain("%s: cannot load %s (install %s): %s", option, file, package, dlerror());
    return good;
}
