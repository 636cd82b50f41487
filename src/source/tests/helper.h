/* For the tests of this folder: machines to replay, directories to write, children to watch. */
#ifndef SOURCE_TESTS_HELPER_H
#define SOURCE_TESTS_HELPER_H

#include "base/file.h"
#include "base/mem.h"
#include "source/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define FIXTURES "tests/fixtures/"
#define VALUES_AT_MOST 16

static inline const struct source *source_named(const char *name)
{
	for (const struct source *const *s = source_table; *s; s++) {
		if (strcmp((*s)->name, name) == 0)
			return *s;
	}
	fail_msg("no source %s", name);
	return NULL;
}

static inline struct value value_named(const struct source *source, const struct value *values,
				       const char *metric)
{
	for (size_t i = 0; source->metrics[i].name; i++) {
		if (strcmp(source->metrics[i].name, metric) == 0)
			return values[i];
	}
	fail_msg("no metric %s in %s", metric, source->name);
	return value_absent();
}

/* One metric of one reading; absent also where the source cannot be opened or read. */
static inline struct value value_once(const char *root, int pid, const char *name,
				      const char *metric)
{
	const struct source *source = source_named(name);
	struct value values[VALUES_AT_MOST] = { 0 };
	void *state;
	int r;

	if (source->open(root, pid, &state, NULL) < 0)
		return value_absent();
	r = source->read(state, values, NULL);
	source->close(state);
	return r < 0 ? value_absent() : value_named(source, values, metric);
}

/* Writes root/path, and the directories that it is in. */
static inline void write_file(const char *root, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static inline void remove_all(char **directory)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", *directory);
	assert_int_equal(system(command), 0);
	free(*directory);
}

/* In memory where that is possible: some tests write thousands of files. */
static inline char *directory_new(void)
{
	char *path = mem_copy(access("/dev/shm", W_OK) == 0 ? "/dev/shm/sonde-test-XXXXXX"
							    : "/tmp/sonde-test-XXXXXX");

	assert_non_null(mkdtemp(path));
	return path;
}

#endif
