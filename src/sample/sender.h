/* Who told the program to end. */
#ifndef SAMPLE_SENDER_H
#define SAMPLE_SENDER_H

#include "model/facts.h"
#include "series/series.h"

#include <sys/signalfd.h>

/* Adds to section "exit", of a signal that is meant to end a program: sent_signal, sent_s (when),
 * sent_by ("slurmstepd", "the terminal"; not there where the sender has gone), sent_by_pid,
 * sent_uid. The last such signal counts. The recording hears of it at once; `series` may be NULL.
 * `root` is where /proc is. */
void sender_note(const struct signalfd_siginfo *info, const char *root, double at_s,
		 struct facts *facts, struct series *series);

#endif
