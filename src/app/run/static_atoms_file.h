/*
 * static_atoms_file.h - --static-atoms: the atoms with which a build of OTP begins, as written by
 * scripts/otp_static_atoms.
 */
#ifndef SRC_STATIC_ATOMS_FILE_H
#define SRC_STATIC_ATOMS_FILE_H

#include <distsniff/dissect.h>

/* static_atoms_file_read adds them to memory. name may be NULL: no file. False after a complaint. */
bool static_atoms_file_read(const char *name, struct ds_atom_memory *memory);

#endif
