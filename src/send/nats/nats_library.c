/*
 * nats_library.c - see nats_library.h.
 */
#ifdef DISTSNIFF_NATS

#include "send/nats/nats_library.h"

#include "core/complain.h"

#include <dlfcn.h>
#include <string.h>

struct nats_library nats;

/* find looks up a function; it never casts a pointer to data to a pointer to code. */
static bool find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

bool nats_library_load(void)
{
    void *const library = dlopen(NATS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
#define NATS(name) good = good && find(library, #name, &nats.name);
#include "send/nats/nats_library.def"
#undef NATS
    if (!good)
        complain("NATS: cannot load %s (Debian: %s): %s", NATS_LIBRARY, NATS_PACKAGE, dlerror());
    return good;
}

#endif
