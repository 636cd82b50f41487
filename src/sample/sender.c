/* A signal tells who sent it: si_pid, si_uid; but only now does /proc/PID/comm still tell his name.
 * Ctrl-C comes from the kernel (SI_KERNEL), and so does the hang-up of a terminal; other signals of
 * the kernel's are sonde's own business. From outside of a container si_pid is 0. */
#include "sample/sender.h"

#include "base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int ending[] = {
	SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU
};
static const char *const names[] = { "sent_signal", "sent_s", "sent_by", "sent_by_pid",
				     "sent_uid" };

static bool is_one_of(int number, const int *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == number)
			return true;
	}
	return false;
}

static void add_name(const struct signalfd_siginfo *info, const char *root, struct facts *facts)
{
	CLEANUP(freep) char *name = NULL;
	char path[32];

	snprintf(path, sizeof(path), "proc/%u/comm", info->ssi_pid);
	if (info->ssi_pid == 0 || file_read(root, path, &name, NULL) <= 0) {
		facts_add_absent(facts, "exit", "sent_by", UNIT_COUNT,
				 info->ssi_pid ? "it has gone" : "outside of this container");
		return;
	}
	name[strcspn(name, "\n")] = '\0';
	facts_add_text(facts, "exit", "sent_by", name);
}

void sender_note(const struct signalfd_siginfo *info, const char *root, double at_s,
		 struct facts *facts, struct series *series)
{
	bool kernel = info->ssi_code == SI_KERNEL;

	/* the first three are what a terminal sends */
	if (!is_one_of((int)info->ssi_signo, ending, kernel ? 3 : COUNT(ending)))
		return;
	facts_add_number(facts, "exit", "sent_signal", info->ssi_signo);
	facts_add_measured(facts, "exit", "sent_s", UNIT_SECONDS, at_s, NULL);
	if (kernel)
		facts_add_text(facts, "exit", "sent_by", "the terminal");
	else
		add_name(info, root, facts);
	facts_add_number(facts, "exit", "sent_by_pid", info->ssi_pid);
	facts_add_number(facts, "exit", "sent_uid", info->ssi_uid);
	for (size_t i = 0; series && i < COUNT(names); i++)
		series_fact(series, facts_find(facts, "exit", names[i]));
}
