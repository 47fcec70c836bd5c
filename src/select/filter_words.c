/*
 * filter_words.c - see filter_words.h. The words are those of the tables that outputs use.
 */
#include "select/filter_words.h"

#include "analyse/findings/finding_kinds.h"

#include "core/suggest.h"
#include "record/record.h"
#include "select/labels.h"
#include "select/simple_filter.h"

#include <distsniff/dissect.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WORDS_OF_ONE = 4096, MIN_BEGINNING = 3 };

const char *filter_word_of_type(const struct own_labels *own, size_t i)
{
    (void)own;
    static const char *const others[] = {"call", "monitor", "link", "finding", "link_facts", "timeline"};
    const size_t num_others = sizeof others / sizeof others[0];
    return i < num_others ? others[i] : record_type_name((enum ds_event_type)(i - num_others));
}

const char *filter_word_of_op(const struct own_labels *own, size_t i)
{
    (void)own;
    return pick_op_name(i);
}

const char *filter_word_of_proto(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_proto_name(i);
}

const char *filter_word_of_step(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_handshake_step_name((enum ds_handshake_step)i);
}

const char *filter_word_of_state(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_conn_state_name((enum ds_conn_state)i);
}

const char *filter_word_of_why(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_stall_why_name((enum ds_stall_why)i);
}

const char *filter_word_of_keys(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_tls_keys_name((enum ds_tls_keys)i);
}

const char *filter_word_of_tls(const struct own_labels *own, size_t i)
{
    (void)own;
    enum { SSL_3 = 0x300 }; /* the first one; the other versions are consecutive numbers */
    return i <= UINT8_MAX ? ds_tls_version_name((uint16_t)(SSL_3 + i)) : NULL;
}

const char *filter_word_of_fault(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_fault_kind_name((enum ds_fault_kind)(i + DS_FAULT_NONE + 1));
}

const char *filter_word_of_role(const struct own_labels *own, size_t i)
{
    (void)own;
    return note_role_name((enum note_role)(i + NOTE_NONE + 1));
}

const char *filter_word_of_outcome(const struct own_labels *own, size_t i)
{
    (void)own;
    if (i == 0)
        return "failed"; /* every outcome for which call_outcome_is_failure is true */
    i--;
    return i < CALL_OUTCOME_COUNT
               ? call_outcome_name((enum call_outcome)i)
               : monitor_outcome_name((enum monitor_outcome)(i - CALL_OUTCOME_COUNT));
}

const char *filter_word_of_label(const struct own_labels *own, size_t i)
{
    return labels_name(own, i);
}

const char *filter_word_of_group(const struct own_labels *own, size_t i)
{
    return labels_group(own, i);
}

const char *filter_word_of_class(const struct own_labels *own, size_t i)
{
    static const char *const others[] = {"exit", "spawn"}; /* a process ended; no process was started */
    const size_t num_others = sizeof others / sizeof others[0];
    return i < num_others ? others[i] : labels_class(own, i - num_others);
}

const char *filter_word_of_flag(const struct own_labels *own, size_t i)
{
    (void)own;
    for (unsigned bit = 0; bit < 64; bit++) {
        const char *name = ds_flag_name(bit);
        if (name != NULL && i-- == 0)
            return name;
    }
    return NULL;
}

const char *filter_word_of_release(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_flags_release_at(i);
}

const char *filter_word_of_suite(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_tls_suite_at(i);
}

const char *filter_word_of_tls_group(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_tls_group_at(i);
}

const char *filter_word_of_alert(const struct own_labels *own, size_t i)
{
    (void)own;
    return ds_tls_alert_at(i);
}

/* is_unnamed_flag says whether text is the name of a bit that has no flag. */
static bool is_unnamed_flag(struct ds_text text)
{
    unsigned bit = 0;
    if (text.len < 5 || text.len > 6 || memcmp(text.data, "bit_", 4) != 0)
        return false;
    for (size_t i = 4; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        bit = bit * 10 + (unsigned)(text.data[i] - '0');
    }
    return bit < 64 && ds_flag_name(bit) == NULL;
}

bool filter_word_check(filter_word_fn *words, const struct own_labels *own,
                       struct ds_text text, const char **nearest)
{
    const char *names[MAX_WORDS_OF_ONE];
    size_t num = 0;
    if ((words == filter_word_of_op && pick_is_unnamed_op(text.data, text.len)) ||
        (words == filter_word_of_flag && is_unnamed_flag(text)))
        return true;
    for (const char *word; num < MAX_WORDS_OF_ONE && (word = words(own, num)) != NULL; num++) {
        if (strlen(word) == text.len && memcmp(word, text.data, text.len) == 0)
            return true;
        names[num] = word;
    }
    for (size_t i = 0; i < num; i++) {
        if (text.len >= MIN_BEGINNING && strncmp(names[i], text.data, text.len) == 0) {
            *nearest = names[i];
            return false;
        }
    }
    *nearest = suggest_find(text.data, text.len, names, num);
    return false;
}

bool filter_word_list(filter_word_fn *words, const struct own_labels *own, char *out, size_t size)
{
    size_t len = 0;
    const char *word;
    for (size_t i = 0; (word = words(own, i)) != NULL; i++) {
        bool is_new = true;
        for (size_t before = 0; before < i; before++)
            is_new = is_new && strcmp(words(own, before), word) != 0;
        if (!is_new)
            continue;
        len += (size_t)snprintf(out + len, size - len, "%s%s", len != 0 ? ", " : "", word);
        if (len >= size)
            return false;
    }
    return true;
}

const char *filter_word_of_finding(const struct own_labels *own, size_t i)
{
    (void)own;
    const struct finding_kind *kind = finding_kind_at(i);
    return kind != NULL ? kind->code : NULL;
}

const char *filter_word_of_severity(const struct own_labels *own, size_t i)
{
    (void)own;
    return i <= SEVERITY_NOTE ? severity_name((enum severity)i) : NULL;
}

const char *filter_word_of_certainty(const struct own_labels *own, size_t i)
{
    (void)own;
    return certainty_name((enum certainty)i);
}
