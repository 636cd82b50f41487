/* What the programs of known cost share: burning CPU, touching memory, and saying the truth.
 *
 * A program collects its truth with truth_say() and ends with truth_print(): one JSON object on
 * stdout in one write(2), so that the I/O that saying the truth costs is known, too. Where a tool
 * keeps stdout for itself, TRUTH_FILE in the environment names a file to write to. */
#ifndef TRUTH_H
#define TRUTH_H

#include <stddef.h>

#define MIB (1024 * 1024UL)

void truth_say(const char *name, double number);
/* Adds what the process knows of itself: cpu_s, cpu_user_s, cpu_system_s, maxrss_bytes,
 * faults_minor, switches_*, each with its waited-for children; wall_s since
 * truth_start(), and both ends of it on the monotonic clock. */
void truth_say_usage(void);
void truth_start(void);
void truth_print(void);

void burn_user(double seconds);   /* of this thread's CPU clock */
void burn_system(double seconds); /* in the kernel: reads of /dev/zero */
void sleep_s(double seconds);

/* Private memory on small pages, each page touched. Huge pages would make the count of faults and
 * the time to touch depend on the machine. */
char *memory_touched(size_t bytes);
void memory_touch(char *memory, size_t bytes);

int fork_or_die(void);
void wait_all(void); /* until there is no child left */
double now_s(int clock);
void die(const char *what); /* with errno, status 3 */

#endif
