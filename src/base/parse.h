/* Text to numbers. Nothing here opens anything; all return 0 or -EINVAL / -ERANGE. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

int parse_u64(const char *text, uint64_t *ret); /* the whole text, one newline at its end allowed */
int parse_i64(const char *text, int64_t *ret);
int parse_double(const char *text, double *ret);
/* "100ms", "1.5s", "2m", "1h", "30d", "8w", "90" (seconds), "us" and "ns" too; and "1-02:03:04",
 * "02:03:04". */
int parse_duration(const char *text, uint64_t *ret_ns);
/* "512", "64K", "6G", "1.5GiB" are powers of 1024; "1kB", "6MB", "2GB" powers of 1000. */
int parse_bytes(const char *text, uint64_t *ret);
int parse_percent(const char *text, double *ret_share); /* "1%" or "0.01" */
int parse_bool(const char *text, bool *ret);

/* Reads the number at *cursor and moves behind it; leading blanks are skipped. For /proc's columns,
 * which are read many times a second. */
int scan_u64(const char **cursor, uint64_t *ret);
int scan_i64(const char **cursor, int64_t *ret);
int scan_skip(const char **cursor, int words); /* over that many blank-separated words */

/* Finds a line that begins with `key` and reads the number behind it: "VmHWM:\t  1234 kB". -ENOENT
 * where there is no such line. */
int scan_key_u64(const char *text, const char *key, uint64_t *ret);

#endif
