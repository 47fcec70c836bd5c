/*
 * id_key.h - ids of records, keyed with a secret of the operator.
 *
 * The servers store a record once: one with the id of an earlier one is dropped. Ids are made of
 * facts that others know too: addresses, ports and TCP sequence numbers (record_id.h). So any
 * client that may publish can predict the id of a record, use it first, and have the true record
 * dropped. With a key that all hosts share, an id is the HMAC-SHA256 (RFC 2104) of these facts,
 * which no other client can compute.
 */
#ifndef SRC_ID_KEY_H
#define SRC_ID_KEY_H

#include "send/send_queue.h"

enum { ID_KEY_LEN = 32 };

struct id_key {
    bool is_given; /* otherwise ids stay as they are */
    uint8_t bytes[ID_KEY_LEN];
};

/* id_key_read reads the key: the SHA-256 of a whole file of 16 to 4096 bytes, which only its owner
 * may read. If name is NULL, there is no key. False after an error message. */
bool id_key_read(const char *name, struct id_key *key);

/* id_key_apply writes the id that is sent. False if memory ran out. */
bool id_key_apply(const struct id_key *key, const char *id, char out[SEND_MAX_ID + 1]);

#endif
