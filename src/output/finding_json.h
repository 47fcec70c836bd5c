/*
 * finding_json.h - the parameters of a finding in JSON: in its record, in --report doctor, in EVE
 * alerts and in a column of SQLite.
 */
#ifndef SRC_FINDING_JSON_H
#define SRC_FINDING_JSON_H

#include "output/json_write.h"
#include "record/finding.h"

/* finding_params_put writes an object under key. finding_params_print appends only the object.
 * Neither writes anything if there are no parameters. */
void finding_params_put(const struct finding *finding, struct json_key key, struct json_writer *json);
void finding_params_print(const struct finding *finding, struct ds_buffer *out);

#endif
