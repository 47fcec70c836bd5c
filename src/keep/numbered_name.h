/*
 * numbered_name.h - "file-2.pcap", where "file.pcap" is taken.
 */
#ifndef SRC_NUMBERED_NAME_H
#define SRC_NUMBERED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* numbered_name_suffix returns where ".pcap" begins in a name, or its end. */
size_t numbered_name_suffix(const char *name);

/* numbered_name writes base with "-number" before its suffix, or base alone for 1 and less. False
 * when that has no room in size bytes. */
bool numbered_name(const char *base, uint64_t number, char *out, size_t size);

#endif
