/* A program that ended, and the causes that may be told of it: each is a struct cause in one of the
 * died_*.c, and a row of the table in died.c. */
#ifndef ADVISE_DEATH_H
#define ADVISE_DEATH_H

#include "base/text.h"
#include "model/facts.h"

#include <stdbool.h>

enum doubt { NO, LIKELY, SURE };

#define NEAR_TIME 0.98   /* of a time limit */
#define SHELL_SIGNAL 128 /* a shell's status for a child that signal N ended is 128 + N */

struct death {
	const struct facts *facts;
	int status;                    /* the program's exit status; -1: none, or not known */
	int signal;                    /* that ended the program; 0: none, or not known */
	const struct process *program; /* its row; NULL: not known */
	const struct process *first;   /* who died before it, and is to blame; NULL: nobody known */
	int by;       /* the signal that ended the first of them, as far as is known; 0: none */
	double end_s; /* when the program ended; negative: not known */
};

struct cause {
	const char *name; /* for exit.cause; NULL: name_of tells */
	enum doubt (*is)(const struct death *death);
	/* Adds a sentence that begins small and has no full stop. */
	void (*say)(const struct death *death, struct text *text);
	const char *(*name_of)(const struct death *death);
};

/* Finds out who died first, as well as the rows of processes tell. */
struct death death_of(const struct facts *facts);

const char *death_told(const struct death *death, const char *name); /* of "exit"; or NULL */
/* -1 where it is absent: nothing here is ever negative. */
double death_number(const struct death *death, const char *section, const char *name);
/* The same as a whole number: a pid, a status, a signal; -1 where it is none. */
int death_whole(const struct death *death, const char *section, const char *name);
bool death_failed(const struct death *death);
bool death_said(const struct death *death, const char *cause); /* exit.words_cause */
bool death_is_killed(const struct death *death);               /* SIGKILL, as far as is known */
bool death_is_crash(int signal); /* one that nobody sends on purpose, but a debugger */
/* Did the kernel kill this one for lack of memory? */
bool death_was_oom_killed(const struct death *death, const struct process *process);
/* Did it use the CPU time that one process may use? */
enum doubt death_over_cpu(const struct death *death, const struct process *process);
/* Whose exit status the program, a shell or the like, passed on; or NULL. */
const struct process *death_find_failed(const struct death *death);

void death_add_signal(struct text *text, int signal);                     /* "SIGTERM" */
void death_add_process(struct text *text, const struct process *process); /* "'cc1' (pid 77)" */
/* Who died first and a blank; nothing where that is the program itself. */
void death_add_subject(const struct death *death, struct text *text);
/* "; 'sh' and 'make' only followed": from the first one's parent up to the program. */
void death_add_followers(const struct death *death, struct text *text);
void death_add_words(const struct death *death, struct text *text); /* "it said '...'" */
void death_add_any_words(const struct death *death,
			 struct text *text); /* ": it said ..." or none */

#endif
