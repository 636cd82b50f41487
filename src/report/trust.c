#include "report/trust.h"

#include "base/human.h"

#include <math.h>
#include <string.h>

#define SHORT_S 1.0       /* a run of less is mostly its start */
#define GAPS_SHARE 0.05   /* of the run */
#define GAPS_S 0.5        /* and less than that is a look that came late */
#define OTHERS_CORES 0.25 /* what a machine does by itself is less */
#define OTHERS_S 0.1      /* the kernel counts in steps of 10 ms */
#define FULL 0.9          /* of the machine's cores: they stood in each other's way */
#define STEAL_SHARE 0.05  /* of the CPU time that it got */
#define STEAL_S 0.1       /* the kernel counts steal in steps of 10 ms */

static struct value total(const struct facts *facts, const char *name)
{
	return facts_value(facts, "totals", name);
}

struct value trust_others_s(const struct facts *facts)
{
	struct value busy = total(facts, "machine_busy_s"), ours = total(facts, "cpu_s");
	struct value own = facts_value(facts, "own", "cpu_s");

	if (!value_is(busy) || !value_is(ours))
		return value_absent();
	busy.number -= ours.number + (value_is(own) ? own.number : 0);
	busy.number = fmax(busy.number, 0);
	return busy;
}

static void add_gaps(struct text *text, const struct facts *facts)
{
	struct value wall = total(facts, "wall_s"), gaps = facts_value(facts, "sonde", "gaps");
	struct value gaps_s = facts_value(facts, "sonde", "gaps_s");
	char time[HUMAN_BYTES], count[HUMAN_BYTES];

	if (!value_is(wall) || !value_is(gaps_s) || !value_is(gaps) || gaps_s.number < GAPS_S ||
	    gaps_s.number < GAPS_SHARE * wall.number)
		return;
	text_add_format(text,
			"Nobody looked for %s of it (%s gap%s): totals are right, peaks may be "
			"missing.",
			human_duration(gaps_s.number, time), human_count(gaps.number, count),
			gaps.number == 1 ? "" : "s");
}

static void add_busy(struct text *text, const struct facts *facts)
{
	struct value wall = total(facts, "wall_s"), busy = total(facts, "machine_busy_s");
	struct value cores = facts_value(facts, "machine", "cores"), others = trust_others_s(facts);
	char words[HUMAN_BYTES], all[HUMAN_BYTES];

	if (!value_is(others) || !value_is(wall) || !value_is(cores) || wall.number <= 0 ||
	    others.number < OTHERS_S || others.number < OTHERS_CORES * wall.number ||
	    busy.number < FULL * cores.number * wall.number)
		return;
	text_add_format(text,
			"The machine was busy: others used %s of its %s cores; alone it may be "
			"faster.",
			human_number(others.number / wall.number, 2, words),
			human_count(cores.number, all));
}

static void add_steal(struct text *text, const struct facts *facts)
{
	struct value steal = total(facts, "machine_steal_s"), cpu = total(facts, "cpu_s");
	char words[HUMAN_BYTES];

	if (!value_is(steal) || !value_is(cpu) || steal.number < STEAL_S ||
	    steal.number < STEAL_SHARE * cpu.number)
		return;
	text_add_format(text,
			"Other virtual machines took %s of CPU time from this one; it may be "
			"faster.",
			human_duration(steal.number, words));
}

static void add_short(struct text *text, const struct facts *facts)
{
	struct value wall = total(facts, "wall_s"), status = facts_value(facts, "exit", "status");
	char words[HUMAN_BYTES];

	if (!value_is(wall) || wall.number >= SHORT_S || !value_is(status) || status.number != 0)
		return;
	text_add_format(text, "It ran for %s only: too short to say much about longer runs.",
			human_duration(wall.number, words));
}

static const struct {
	void (*add)(struct text *text, const struct facts *facts);
	const char *rules[2]; /* advice that says the same */
} doubts[] = {
	{ add_gaps, { NULL } },
	{ add_busy, { "machine-busy", "cpu-wait-others" } },
	{ add_steal, { "machine-busy" } },
	{ add_short, { "too-short" } },
};

static bool is_said(const struct facts *facts, size_t n_said, const char *rule)
{
	for (size_t i = 0; rule && i < n_said && i < facts->n_advice; i++) {
		if (strcmp(facts->advice[i].rule, rule) == 0)
			return true;
	}
	return false;
}

bool trust_add(struct text *text, const struct facts *facts, size_t n_said, size_t i)
{
	if (i >= COUNT(doubts))
		return false;
	for (size_t j = 0; j < COUNT(doubts[i].rules); j++) {
		if (is_said(facts, n_said, doubts[i].rules[j]))
			return true;
	}
	doubts[i].add(text, facts);
	return true;
}
