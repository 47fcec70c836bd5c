/*
 * selector.h - selects the records that are shown: --node, --process, --op, --only, --hide,
 * --calls-only, -e, -m, -Y. A request is selected together with its answer: the numbers of selected
 * calls that are still open are remembered. Nothing here affects decoding or the correlation.
 */
#ifndef DISTSNIFF_SELECTOR_H
#define DISTSNIFF_SELECTOR_H

#include "core/string_list.h"
#include "record/record.h"
#include "select/match_record.h"
#include "select/match_regex.h"
#include "select/no_match.h"
#include "select/simple_filter.h"

#include <distsniff/dissect.h>

struct selector;
struct filter;
struct own_labels;

enum { MAX_REGEXES = 16, MAX_MATCHES = 16 };

/* selector_config is the options. Everything in it lives as long as the selector. */
struct selector_config {
    bool calls_only;
    const struct own_labels *labels; /* NULL: those of otp.def */
    struct string_list only, hide; /* each may contain commas */
    struct string_list nodes;
    struct pick_process processes[MAX_WORDS];
    size_t num_processes;
    struct op_set ops;
    struct filter *filter; /* all -Y combined, or NULL */
    bool no_pairs;
    struct match_regex *regexes[MAX_REGEXES]; /* of -e */
    size_t num_regexes;
    bool invert;                           /* select what no regex matches */
    struct ds_match *matches[MAX_MATCHES]; /* of -m */
    size_t num_matches;
    struct sought searches[MAX_REGEXES + MAX_MATCHES]; /* -e and -m as they were typed */
    size_t num_searches;
    uint64_t num_after;              /* number of messages of the connection to show after one that a
                                        regex matches */
    uint64_t limits[DS_LIMIT_COUNT]; /* of the session */
};

/* selector_new returns NULL when memory ran out. */
struct selector *selector_new(const struct selector_config *config);
void selector_free(struct selector *select);

/* selector_wants says whether to show a record. The caller passes every record once, in order. */
bool selector_wants(struct selector *select, const struct record *record);

/* selector_has_node says whether --node names this node, or is not given; selector_is_of_nodes does the
 * same for a finding. */
bool selector_has_node(const struct selector *select, struct ds_text name, const struct ds_addr *addr);
bool selector_is_of_nodes(const struct selector *select, const struct finding *finding);

/* selector_chooses says whether messages may be left out at all. */
bool selector_chooses(const struct selector *select);

/* selector_num_given_up returns how many messages -e, -m and -Y gave up on. */
uint64_t selector_num_given_up(const struct selector *select);

/* selector_nodes_occurred says whether any of the nodes that the user gave has occurred. */
bool selector_nodes_occurred(const struct selector *select);

/* selector_suggest reports similar names for names that never occurred, and for -e and -m if they
 * selected nothing. */
void selector_suggest(const struct selector *select);

/* selector_add_stats adds the counts of what could not be remembered. */
void selector_add_stats(const struct selector *select, struct ds_stats *stats);

#endif
