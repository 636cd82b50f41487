/* Something was missing or used up, other than memory and time. */
#include "advise/death.h"

#include "base/human.h"

#include <signal.h>
#include <string.h>

#define NEAR_FILES 0.95 /* of the open files that a process may have */

static enum doubt is_disk(const struct death *death)
{
	const char *of = death_told(death, "full");
	bool fits = death->status > 0 || death->by == SIGBUS || death->by == SIGABRT;

	if (death_said(death, "disk") && death_failed(death))
		return of ? SURE : LIKELY;
	/* One that was full before may be full of anything, and this program may not care. */
	return of && fits && !death_told(death, "words") &&
		       death_number(death, "exit", "full_since") > 0
		   ? LIKELY
		   : NO;
}

static void say_disk(const struct death *death, struct text *text)
{
	const char *full = death_told(death, "full"), *of = death_told(death, "full_of");
	bool since = death_number(death, "exit", "full_since") > 0;

	if (!full) {
		text_add(text, "a full disk: ");
		death_add_words(death, text);
		return;
	}
	text_add_format(text, "a full disk: no %s left in '%s'",
			of && strcmp(of, "files") == 0 ? "new file (inode) is" : "space is", full);
	text_add(text, since ? ", where there was some when it started" : "");
}

const struct cause cause_disk = { "disk", is_disk, say_disk, NULL };

static enum doubt is_files(const struct death *death)
{
	int share = facts_metric(death->facts, SCOPE_PROCESS, "open_files_share");
	bool fits = death->status > 0 || death->by == SIGABRT || death->by == SIGSEGV;

	if (death_said(death, "files") && death_failed(death))
		return LIKELY;
	for (size_t i = 0; share >= 0 && fits && i < death->facts->n_processes; i++) {
		struct value value = death->facts->processes[i].values[share];

		if (value_is(value) && value.number >= NEAR_FILES)
			return LIKELY;
	}
	return NO;
}

static const struct process *most_files(const struct death *death, int share)
{
	const struct process *most = NULL;

	for (size_t i = 0; share >= 0 && i < death->facts->n_processes; i++) {
		const struct process *process = &death->facts->processes[i];

		if (value_is(process->values[share]) &&
		    (!most || process->values[share].number > most->values[share].number))
			most = process;
	}
	return most;
}

static void say_files(const struct death *death, struct text *text)
{
	int open = facts_metric(death->facts, SCOPE_PROCESS, "open_files");
	int share = facts_metric(death->facts, SCOPE_PROCESS, "open_files_share");
	const struct process *process = most_files(death, share);
	char count[HUMAN_BYTES], most[HUMAN_BYTES];

	text_add(text, "too many open files: ");
	if (!process || process->values[share].number < NEAR_FILES) {
		death_add_words(death, text);
		return;
	}
	death_add_process(text, process);
	human_count(process->values[open].number, count);
	human_count(process->values[open].number / process->values[share].number, most);
	text_add_format(text, " had %s of %s open (ulimit -n)", count, most);
}

const struct cause cause_files = { "files", is_files, say_files, NULL };

static enum doubt is_filesize(const struct death *death)
{
	if (death->by == SIGXFSZ)
		return SURE;
	return death_said(death, "filesize") && death_failed(death) ? LIKELY : NO;
}

static void say_filesize(const struct death *death, struct text *text)
{
	double limit = death_number(death, "limits", "file_bytes");
	char words[HUMAN_BYTES];

	text_add(text, "ended for writing too large a file");
	if (limit > 0)
		text_add_format(text, ": 'ulimit -f' allows %s", human_bytes(limit, words));
	else
		death_add_any_words(death, text);
}

const struct cause cause_filesize = { "filesize", is_filesize, say_filesize, NULL };

static enum doubt is_library(const struct death *death)
{
	return death_told(death, "missing_library") ? SURE : NO;
}

static void say_library(const struct death *death, struct text *text)
{
	text_add_format(text,
			"not started: its library '%s' is not on this machine, or not in "
			"$LD_LIBRARY_PATH",
			death_told(death, "missing_library"));
}

const struct cause cause_library = { "library", is_library, say_library, NULL };

/* What the last words name, and nothing else is needed for. */
static const struct {
	const char *cause, *sentence;
} lacks[] = {
	{ "quota", "over the disk quota" },
	{ "library", "a library is missing" },
	{ "interpreter", "an interpreter is missing" },
	{ "module", "a module or package is missing" },
	{ "processes", "too many processes" },
	{ "gpu-memory", "the GPU's memory was used up" },
};

static enum doubt is_lack(const struct death *death)
{
	for (size_t i = 0; death_failed(death) && i < COUNT(lacks); i++) {
		if (death_said(death, lacks[i].cause))
			return LIKELY;
	}
	return NO;
}

static void say_lack(const struct death *death, struct text *text)
{
	for (size_t i = 0; i < COUNT(lacks); i++) {
		if (death_said(death, lacks[i].cause))
			text_add(text, lacks[i].sentence);
	}
	text_add(text, ": ");
	death_add_words(death, text);
}

static const char *lack_name(const struct death *death)
{
	return death_told(death, "words_cause");
}

const struct cause cause_lack = { NULL, is_lack, say_lack, lack_name };
