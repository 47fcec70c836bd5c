/*
 * registry.c - which node listens where.
 *
 * Each entry is in three hash chains: by port, by address and port, by port and owner, so lookup is
 * as fast with thousands of nodes on the same port of as many hosts. A list by age evicts the
 * oldest if there are too many. One address and port may have several entries: in a capture merged
 * from several hosts, 127.0.0.1 is any of them. If one place gets thousands of entries, its oldest
 * ones are forgotten.
 */
#include "dist/registry.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    NUM_CHAINS = 16384,
    NUM_PORTS = 65536,
    MAX_NAME_LEN = 2048,
    MAX_AT_PLACE = 64, /* entries for one address and port: lookup reads all of them */
};

enum chain_kind { BY_PORT, BY_PLACE, BY_OWNER, NUM_CHAIN_KINDS };

/* registry_link is a place in a chain: the next entry, and the pointer to this one. */
struct registry_entry;
struct registry_link {
    struct registry_entry *next, **back;
};

struct registry_entry {
    /* The newest first. Entries without an owner are not registrations. */
    struct registry_link in[NUM_CHAIN_KINDS];
    struct registry_entry *older, *newer; /* by age */
    const void *owner;
    struct ds_addr addr;
    uint16_t port;
    uint32_t creation;
    bool is_said;     /* the node itself said it, with its creation and its host, */
    bool is_disputed; /* but another node there had the same creation */
    size_t name_len;
    char name[];
};

struct registry {
    struct registry_entry *by_port[NUM_PORTS];
    struct registry_entry *by_place[NUM_CHAINS];
    struct registry_entry *by_owner[NUM_CHAINS];
    struct registry_entry *oldest, *newest;
    uint64_t num_entries, max_entries;
    uint32_t num_changes;
    uint64_t ports[NUM_PORTS / 64]; /* one bit a port */
};

struct registry *registry_new(uint64_t max_nodes)
{
    struct registry *registry = calloc(1, sizeof *registry);
    if (registry != NULL)
        registry->max_entries = max_nodes;
    return registry;
}

/* The registry's address is a hash seed that a peer does not know. */
static struct registry_entry **place_chain(struct registry *registry, const struct ds_addr *addr,
                                           uint16_t port)
{
    uint8_t key[sizeof addr->bytes + sizeof port];
    memcpy(key, addr->bytes, sizeof addr->bytes);
    memcpy(key + sizeof addr->bytes, &port, sizeof port);
    return &registry->by_place[XXH3_64bits_withSeed(key, sizeof key, (uintptr_t)registry) %
                               NUM_CHAINS];
}

static struct registry_entry **owner_chain(struct registry *registry, uint16_t port, const void *owner)
{
    const uint64_t key[] = {(uintptr_t)owner, port};
    return &registry->by_owner[XXH3_64bits(key, sizeof key) % NUM_CHAINS];
}

static void chain(struct registry_entry **first, struct registry_entry *entry, enum chain_kind kind)
{
    entry->in[kind] = (struct registry_link){*first, first};
    if (*first != NULL)
        (*first)->in[kind].back = &entry->in[kind].next;
    *first = entry;
}

static void unchain(struct registry_entry *entry, enum chain_kind kind)
{
    const struct registry_link *link = &entry->in[kind];
    if (link->back == NULL)
        return;
    *link->back = link->next;
    if (link->next != NULL)
        link->next->in[kind].back = link->back;
}

