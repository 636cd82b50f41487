/* It crashed, or something in it did; or a shell passed on what it got. */
#include "advise/death.h"

#include <signal.h>
#include <string.h>

#define NOT_FOUND 127 /* a shell's, and our own, status for a program that is not there */
#define NOT_EXECUTABLE 126

static const struct crash {
	int signal;
	const char *cause, *words;
} crashes[] = {
	{ SIGSEGV, "segfault", "crashed with a segmentation fault" },
	{ SIGBUS, "bus", "crashed with a bus error: memory behind which there was nothing" },
	{ SIGILL, "instruction", "crashed at an instruction that this CPU does not have" },
	{ SIGFPE, "arithmetic", "crashed at arithmetic that has no result, as 1 / 0" },
	{ SIGABRT, "abort", "gave up by itself (abort), as after a failed check" },
	{ SIGSYS, "forbidden", "ended for a system call that is forbidden here" },
	{ SIGTRAP, "trap", "ended at a trap for debuggers" },
};

static const struct crash *crash_find(const struct death *death)
{
	for (size_t i = 0; i < COUNT(crashes); i++) {
		if (crashes[i].signal == death->by)
			return &crashes[i];
	}
	return NULL;
}

static enum doubt is_crashed(const struct death *death)
{
	if (!crash_find(death))
		return NO;
	if (death->signal == death->by)
		return SURE;
	return death->first && death->status == SHELL_SIGNAL + death->by ? SURE : LIKELY;
}

/* By kernlog_fault(). */
static const char *const faults[][2] = {
	{ "null", "it used a null pointer, which points nowhere" },
	{ "stack", "its stack was full, as by endless recursion" },
	{ "code", "it jumped to where there is no code" },
	{ "readonly", "it wrote to memory that may only be read" },
	{ "wild", "it touched memory that is not its own" },
};

static bool is_fault_of(const struct death *death)
{
	const struct process *process = death->first ? death->first : death->program;
	int pid = death_whole(death, "exit", "fault_pid");
	const char *name = death_told(death, "fault_name");

	if (death->by != SIGSEGV || !name)
		return false;
	return !process ||
	       (pid > 0 ? process->pid == pid : process->name && strcmp(process->name, name) == 0);
}

static void add_fault(const struct death *death, struct text *text)
{
	const char *fault = death_told(death, "fault"), *in = death_told(death, "fault_in");

	for (size_t i = 0; fault && i < COUNT(faults); i++) {
		if (strcmp(fault, faults[i][0]) == 0)
			text_add_format(text, ": %s", faults[i][1]);
	}
	if (in && strcmp(in, death_told(death, "fault_name")) != 0)
		text_add_format(text, ", in %s", in);
}

static void say_crashed(const struct death *death, struct text *text)
{
	const char *core = death_told(death, "core_file");

	death_add_subject(death, text);
	text_add(text, crash_find(death)->words);
	if (is_fault_of(death))
		add_fault(death, text);
	if (core)
		text_add_format(text, "; its core dump is '%s'", core);
	else if (death_number(death, "exit", "core") > 0)
		text_add(text, "; it left a core dump");
}

static const char *crash_name(const struct death *death)
{
	return crash_find(death)->cause;
}

const struct cause cause_crashed = { NULL, is_crashed, say_crashed, crash_name };

static enum doubt is_not_found(const struct death *death)
{
	if (death->status == NOT_FOUND &&
	    (death_said(death, "command") || death_said(death, "nofile")))
		return SURE;
	return death->status == NOT_FOUND ? LIKELY : NO;
}

static void say_not_found(const struct death *death, struct text *text)
{
	text_add(text, "a command that it calls was not found");
	death_add_any_words(death, text);
}

const struct cause cause_not_found = { "command", is_not_found, say_not_found, NULL };

static enum doubt is_not_executable(const struct death *death)
{
	if (death->status == NOT_EXECUTABLE && death_said(death, "permission"))
		return SURE;
	return death->status == NOT_EXECUTABLE ? LIKELY : NO;
}

static void say_not_executable(const struct death *death, struct text *text)
{
	text_add(text, "a command that it calls cannot be executed");
	death_add_any_words(death, text);
}

const struct cause cause_not_executable = { "permission", is_not_executable, say_not_executable,
					    NULL };

/* A child that was ended by a signal, and the program took its status over. */
static enum doubt is_followed(const struct death *death)
{
	return death->by > 0 && death->signal == 0 ? LIKELY : NO;
}

static void say_followed(const struct death *death, struct text *text)
{
	if (death->first) {
		death_add_process(text, death->first);
		text_add(text, " was ended first, by ");
	} else {
		text_add(text, "a command in it was ended by ");
	}
	death_add_signal(text, death->by);
	if (!death->first)
		text_add_format(text, ": that is what shells mean by %d", death->status);
}

const struct cause cause_followed = { "signal", is_followed, say_followed, NULL };

static enum doubt is_passed_on(const struct death *death)
{
	return death->status > 0 && death_find_failed(death) ? LIKELY : NO;
}

static void say_passed_on(const struct death *death, struct text *text)
{
	death_add_process(text, death_find_failed(death));
	text_add_format(text, " failed first; '%s' only passed its exit status on",
			death->program->name);
}

const struct cause cause_passed_on = { "status", is_passed_on, say_passed_on, NULL };
