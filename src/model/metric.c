#include "model/metric.h"

#include "base/compiler.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *suffix;
	double quanta; /* in one unit. A whole number, as 3 / 1e9 is exact where 3 * 1e-9 is not */
} units[UNIT_COUNT_OF_UNITS] = {
	[UNIT_COUNT] = { "count", "", 1 },        [UNIT_RATIO] = { "ratio", "", 1e6 },
	[UNIT_SECONDS] = { "seconds", "s", 1e9 }, [UNIT_BYTES] = { "bytes", "bytes", 1 },
	[UNIT_JOULES] = { "joules", "j", 1e6 },   [UNIT_HERTZ] = { "hertz", "hz", 1 },
	[UNIT_GRAMS] = { "grams", "g", 1e6 },
};

static const char *const kinds[] = { [KIND_COUNTER] = "counter", [KIND_GAUGE] = "gauge" };

const char *unit_name(enum unit unit)
{
	return units[unit].name;
}

const char *unit_suffix(enum unit unit)
{
	return units[unit].suffix;
}

double unit_quanta(enum unit unit)
{
	return units[unit].quanta;
}

int unit_find(const char *name, enum unit *ret)
{
	for (size_t i = 0; i < COUNT(units); i++) {
		if (strcmp(units[i].name, name) == 0) {
			*ret = (enum unit)i;
			return 0;
		}
	}
	return -ENOENT;
}

const char *kind_name(enum kind kind)
{
	return kinds[kind];
}

int kind_find(const char *name, enum kind *ret)
{
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i], name) == 0) {
			*ret = (enum kind)i;
			return 0;
		}
	}
	return -ENOENT;
}

void metric_derived_name(const struct metric *metric, const char *word, char *ret, size_t size)
{
	const char *suffix = unit_suffix(metric->unit);
	size_t length = strlen(metric->name), tail = strlen(suffix) + 1;

	if (*suffix && length > tail && metric->name[length - tail] == '_' &&
	    strcmp(metric->name + length - tail + 1, suffix) == 0)
		snprintf(ret, size, "%.*s_%s_%s", (int)(length - tail), metric->name, word, suffix);
	else
		snprintf(ret, size, "%s_%s", metric->name, word);
}

int64_t metric_quantise(const struct metric *metric, struct value value)
{
	double quanta = value.number * units[metric->unit].quanta;

	if (!value_is(value) || !(fabs(quanta) < 9.2e18))
		return ABSENT_QUANTA;
	return llround(quanta);
}

struct value metric_restore(const struct metric *metric, int64_t quanta)
{
	if (quanta == ABSENT_QUANTA)
		return value_absent();
	return value_read((double)quanta / units[metric->unit].quanta);
}
