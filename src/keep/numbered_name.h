/*
 * numbered_name.h - "file-2.pcap", if "file.pcap" exists.
 */
#ifndef SRC_NUMBERED_NAME_H
#define SRC_NUMBERED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* numbered_name_suffix returns the position of ".pcap" in a name, or its end. */
size_t numbered_name_suffix(const char *name);

/* numbered_name writes base with "-number" before its suffix, or base alone if number is 1 or 0.
 * Returns false if that does not fit into size bytes. */
bool numbered_name(const char *base, uint64_t number, char *out, size_t size);

#endif
