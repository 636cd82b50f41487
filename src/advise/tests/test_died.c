/* Facts and what is said of them. Beside each cause stands what must not have it. */
#include "advise/advise.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Facts are words: SECTION.NAME=NUMBER or =TEXT, '_' for a blank in a text; a process is
 * ID/PARENT/PID/NAME/STATUS/ENDED[/CPU[/OPEN/SHARE]] with a status "e3", "s9" or "?". */
struct row {
	const char *facts, *cause, *sentence; /* NULL: nothing is said; the sentence begins so */
	bool sure;
};

#define LIMIT " limits.memory_bytes=1000000000"
#define FULL LIMIT " totals.memory_tree_peak_bytes=950000000"
#define HALF LIMIT " totals.memory_tree_peak_bytes=500000000"
#define SIG9 "exit.signal=9 exit.pid=100 totals.wall_s=20"
#define FAIL "exit.status=1 exit.pid=100 totals.wall_s=20"
#define TERM " exit.sent_signal=15 exit.sent_s=19 exit.sent_by_pid=7"
#define SH " 1/0/100/sh/e1/20"
#define WORDS(cause, line) " exit.words_cause=" cause " exit.words=" line

static const struct row rows[] = {
	/* It ended well, or nobody knows how. */
	{ "exit.status=0 totals.wall_s=3" FULL, NULL, NULL, false },
	{ "", NULL, NULL, false },
	{ FAIL, NULL, NULL, false },
	{ "exit.status=1 exit.reason=as_it_was", NULL, "as it was", false },
	{ "exit.status=1e300 exit.signal=-7 exit.pid=1e18 exit.sent_signal=1e30", NULL, NULL,
	  false },

	/* Time. */
	{ "exit.signal=15 exit.timeout_s=5", "timeout",
	  "Ended by sonde: its --timeout of 5 s was over.", true },
	{ "exit.status=0 exit.timeout_s=5", "timeout", "Ended by sonde", true },
	{ "exit.status=124 exit.pid=100 1/0/100/timeout/e124/20", "timeout", "Ended by 'timeout'",
	  true },
	{ "exit.status=124 exit.pid=100 1/0/100/fit/e124/20", NULL, NULL, false },
	{ "exit.signal=15 totals.wall_s=3599 limits.time_s=3600", "time",
	  "Likely ended by the job's time limit of 1 h 00 min: it was just over.", false },
	{ "exit.signal=15 totals.wall_s=1800 limits.time_s=3600", NULL, NULL, false },
	{ "exit.status=1 totals.wall_s=3599 limits.time_s=3600", NULL, NULL, false },
	{ "exit.signal=15 totals.wall_s=60 limits.time_s=3600 limits.time_left_s=60", "time",
	  "Likely ended by the job's time limit", false },
	{ "exit.signal=15 totals.wall_s=20 limits.time_s=60" TERM " exit.sent_by=slurmstepd"
	  " limits.time_left_s=19",
	  "time", "Likely ended by the job's time limit of 1 min 00 s: Slurm sent the signal",
	  false },
	{ "exit.signal=15 totals.wall_s=20" WORDS("time", "JOB_1_CANCELLED_DUE_TO_TIME_LIMIT"),
	  "time", "Ended by the job's time limit: the scheduler says so in the output.", true },

	{ "exit.signal=15 limits.time_s=60" WORDS("time", "slurmstepd:_DUE_TO_TIME_LIMIT"), "time",
	  "Ended by the job's time limit of 1 min 00 s: Slurm says so in the output.", true },
	{ "exit.signal=9" WORDS("time", "=>>_PBS:_job_killed:_walltime_75_exceeded_limit_60"),
	  "time", "Ended by the job's time limit: PBS says so in the output.", true },
	{ "exit.signal=15" WORDS("cancel", "slurmstepd:_CANCELLED_AT"), "cancel",
	  "Cancelled by Slurm, which says so in the output.", true },

	/* Who wanted it. */
	{ "exit.signal=15 totals.wall_s=20" TERM " exit.sent_by=slurmstepd", "cancel",
	  "Cancelled by Slurm, by somebody or for its time limit: slurmstepd sent SIGTERM after 19 "
	  "s.",
	  true },
	{ "exit.signal=15 totals.wall_s=20 limits.time_left_s=3000" TERM " exit.sent_by=slurmstepd",
	  "cancel", "Cancelled by Slurm: slurmstepd sent SIGTERM after 19 s.", true },
	{ "exit.sent_signal=15 exit.sent_s=19 exit.sent_by=pbs_mom", "cancel", "Cancelled by PBS",
	  true }, /* sonde itself was killed: no end */
	{ "exit.status=0" TERM " exit.sent_by=slurmstepd", NULL, NULL, false },
	{ "exit.signal=2 exit.sent_signal=2 exit.sent_s=3 exit.sent_by=the_terminal", "interrupt",
	  "Interrupted from the keyboard (Ctrl-C) after 3 s.", true },
	{ "exit.status=130 exit.sent_signal=2 exit.sent_s=3 exit.sent_by=the_terminal", "interrupt",
	  "Interrupted", true },
	{ "exit.status=1 totals.wall_s=4 exit.sent_signal=2 exit.sent_s=3 "
	  "exit.sent_by=the_terminal",
	  "interrupt", "Likely interrupted", false },
	{ "exit.status=1 totals.wall_s=400 exit.sent_signal=2 exit.sent_s=3 "
	  "exit.sent_by=the_terminal",
	  NULL, NULL, false },
	{ "exit.signal=1 exit.sent_signal=1 exit.sent_s=3 exit.sent_by=the_terminal", "interrupt",
	  "Ended because its terminal was closed, after 3 s.", true },
	{ "exit.signal=15" TERM " exit.sent_by=timeout", "signal",
	  "Ended on request: 'timeout' (pid 7) sent it SIGTERM after 19 s.", true },
	{ "exit.signal=15 exit.sent_signal=15 exit.sent_s=19 exit.sent_by_pid=0", "signal",
	  "Ended on request: a process outside of its container sent it SIGTERM", true },
	{ "exit.signal=11 totals.wall_s=20" TERM " exit.sent_by=timeout", "segfault", "Crashed",
	  true },
	{ "exit.signal=9 totals.wall_s=20" TERM " exit.sent_by=docker", "signal", "Likely ended on",
	  false },

	/* Memory. */
	{ SIG9 FULL " totals.cgroup_oom_kills=1", "memory",
	  "Killed for lack of memory: it held 906 MiB of 954 MiB, and the kernel counted such a "
	  "kill.",
	  true },
	{ SIG9 " exit.oom_name=fit exit.oom_pid=100", "memory",
	  "Killed for lack of memory: the kernel logged it.", true },
	{ SIG9 FULL, "memory", "Likely killed for lack of memory: it held 906 MiB of 954 MiB",
	  false },
	{ SIG9 HALF, "signal", "Killed, as by kill -9, but not for memory: it held", true },
	{ SIG9 LIMIT " totals.memory_tree_peak_bytes=700000000", NULL, NULL, false },
	{ "exit.signal=15" FULL, NULL, NULL, false },
	{ FAIL FULL, NULL, NULL, false },
	{ SIG9 " exit.oom_kills_machine=1", "memory",
	  "Likely killed for lack of memory: this machine ran out", false },
	{ FAIL " exit.oom_kills_machine=1", NULL, NULL, false },
	{ SIG9 " machine.memory_bytes=100 totals.machine_memory_used_peak_bytes=99", "memory",
	  "Likely killed for lack of memory: the memory of this machine", false },
	{ FAIL SH " 2/1/101/fit/s9/19.9 totals.cgroup_oom_kills=1", "memory",
	  "'fit' (pid 101) was killed for lack of memory: the kernel counted such a kill; 'sh' "
	  "only "
	  "followed.",
	  true },
	{ FAIL SH " 2/1/101/fit/s9/3 3/1/102/x/s9/19 exit.oom_name=x exit.oom_pid=102", "memory",
	  "'x' (pid 102) was killed for lack of memory: the kernel logged it; 'sh'", true },
	{ FAIL SH " 2/1/101/fit/s9/19.9", NULL, NULL, false }, /* its parent may have meant it */
	{ FAIL " totals.cgroup_oom_kills=1", "memory", "Likely a process in it was killed", false },
	{ "exit.status=0 exit.pid=100 totals.wall_s=20 1/0/100/sh/e0/20 2/1/101/fit/s9/3"
	  " totals.cgroup_oom_kills=1",
	  "memory", "It ended well, but on the way 'fit' (pid 101) was killed for lack of memory",
	  true },
	{ "exit.status=0 exit.pid=100 totals.wall_s=20 1/0/100/sh/e0/20 2/1/101/fit/s9/3", NULL,
	  NULL, false },
	{ "exit.status=137 totals.wall_s=9" FULL, "memory", "Likely killed for lack of memory",
	  false },
	{ FAIL WORDS("memory", "MemoryError"), "memory",
	  "Likely out of memory: it said 'MemoryError'.", false },
	{ "exit.status=0" WORDS("memory", "MemoryError"), NULL, NULL, false },
	{ FAIL " exit.words_cause=memory", NULL, NULL, false }, /* a damaged recording */
	{ FAIL " limits.memory_ulimit_bytes=1000000000 totals.memory_process_peak_bytes=900000000",
	  "memory", "Likely out of memory: it held 858 MiB of 954 MiB (ulimit -v).", false },
	{ FAIL " limits.memory_ulimit_bytes=1000000000 totals.memory_process_peak_bytes=400000000",
	  NULL, NULL, false },

	/* What it lacked. */
	{ FAIL WORDS("disk", "No_space_left_on_device"), "disk",
	  "Likely a full disk: it said 'No space left on device'.", false },
	{ FAIL WORDS("disk", "No_space_left_on_device") " exit.full=/data exit.full_of=space",
	  "disk", "A full disk: no space is left in '/data'.", true },
	{ FAIL " exit.full=/data exit.full_of=files exit.full_since=1", "disk",
	  "Likely a full disk: no new file (inode) is left in '/data', where there was some when "
	  "it "
	  "started.",
	  false },
	{ FAIL " exit.full=/data exit.full_of=space exit.full_since=0", NULL, NULL, false },
	{ "exit.signal=15 exit.full=/data exit.full_since=1", NULL, NULL, false },
	{ "exit.status=0 exit.full=/data exit.full_since=1", NULL, NULL, false },
	{ FAIL WORDS("quota", "Disk_quota_exceeded"), "quota",
	  "Likely over the disk quota: it said 'Disk quota exceeded'.", false },
	{ FAIL WORDS("files", "Too_many_open_files"), "files",
	  "Likely too many open files: it said 'Too many open files'.", false },
	{ FAIL " 1/0/100/fit/e1/20/1/1023/0.999", "files",
	  "Likely too many open files: 'fit' (pid 100) had 1,023 of 1,024 open (ulimit -n).",
	  false },
	{ FAIL " 1/0/100/fit/e1/20/1/900/0.88", NULL, NULL, false },
	{ "exit.status=0 exit.pid=100 1/0/100/fit/e0/20/1/1023/0.999", NULL, NULL, false },
	{ "exit.signal=25 limits.file_bytes=1000", "filesize",
	  "Ended for writing too large a file: 'ulimit -f' allows 1 kB.", true },
	{ "exit.status=127 exit.missing_library=libx.so.1", "library",
	  "Not started: its library 'libx.so.1' is not on this machine", true },
	{ FAIL WORDS("module", "No_module_named_'x'"), "module",
	  "Likely a module or package is missing: it said 'No module named 'x''.", false },
	{ "exit.status=127" WORDS("command", "sh:_1:_fitt:_not_found"), "command",
	  "A command that it calls was not found: it said 'sh: 1: fitt: not found'.", true },
	{ "exit.status=127", "command", "Likely a command that it calls was not found.", false },
	{ FAIL WORDS("quota",
		     "012345678901234567890123456789012345678901234567890123456789_123456789"
		     "\xc3\xa4\xc3\xa4_and_more"),
	  "quota",
	  "Likely over the disk quota: it said '012345678901234567890123456789012345678901234567890"
	  "123456789 123456789\xc3\xa4...'.",
	  false },
	{ FAIL WORDS("command", "sh:_1:_fitt:_not_found"), NULL, NULL, false },
	{ "exit.status=126" WORDS("permission", "x:_Permission_denied"), "permission",
	  "A command that it calls cannot be executed", true },
	{ FAIL WORDS("permission", "x:_Permission_denied"), NULL, NULL, false },

	/* CPU time. */
	{ "exit.signal=24 limits.cpu_s=5", "cpu",
	  "Ended for using too much CPU time: 'ulimit -t' allows 5 s.", true },
	{ SIG9 HALF " limits.cpu_s=5 1/0/100/fit/s9/20/5.01", "cpu", "Ended for using too much",
	  true },
	{ SIG9 HALF " limits.cpu_s=5 1/0/100/fit/s9/20/4.9", "cpu", "Ended for using too much",
	  true },
	{ SIG9 HALF " limits.cpu_s=5 1/0/100/fit/s9/20/4.8", "cpu", "Likely ended for using",
	  false },
	{ SIG9 HALF " limits.cpu_s=5 1/0/100/fit/s9/20/3", "signal", "Killed, as by", true },
	{ FAIL SH " 2/1/101/fit/s9/9/5.1 limits.cpu_s=5", "cpu",
	  "'fit' (pid 101) was ended for using too much CPU time: 'ulimit -t' allows 5 s; 'sh' "
	  "only "
	  "followed.",
	  true },

	/* Crashes, and who only followed. */
	{ "exit.signal=11", "segfault", "Crashed with a segmentation fault.", true },
	{ "exit.signal=11 exit.pid=100 1/0/100/fit/s11/2 exit.fault=null exit.fault_name=fit "
	  "exit.fault_pid=100 exit.fault_in=libm.so.6",
	  "segfault",
	  "Crashed with a segmentation fault: it used a null pointer, which points nowhere, in "
	  "libm.so.6.",
	  true },
	{ "exit.signal=11 exit.pid=100 1/0/100/fit/s11/2 exit.fault=null exit.fault_name=other",
	  "segfault", "Crashed with a segmentation fault.", true },
	{ "exit.signal=6 exit.core=1", "abort",
	  "Gave up by itself (abort), as after a failed check; it left a core dump.", true },
	{ "exit.signal=6 exit.core_file=/x/core", "abort",
	  "Gave up by itself (abort), as after a failed check; its core dump is '/x/core'.", true },
	{ "exit.signal=8", "arithmetic", "Crashed at arithmetic", true },
	{ "exit.signal=7", "bus", "Crashed with a bus error", true },
	{ "exit.signal=4", "instruction", "Crashed at an instruction", true },
	{ FAIL " 1/0/100/make/e2/20 2/1/101/sh/e139/19.9 3/2/102/cc1/s11/19.8", "segfault",
	  "Likely 'cc1' (pid 102) crashed with a segmentation fault; 'sh' and 'make' only "
	  "followed.",
	  false },
	{ FAIL SH " 2/1/101/a/s6/19.5 3/1/102/b/s11/19.1", "segfault",
	  "Likely 'b' (pid 102) crashed", false },
	{ FAIL SH " 2/1/101/configure/s11/2", NULL, NULL, false }, /* long ago */
	{ "exit.status=139 exit.pid=100 totals.wall_s=20 1/0/100/sh/e139/20 2/1/101/fit/s11/20",
	  "segfault", "'fit' (pid 101) crashed with a segmentation fault; 'sh' only followed.",
	  true },
	{ "exit.status=139", "segfault",
	  "Likely a command in it crashed with a segmentation fault.", false },
	{ "exit.status=143", "signal",
	  "Likely a command in it was ended by SIGTERM: that is what shells mean by 143.", false },
	{ "exit.status=143 exit.pid=100 totals.wall_s=20 1/0/100/sh/e143/20 2/1/101/fit/s15/20",
	  "signal", "Likely 'fit' (pid 101) was ended first, by SIGTERM; 'sh' only followed.",
	  false },
	{ FAIL SH " 2/1/101/fit/s15/20", NULL, NULL, false },
	{ "exit.status=200", NULL, NULL, false },
	{ "exit.status=128", NULL, NULL, false },
	{ FAIL SH " 2/1/101/fit/e1/19.9", "status",
	  "Likely 'fit' (pid 101) failed first; 'sh' only passed its exit status on.", false },
	{ FAIL SH " 2/1/101/bash/e1/19.9 3/2/102/fit/e1/19.8", "status",
	  "Likely 'fit' (pid 102) failed first", false },
	{ FAIL SH " 2/1/101/fit/e2/19.9", NULL, NULL, false },
	{ FAIL SH " 2/1/101/fit/e1/9", NULL, NULL, false },
	{ FAIL SH " 2/1/101/fit/e1/19.8 3/1/102/echo/e0/19.9", NULL, NULL, false },
	{ FAIL " 1/0/100/pytest/e1/20 2/1/101/fit/e1/19.9", NULL, NULL, false },
};

