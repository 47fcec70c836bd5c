/*
 * samples.h - three messages of many that are alike, to see what they say: the first, a large one, and
 * one of the latest. So few are written out that a flood of them costs nothing: one is taken when it
 * is an eighth larger than the large one, and of the latest each whose number is a power of two.
 */
#ifndef SRC_SAMPLES_H
#define SRC_SAMPLES_H

#include "output/json_write.h"
#include "record/record.h"

enum { NUM_SAMPLES = 3 };

struct sample {
    uint64_t frame, size;
    int64_t ns;
    char *text; /* NULL: there is none */
};

struct samples {
    struct sample sample[NUM_SAMPLES];
};

/* samples_take looks at the count-th message of a kind; what it says is that function, if mod is there,
 * with body as its arguments, or body alone. False when memory ran out. */
bool samples_take(struct samples *samples, uint64_t count, const struct ds_event *event,
                  struct ds_text mod, struct ds_text fun, const struct ds_term *body,
                  struct ds_buffer *scratch);

/* samples_tell writes them as a field of a JSON object, in order. */
void samples_tell(const struct samples *samples, struct json_writer *json);

void samples_free(struct samples *samples);

#endif
