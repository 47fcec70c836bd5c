/*
 * compare.c - see compare.h.
 */
#include "compare/compare.h"

#include <stdlib.h>

static struct node_roles *make_roles(const struct compare_config *config,
                                     char why[static NODE_ROLE_TEXT])
{
    struct node_roles *roles = node_roles_new();
    why[0] = '\0';
    for (size_t i = 0; roles != NULL && i < config->num_rules; i++) {
        if (!node_roles_add(roles, config->rules[i], why)) {
            node_roles_free(roles);
            return NULL;
        }
    }
    return roles;
}

bool compare_check(const struct compare_config *config, char why[static NODE_ROLE_TEXT])
{
    struct node_roles *roles = make_roles(config, why);
    node_roles_free(roles);
    return roles != NULL;
}

struct compare *compare_new(const struct compare_config *config, uint64_t max, bool is_redacted)
{
    char why[NODE_ROLE_TEXT];
    struct compare *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->config = config;
    profile_init(&c->before, max);
    profile_init(&c->after, max);
    c->roles = make_roles(config, why);
    if (c->roles == NULL) {
        compare_free(c);
        return NULL;
    }
    c->is_redacted = is_redacted;
    if (is_redacted)
        node_roles_keep_words(c->roles);
    profile_gather_init(&c->gather, &c->after, c->roles, max);
    return c;
}

void compare_begin(struct compare *c)
{
    if (!c->has_before || !c->config->finds_new)
        return;
    novelty_begin(&c->novelty, &c->before, &c->after, c->config->thresholds, c->is_redacted);
    c->gather.novelty = &c->novelty;
}

void compare_free(struct compare *c)
{
    if (c == NULL)
        return;
    profile_gather_free(&c->gather);
    profile_free(&c->before);
    profile_free(&c->after);
    node_roles_free(c->roles);
    ds_buffer_free(&c->document);
    free(c);
}
