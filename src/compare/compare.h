/*
 * compare.h - what a run knows of what it is compared with: --compare, --write-baseline.
 */
#ifndef SRC_COMPARE_H
#define SRC_COMPARE_H

#include "compare/differ.h"
#include "compare/node_roles.h"
#include "compare/profile.h"
#include "compare/profile_gather.h"

/* compare_config is what the user asks for. Texts stay the caller's. */
struct compare_config {
    const char *file;                  /* --compare: a capture or a baseline, --baseline; NULL: none */
    const char *write_file;            /* --write-baseline; NULL: none */
    const char *rules[NODE_ROLES_MAX]; /* --node-role */
    size_t num_rules;
    double thresholds[THRESHOLD_COUNT_OF];
    bool is_capture; /* file is one */
    bool finds_new;  /* --baseline: what file does not have is told as it comes, and nothing else */
    bool is_json;    /* differences are written as JSON */
    /* Options that read that capture, with a blank behind each, and what stands behind all
     * options; NULL: it cannot be read again. */
    char *command, *behind;
};

struct compare {
    const struct compare_config *config;
    struct node_roles *roles;
    struct profile before, after; /* after is that of this run */
    struct profile_gather gather; /* fills after */
    struct novelty novelty;       /* of --baseline */
    bool has_before, is_redacted;
    bool is_worse; /* as of the last differences that were shown */
    struct ds_buffer
        document;        /* that before is to be read from, where another run has made it; empty: none */
    bool before_was_cut; /* that run could not read all of its file */
};

/* compare_new returns a comparison without anything in it. max bounds the kinds of things in a
 * profile. is_redacted: names are pseudonyms. config stays. NULL when memory ran out; rules of
 * config have been tried before (compare_check). */
struct compare *compare_new(const struct compare_config *config, uint64_t max, bool is_redacted);
/* compare_begin is called when before is there, if it ever is. */
void compare_begin(struct compare *compare);
void compare_free(struct compare *compare); /* NULL is allowed */

/* compare_check says whether the rules are good ones. False, and why is filled in. */
bool compare_check(const struct compare_config *config, char why[static NODE_ROLE_TEXT]);

#endif
