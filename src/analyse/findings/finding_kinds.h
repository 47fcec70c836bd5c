/*
 * finding_kinds.h - the kinds of findings: findings.def as an enum and a table.
 */
#ifndef SRC_FINDING_KINDS_H
#define SRC_FINDING_KINDS_H

#include "record/finding.h"

#include <stdio.h>

enum finding_code {
#define FINDING(code, severity, rank, title, advice, page) FINDING_##code,
#include "analyse/findings/findings.def"
#undef FINDING
    FINDING_CODE_COUNT
};

/* finding_kind_at returns row i, or NULL after the last. finding_kind_find returns the row of a
 * code such as "DS101", in upper or lower case, or NULL. */
const struct finding_kind *finding_kind_at(size_t i);
const struct finding_kind *finding_kind_find(const char *code);

/* finding_explain writes the page of a finding. */
void finding_explain(const struct finding_kind *kind, FILE *out);

#endif
