/* Killed for lack of memory, or refused any more of it. */
#include "advise/death.h"

#include "base/human.h"

#include <signal.h>
#include <string.h>

#define NEAR 0.9          /* of a limit of memory: close enough to be killed for it */
#define NEAR_ULIMIT 0.8   /* of address space, which is always more than what is in memory */
#define MACHINE_FULL 0.97 /* of the machine's memory: nothing left for anybody */
#define FAR 0.6           /* of a limit of memory: certainly not killed for that */

static double memory_peak(const struct death *death)
{
	double tree = death_number(death, "totals", "memory_tree_peak_bytes");

	return tree >= 0 ? tree : death_number(death, "totals", "memory_process_peak_bytes");
}

/* Pages that it shares with others are not all charged to it, so it may hold more than the limit.
 */
static void add_held(struct text *text, double part, double whole)
{
	char held[HUMAN_BYTES], limit[HUMAN_BYTES];

	human_memory(whole, limit);
	if (part >= whole)
		text_add_format(text, "it reached its limit of %s", limit);
	else
		text_add_format(text, "it held %s of %s", human_memory(part, held), limit);
}

/* The kernel said so, by its log or by counting. The counter is the whole group's, so without a
 * process that was killed it only makes it likely. */
static enum doubt is_oom(const struct death *death)
{
	bool logged = death_told(death, "oom_name") != NULL;
	bool counted = death_number(death, "totals", "cgroup_oom_kills") > 0;

	if (death->first && death_was_oom_killed(death, death->first))
		return SURE;
	if (logged && death_is_killed(death))
		return SURE;
	if (counted && death_is_killed(death))
		return SURE;
	if (death_said(death, "memory") && counted)
		return SURE;
	return (logged || counted) && death->status > 0 && !death->first ? LIKELY : NO;
}

static void say_oom(const struct death *death, struct text *text)
{
	double peak = memory_peak(death), limit = death_number(death, "limits", "memory_bytes");
	const char *name = death_told(death, "oom_name");

	if (!death_failed(death))
		text_add(text, "it ended well, but on the way ");
	if (death->first) {
		death_add_process(text, death->first);
		text_add(text, " was killed for lack of memory: ");
	} else if (death->signal != SIGKILL && name) {
		text_add_format(text, "'%s' in it was killed for lack of memory: ", name);
	} else if (death->signal != SIGKILL) {
		text_add(text, "a process in it was killed for lack of memory: ");
	} else {
		text_add(text, "killed for lack of memory: ");
	}
	if (peak > 0 && limit > 0 && peak >= NEAR * limit) {
		add_held(text, peak, limit);
		text_add(text, ", and ");
	}
	text_add(text, name ? "the kernel logged it" : "the kernel counted such a kill");
}

const struct cause cause_oom = { "memory", is_oom, say_oom, NULL };

/* Killed by nobody whom we know, with memory that was nearly used up. */
static enum doubt is_near_limit(const struct death *death)
{
	double peak = memory_peak(death), limit = death_number(death, "limits", "memory_bytes");

	return death_is_killed(death) && peak > 0 && limit > 0 && peak >= NEAR * limit ? LIKELY
										       : NO;
}

static void say_near_limit(const struct death *death, struct text *text)
{
	text_add(text, "killed for lack of memory: ");
	add_held(text, memory_peak(death), death_number(death, "limits", "memory_bytes"));
}

const struct cause cause_near_limit = { "memory", is_near_limit, say_near_limit, NULL };

static enum doubt is_machine_full(const struct death *death)
{
	double used = death_number(death, "totals", "machine_memory_used_peak_bytes");
	double all = death_number(death, "machine", "memory_bytes");
	bool full = used > 0 && all > 0 && used >= MACHINE_FULL * all;

	return death_is_killed(death) &&
		       (full || death_number(death, "exit", "oom_kills_machine") > 0)
		   ? LIKELY
		   : NO;
}

static void say_machine_full(const struct death *death, struct text *text)
{
	text_add(text, "killed for lack of memory: ");
	if (death_number(death, "exit", "oom_kills_machine") > 0)
		text_add(text,
			 "this machine ran out of it while the program ran, and killed for it");
	else
		text_add(text, "the memory of this machine was used up");
}

const struct cause cause_machine_full = { "memory", is_machine_full, say_machine_full, NULL };

static enum doubt is_memory_words(const struct death *death)
{
	return death_said(death, "memory") && death_failed(death) ? LIKELY : NO;
}

static void say_memory_words(const struct death *death, struct text *text)
{
	double limit = death_number(death, "limits", "memory_ulimit_bytes");
	char words[HUMAN_BYTES];

	text_add(text, "out of memory: ");
	if (limit > 0)
		text_add_format(text, "it may take %s (ulimit), and ", human_memory(limit, words));
	death_add_words(death, text);
}

const struct cause cause_memory_words = { "memory", is_memory_words, say_memory_words, NULL };

/* malloc fails, and the program with it: by an error of its own, or because it did not look. */
static enum doubt is_near_ulimit(const struct death *death)
{
	double peak = death_number(death, "totals", "memory_process_peak_bytes");
	double limit = death_number(death, "limits", "memory_ulimit_bytes");
	bool fits = death->status > 0 || death->by == SIGABRT || death->by == SIGSEGV;

	return fits && limit > 0 && peak >= NEAR_ULIMIT * limit ? LIKELY : NO;
}

static void say_near_ulimit(const struct death *death, struct text *text)
{
	text_add(text, "out of memory: ");
	add_held(text, death_number(death, "totals", "memory_process_peak_bytes"),
		 death_number(death, "limits", "memory_ulimit_bytes"));
	text_add(text, " (ulimit -v)");
}

const struct cause cause_near_ulimit = { "memory", is_near_ulimit, say_near_ulimit, NULL };

static enum doubt is_killed_far(const struct death *death)
{
	double peak = memory_peak(death), limit = death_number(death, "limits", "memory_bytes");

	return death->signal == SIGKILL && peak > 0 && limit > 0 && peak < FAR * limit ? SURE : NO;
}

static void say_killed_far(const struct death *death, struct text *text)
{
	text_add(text, "killed, as by kill -9, but not for memory: ");
	add_held(text, memory_peak(death), death_number(death, "limits", "memory_bytes"));
}

const struct cause cause_killed_far = { "signal", is_killed_far, say_killed_far, NULL };
