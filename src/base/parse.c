#include "base/parse.h"

#include "base/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct suffix {
	const char *name;
	double factor;
};

static const struct suffix durations[] = {
	{ "ns", 1 },     { "us", 1e3 }, { "ms", 1e6 },   { "s", 1e9 },     { "", 1e9 },
	{ "min", 60e9 }, { "m", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 }, { "w", 604800e9 },
};

static const struct suffix sizes[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", 1024 },
	{ "M", 1048576.0 },
	{ "G", 1073741824.0 },
	{ "T", 1099511627776.0 },
	{ "KiB", 1024 },
	{ "MiB", 1048576.0 },
	{ "GiB", 1073741824.0 },
	{ "TiB", 1099511627776.0 },
	{ "kB", 1e3 },
	{ "KB", 1e3 },
	{ "MB", 1e6 },
	{ "GB", 1e9 },
	{ "TB", 1e12 },
};

static int at_end(const char *end)
{
	if (*end == '\n')
		end++;
	return *end ? -EINVAL : 0;
}

int parse_u64(const char *text, uint64_t *ret)
{
	const char *cursor = text;
	uint64_t number;
	int r = isdigit((unsigned char)*text) ? scan_u64(&cursor, &number) : -EINVAL;

	if (r < 0 || at_end(cursor) < 0)
		return r < 0 ? r : -EINVAL;
	*ret = number;
	return 0;
}

int parse_i64(const char *text, int64_t *ret)
{
	const char *cursor = text;
	int64_t number;
	int r = isspace((unsigned char)*text) ? -EINVAL : scan_i64(&cursor, &number);

	if (r < 0 || at_end(cursor) < 0)
		return r < 0 ? r : -EINVAL;
	*ret = number;
	return 0;
}

/* strtod() also takes "0x10", "inf" and "nan", and a sign or blanks before them. */
int parse_double(const char *text, double *ret)
{
	const char *end = text + strspn(text, "0123456789.-+eE");
	char *stopped;
	double number;

	if (end == text || *text == '+' || at_end(end) < 0)
		return -EINVAL;
	number = strtod(text, &stopped);
	if (stopped != end)
		return -EINVAL;
	if (!isfinite(number))
		return -ERANGE;
	*ret = number;
	return 0;
}

/* A plain decimal number, then one of the suffixes; never hexadecimal, "inf" or "nan". */
static int parse_suffixed(const char *text, const struct suffix *table, size_t count, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;
	double number;

	if (digits == 0)
		return -EINVAL;
	number = strtod(text, &end);
	if (end != text + digits)
		return -EINVAL;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(end, table[i].name) != 0)
			continue;
		if (number * table[i].factor >= 9.2e18)
			return -ERANGE;
		*ret = (uint64_t)llround(number * table[i].factor);
		return 0;
	}
	return -EINVAL;
}

/* Slurm's and PBS's clock: [days-]hours:minutes:seconds, or minutes:seconds. Only the first part
 * may be larger than its clock has: "36:00:00" is common, "1:75" is a typing mistake. */
static int parse_clock(const char *text, uint64_t *ret_ns)
{
	const bool has_days = strchr(text, '-') != NULL;
	uint64_t seconds = 0, part;
	int parts = 0;

	for (bool last = false; !last; text++, parts++) {
		int r = isdigit((unsigned char)*text) ? scan_u64(&text, &part) : -EINVAL;

		if (r < 0)
			return r;
		last = *text == '\0';
		if (part > 10000000)
			return -ERANGE;
		if (!last && *text != (has_days && parts == 0 ? '-' : ':'))
			return -EINVAL;
		if (parts > 0 && part >= (has_days && parts == 1 ? 24 : 60))
			return -EINVAL;
		seconds = seconds * (has_days && parts == 1 ? 24 : 60) + part;
	}
	if (has_days ? parts != 4 : parts != 2 && parts != 3)
		return -EINVAL;
	if (seconds > UINT64_MAX / 2 / 1000000000u)
		return -ERANGE;
	*ret_ns = seconds * 1000000000u;
	return 0;
}

int parse_duration(const char *text, uint64_t *ret_ns)
{
	if (strchr(text, ':'))
		return parse_clock(text, ret_ns);
	return parse_suffixed(text, durations, COUNT(durations), ret_ns);
}

int parse_bytes(const char *text, uint64_t *ret)
{
	return parse_suffixed(text, sizes, COUNT(sizes), ret);
}

int parse_percent(const char *text, double *ret_share)
{
	size_t digits = strspn(text, "0123456789.");
	bool percent = strcmp(text + digits, "%") == 0;
	char *end;
	double number = strtod(text, &end);

	if (digits == 0 || end != text + digits || (*end && !percent))
		return -EINVAL;
	if (!isfinite(number))
		return -ERANGE;
	*ret_share = percent ? number / 100 : number;
	return 0;
}

int parse_bool(const char *text, bool *ret)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };

	for (size_t i = 0; i < COUNT(yes); i++) {
		if (strcasecmp(text, yes[i]) == 0 || strcasecmp(text, no[i]) == 0) {
			*ret = strcasecmp(text, yes[i]) == 0;
			return 0;
		}
	}
	return -EINVAL;
}

int scan_u64(const char **cursor, uint64_t *ret)
{
	const char *c = *cursor;
	uint64_t number = 0;

	while (*c == ' ' || *c == '\t')
		c++;
	if (*c < '0' || *c > '9')
		return -EINVAL;
	for (; *c >= '0' && *c <= '9'; c++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*c - '0'), &number))
			return -ERANGE;
	}
	*cursor = c;
	*ret = number;
	return 0;
}

int scan_i64(const char **cursor, int64_t *ret)
{
	const char *c = *cursor;
	uint64_t number;
	bool negative;
	int r;

	while (*c == ' ' || *c == '\t')
		c++;
	negative = *c == '-';
	c += negative;
	if (*c < '0' || *c > '9')
		return -EINVAL;
	r = scan_u64(&c, &number);
	if (r < 0)
		return r;
	if (number > (uint64_t)INT64_MAX + negative)
		return -ERANGE;
	*cursor = c;
	*ret = (int64_t)(negative ? -number : number);
	return 0;
}

int scan_skip(const char **cursor, int words)
{
	const char *c = *cursor;

	for (; words > 0; words--) {
		c += strspn(c, " \t");
		if (!*c || *c == '\n')
			return -EINVAL;
		c += strcspn(c, " \t\n");
	}
	*cursor = c;
	return 0;
}

int scan_key_u64(const char *text, const char *key, uint64_t *ret)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0) {
			line += length;
			return scan_u64(&line, ret);
		}
	}
	return -ENOENT;
}
