/* The words of schedulers:
 *	Slurm		--cpus-per-task=1 --mem=6G --time=00:06:00	G is 2^30, days as
 *1-02:00:00
 *	PBS		-l select=1:ncpus=1:mem=6gb -l walltime=00:06:00	gb is 2^30, no days
 *	Kubernetes	resources: {requests: {cpu: "1", memory: 6Gi}, limits: ...}	no time
 * Grid Engine's are missing: each site has its own names for memory and parallel jobs. */
#include "advise/ask.h"

#include "base/human.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0
#define GIB (1024 * MIB)

/* What runs beside the main work for less than a third of a core does not need one of its own. */
#define PEAK_TOLERANCE 0.3
/* A mean is exact; a twentieth is what else a program starts. */
#define MEAN_TOLERANCE 0.05

/* Half of it would do, with the margin; less than a GiB or ten minutes changes no place in a queue.
 */
#define FAR_SHARE 0.5
#define FAR_BYTES GIB
#define FAR_S 600

double ask_round(double bytes)
{
	static const struct {
		double above_gib, step_gib;
	} rows[] = { { 1000, 100 }, { 100, 10 }, { 30, 5 }, { 1, 1 } };
	double round = 128 * MIB;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (bytes > rows[i].above_gib * GIB)
			return ceil(bytes / (rows[i].step_gib * GIB)) * rows[i].step_gib * GIB;
	}
	while (round < bytes)
		round *= 2;
	return round;
}

double ask_memory(double peak_bytes)
{
	return ask_round(peak_bytes * MEMORY_MARGIN);
}

/* To the minute, above an hour to five, above ten hours to thirty. */
double ask_time(double wall_s)
{
	double time_s = wall_s * TIME_MARGIN;
	double step_s = time_s > 36000 ? 1800 : time_s > 3600 ? 300 : 60;

	return ceil(time_s / step_s) * step_s;
}

double ask_cores(double peak, double mean)
{
	return fmax(1, ceil(fmax(peak - PEAK_TOLERANCE, mean - MEAN_TOLERANCE)));
}

bool ask_memory_is_far(double peak_bytes, double asked_bytes)
{
	double ask = ask_memory(peak_bytes);

	return ask <= FAR_SHARE * asked_bytes && asked_bytes - ask >= FAR_BYTES;
}

bool ask_time_is_far(double wall_s, double asked_s)
{
	double ask = ask_time(wall_s);

	return ask <= FAR_SHARE * asked_s && asked_s - ask >= FAR_S;
}

/* A number of GiB or MiB, with the units of the scheduler for them. */
static void add_memory(struct text *text, double bytes, const char *gib, const char *mib)
{
	bool whole = bytes >= GIB && fmod(bytes, GIB) == 0;

	text_add_format(text, "%.0f%s", ceil(bytes / (whole ? GIB : MIB)), whole ? gib : mib);
}

static void add_clock(struct text *text, double seconds, bool days)
{
	long long s = (long long)seconds, day = days ? s / 86400 : 0;

	if (day > 0)
		text_add_format(text, "%lld-", day);
	s -= day * 86400;
	text_add_format(text, "%02lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
}

static void slurm_words(const struct ask *ask, struct text *ret)
{
	const char *blank = "";

	if (isfinite(ask->cores)) {
		text_add_format(ret, "--cpus-per-task=%.0f", ask->cores);
		blank = " ";
	}
	if (isfinite(ask->memory_bytes)) {
		text_add_format(ret, "%s--mem=", blank);
		add_memory(ret, ask->memory_bytes, "G", "M");
		blank = " ";
	}
	if (isfinite(ask->time_s)) {
		text_add_format(ret, "%s--time=", blank);
		add_clock(ret, ask->time_s, true);
	}
}

static void pbs_words(const struct ask *ask, struct text *ret)
{
	double n = isfinite(ask->cores) ? ask->cores : floor(ask->had_cores);
	bool memory = isfinite(ask->memory_bytes),
	     cores = isfinite(ask->cores) || (memory && n >= 1);

	if (cores || memory)
		text_add(ret, "-l ");
	if (cores)
		text_add_format(ret, "select=1:ncpus=%.0f%s", n, memory ? ":" : "");
	if (memory) {
		text_add(ret, "mem=");
		add_memory(ret, ask->memory_bytes, "gb", "mb");
	}
	if (isfinite(ask->time_s)) {
		text_add_format(ret, "%s-l walltime=", cores || memory ? " " : "");
		add_clock(ret, ask->time_s, false);
	}
}

static void add_resources(const struct ask *ask, struct text *ret)
{
	bool cores = isfinite(ask->cores), memory = isfinite(ask->memory_bytes);

	text_add(ret, "{");
	if (cores)
		text_add_format(ret, "cpu: \"%.0f\"%s", ask->cores, memory ? ", " : "");
	if (memory) {
		text_add(ret, "memory: ");
		add_memory(ret, ask->memory_bytes, "Gi", "Mi");
	}
	text_add(ret, "}");
}

static void kubernetes_words(const struct ask *ask, struct text *ret)
{
	if (!isfinite(ask->cores) && !isfinite(ask->memory_bytes))
		return;
	text_add(ret, "resources: {requests: ");
	add_resources(ask, ret);
	text_add(ret, ", limits: ");
	add_resources(ask, ret);
	text_add(ret, "}");
}

typedef void (*words_of)(const struct ask *ask, struct text *ret);

static words_of scheduler_words(const struct facts *facts)
{
	static const struct {
		const char *scheduler;
		words_of words;
	} rows[] = { { "slurm", slurm_words }, { "pbs", pbs_words } };
	const char *scheduler = facts_text(facts, "context", "scheduler");

	for (size_t i = 0; scheduler && i < COUNT(rows); i++) {
		if (strcmp(scheduler, rows[i].scheduler) == 0)
			return rows[i].words;
	}
	return facts_text(facts, "context", "kubernetes_pod") ? kubernetes_words : NULL;
}

bool ask_has_words(const struct facts *facts)
{
	return scheduler_words(facts) != NULL;
}

void ask_add_flags(const struct facts *facts, const struct ask *ask, struct text *ret)
{
	words_of words = scheduler_words(facts);

	if (words)
		words(ask, ret);
}

static bool is_more_than_one(const struct facts *facts, const char *name)
{
	const char *text = facts_text(facts, "context", name);

	return text && strtod(text, NULL) > 1;
}

static bool starts_elsewhere(const char *name)
{
	static const char *const names[] = { "srun",    "mpirun",  "mpiexec",
					     "orterun", "prterun", "mpiexec.hydra",
					     "aprun",   "jsrun",   "pbsdsh" };

	for (size_t i = 0; name && i < COUNT(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

bool ask_is_alone(const struct facts *facts)
{
	if (is_more_than_one(facts, "tasks") || is_more_than_one(facts, "nodes"))
		return false;
	for (size_t i = 0; i < facts->n_processes; i++) {
		if (starts_elsewhere(facts->processes[i].name))
			return false;
	}
	return true;
}

void ask_add(const struct facts *facts, const struct ask *ask, struct text *ret)
{
	char words[HUMAN_BYTES];

	text_add(ret, "ask for ");
	if (ask_has_words(facts) && ask_is_alone(facts))
		ask_add_flags(facts, ask, ret);
	else if (isfinite(ask->memory_bytes))
		text_add(ret, human_memory(ask->memory_bytes, words));
	else
		text_add_format(ret, "%s core%s", human_count(ask->cores, words),
				ask->cores > 1 ? "s" : "");
}
