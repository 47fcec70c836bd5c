/*
 * id_key.h - ids of records under the operator's key.
 *
 * The servers store a record once: one that has the id of an earlier one is thrown away. Ids are made of
 * what others know too, addresses, ports and TCP sequence numbers (record_id.h). So whoever may publish
 * can foretell the id of a record, be the first to use it, and have the true record thrown away. With a
 * key that all hosts share, an id is the HMAC-SHA256 (RFC 2104) of that, which nobody else can make.
 */
#ifndef SRC_ID_KEY_H
#define SRC_ID_KEY_H

#include "send/send_queue.h"

enum { ID_KEY_LEN = 32 };

struct id_key {
    bool is_given; /* else ids stay as they are */
    uint8_t bytes[ID_KEY_LEN];
};

/* id_key_read reads the key: the SHA-256 of all of a file of 16 to 4096 bytes, which nobody but its owner
 * may read. NULL: there is no key. False after a complaint. */
bool id_key_read(const char *name, struct id_key *key);

/* id_key_apply writes the id that is sent. False when memory ran out. */
bool id_key_apply(const struct id_key *key, const char *id, char out[SEND_MAX_ID + 1]);

#endif
