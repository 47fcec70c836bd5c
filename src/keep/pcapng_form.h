/*
 * pcapng_form.h - appends the blocks of a pcapng file to a buffer, which records whether memory ran out.
 */
#ifndef SRC_PCAPNG_FORM_H
#define SRC_PCAPNG_FORM_H

#include <distsniff/dissect.h>

/* pcapng_form_is_named says whether a file of that name is pcapng: its name ends so, apart from the
 * number that -C appends. */
bool pcapng_form_is_named(const char *name);

/* pcapng_form_begin begins a file of one interface: link_type is its LINKTYPE_ value. For made_key see
 * pseudo_packet.h; 0: none. */
void pcapng_form_begin(struct ds_buffer *out, uint32_t link_type, uint32_t snaplen,
                       bool nanoseconds, uint32_t made_key);

/* pcapng_form_interface adds an interface. They have numbers from 0 on. */
void pcapng_form_interface(struct ds_buffer *out, uint32_t link_type, uint32_t snaplen, bool nanoseconds);

/* pcapng_form_comment adds a comment of at most UINT16_MAX bytes of UTF-8 to the options of a block
 * that will be added later. */
void pcapng_form_comment(struct ds_buffer *options, const char *text, size_t len);

/* pcapng_form_packet adds a packet of an interface; options: its comments, NULL: none. */
void pcapng_form_packet(struct ds_buffer *out, const struct ds_packet *packet, uint32_t interface,
                        bool nanoseconds, const struct ds_buffer *options);

/* pcapng_form_statistics adds a statistics block that contains only these comments. */
void pcapng_form_statistics(struct ds_buffer *out, int64_t ts_ns, bool nanoseconds,
                            const struct ds_buffer *options);

/* pcapng_form_secrets adds lines of a key log. */
void pcapng_form_secrets(struct ds_buffer *out, const char *lines, size_t len);

/* pcapng_form_block_len returns the length of the block that begins with bytes, of which len are
 * available; 0 if those are fewer than its head. */
size_t pcapng_form_block_len(const char *bytes, size_t len);

#endif
