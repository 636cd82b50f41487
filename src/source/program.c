/* An ELF begins with 7f 45 4c 46, then 02 for 64 bits and 01 for low byte first; e_machine is at
 * 18, the program headers at 32 (of 32 bits: 28), and PT_INTERP among them names the loader. A
 * script begins with "#!/usr/bin/env python3"; the kernel takes the first word of it.
 *
 * execve says ENOENT for a file that is there when the interpreter is not, which leads everybody
 * astray. A library that is missing comes later: the loader says so and exits with 127. Asked with
 * --list, glibc's loader maps the program, runs nothing of it and says the same once more; other
 * loaders might run it, and are not asked. */
#include "source/program.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define HEAD_BYTES 4096
#define LOADER_MS 2000
#define SAID_BYTES 65536

extern char **environ;

/* e_machine, and what uname(2) calls a machine that runs it. */
static const struct machine {
	int number, bits;
	const char *name, *uname;
} machines[] = {
	{ EM_X86_64, 64, "x86_64 (64-bit PC)", "x86_64" },
	{ EM_386, 32, "i386 (32-bit PC)", "x86_64 i686 i586 i486 i386" },
	{ EM_AARCH64, 64, "aarch64 (64-bit ARM)", "aarch64" },
	{ EM_ARM, 32, "32-bit ARM", "aarch64 armv7l armv6l armv8l" },
	{ EM_PPC64, 64, "ppc64 (POWER)", "ppc64 ppc64le" },
	{ EM_RISCV, 64, "riscv64", "riscv64" },
	{ EM_S390, 64, "s390x", "s390x" },
};

static void interpreter_copy(struct program *program, const char *from, size_t length)
{
	if (length == 0 || length >= sizeof(program->interpreter))
		return;
	memcpy(program->interpreter, from, length);
	program->interpreter[length] = '\0';
}

static void script_parse(const char *bytes, size_t length, struct program *ret)
{
	const char *end = memchr(bytes, '\n', length);
	size_t at = 2, word = 0;

	length = end ? (size_t)(end - bytes) : length;
	ret->kind = PROGRAM_SCRIPT;
	while (at < length && (bytes[at] == ' ' || bytes[at] == '\t'))
		at++;
	while (at + word < length && !strchr(" \t", bytes[at + word]))
		word++;
	interpreter_copy(ret, bytes + at, word);
}

/* Both byte orders are told apart by the machine number, which is all that is taken of a foreign
 * one. */
static uint64_t number_at(const char *bytes, size_t length, size_t at, size_t size)
{
	uint64_t number = 0;

	if (at > length || size > length - at)
		return 0;
	memcpy(&number, bytes + at, size);
	return number;
}

static void headers_parse(const char *bytes, size_t length, bool wide, struct program *ret)
{
	uint64_t at = number_at(bytes, length, wide ? 32 : 28, wide ? 8 : 4);
	uint64_t size = number_at(bytes, length, wide ? 54 : 42, 2);
	uint64_t count = number_at(bytes, length, wide ? 56 : 44, 2);

	for (uint64_t i = 0; i < count && at < length; i++, at += size) {
		uint64_t offset = number_at(bytes, length, at + (wide ? 8 : 4), wide ? 8 : 4);

		if (number_at(bytes, length, at, 4) != PT_INTERP)
			continue;
		if (offset < length)
			interpreter_copy(ret, bytes + offset,
					 strnlen(bytes + offset, length - offset));
		return;
	}
}

void program_parse(const char *bytes, size_t length, struct program *ret)
{
	bool here;

	*ret = (struct program){ 0 };
	if (length > 2 && memcmp(bytes, "#!", 2) == 0) {
		script_parse(bytes, length, ret);
		return;
	}
	if (length < 52 || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return;
	ret->kind = PROGRAM_ELF;
	ret->bits = bytes[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	here = bytes[EI_DATA] ==
	       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
	ret->machine = here ? (int)number_at(bytes, length, 18, 2)
			    : (unsigned char)bytes[18] << 8 | (unsigned char)bytes[19];
	if (here)
		headers_parse(bytes, length, ret->bits == 64, ret);
}

static int program_read(const char *path, struct program *ret)
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char bytes[HEAD_BYTES];
	ssize_t got = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);

	if (got < 0)
		return -errno;
	program_parse(bytes, (size_t)got, ret);
	return 0;
}

char *program_path(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, F_OK) == 0 ? mem_copy(name) : NULL;
	for (const char *at = path ? path : "/bin:/usr/bin"; *at;) {
		size_t length = strcspn(at, ":");
		char *full = NULL;

		if (asprintf(&full, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name) <
		    0)
			return NULL;
		if (access(full, X_OK) == 0)
			return full;
		free(full);
		at += length + (at[length] == ':');
	}
	return NULL;
}

char *program_elf(const char *name)
{
	CLEANUP(freep) char *path = program_path(name);
	struct program program = { 0 };

	if (!path || program_read(path, &program) < 0 || program.kind != PROGRAM_ELF)
		return NULL;
	return take(&path);
}

static const struct machine *machine_find(const struct program *program)
{
	for (size_t i = 0; i < COUNT(machines); i++) {
		if (machines[i].number == program->machine)
			return &machines[i];
	}
	return NULL;
}

