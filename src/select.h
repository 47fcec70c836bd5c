/*
 * select.h - which records are shown: --calls-only, --hide, --only.
 */
#ifndef DISTSNIFF_SELECT_H
#define DISTSNIFF_SELECT_H

#include "options.h"
#include "record.h"

/* select_wants says whether a record is to be shown. */
bool select_wants(const struct options *options, const struct record *record);

#endif
