/*
 * option_redact.c - options of --redact, and the conflicts with it that option_conflicts.def cannot
 * express.
 */
#include "app/options/option_redact.h"

#include "app/options/option_set.h"
#include "app/options/option_values.h"
#include "core/complain.h"
#include "output/sink.h"
#include "redact/redact_keep.h"

#include <string.h>

bool option_set_redact(struct options *o, const char *value)
{
    static const char *const names[] = {
#define REDACT(id, name, what) name,
#include "redact/redact.def"
#undef REDACT
        "all",
    };
    for (const char *word = value; word != NULL;) {
        char name[32];
        const size_t len = strcspn(word, ",");
        size_t which;
        snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name), word);
        if (!option_parse_choice("--redact", name, names, REDACT_WHAT_COUNT + 1, &which))
            return false;
        o->redact.what |= which == REDACT_WHAT_COUNT ? (1u << REDACT_WHAT_COUNT) - 1 : 1u << which;
        word = word[len] == ',' ? word + len + 1 : NULL;
    }
    return true;
}

bool option_set_redact_keep(struct options *o, const char *value)
{
    if (o->redact.keep.num == MAX_WORDS) {
        complain("--redact-keep can be used at most %d times", MAX_WORDS);
        return false;
    }
    o->redact.keep.word[o->redact.keep.num++] = value;
    return true;
}

bool option_check_redact(const struct options *o)
{
    /* to check the patterns */
    struct redact_keep *kept = redact_keep_new(&o->redact.keep);
    if (kept == NULL)
        return false;
    redact_keep_free(kept);
    if (o->redact.what != 0 && o->output.verbose > 1) {
        complain("-vv and --redact: raw bytes cannot be redacted");
        return false;
    }
    for (size_t i = 0; i < o->output.num_formats && o->redact.what != 0 && !o->redact.reencode;
         i++) {
        const struct sink_kind *kind = o->output.formats[i].kind;
        if (kind->raw) {
            complain("-T %s and --redact: raw frames cannot be redacted; --reencode encodes "
                     "frames from the redacted terms",
                     kind->name);
            return false;
        }
    }
    return true;
}