static const struct metric metrics[] = {
	{ .name = "cpu_s", .unit = UNIT_SECONDS, .kind = KIND_COUNTER },
	{ .name = "open_files", .unit = UNIT_COUNT, .kind = KIND_GAUGE },
	{ .name = "open_files_share", .unit = UNIT_RATIO, .kind = KIND_GAUGE },
};

static int status_of(const char *word)
{
	int number = atoi(word + 1);

	return word[0] == 'e' ? number << 8 : word[0] == 's' ? number : PROCESS_STATUS_UNKNOWN;
}

static void add_process(struct facts *facts, char *word)
{
	struct process *process = facts_add_process(facts);
	char nothing[] = "", *save, *pieces[9];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(pieces); i++)
		pieces[i] = nothing;

	for (char *piece = strtok_r(word, "/", &save); piece; piece = strtok_r(NULL, "/", &save))
		pieces[count++] = piece;
	assert_true(count >= 6);
	process->id = (uint32_t)atoi(pieces[0]);
	process->parent = (uint32_t)atoi(pieces[1]);
	process->pid = atoi(pieces[2]);
	process->count = 1;
	process->name = arena_copy(&facts->arena, pieces[3]);
	process->status = status_of(pieces[4]);
	process->ended_ns = (uint64_t)(atof(pieces[5]) * 1e9);
	for (size_t i = 6; i < count; i++)
		process->values[i - 6] = value_read(atof(pieces[i]));
}

