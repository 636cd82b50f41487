/* What the readers of context share. */
#ifndef SOURCE_ASK_H
#define SOURCE_ASK_H

#include "model/facts.h"
#include "source/group.h"
#include "source/status.h"

#include <stdbool.h>
#include <sys/types.h>

struct ask {
	const char *root;
	const char *const *environment;
	const char *directory; /* NULL: not known */
	struct group group;
	bool has_status;
	struct proc_status status; /* of the process that asks */
};

const char *ask_env(const struct ask *ask, const char *name); /* NULL where unset or empty */
int ask_env_number(const struct ask *ask, const char *name, double *ret);
/* The first line of a file, without its newline, to be freed; NULL where it cannot be read. */
char *ask_line(const struct ask *ask, const char *path);
bool ask_exists(const struct ask *ask, const char *path);
void ask_add_line(const struct ask *ask, struct facts *facts, const char *section, const char *name,
		  const char *path);

/* The parts of context, each in the file of its name. */
void about_machine(const struct ask *ask, struct facts *facts);
void about_limits(const struct ask *ask, struct facts *facts);
void about_job(const struct ask *ask, struct facts *facts);
void about_git(const struct ask *ask, struct facts *facts);

/* A number that somebody set for us; `source` says who. */
struct limit {
	bool is;
	double number;
	const char *source;
};
/* What the job was given on this node. */
struct limit job_cores(const struct ask *ask);
struct limit job_memory(const struct ask *ask);
struct limit job_time(const struct ask *ask);
struct limit job_time_left(const struct ask *ask); /* from now on */

#endif
