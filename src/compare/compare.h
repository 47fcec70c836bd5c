/*
 * compare.h - the data that a run compares with its own: --compare, --write-baseline.
 */
#ifndef SRC_COMPARE_H
#define SRC_COMPARE_H

#include "compare/differ.h"
#include "compare/node_roles.h"
#include "compare/profile.h"
#include "compare/profile_gather.h"

/* compare_config is the options. The caller owns the texts. */
struct compare_config {
    const char *file;                  /* --compare: a capture or a baseline, --baseline; NULL: none */
    const char *write_file;            /* --write-baseline; NULL: none */
    const char *rules[NODE_ROLES_MAX]; /* --node-role */
    size_t num_rules;
    double thresholds[THRESHOLD_COUNT_OF];
    bool is_capture; /* file is a capture */
    bool finds_new;  /* --baseline: what is not in file is reported when it happens, and nothing else */
    bool is_json;    /* differences are written as JSON */
    /* Options for reading that capture, each followed by a blank, and the arguments after all options;
     * NULL: it cannot be read again. */
    char *command, *behind;
};

struct compare {
    const struct compare_config *config;
    struct node_roles *roles;
    struct profile before, after; /* after is the profile of this run */
    struct profile_gather gather; /* fills the profile after */
    struct novelty novelty;       /* for --baseline */
    bool has_before, is_redacted;
    bool is_worse; /* of the differences that were shown last */
    struct ds_buffer
        document;        /* the text of before, if another run has made it; empty: none */
    bool before_was_cut; /* that run could not read all of its file */
};

/* compare_new returns an empty comparison. max limits the kinds of things in a profile. is_redacted:
 * names are pseudonyms. The caller owns config. NULL when memory ran out; compare_check must have
 * accepted the rules of config. */
struct compare *compare_new(const struct compare_config *config, uint64_t max, bool is_redacted);
/* compare_begin is called when before is complete, if that happens. */
void compare_begin(struct compare *compare);
void compare_free(struct compare *compare); /* NULL is allowed */

/* compare_check says whether the rules are valid. If not, it sets why. */
bool compare_check(const struct compare_config *config, char why[static NODE_ROLE_TEXT]);

#endif