static void add_fact(struct facts *facts, char *word)
{
	char *name = strchr(word, '.'), *value = strchr(word, '='), *end;
	double number;

	*name++ = '\0';
	*value++ = '\0';
	number = strtod(value, &end);
	if (end > value && !*end) {
		facts_add_number(facts, word, name, number);
		return;
	}
	for (char *at = value; *at; at++)
		*at = *at == '_' && strncmp(name, "oom", 3) != 0 && strcmp(value, "pbs_mom") != 0
			  ? ' '
			  : *at;
	facts_add_text(facts, word, name, value);
}

static void fill(struct facts *facts, const char *words)
{
	CLEANUP(freep) char *copy = mem_copy(words);
	char *save;

	facts_set_metrics(facts, SCOPE_PROCESS, metrics, COUNT(metrics));
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (word[0] >= '0' && word[0] <= '9')
			add_process(facts, word);
		else
			add_fact(facts, word);
	}
}

static bool same(const char *is, const char *should)
{
	return is && should ? strcmp(is, should) == 0 : is == should;
}

static void each_cause(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		const char *cause, *reason;

		fill(&facts, rows[i].facts);
		died_add(&facts);
		cause = facts_text(&facts, "exit", "cause");
		reason = facts_text(&facts, "exit", "reason");
		if (same(cause, rows[i].cause) && !reason == !rows[i].sentence &&
		    (!reason || strncmp(reason, rows[i].sentence, strlen(rows[i].sentence)) == 0) &&
		    (facts_value(&facts, "exit", "sure").number > 0) == rows[i].sure)
			continue;
		print_error("%s\n  is:     %s: %s\n  should: %s: %s\n", rows[i].facts,
			    cause ? cause : "-", reason ? reason : "-",
			    rows[i].cause ? rows[i].cause : "-",
			    rows[i].sentence ? rows[i].sentence : "-");
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void nothing_of_a_run_that_lasts(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { .running = true };

	(void)state;
	fill(&facts, "exit.sent_signal=15 exit.sent_s=2 exit.sent_by=x");
	died_add(&facts);
	assert_null(facts_text(&facts, "exit", "reason"));
}

/* A recording may hold anything: parents in a circle, statuses that are none. */
static void odd_rows(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	fill(&facts,
	     "exit.status=1 exit.pid=100 totals.wall_s=20 1/2/100/sh/e1/20 2/1/101/sh/e1/20 "
	     "3/3/102/a/s6/20 4/9/103/b/s127/20");
	facts.processes[2].name = NULL;
	died_add(&facts);
	assert_non_null(facts_text(&facts, "exit", "reason"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause),
		cmocka_unit_test(nothing_of_a_run_that_lasts),
		cmocka_unit_test(odd_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
