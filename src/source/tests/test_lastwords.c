#include "source/lastwords.h"
#include "source/tests/helper.h"

#include <fcntl.h>

#define MANY "1\n2\n3\n4\n5\n6\n"

static const struct {
	const char *text, *cause, *line;
} cases[] = {
	{ "OSError: [Errno 28] No space left on device: 'x'\n", "disk",
	  "OSError: [Errno 28] No space left on device: 'x'" },
	{ "cp: error writing 'b': Disk quota exceeded", "quota",
	  "cp: error writing 'b': Disk quota exceeded" },
	{ "accept: Too many open files\nstopping\n", "files", "accept: Too many open files" },
	{ "./a: error while loading shared libraries: libx.so.1: cannot open shared object file: "
	  "No such file or directory\n",
	  "library",
	  "./a: error while loading shared libraries: libx.so.1: cannot open shared object file: "
	  "No such file or directory" },
	{ "Traceback\n  File \"x\"\nMemoryError\n", "memory", "MemoryError" },
	{ "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  "
	  "std::bad_alloc\nAborted\n",
	  "memory", "what():  std::bad_alloc" },
	{ "sh: 0: fork: Cannot allocate memory\n", "memory",
	  "sh: 0: fork: Cannot allocate memory" },
	{ "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-16T15:04:26 DUE TO TIME LIMIT "
	  "***\n",
	  "time",
	  "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-16T15:04:26 DUE TO TIME LIMIT "
	  "***" },
	{ "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-16T15:04:26 ***\n", "cancel",
	  "slurmstepd: error: *** JOB 12 ON n1 CANCELLED AT 2026-11-16T15:04:26 ***" },
	{ "slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch.\n", "memory",
	  "slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch." },
	{ "=>> PBS: job killed: walltime 75 exceeded limit 60\n", "time",
	  "=>> PBS: job killed: walltime 75 exceeded limit 60" },
	{ "=>> PBS: job killed: mem 2000kb exceeded limit 1000kb\n", "memory",
	  "=>> PBS: job killed: mem 2000kb exceeded limit 1000kb" },
	{ "ModuleNotFoundError: No module named 'numpy'\n", "module",
	  "ModuleNotFoundError: No module named 'numpy'" },
	{ "bash: line 1: fitt: command not found\n", "command",
	  "bash: line 1: fitt: command not found" },
	{ "sh: 1: fitt: not found\n", "command", "sh: 1: fitt: not found" },
	{ "/bin/sh: 1: ./x: Permission denied\n", "permission",
	  "/bin/sh: 1: ./x: Permission denied" },
	{ "job.sh: line 3:  4711 Killed                  python fit.py\n", "killed",
	  "job.sh: line 3:  4711 Killed                  python fit.py" },
	/* A lack is told before what came of it, wherever it stands. */
	{ "write: No space left on device\nSegmentation fault\n", "disk",
	  "write: No space left on device" },
	{ "No space left on device\n" MANY "Too many open files\n" MANY "Killed\n", "files",
	  "Too many open files" },
	/* Weak words count at the end only, and are often said in passing. */
	{ "cp: x: Permission denied\n" MANY, NULL, NULL },
	{ "Killed\n\n\n\n\n\n\nbye\n", "killed", "Killed" },
	/* Secrets do not come out of here. */
	{ "db --password=hunter2hunter2: No space left on device\n", "disk",
	  "db --password=*** No space left on device" },
	/* What only sounds alike. */
	{ "space left on device: 3 GB\n", NULL, NULL },
	{ "0 files were too many\nno memory errors\nquota ok\n", NULL, NULL },
	{ "ValueError: bad input\n", NULL, NULL },
	{ "", NULL, NULL },
	{ "\n", NULL, NULL },
	{ "\n\n\n", NULL, NULL },
};

static void lines_and_causes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		CLEANUP(facts_clear) struct facts facts = { 0 };
		const char *cause, *line;

		lastwords_add(cases[i].text, strlen(cases[i].text), &facts);
		cause = facts_text(&facts, "exit", "words_cause");
		line = facts_text(&facts, "exit", "words");
		if (!cases[i].cause) {
			assert_null(cause);
			assert_null(line);
			continue;
		}
		assert_non_null(cause);
		assert_string_equal(cause, cases[i].cause);
		assert_string_equal(line, cases[i].line);
	}
}

static void a_long_line_keeps_its_sentence(void **state)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	char text[3000];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text + 2000, "Disk quota exceeded", 19);
	lastwords_add(text, sizeof(text), &facts);
	assert_memory_equal(facts_text(&facts, "exit", "words"), "Disk quota exceeded", 19);
	assert_in_range(strlen(facts_text(&facts, "exit", "words")), 19, 200);
}

static int log_open(char *path, int flags)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	fd = open(path, flags);
	assert_true(fd >= 0);
	return fd;
}

static void say(int fd, const char *words)
{
	assert_int_equal(file_write(fd, words, strlen(words)), 0);
}

/* What stood in the file before is not this program's. */
static void only_what_was_added(void **state)
{
	char path[] = "/tmp/sonde-words-XXXXXX";
	CLEANUP(closep) int fd = log_open(path, O_WRONLY | O_APPEND);
	CLEANUP(facts_clear) struct facts facts = { 0 };
	off_t begin;

	(void)state;
	say(fd, "No space left on device\n");
	begin = lastwords_begin(fd);
	lastwords_end(fd, begin, &facts);
	assert_int_equal(facts.n_facts, 0);
	say(fd, "all is well\n");
	lastwords_end(fd, begin, &facts);
	assert_int_equal(facts.n_facts, 0);
	for (int i = 0; i < 10000; i++)
		say(fd, "step\n");
	say(fd, "Too many open files\n");
	lastwords_end(fd, begin, &facts);
	assert_string_equal(facts_text(&facts, "exit", "words_cause"), "files");
	assert_int_equal(ftruncate(fd, 0), 0);
	lastwords_end(fd, begin, &facts);
	unlink(path);
}

static void only_files(void **state)
{
	int pipes[2];
	CLEANUP(facts_clear) struct facts facts = { 0 };

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_true(lastwords_begin(pipes[1]) < 0);
	say(pipes[1], "No space left on device\n");
	lastwords_end(pipes[1], lastwords_begin(pipes[1]), &facts);
	lastwords_end(99, lastwords_begin(99), &facts);
	assert_int_equal(facts.n_facts, 0);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_and_causes),
		cmocka_unit_test(a_long_line_keeps_its_sentence),
		cmocka_unit_test(only_what_was_added),
		cmocka_unit_test(only_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
