/* How a process ended whose own parent waited for it: a descriptor that was opened while it lived
 * (a pidfd) tells after its end, from Linux 6.15 on, without any privilege. Elsewhere nobody knows.
 */
#ifndef SAMPLE_EXITS_H
#define SAMPLE_EXITS_H

/* A descriptor for exit_status(), to be ended with exit_forget(); -1 where the kernel does not
 * tell, the process has gone, or we hold as many as we may. */
int exit_watch(int pid);
/* As of wait(2), once it has been waited for; PROCESS_STATUS_UNKNOWN before, and for -1. */
int exit_status(int pidfd);
void exit_forget(int pidfd); /* -1 is fine */

#endif
