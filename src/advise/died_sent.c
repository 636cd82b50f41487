/* Somebody wanted it to end: sonde, a scheduler, a person, a limit of time. */
#include "advise/death.h"

#include "base/human.h"

#include <signal.h>
#include <string.h>

#define GRACE_S 60         /* a program may take so long to obey a signal */
#define KEYSTROKE_S 5      /* and so long after Ctrl-C */
#define TIMEOUT_STATUS 124 /* of timeout(1) */

static enum doubt is_timeout(const struct death *death)
{
	return death_number(death, "exit", "timeout_s") > 0 ? SURE : NO;
}

static void say_timeout(const struct death *death, struct text *text)
{
	char words[HUMAN_BYTES];

	text_add_format(text, "ended by sonde: its --timeout of %s was over",
			human_duration(death_number(death, "exit", "timeout_s"), words));
}

const struct cause cause_timeout = { "timeout", is_timeout, say_timeout, NULL };

static enum doubt is_timeout_1(const struct death *death)
{
	return death->status == TIMEOUT_STATUS && death->program && death->program->name &&
		       strcmp(death->program->name, "timeout") == 0
		   ? SURE
		   : NO;
}

static void say_timeout_1(const struct death *death, struct text *text)
{
	(void)death;
	text_add(text, "ended by 'timeout': the time that it was given was over");
}

const struct cause cause_timeout_1 = { "timeout", is_timeout_1, say_timeout_1, NULL };

static const char *const schedulers[][2] = {
	{ "slurmstepd", "Slurm" },      { "slurmd", "Slurm" },  { "srun", "Slurm" },
	{ "pbs_mom", "PBS" },           { "pbs_demux", "PBS" }, { "sge_shepherd", "Grid Engine" },
	{ "sge_execd", "Grid Engine" },
};

static const char *scheduler_of(const struct death *death)
{
	const char *by = death_told(death, "sent_by");

	for (size_t i = 0; by && i < COUNT(schedulers); i++) {
		if (strcmp(by, schedulers[i][0]) == 0)
			return schedulers[i][1];
	}
	return NULL;
}

/* Whose words are in the output. */
static const char *scheduler_speaks(const struct death *death)
{
	const char *words = death_told(death, "words");

	if (words && strstr(words, "PBS"))
		return "PBS";
	return words && strstr(words, "slurm") ? "Slurm" : "the scheduler";
}

static bool came_from_terminal(const struct death *death)
{
	const char *by = death_told(death, "sent_by");

	return by && strcmp(by, "the terminal") == 0;
}

/* Did the program end because of what was sent to it? By that signal, or, where it took the signal
 * its own way, soon after. Without an end, because somebody killed sonde, too, there is no doubt.
 */
static enum doubt is_sent(const struct death *death)
{
	double sent_s = death_number(death, "exit", "sent_s");
	int sent = death_whole(death, "exit", "sent_signal");
	double patience_s = came_from_terminal(death) ? KEYSTROKE_S : GRACE_S;

	if (sent <= 0 || (death->status == 0 && death->signal == 0))
		return NO;
	if (death->signal == sent || death->status == SHELL_SIGNAL + sent)
		return SURE;
	if (death->signal == 0 && death->status < 0)
		return SURE;
	if (death->end_s > sent_s + patience_s || death_is_crash(death->signal))
		return NO;
	return LIKELY;
}

static bool is_time_up(const struct death *death)
{
	double left = death_number(death, "limits", "time_left_s");
	double limit = death_number(death, "limits", "time_s");
	double sent_s = death_number(death, "exit", "sent_s");
	double at_s = sent_s > 0 ? sent_s : death->end_s;

	if (left > 0)
		return at_s >= NEAR_TIME * left;
	return limit > 0 && at_s >= NEAR_TIME * limit;
}

static enum doubt is_time(const struct death *death)
{
	bool asked = is_sent(death) != NO && (scheduler_of(death) || death->by == 0);

