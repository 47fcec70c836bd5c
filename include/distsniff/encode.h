/*
 * distsniff/encode.h - terms written in the external format (erl_ext_dist) that every node can read.
 *
 * Each function appends one term, or the head of a term: then the caller appends exactly as many
 * elements as the head says. A term for a node to read begins with ds_encode_version. When memory runs
 * out, out->failed is set; there are no other errors.
 */
#ifndef DISTSNIFF_ENCODE_H
#define DISTSNIFF_ENCODE_H

#include <distsniff/term.h>

DS_BEGIN_PUBLIC

/* ds_encode_version appends the 131 with which every external term begins. */
void ds_encode_version(struct ds_buffer *out);

/* The heads of terms that contain terms. After the elements of a list comes its tail: ds_encode_nil,
 * unless the list is improper. The empty list is ds_encode_nil alone. A map is num_pairs keys, each
 * followed by its value. */
void ds_encode_tuple(struct ds_buffer *out, uint32_t num);
void ds_encode_list(struct ds_buffer *out, uint32_t num);
void ds_encode_map(struct ds_buffer *out, uint32_t num_pairs);
void ds_encode_nil(struct ds_buffer *out);

/* ds_encode_open_list and ds_encode_open_map begin a list or map whose length is not known yet. Pass
 * their result to ds_encode_close, with the number of elements or pairs. */
size_t ds_encode_open_list(struct ds_buffer *out);
size_t ds_encode_open_map(struct ds_buffer *out);
void ds_encode_close(struct ds_buffer *out, size_t opened, uint32_t num);

/* ds_encode_atom appends an atom. text is UTF-8; it is cut after 65535 bytes. No node accepts an atom for
 * which ds_atom_ok is false. */
void ds_encode_atom(struct ds_buffer *out, struct ds_text text);

/* ds_encode_number appends an integer of up to 64 bits in 5 bytes, or in 11 if 5 are too few. It uses 5
 * bytes for small ones, too, which ds_encode_integer would write in 2. */
void ds_encode_number(struct ds_buffer *out, bool negative, uint64_t magnitude);

/* ds_encode_integer appends an integer of any size in its shortest form, as nodes write it. magnitude
 * is its absolute value in len bytes, the lowest first. */
void ds_encode_integer(struct ds_buffer *out, bool negative, const uint8_t *magnitude, size_t len);

/* ds_encode_float appends a float. It must be finite: nodes have no others. */
void ds_encode_float(struct ds_buffer *out, double value);

/* ds_encode_binary appends any bytes as a binary. ds_encode_bits appends their first num_bits bits: as a
 * bit string, or as a binary if num_bits is a multiple of 8. The unused bits of the last byte must be 0. */
void ds_encode_binary(struct ds_buffer *out, struct ds_text bytes);
void ds_encode_bits(struct ds_buffer *out, const void *bytes, uint64_t num_bits);

/* ds_encode_string appends a list of 1 to 65535 bytes in the form that nodes use. */
void ds_encode_string(struct ds_buffer *out, struct ds_text bytes);

/* ds_encode_pid and ds_encode_reference append a pid or a reference, given its numbers in the order of
 * struct ds_identity. node is as for ds_encode_atom. */
void ds_encode_pid(struct ds_buffer *out, struct ds_text node, uint32_t id, uint32_t serial,
                   uint32_t creation);
void ds_encode_reference(struct ds_buffer *out, struct ds_text node, const uint32_t *words,
                         uint16_t num_words, uint32_t creation);

DS_END_PUBLIC

#endif
