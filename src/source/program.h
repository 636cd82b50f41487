/* A file that somebody wants to run: why it cannot be, and what it lacks. */
#ifndef SOURCE_PROGRAM_H
#define SOURCE_PROGRAM_H

#include "base/err.h"

#include <stddef.h>

enum program_kind {
	PROGRAM_OTHER,  /* neither of the two */
	PROGRAM_SCRIPT, /* #!INTERPRETER */
	PROGRAM_ELF,
};

struct program {
	enum program_kind kind;
	char interpreter[256]; /* what the kernel must run first; "" where there is none */
	int machine;           /* of an ELF: e_machine; 0: not told */
	int bits;              /* 32 or 64 */
};

/* From the first bytes of a file. Opens nothing; any bytes. */
void program_parse(const char *bytes, size_t length, struct program *ret);

/* The file that execvp(3) would take; the caller frees it; NULL where there is none. */
char *program_path(const char *name);

/* The same where that is an ELF: what execvp(3) should not hand to a shell when this machine cannot
 * run it. NULL for scripts and all others. */
char *program_elf(const char *name);

/* Says why `name` could not be run, with a hint what to do; `error` is what exec said. Returns
 * -error. */
int program_trouble(const char *name, int error, struct err *err);

/* Asks the program's own loader which library it lacks; the program itself does not run. The caller
 * frees the name; NULL where nothing is missing, or nobody can tell. */
char *program_missing_library(const char *name);

#endif
