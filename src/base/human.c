/* Three digits that matter, zeros behind the point dropped: 5.2374 GiB is "5.24 GiB", 5.2 stays
 * "5.2", 512 stays "512". Between 1000 and 1023 a power of 1024 needs a fourth one: "1010 MiB". */
#include "base/human.h"

#include "base/compiler.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 3
#define MINUTE 60
#define HOUR 3600
#define DAY 86400

/* Rounds a number of 0 or more to that many digits that matter; whole ones stay whole. */
static double round_to(double number, int digits)
{
	double step;

	if (number == 0)
		return 0;
	step = pow(10, floor(log10(number)) - digits + 1);
	return step >= 1 ? round(number) : round(number / step) * step;
}

static void drop_zeros(char *text)
{
	size_t length = strlen(text);

	if (!strchr(text, '.'))
		return;
	while (text[length - 1] == '0')
		text[--length] = '\0';
	if (text[length - 1] == '.')
		text[length - 1] = '\0';
}

/* Of a number that is rounded already. */
static void write_digits(double number, int digits, char *ret)
{
	int whole = number > 0 ? (int)floor(log10(number) + 1e-9) + 1 : 1;
	int decimals = digits - whole;

	snprintf(ret, HUMAN_BYTES, "%.*f", decimals > 0 ? decimals : 0, number);
	drop_zeros(ret);
}

/* Handles what all have in common: what is not finite, and the sign. Returns the length of what is
 * there already, or -1 when the text is complete. */
static int begin(double *number, char *ret)
{
	if (!isfinite(*number)) {
		snprintf(ret, HUMAN_BYTES, "?");
		return -1;
	}
	ret[0] = '\0';
	if (*number >= 0)
		return 0;
	*number = -*number;
	strcpy(ret, "-");
	return 1;
}

const char *human_number(double number, int digits, char ret[HUMAN_BYTES])
{
	int sign = begin(&number, ret);
	char text[HUMAN_BYTES];

	if (sign < 0)
		return ret;
	if (number >= 1e6)
		snprintf(text, sizeof(text), "%.*g", digits, number);
	else if (number > 0 && number < 0.001)
		snprintf(text, sizeof(text), "<0.001");
	else
		write_digits(round_to(number, digits), digits, text);
	snprintf(ret + sign, HUMAN_BYTES - (size_t)sign, "%s", text);
	return ret;
}

/* Writes the number with the name of the largest power that is not above it. */
static const char *write_scaled(double number, double base, const char *const *names, size_t count,
				const char *unit, char *ret)
{
	int sign = begin(&number, ret);
	char digits[HUMAN_BYTES];
	double rounded = number;
	size_t i = 0;

	if (sign < 0)
		return ret;
	for (; (rounded = round_to(number, DIGITS)) >= base && i + 1 < count; i++)
		number /= base;
	if (number > 0 && rounded < 0.01)
		snprintf(digits, sizeof(digits), "<0.01");
	else if (rounded >= 1e6)
		snprintf(digits, sizeof(digits), "%.2e", rounded);
	else
		write_digits(rounded, DIGITS, digits);
	snprintf(ret + sign, HUMAN_BYTES - (size_t)sign, "%.14s %s%.8s", digits, names[i], unit);
	return ret;
}

const char *human_si(double number, const char *unit, char ret[HUMAN_BYTES])
{
	static const char *const names[] = { "", "k", "M", "G", "T", "P", "E" };

	return write_scaled(number, 1000, names, COUNT(names), unit, ret);
}

const char *human_bytes(double bytes, char ret[HUMAN_BYTES])
{
	return human_si(bytes, "B", ret);
}

const char *human_memory(double bytes, char ret[HUMAN_BYTES])
{
	static const char *const names[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };

	return write_scaled(bytes, 1024, names, COUNT(names), "B", ret);
}

/* Whole numbers up to 2^53 in full, commas between thousands. */
const char *human_count(double count, char ret[HUMAN_BYTES])
{
	int sign = begin(&count, ret);
	char digits[HUMAN_BYTES], *to = ret + sign;
	size_t length;

	if (sign < 0)
		return ret;
	if (count > 9e15 || (count > 0 && count < 0.5)) {
		snprintf(to, HUMAN_BYTES - 1, count < 1 ? "<1" : "%.3g", count);
		return ret;
	}
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", round(count));
	for (size_t i = 0; i < length; i++) {
		*to++ = digits[i];
		if (i + 1 < length && (length - i - 1) % 3 == 0)
			*to++ = ',';
	}
	*to = '\0';
	return ret;
}

/* All is 100 %, nothing less is: 0.9996 is "99.9 %". */
const char *human_percent(double share, char ret[HUMAN_BYTES])
{
	int sign = begin(&share, ret);
	double percent = share * 100;
	char text[HUMAN_BYTES];

	if (sign < 0)
		return ret;
	if (percent > 99 && percent < 100)
		snprintf(text, sizeof(text), "%.1f", fmin(percent, 99.9));
	else if (percent > 0 && percent < 0.01)
		snprintf(text, sizeof(text), "<0.01");
	else if (percent >= 99.5)
		human_count(percent, text);
	else
		write_digits(round_to(percent, 2), 2, text);
	snprintf(ret + sign, HUMAN_BYTES - (size_t)sign, "%.40s %%", text);
	return ret;
}

static void write_short(double seconds, char *ret)
{
	static const char *const names[] = { "n", "u", "m", "" };

	if (seconds == 0)
		strcpy(ret, "0 s");
	else if (seconds < 0.5e-9)
		strcpy(ret, "<1 ns");
	else
		write_scaled(seconds * 1e9, 1000, names, COUNT(names), "s", ret);
}

static void write_long(double seconds, char *ret)
{
	static const struct {
		double below, unit, part;
		const char *format;
	} rows[] = {
		{ HOUR, MINUTE, 1, "%.0f min %02.0f s" },
		{ DAY, HOUR, MINUTE, "%.0f h %02.0f min" },
		{ 1000.0 * DAY, DAY, HOUR, "%.0f d %.0f h" },
	};
	char count[HUMAN_BYTES];

	for (size_t i = 0; i < COUNT(rows); i++) {
		double parts = round(seconds / rows[i].part), each = rows[i].unit / rows[i].part;

		if (parts * rows[i].part >= rows[i].below)
			continue;
		snprintf(ret, HUMAN_BYTES - 1, rows[i].format, floor(parts / each),
			 fmod(parts, each));
		return;
	}
	snprintf(ret, HUMAN_BYTES - 1, "%.40s d", human_count(seconds / DAY, count));
}

const char *human_duration(double seconds, char ret[HUMAN_BYTES])
{
	int sign = begin(&seconds, ret);

	if (sign < 0)
		return ret;
	if (round_to(seconds, DIGITS) < MINUTE)
		write_short(seconds, ret + sign);
	else
		write_long(seconds, ret + sign);
	return ret;
}