static void entry_remove(struct registry *registry, struct registry_entry *entry)
{
    for (enum chain_kind kind = 0; kind < NUM_CHAIN_KINDS; kind++)
        unchain(entry, kind);
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

/* says_as_much says whether name is the entry's name, or the part before its host, as EPMD has it. */
static bool says_as_much(const struct registry_entry *entry, struct ds_text name)
{
    return entry->name_len >= name.len && memcmp(entry->name, name.data, name.len) == 0 &&
           (entry->name_len == name.len || entry->name[name.len] == '@');
}

static struct registry_entry *entry_find(struct registry *registry, const struct ds_addr *addr,
                                         uint16_t port, const void *owner)
{
    struct registry_entry *entry = *place_chain(registry, addr, port);
    while (entry != NULL &&
           !(entry->port == port && entry->owner == owner && same_addr(&entry->addr, addr)))
        entry = entry->in[BY_PLACE].next;
    return entry;
}

/* make_place removes the oldest entry of an address and port that has as many as allowed. */
static void make_place(struct dissect_ctx *env, const struct ds_addr *addr, uint16_t port)
{
    struct registry_entry *oldest = NULL;
    unsigned num = 0;
    struct registry_entry *e = *place_chain(env->registry, addr, port);
    for (; e != NULL; e = e->in[BY_PLACE].next) {
        if (e->port != port || !same_addr(&e->addr, addr))
            continue;
        oldest = e;
        num++;
    }
    if (num < MAX_AT_PLACE)
        return;
    entry_remove(env->registry, oldest);
    env->stats.limits_hit[DS_LIMIT_NODES]++;
}

static void report_port(struct dissect_ctx *env, uint16_t port, struct ds_text name)
{
    if (registry_has_port(env->registry, port))
        return;
    registry_add_port(env->registry, port);
    if (env->config.on_port != NULL)
        env->config.on_port(env->config.context, port, name);
}

void registry_add(struct dissect_ctx *env, const struct ds_addr *addr, uint16_t port,
                  struct ds_text name, uint32_t creation, const void *owner)
{
    struct registry *registry = env->registry;

    if (port == 0 || name.data == NULL || name.len == 0 || name.len > MAX_NAME_LEN)
        return;
    report_port(env, port, name);
    struct registry_entry *entry = entry_find(registry, addr, port, owner);
    if (entry != NULL && says_as_much(entry, name)) {
        registry->num_changes += creation != 0 && entry->creation != creation;
        if (creation != 0)
            entry->creation = creation;
        return;
    }
    registry->num_changes++;
    if (entry != NULL)
        entry_remove(registry, entry);
    while (registry->num_entries >= registry->max_entries && registry->oldest != NULL) {
        entry_remove(registry, registry->oldest);
        env->stats.limits_hit[DS_LIMIT_NODES]++;
    }
    if (registry->max_entries == 0)
        return;
    make_place(env, addr, port);
    entry = malloc(sizeof *entry + name.len);
    if (entry == NULL) {
        env->stats.no_memory++;
        return;
    }
    *entry = (struct registry_entry){.older = registry->newest,
                                     .owner = owner,
                                     .addr = *addr,
                                     .port = port,
                                     .creation = creation,
                                     .name_len = name.len};
    memcpy(entry->name, name.data, name.len);
    chain(&registry->by_port[port], entry, BY_PORT);
    chain(place_chain(registry, addr, port), entry, BY_PLACE);
    if (owner != NULL)
        chain(owner_chain(registry, port, owner), entry, BY_OWNER);
    *(entry->older != NULL ? &entry->older->newer : &registry->oldest) = entry;
    registry->newest = entry;
    registry->num_entries++;
}

static bool has_name(const struct registry_entry *entry, const char *name, size_t len)
{
    return entry->name_len == len && memcmp(entry->name, name, len) == 0;
}

void registry_add_said(struct dissect_ctx *env, const struct ds_addr *addr, uint16_t port,
                       struct ds_text name, uint32_t creation)
{
    struct registry_entry *entry = entry_find(env->registry, addr, port, NULL);
    const bool is_disputed = entry != NULL && entry->is_said && entry->creation == creation &&
                             (entry->is_disputed || !has_name(entry, name.data, name.len));
    registry_add(env, addr, port, name, creation, NULL);
    entry = entry_find(env->registry, addr, port, NULL);
    if (entry == NULL)
        return;
    if (!has_name(entry, name.data, name.len)) {
        entry->is_said = false; /* another node is there now */
        return;
    }
    const bool is_said = creation != 0 && memchr(name.data, '@', name.len) != NULL;
    env->registry->num_changes += is_said != entry->is_said || is_disputed != entry->is_disputed;
    entry->is_said = is_said;
    entry->is_disputed = is_disputed;
}

uint32_t registry_num_changes(const struct registry *registry)
{
    return registry->num_changes;
}

void registry_set_creation(struct registry *registry, uint16_t port, const void *owner,
                           uint32_t creation)
{
    struct registry_entry *e = *owner_chain(registry, port, owner);
    for (; e != NULL; e = e->in[BY_OWNER].next) {
        if (e->port == port && e->owner == owner)
            e->creation = creation;
    }
}

void registry_remove(struct registry *registry, uint16_t port, const void *owner)
{
    struct registry_entry *entry = *owner_chain(registry, port, owner);
    while (entry != NULL) {
        struct registry_entry *next = entry->in[BY_OWNER].next;
        if (entry->port == port && entry->owner == owner)
            entry_remove(registry, entry);
        entry = next;
    }
}

/* find_here finds the node on which all entries of an address and port agree; *any says whether
 * there is an entry. */
static const struct registry_entry *find_here(struct registry *registry, const struct ds_addr *addr,
                                              uint16_t port, bool *any)
{
    const struct registry_entry *here = NULL;
    bool agree = true;
    const struct registry_entry *e = *place_chain(registry, addr, port);
    for (; e != NULL; e = e->in[BY_PLACE].next) {
        /* The name with a host wins over the same name without one. */
        struct ds_text name = {e->name, e->name_len};
        if (e->port != port || !same_addr(&e->addr, addr))
            continue;
        if (here == NULL) {
            here = e;
        } else if (!says_as_much(here, name)) {
            agree = agree && says_as_much(e, (struct ds_text){here->name, here->name_len});
            here = e;
        }
    }
    *any = here != NULL;
    return agree ? here : NULL;
}

struct ds_text registry_find_said(struct registry *registry, const struct ds_addr *addr, uint16_t port,
                                  uint32_t creation)
{
    bool any;
    const struct ds_text none = {NULL, 0};
    const struct registry_entry *entry = entry_find(registry, addr, port, NULL);
    if (entry == NULL || !entry->is_said || entry->is_disputed || entry->creation != creation ||
        is_loopback(addr) || find_here(registry, addr, port, &any) == NULL)
        return none;
    for (const struct registry_entry *e = registry->newest; e != NULL; e = e->older) {
        if (e->is_said && e->creation == creation && !has_name(e, entry->name, entry->name_len))
            return none;
    }
    return (struct ds_text){entry->name, entry->name_len};
}

struct ds_text registry_find(struct registry *registry, const struct ds_addr *addr, uint16_t port,
                             uint32_t *creation)
{
    bool any;
    const struct registry_entry *found = find_here(registry, addr, port, &any);
    const struct registry_entry *single = registry->by_port[port];
    if (!any && single != NULL && single->in[BY_PORT].next == NULL && is_loopback(&single->addr))
        found = single;
    if (found == NULL)
        return (struct ds_text){NULL, 0};
    *creation = found->creation;
    return (struct ds_text){found->name, found->name_len};
}
