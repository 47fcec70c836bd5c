/*
 * samples.h - three examples of many similar messages: the first, a large one, and one of the
 * latest. Few messages are printed, so that a flood of them costs nothing: a message is taken as
 * the large one if it is an eighth larger than the previous one, and as the latest if its number is
 * a power of two.
 */
#ifndef SRC_SAMPLES_H
#define SRC_SAMPLES_H

#include "output/json_write.h"
#include "record/record.h"

enum { NUM_SAMPLES = 3 };

struct sample {
    uint64_t frame, size;
    int64_t ns;
    char *text; /* NULL: none */
};

struct samples {
    struct sample sample[NUM_SAMPLES];
};

/* samples_add considers the count-th message of a kind; its content is that function, if mod is
 * present, with body as its arguments, or only body. False if memory ran out. */
bool samples_add(struct samples *samples, uint64_t count, const struct ds_event *event,
                 struct ds_text mod, struct ds_text fun, const struct ds_term *body,
                 struct ds_buffer *scratch);

/* samples_write writes them as a field of a JSON object, in order of time. */
void samples_write(const struct samples *samples, struct json_writer *json);

void samples_free(struct samples *samples);

#endif
