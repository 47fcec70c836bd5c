/*
 * static_atoms_file.h - --static-atoms: the atoms that a build of OTP begins with, as
 * scripts/otp_static_atoms writes them.
 */
#ifndef SRC_STATIC_ATOMS_FILE_H
#define SRC_STATIC_ATOMS_FILE_H

#include <distsniff/dissect.h>

/* static_atoms_file_read tells memory of them. name may be NULL: there are none. False after a
 * complaint. */
bool static_atoms_file_read(const char *name, struct ds_atom_memory *memory);

#endif
