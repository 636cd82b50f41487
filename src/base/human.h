/* Numbers for people: a unit they know and at most three digits that matter. Into the caller's
 * buffer, which is returned, so that it reads well in an argument list:
 *	char time[HUMAN_BYTES];
 *	printf("time %s\n", human_duration(252, time));		time 4 min 12 s
 *
 * What is small but not zero never reads as "0": it is "<1 ns", "<0.01 %". Rounding carries into
 *the next unit: 59.96 s is "1 min 00 s", 999.9 MB is "1 GB". What is not finite is "?". */
#ifndef BASE_HUMAN_H
#define BASE_HUMAN_H

#define HUMAN_BYTES 48

const char *human_duration(double seconds, char ret[HUMAN_BYTES]); /* "38 ms", "2 h 05 min" */
const char *human_memory(double bytes, char ret[HUMAN_BYTES]);     /* powers of 1024: "5.2 GiB" */
/* Powers of 1000 of any unit of at most 8 bytes: "1.9 GB", "120 MB/s", "21 kJ", "2.4 GHz". */
const char *human_si(double number, const char *unit, char ret[HUMAN_BYTES]);
const char *human_bytes(double bytes, char ret[HUMAN_BYTES]); /* of I/O: powers of 1000, "1.9 GB" */
const char *human_count(double count, char ret[HUMAN_BYTES]); /* "12,345" */
const char *human_percent(double share, char ret[HUMAN_BYTES]); /* 0.71 is "71 %"; 100 % is all */
/* A bare number with that many digits that matter: (1.13, 2) is "1.1". */
const char *human_number(double number, int digits, char ret[HUMAN_BYTES]);

#endif
