/*
 * traffic_message.h - a message as the traffic report counts it: its kind, as a hash of what the
 * messages of the kind have in common, and the name of the kind.
 *
 * For example, the hash of the shape cast {put,_,_} (gen:cast) to db is made from its role, shape,
 * label and name.
 */
#ifndef DISTSNIFF_TRAFFIC_MESSAGE_H
#define DISTSNIFF_TRAFFIC_MESSAGE_H

#include "reports/report.h"
#include "reports/talkers.h"

#include <distsniff/shape.h>

/* traffic_message is a view of a record, valid as long as the record. */
struct traffic_message {
    const struct record *record;
    const struct note *note;
    const struct ds_message *m;
    struct talker from, to;
    struct ds_term body; /* absent: none */
    struct ds_shape_head head; /* of the body; traffic_message_hash sets it if shapes matter */
    struct ds_text mod, fun;
    bool has_function;
    uint32_t arity;
};

/* traffic_message_read reads a record with a message. */
void traffic_message_read(struct traffic_message *message, const struct record *record,
                          struct talkers *talkers, enum traffic_by by);

/* traffic_message_hash returns the hash of the message's kind, and sets message->head. */
uint64_t traffic_message_hash(struct traffic_message *message, enum traffic_by by);

/* traffic_message_has_shape says whether the shape of its body determines its kind: it calls no
 * function. */
bool traffic_message_has_shape(const struct traffic_message *message);

/* traffic_message_print appends the name of a kind, without its shape. */
void traffic_message_print(const struct traffic_message *message, const struct talkers *talkers,
                           enum traffic_by by, struct ds_buffer *out);

/* These append the text before and after a shape: "cast " and " (gen:cast) to db". */
void traffic_message_print_before(const struct traffic_message *message, struct ds_buffer *out);
void traffic_message_print_after(const struct traffic_message *message, const struct talkers *talkers,
                                 struct ds_buffer *out);

#endif
