#include "source/evidence.h"
#include "source/program.h"
#include "source/tests/helper.h"

#include <elf.h>
#include <errno.h>

static const struct {
	const char *bytes;
	enum program_kind kind;
	const char *interpreter;
} scripts[] = {
	{ "#!/bin/sh\n", PROGRAM_SCRIPT, "/bin/sh" },
	{ "#!/usr/bin/env python3\nx", PROGRAM_SCRIPT, "/usr/bin/env" },
	{ "#! \t /bin/sh -e\n", PROGRAM_SCRIPT, "/bin/sh" },
	{ "#!/bin/sh", PROGRAM_SCRIPT, "/bin/sh" },
	{ "#!/bin/sh\r\n", PROGRAM_SCRIPT, "/bin/sh\r" },
	{ "#!\n", PROGRAM_SCRIPT, "" },
	{ "#!   ", PROGRAM_SCRIPT, "" },
	{ "#!", PROGRAM_OTHER, "" },
	{ "", PROGRAM_OTHER, "" },
	{ "\x7f"
	  "ELF",
	  PROGRAM_OTHER, "" },
	{ "echo hello\n", PROGRAM_OTHER, "" },
};

static void first_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(scripts); i++) {
		struct program program;

		program_parse(scripts[i].bytes, strlen(scripts[i].bytes), &program);
		assert_int_equal(program.kind, scripts[i].kind);
		assert_string_equal(program.interpreter, scripts[i].interpreter);
	}
}

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr rows[2];
	char loader[32];
};

static struct file file_new(void)
{
	struct file file = { .head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
				       .e_machine = EM_X86_64,
				       .e_phoff = sizeof(file.head),
				       .e_phentsize = sizeof(file.rows[0]),
				       .e_phnum = 2 },
			     .rows = { { .p_type = PT_PHDR },
				       { .p_type = PT_INTERP,
					 .p_offset = offsetof(struct file, loader) } },
			     .loader = "/lib64/ld-linux-x86-64.so.2" };

	return file;
}

static void loaders(void **state)
{
	struct file file = file_new();
	struct program program;

	(void)state;
	program_parse((const char *)&file, sizeof(file), &program);
	assert_int_equal(program.kind, PROGRAM_ELF);
	assert_int_equal(program.machine, EM_X86_64);
	assert_string_equal(program.interpreter, file.loader);
	for (size_t cut = 0; cut < sizeof(file); cut++)
		program_parse((const char *)&file, cut, &program);
	file.rows[1].p_offset = UINT64_MAX;
	program_parse((const char *)&file, sizeof(file), &program);
	assert_string_equal(program.interpreter, "");
	file.head.e_phoff = UINT64_MAX - 8;
	file.head.e_phnum = UINT16_MAX;
	program_parse((const char *)&file, sizeof(file), &program);
	assert_string_equal(program.interpreter, "");
}

static void file_make(const char *path, const void *bytes, size_t length, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite(bytes, 1, length, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

/* What is said of a file that exec refused so. */
static void troubles(void **state)
{
	struct file foreign = file_new(), unloadable = file_new();
	static const char lost[] = "#!/no/such/python\n", windows[] = "#!/bin/sh\r\n";
	char directory[] = "/tmp/sonde-program-XXXXXX", path[64];
	const struct {
		const void *bytes;
		size_t length;
		int error;
		const char *text, *hint;
	} cases[] = {
		{ lost, sizeof(lost) - 1, ENOENT,
		  "interpreter that it needs is not there: '/no/such/python'", "env" },
		{ windows, sizeof(windows) - 1, ENOENT, "Windows", "sed -i" },
		{ &unloadable, sizeof(unloadable), ENOENT,
		  "loader that it needs is not there: '/no/such/ld.so'", "another system" },
		{ &foreign, sizeof(foreign), ENOEXEC, "it is a program for s390x", "this machine" },
		{ "hello\n", 6, ENOEXEC, "Exec format error", "#!/bin/sh" },
		{ "hello\n", 6, EACCES, "Permission denied", "noexec" },
		{ "hello\n", 6, E2BIG, "Argument list too long", "" },
	};

	(void)state;
	foreign.head.e_machine = EM_S390;
	strcpy(unloadable.loader, "/no/such/ld.so");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/x", directory);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = { 0 };

		file_make(path, cases[i].bytes, cases[i].length, 0755);
		assert_int_equal(program_trouble(path, cases[i].error, &err), -cases[i].error);
		assert_non_null(strstr(err.text, cases[i].text));
		assert_non_null(strstr(err.hint, cases[i].hint));
	}
	file_make(path, "hello\n", 6, 0644);
	struct err closed = { 0 }, folder = { 0 }, nowhere = { 0 };
	program_trouble(path, EACCES, &closed);
	assert_non_null(strstr(closed.hint, "chmod +x"));
	program_trouble(directory, EACCES, &folder);
	assert_non_null(strstr(folder.text, "it is a directory"));
	program_trouble("no-such-program-at-all", ENOENT, &nowhere);
	assert_non_null(strstr(nowhere.hint, "$PATH"));
	unlink(path);
	rmdir(directory);
}

static void nothing_is_missing_here(void **state)
{
	(void)state;
	assert_null(program_missing_library("/bin/sh"));
	assert_null(program_missing_library("/etc/passwd"));
	assert_null(program_missing_library("/no/such/file"));
}

static const struct {
	const char *pattern;
	bool uses_pid;
	const char *path; /* NULL: not to be told */
} cores[] = {
	{ "core\n", false, "core" },
	{ "core\n", true, "core.77" },
	{ "core.%p\n", true, "core.77" },
	{ "/var/cores/%e-%p.%%\n", false, "/var/cores/fit-77.%" },
	{ "|/usr/lib/systemd/systemd-coredump %P\n", false, NULL },
	{ "/cores/%t\n", false, NULL },
	{ "core%", false, NULL },
	{ "", false, NULL },
};

static void core_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cores); i++) {
		char path[64];
		bool is = core_path(cores[i].pattern, cores[i].uses_pid, 77, "fit", path,
				    sizeof(path));

		assert_int_equal(is, cores[i].path != NULL);
		if (is)
			assert_string_equal(path, cores[i].path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_lines), cmocka_unit_test(loaders),
		cmocka_unit_test(troubles),    cmocka_unit_test(nothing_is_missing_here),
		cmocka_unit_test(core_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
