/* Lines as they really come:
 *	OSError: [Errno 28] No space left on device: '/scratch/x'
 *	./fit: error while loading shared libraries: libfoo.so.1: cannot open shared object file:
 *... slurmstepd: error: *** JOB 12 ON node1 CANCELLED AT 2026-11-16T15:04:26 DUE TO TIME LIMIT ***
 *	slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch. Some of the step tasks ...
 *	=>> PBS: job killed: walltime 75 exceeded limit 60
 *	job.sh: line 3: 4711 Killed                  python fit.py
 * In a batch job the standard error is a regular file, so it can be read again; nothing of it is
 * kept but the one line. */
#include "source/lastwords.h"

#include "base/mask.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MOST 160 /* bytes of a line that are kept */
#define LAST_LINES 5  /* where a weak sentence counts */

/* The first row that fits a line is meant. A weak one says what happened, not why. */
static const struct sentence {
	const char *words, *and; /* both are in the line, in any order; `and` may be NULL */
	const char *cause;
	bool weak;
} sentences[] = {
	{ "DUE TO TIME LIMIT", NULL, "time", false },
	{ "PBS: job killed: walltime", NULL, "time", false },
	{ "CPU time limit exceeded", NULL, "cpu", true },
	{ "PBS: job killed: ", "mem", "memory", false },
	{ "oom_kill event", NULL, "memory", false },
	{ "oom-kill", NULL, "memory", false },
	{ "Exceeded job memory limit", NULL, "memory", false },
	{ "Exceeded step memory limit", NULL, "memory", false },
	{ "slurmstepd", "CANCELLED AT", "cancel", false },
	{ "srun", "Job step aborted", "cancel", true },
	{ "No space left on device", NULL, "disk", false },
	{ "Disk quota exceeded", NULL, "quota", false },
	{ "File size limit exceeded", NULL, "filesize", true },
	{ "File too large", NULL, "filesize", false },
	{ "Too many open files", NULL, "files", false },
	{ "error while loading shared libraries", NULL, "library", false },
	{ "ImportError", "cannot open shared object", "library", false },
	{ "GLIBC", "not found", "library", false },
	{ "bad interpreter", NULL, "interpreter", false },
	{ "MemoryError", NULL, "memory", false },
	{ "Cannot allocate memory", NULL, "memory", false },
	{ "bad_alloc", NULL, "memory", false },
	{ "OutOfMemoryError", NULL, "memory", false },
	{ "CUDA out of memory", NULL, "gpu-memory", false },
	{ "cannot allocate vector", NULL, "memory", false }, /* R */
	{ "Resource temporarily unavailable", "fork", "processes", false },
	{ "No module named", NULL, "module", false },
	{ "there is no package called", NULL, "module", false }, /* R */
	{ "stack overflow", NULL, "stack", true },
	{ "command not found", NULL, "command", true },
	{ ": not found", NULL, "command", true }, /* dash: "sh: 1: x: not found" */
	{ "No such file or directory", NULL, "nofile", true },
	{ "Permission denied", NULL, "permission", true },
	{ "Segmentation fault", NULL, "segfault", true },
	{ "segmentation fault", NULL, "segfault", true },
	{ "Killed", NULL, "killed", true },
};

static bool has(const char *line, size_t length, const char *words)
{
	return memmem(line, length, words, strlen(words)) != NULL;
}

static const struct sentence *sentence_find(const char *line, size_t length)
{
	for (size_t i = 0; i < COUNT(sentences); i++) {
		const struct sentence *sentence = &sentences[i];

		if (has(line, length, sentence->words) &&
		    (!sentence->and || has(line, length, sentence->and)))
			return sentence;
	}
	return NULL;
}

/* From the last line to the first. */
void lastwords_parse(const char *text, size_t length, struct lastwords *ret)
{
	size_t lines = 0;

	*ret = (struct lastwords){ 0 };
	while (length > 0) {
		const char *newline = memrchr(text, '\n', length - 1);
		const char *line = newline ? newline + 1 : text;
		size_t end = length - (text[length - 1] == '\n');
		size_t bytes = end - (size_t)(line - text);
		const struct sentence *sentence = sentence_find(line, bytes);

		lines += bytes > 0;
		length = (size_t)(line - text);
		if (!sentence || (sentence->weak && (ret->cause || lines > LAST_LINES)))
			continue;
		*ret = (struct lastwords){ sentence->cause, sentence->words, line, bytes };
		if (!sentence->weak)
			return;
	}
}

/* Masked before it is cut: half a secret looks like none. What stands before the sentence matters
 * less than the sentence. */
static char *line_copy(const struct lastwords *words)
{
	CLEANUP(freep) char *line = mem_copy_n(words->line, words->length);
	CLEANUP(freep) char *masked = NULL;
	const char *from, *found;

	for (size_t i = 0; i < words->length; i++) {
		if (line[i] == '\0' || line[i] == '\t' || line[i] == '\r')
			line[i] = ' ';
	}
	masked = mask_word(line);
	from = masked + strspn(masked, " ");
	found = strstr(from, words->words);
	if (found && (size_t)(found - from) + strlen(words->words) > LINE_MOST)
		from = found;
	return mem_copy_n(from, strnlen(from, LINE_MOST));
}

void lastwords_add(const char *text, size_t length, struct facts *facts)
{
	CLEANUP(freep) char *line = NULL;
	struct lastwords words;

	lastwords_parse(text, length, &words);
	if (!words.cause)
		return;
	line = line_copy(&words);
	facts_add_text(facts, "exit", "words", line);
	facts_add_text(facts, "exit", "words_cause", words.cause);
}

off_t lastwords_begin(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) ? stat.st_size : -1;
}

/* Opened anew: our descriptor may be for writing only, and its offset is the program's, too. */
void lastwords_end(int fd, off_t begin, struct facts *facts)
{
	off_t size = begin < 0 ? -1 : lastwords_begin(fd);
	char path[32], text[LASTWORDS_BYTES];
	CLEANUP(closep) int again = -1;
	ssize_t got;

	if (size <= begin)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (size - begin > LASTWORDS_BYTES)
		begin = size - LASTWORDS_BYTES;
	got = again < 0 ? -1 : pread(again, text, (size_t)(size - begin), begin);
	if (got > 0)
		lastwords_add(text, (size_t)got, facts);
}