	if (death_said(death, "time") && (death->by > 0 || death->status != 0))
		return SURE;
	if (!is_time_up(death))
		return NO;
	return asked || (death_is_killed(death) && !death_told(death, "sent_by")) ||
		       death->by == SIGTERM
		   ? LIKELY
		   : NO;
}

static void say_time(const struct death *death, struct text *text)
{
	double limit = death_number(death, "limits", "time_s");
	bool said = death_said(death, "time");
	const char *scheduler = said ? scheduler_speaks(death) : scheduler_of(death);
	char words[HUMAN_BYTES];

	text_add(text, "ended by the job's time limit");
	if (limit > 0)
		text_add_format(text, " of %s", human_duration(limit, words));
	if (said)
		text_add_format(text, ": %s says so in the output", scheduler);
	else if (scheduler)
		text_add_format(text, ": %s sent the signal when it was over", scheduler);
	else
		text_add(text, ": it was just over");
}

const struct cause cause_time = { "time", is_time, say_time, NULL };

static enum doubt is_cancel(const struct death *death)
{
	if (death_said(death, "cancel") && (death->by > 0 || death->status != 0))
		return SURE;
	return scheduler_of(death) ? is_sent(death) : NO;
}

static void add_when(const struct death *death, struct text *text)
{
	char words[HUMAN_BYTES];

	text_add_format(text, " after %s",
			human_duration(death_number(death, "exit", "sent_s"), words));
}

static void say_cancel(const struct death *death, struct text *text)
{
	bool said = death_said(death, "cancel");
	const char *scheduler = said ? scheduler_speaks(death) : scheduler_of(death);

	text_add_format(text, "cancelled by %s", scheduler);
	if (said) {
		text_add(text, ", which says so in the output");
		return;
	}
	if (death_number(death, "limits", "time_left_s") < 0)
		text_add(text, ", by somebody or for its time limit");
	text_add_format(text, ": %s sent ", death_told(death, "sent_by"));
	death_add_signal(text, death_whole(death, "exit", "sent_signal"));
	add_when(death, text);
}

const struct cause cause_cancel = { "cancel", is_cancel, say_cancel, NULL };

static enum doubt is_interrupt(const struct death *death)
{
	return came_from_terminal(death) ? is_sent(death) : NO;
}

static void say_interrupt(const struct death *death, struct text *text)
{
	int sent = death_whole(death, "exit", "sent_signal");

	text_add(text, sent == SIGHUP    ? "ended because its terminal was closed,"
		       : sent == SIGQUIT ? "interrupted from the keyboard (Ctrl-\\)"
					 : "interrupted from the keyboard (Ctrl-C)");
	add_when(death, text);
}

const struct cause cause_interrupt = { "interrupt", is_interrupt, say_interrupt, NULL };

static void say_sent(const struct death *death, struct text *text)
{
	const char *by = death_told(death, "sent_by");
	double pid = death_number(death, "exit", "sent_by_pid");

	text_add(text, "ended on request: ");
	if (by)
		text_add_format(text, "'%s' (pid %.0f) sent it ", by, pid);
	else
		text_add(text, pid > 0 ? "a process that has gone since sent it "
				       : "a process outside of its container sent it ");
	death_add_signal(text, death_whole(death, "exit", "sent_signal"));
	add_when(death, text);
}

const struct cause cause_sent = { "signal", is_sent, say_sent, NULL };

static enum doubt is_cpu(const struct death *death)
{
	if (death->by == SIGXCPU)
		return SURE;
	return death_is_killed(death)
		   ? death_over_cpu(death, death->first ? death->first : death->program)
		   : NO;
}

static void say_cpu(const struct death *death, struct text *text)
{
	double limit = death_number(death, "limits", "cpu_s");
	char words[HUMAN_BYTES];

	death_add_subject(death, text);
	text_add(text, death->first ? "was ended for" : "ended for");
	text_add(text, " using too much CPU time");
	if (limit > 0)
		text_add_format(text, ": 'ulimit -t' allows %s", human_duration(limit, words));
}

const struct cause cause_cpu = { "cpu", is_cpu, say_cpu, NULL };
