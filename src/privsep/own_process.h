/*
 * own_process.h - what a process gives up for itself, whoever runs it.
 */
#ifndef SRC_OWN_PROCESS_H
#define SRC_OWN_PROCESS_H

#include <stdbool.h>

/* own_process_hide keeps memory out of dumps, and from other processes of the user where the system can:
 * there are secrets in it. False and errno where it cannot be done. */
bool own_process_hide(void);

/* own_process_gain_nothing sees to it that no program which is run from now on brings rights along, such as
 * one whose file is set-user-ID. Systems that have no word for that do nothing. False and errno where
 * it cannot be done. */
bool own_process_gain_nothing(void);

#endif
