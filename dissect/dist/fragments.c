/*
 * fragments.c - messages whose fragments have not all come yet (erl_ext_dist, "Distribution Header
 * for fragmented messages"): a small hash table by sequence id, and a list by age.
 *
 * The BEAM binds the references of a fragmented message to the cache as it is when the first
 * fragment arrives; other frames may overwrite slots before the last fragment comes. So each
 * message keeps copies of the atoms it refers to: an array, then the texts.
 */
#include "dist/fragments.h"

#include <stdlib.h>

/* bucket_of hashes a sequence id, which is a pid or an address. */
static size_t bucket_of(uint64_t sequence)
{
    return (size_t)((sequence * 0x9e3779b97f4a7c15u) >> 58);
}

_Static_assert(FRAGMENT_BUCKETS == 1 << (64 - 58), "bucket_of takes the top bits");

struct fragmented *fragments_find(const struct fragments *fragments, uint64_t sequence)
{
    struct fragmented *message = fragments->bucket[bucket_of(sequence)];
    while (message != NULL && message->sequence != sequence)
        message = message->chain;
    return message;
}

static void list_remove(struct fragments *fragments, struct fragmented *message)
{
    if (message->older != NULL)
        message->older->newer = message->newer;
    else
        fragments->oldest = message->newer;
    if (message->newer != NULL)
        message->newer->older = message->older;
    else
        fragments->newest = message->older;
}

static void list_add_newest(struct fragments *fragments, struct fragmented *message)
{
    message->newer = NULL;
    message->older = fragments->newest;
    if (fragments->newest != NULL)
        fragments->newest->newer = message;
    else
        fragments->oldest = message;
    fragments->newest = message;
}

/* copy_atoms copies the array and the texts into one block of memory. */
static bool copy_atoms(struct dissect_ctx *env, struct fragmented *message, const struct ds_atom *atoms,
                       uint32_t num_atoms)
{
    size_t len = num_atoms * sizeof *atoms;
    for (uint32_t i = 0; i < num_atoms; i++)
        len += atoms[i].len;
    if (len == 0)
        return true;
    if (!memcap_reserve(&env->memcap, len))
        return false;
    struct ds_atom *copy = malloc(len);
    if (copy == NULL) {
        memcap_release(&env->memcap, len);
        env->stats.no_memory++;
        return false;
    }
    uint8_t *text = (uint8_t *)(copy + num_atoms);
    for (uint32_t i = 0; i < num_atoms; i++) {
        struct cursor from = cursor_make(atoms[i].text, atoms[i].len);
        copy[i] = atoms[i];
        if (atoms[i].text != NULL && cursor_read_bytes(&from, text, atoms[i].len))
            copy[i].text = text;
        text += atoms[i].len;
    }
    message->atoms = copy;
    message->num_atoms = num_atoms;
    message->atoms_len = len;
    return true;
}

struct fragmented *fragments_open(struct fragments *fragments, struct dissect_ctx *env,
                                  uint64_t sequence, const struct ds_atom *atoms, uint32_t num_atoms)
{
    if (!memcap_reserve(&env->memcap, sizeof(struct fragmented)))
        return NULL;
    struct fragmented *message = calloc(1, sizeof *message);
    if (message == NULL)
        env->stats.no_memory++;
    if (message == NULL || !copy_atoms(env, message, atoms, num_atoms)) {
        memcap_release(&env->memcap, sizeof *message);
        free(message);
        return NULL;
    }
    message->sequence = sequence;
    struct fragmented **bucket = &fragments->bucket[bucket_of(sequence)];
    message->chain = *bucket;
    *bucket = message;
    list_add_newest(fragments, message);
    fragments->num++;
    return message;
}

void fragments_add(struct fragments *fragments, struct dissect_ctx *env, struct fragmented *message,
                   struct cursor bytes, uint64_t max_len)
{
    list_remove(fragments, message);
    list_add_newest(fragments, message);
    if (message->damage.kind != DS_FAULT_NONE)
        return;
    if (message->size > max_len) {
        env->stats.limits_hit[DS_LIMIT_MESSAGE]++;
        message->damage = (struct damage){DS_FAULT_CAP, "the message is larger than allowed"};
    } else if (!stream_buffer_add(&message->body, env, bytes)) {
        message->damage = (struct damage){DS_FAULT_CAP, "no memory to hold the message"};
    }
}

void fragments_close(struct fragments *fragments, struct dissect_ctx *env, struct fragmented *message)
{
    struct fragmented **link = &fragments->bucket[bucket_of(message->sequence)];
    while (*link != message)
        link = &(*link)->chain;
    *link = message->chain;
    list_remove(fragments, message);
    fragments->num--;
    stream_buffer_free(&message->body, env);
    memcap_release(&env->memcap, message->atoms_len + sizeof *message);
    free(message->atoms);
    free(message);
}
