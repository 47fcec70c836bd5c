/*
 * registry.c - who listens where.
 *
 * Entries hang in chains by port, and in one list by age: the oldest goes when there are
 * too many. Several entries may stand for one address and port: in a capture merged from
 * several hosts, 127.0.0.1 is all of them.
 */
#include "registry.h"

#include <stdlib.h>

enum { NUM_CHAINS = 1024, NUM_PORTS = 65536, MAX_NAME_LEN = 2048 };

struct entry {
    struct entry *next;          /* in the chain of its port */
    struct entry *older, *newer; /* by age */
    const void *owner;
    struct ds_addr addr;
    uint16_t port;
    uint32_t creation;
    size_t name_len;
    char name[];
};

struct registry {
    struct entry *chains[NUM_CHAINS];
    struct entry *oldest, *newest;
    uint64_t num_entries, max_entries;
    uint64_t ports[NUM_PORTS / 64]; /* one bit a port */
};

struct registry *registry_new(uint64_t max_nodes)
{
    struct registry *registry = calloc(1, sizeof *registry);
    if (registry != NULL)
        registry->max_entries = max_nodes;
    return registry;
}

static void entry_remove(struct registry *registry, struct entry *entry)
{
    struct entry **link = &registry->chains[entry->port % NUM_CHAINS];
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    *(entry->older != NULL ? &entry->older->newer : &registry->oldest) = entry->newer;
    *(entry->newer != NULL ? &entry->newer->older : &registry->newest) = entry->older;
    registry->num_entries--;
    free(entry);
}

void registry_free(struct registry *registry)
{
    if (registry == NULL)
        return;
    while (registry->oldest != NULL)
        entry_remove(registry, registry->oldest);
    free(registry);
}

void registry_add_port(struct registry *registry, uint16_t port)
{
    registry->ports[port / 64] |= (uint64_t)1 << (port % 64);
}

bool registry_has_port(const struct registry *registry, uint16_t port)
{
    return (registry->ports[port / 64] >> (port % 64) & 1) != 0;
}

static bool same_addr(const struct ds_addr *a, const struct ds_addr *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_loopback(const struct ds_addr *addr)
{
    static const uint8_t localhost6[16] = {[15] = 1};
    return addr->family == 4 ? addr->bytes[0] == 127
                             : memcmp(addr->bytes, localhost6, sizeof localhost6) == 0;
}

/* Whether name is the entry's, or what of it EPMD knows. */
static bool says_as_much(const struct entry *entry, struct ds_text name)
{
    return entry->name_len >= name.len && memcmp(entry->name, name.data, name.len) == 0 &&
           (entry->name_len == name.len || entry->name[name.len] == '@');
}

static struct entry *entry_find(struct registry *registry, const struct ds_addr *addr,
                                uint16_t port, const void *owner)
{
    struct entry *entry = registry->chains[port % NUM_CHAINS];
    while (entry != NULL &&
           !(entry->port == port && entry->owner == owner && same_addr(&entry->addr, addr)))
        entry = entry->next;
    return entry;
}

static void report_port(struct env *env, uint16_t port, struct ds_text name)
{
    if (registry_has_port(env->registry, port))
        return;
    registry_add_port(env->registry, port);
    if (env->config.on_port != NULL)
        env->config.on_port(env->config.context, port, name);
}

void registry_add(struct env *env, const struct ds_addr *addr, uint16_t port, struct ds_text name,
                  uint32_t creation, const void *owner)
{
    struct registry *registry = env->registry;

    if (port == 0 || name.data == NULL || name.len == 0 || name.len > MAX_NAME_LEN)
        return;
    report_port(env, port, name);
    struct entry *entry = entry_find(registry, addr, port, owner);
    if (entry != NULL && says_as_much(entry, name)) {
        if (creation != 0)
            entry->creation = creation;
        return;
    }
    if (entry != NULL)
        entry_remove(registry, entry);
    while (registry->num_entries >= registry->max_entries && registry->oldest != NULL) {
        entry_remove(registry, registry->oldest);
        env->stats.limits_hit[DS_LIMIT_NODES]++;
    }
    if (registry->max_entries == 0)
        return;
    entry = malloc(sizeof *entry + name.len);
    if (entry == NULL) {
        env->stats.no_memory++;
        return;
    }
    *entry = (struct entry){.next = registry->chains[port % NUM_CHAINS],
                            .older = registry->newest,
                            .owner = owner,
                            .addr = *addr,
                            .port = port,
                            .creation = creation,
                            .name_len = name.len};
    memcpy(entry->name, name.data, name.len);
    registry->chains[port % NUM_CHAINS] = entry;
    *(entry->older != NULL ? &entry->older->newer : &registry->oldest) = entry;
    registry->newest = entry;
    registry->num_entries++;
}

void registry_set_creation(struct registry *registry, uint16_t port, const void *owner,
                           uint32_t creation)
{
    for (struct entry *e = registry->chains[port % NUM_CHAINS]; e != NULL; e = e->next) {
        if (e->port == port && e->owner == owner)
            e->creation = creation;
    }
}

void registry_remove(struct registry *registry, uint16_t port, const void *owner)
{
    struct entry *entry = registry->chains[port % NUM_CHAINS];
    while (entry != NULL) {
        struct entry *next = entry->next;
        if (entry->port == port && entry->owner == owner)
            entry_remove(registry, entry);
        entry = next;
    }
}

struct ds_text registry_find(const struct registry *registry, const struct ds_addr *addr,
                             uint16_t port, uint32_t *creation)
{
    const struct entry *here = NULL;
    const struct entry *loopback = NULL;
    bool here_agree = true;
    size_t num_elsewhere = 0;

    for (const struct entry *e = registry->chains[port % NUM_CHAINS]; e != NULL; e = e->next) {
        if (e->port != port)
            continue;
        if (same_addr(&e->addr, addr)) {
            /* The name with the host wins over the same without. */
            struct ds_text name = {e->name, e->name_len};
            if (here == NULL) {
                here = e;
            } else if (!says_as_much(here, name)) {
                here_agree =
                    here_agree && says_as_much(e, (struct ds_text){here->name, here->name_len});
                here = e;
            }
        } else {
            num_elsewhere++;
            if (is_loopback(&e->addr))
                loopback = e;
        }
    }
    const struct entry *found = here_agree ? here : NULL;
    if (here == NULL && num_elsewhere == 1)
        found = loopback;
    if (found == NULL)
        return (struct ds_text){NULL, 0};
    *creation = found->creation;
    return (struct ds_text){found->name, found->name_len};
}
