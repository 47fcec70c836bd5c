/*
 * filter_get.h - shared by the files that get fields from records.
 */
#ifndef SRC_FILTER_GET_H
#define SRC_FILTER_GET_H

#include "select/filter_program.h"

/* record_event returns the event of a record that is an event: a record of the end of a call, monitor
 * or link is not one, even if it has an event, see record.h. */
static inline const struct ds_event *record_event(const struct record *record)
{
    return record->call == NULL && record->monitor == NULL && record->finding == NULL
               ? record->event
               : NULL;
}

/* record_event_of is the same for events of one type; NULL for others. */
static inline const struct ds_event *record_event_of(const struct record *record,
                                                     enum ds_event_type type)
{
    const struct ds_event *event = record_event(record);
    return event != NULL && event->type == type ? event : NULL;
}

/* probe_offer_titles offers each title, in both languages' syntax; titles may be NULL. */
static inline void probe_offer_titles(struct filter_probe *probe, const struct titles *titles)
{
    for (size_t i = 0; titles != NULL && i < titles->num; i++) {
        probe_offer_text(probe, titles->text[i]);
        probe_offer_text(probe, titles->elixir[i]);
    }
}

#endif
