#include "relay/live.h"

#include "base/compiler.h"
#include "base/human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PART_BYTES 160

static void write_time(double seconds, char *ret)
{
	unsigned long long whole = (unsigned long long)seconds;

	if (whole >= 3600)
		snprintf(ret, HUMAN_BYTES, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60,
			 whole % 60);
	else
		snprintf(ret, HUMAN_BYTES, "%llu:%02llu", whole / 60, whole % 60);
}

static void add_time(const struct now *now, double time_s, char *ret)
{
	double limit_s = atomic_load(&now->limit_s);
	char time[HUMAN_BYTES], limit[HUMAN_BYTES];

	if (!(time_s >= 0 && time_s < 1e12))
		return;
	write_time(time_s, time);
	if (limit_s > 0 && limit_s < 1e12) {
		write_time(limit_s, limit);
		snprintf(ret, PART_BYTES, "%s of %s", time, limit);
	} else {
		snprintf(ret, PART_BYTES, "%s", time);
	}
}

static void add_cores(const struct now *now, double time_s, char *ret)
{
	double cores = atomic_load(&now->cores), most = atomic_load(&now->limit_cores);
	char limit[HUMAN_BYTES];

	(void)time_s;
	if (!isfinite(cores))
		return;
	if (isfinite(most))
		snprintf(ret, PART_BYTES, "%.1f of %s core%s", cores, human_number(most, 3, limit),
			 most == 1 ? "" : "s");
	else
		snprintf(ret, PART_BYTES, "%.1f cores", cores);
}

static void add_memory(const struct now *now, double time_s, char *ret)
{
	double bytes = atomic_load(&now->memory_bytes);
	double most = atomic_load(&now->limit_memory_bytes);
	char has[HUMAN_BYTES], limit[HUMAN_BYTES];

	(void)time_s;
	if (!isfinite(bytes))
		return;
	if (isfinite(most))
		snprintf(ret, PART_BYTES, "%s of %s", human_memory(bytes, has),
			 human_memory(most, limit));
	else
		snprintf(ret, PART_BYTES, "%s", human_memory(bytes, has));
}

static void add_rate(const char *word, double rate, char *ret)
{
	char text[HUMAN_BYTES];

	if (isfinite(rate))
		snprintf(ret, PART_BYTES, "%s %s", word, human_si(round(rate), "B/s", text));
}

static void add_read(const struct now *now, double time_s, char *ret)
{
	(void)time_s;
	add_rate("read", atomic_load(&now->read_rate), ret);
}

static void add_write(const struct now *now, double time_s, char *ret)
{
	(void)time_s;
	add_rate("write", atomic_load(&now->write_rate), ret);
}

void live_write(const struct now *now, double time_s, size_t columns, struct text *ret)
{
	static void (*const parts[])(const struct now *now, double time_s, char *ret) = {
		add_time, add_cores, add_memory, add_read, add_write,
	};
	size_t used = 0;

	for (size_t i = 0; i < COUNT(parts); i++) {
		char part[PART_BYTES] = "";
		size_t length;

		parts[i](now, time_s, part);
		length = strlen(part) + (used > 0 ? 3 : 0);
		if (!part[0] || used + length > columns)
			continue;
		text_add_format(ret, "%s%s", used > 0 ? "   " : "", part);
		used += length;
	}
}