/* "exec format error": of another machine, or a script that does not say whose. */
static int say_format(const char *name, const struct program *program, struct err *err)
{
	const struct machine *machine = machine_find(program);
	struct utsname here;

	if (program->kind == PROGRAM_ELF && machine && uname(&here) == 0 &&
	    !strstr(machine->uname, here.machine)) {
		err_say(err, -ENOEXEC,
			"cannot run '%s': it is a program for %s, and this machine is %s", name,
			machine->name, here.machine);
		return err_hint(err, "build or install it for this machine");
	}
	if (program->kind == PROGRAM_ELF)
		return err_say(
		    err, -ENOEXEC,
		    "cannot run '%s': it is a program file that is damaged or of another "
		    "kind of machine",
		    name);
	err_set(err, -ENOEXEC, "cannot run '%s'", name);
	return err_hint(err,
			"it is no program file; a script needs a first line such as "
			"#!/bin/sh, or its interpreter before it: sh %s",
			name);
}

static bool is_crlf(const char *interpreter)
{
	size_t length = strlen(interpreter);

	return length > 0 && interpreter[length - 1] == '\r';
}

/* ENOENT of a file that is there. */
static int say_interpreter(const char *name, struct program *program, struct err *err)
{
	bool script = program->kind == PROGRAM_SCRIPT;

	if (script && is_crlf(program->interpreter)) {
		err_say(err, -ENOENT,
			"cannot run '%s': its first line ends as lines of Windows do, so no "
			"interpreter is found",
			name);
		return err_hint(err, "take them away: sed -i 's/\\r$//' '%s'", name);
	}
	err_say(err, -ENOENT, "cannot run '%s': the %s that it needs is not there: '%s'", name,
		script ? "interpreter" : "loader", program->interpreter);
	return err_hint(err,
			script ? "its first line names it; '#!/usr/bin/env NAME' finds it in $PATH"
			       : "it was built for another system (libc, or 32 bits of a 64-bit "
				 "machine)");
}

static int say_access(const char *name, const char *path, struct err *err)
{
	struct stat stat_;

	if (stat(path, &stat_) == 0 && S_ISDIR(stat_.st_mode)) {
		err_say(err, -EACCES, "cannot run '%s': it is a directory", name);
		return err_hint(err, "name the program in it");
	}
	err_set(err, -EACCES, "cannot run '%s'", name);
	if (stat(path, &stat_) == 0 && (stat_.st_mode & 0111))
		return err_hint(err, "its disk may be mounted without the right to run programs "
				     "(noexec), or a directory above it is closed to you");
	return err_hint(err, "is it a program, and may you execute it? chmod +x makes it so");
}

int program_trouble(const char *name, int error, struct err *err)
{
	CLEANUP(freep) char *path = program_path(name);
	struct program program = { 0 };
	int r = path ? program_read(path, &program) : -ENOENT;

	if (error == ENOENT && r == 0 && program.interpreter[0])
		say_interpreter(name, &program, err);
	else if (error == ENOEXEC && r == 0)
		say_format(name, &program, err);
	else if (error == EACCES)
		say_access(name, path ? path : name, err);
	else
		err_set(err, -error, "cannot run '%s'", name);
	if (error == ENOENT && !strchr(name, '/') && !path)
		err_hint(err, "no such program in $PATH; a file here needs its path: ./%s", name);
	return -error;
}

static bool is_glibc_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return path[0] == '/' &&
	       (strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld64.so", 7) == 0);
}

/* Starts the loader; returns its pid and the descriptor of its output. */
static pid_t loader_start(const char *loader, const char *path, int *ret_fd)
{
	const char *const argv[] = { loader, "--list", path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid = -1;
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, pipes[1], 1);
	posix_spawn_file_actions_adddup2(&files, pipes[1], 2);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (posix_spawn(&pid, loader, &files, &attr, (char *const *)argv, environ) != 0)
		pid = -1;
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	close(pipes[1]);
	*ret_fd = pipes[0];
	return pid;
}

static void read_all(int fd, struct text *text)
{
	struct pollfd polled = { .fd = fd, .events = POLLIN };
	char bytes[4096];
	ssize_t got = 1;

	while (text->length < SAID_BYTES && got > 0 && poll(&polled, 1, LOADER_MS) > 0) {
		got = read(fd, bytes, sizeof(bytes));
		if (got > 0)
			text_add_bytes(text, bytes, (size_t)got);
	}
}

/* "./fit: error while loading shared libraries: libfoo.so.1: cannot open shared object file: ..."
 */
static char *missing_find(const char *said)
{
	static const char words[] = "error while loading shared libraries: ";
	const char *found = strstr(said, words);
	size_t length = found ? strcspn(found + sizeof(words) - 1, ":\n") : 0;

	return length > 0 ? mem_copy_n(found + sizeof(words) - 1, length) : NULL;
}

char *program_missing_library(const char *name)
{
	CLEANUP(freep) char *path = program_path(name);
	CLEANUP(text_clear) struct text said = { 0 };
	CLEANUP(closep) int fd = -1;
	struct program program = { 0 };
	struct stat stat_;
	pid_t pid;

	if (!path || stat(path, &stat_) < 0 || !S_ISREG(stat_.st_mode) ||
	    (stat_.st_mode & (S_ISUID | S_ISGID)) || program_read(path, &program) < 0 ||
	    program.kind != PROGRAM_ELF || !is_glibc_loader(program.interpreter))
		return NULL;
	pid = loader_start(program.interpreter, path, &fd);
	if (pid < 0)
		return NULL;
	read_all(fd, &said);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return missing_find(text_string(&said));
}
