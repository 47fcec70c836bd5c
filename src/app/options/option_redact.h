/*
 * option_redact.h - whether --redact is possible.
 */
#ifndef SRC_OPTION_REDACT_H
#define SRC_OPTION_REDACT_H

#include "app/options/options.h"

/* option_check_redact says whether all requested outputs can be redacted. False after a complaint. */
bool option_check_redact(const struct options *options);

#endif
