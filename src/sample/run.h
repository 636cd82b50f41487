/* Runs a program and measures it and all that it starts. */
#ifndef SAMPLE_RUN_H
#define SAMPLE_RUN_H

#include "base/err.h"
#include "model/facts.h"
#include "model/now.h"

#include <stdbool.h>
#include <stdint.h>

struct run {
	char **argv;      /* the program and its arguments */
	const char *path; /* of the recording; NULL: none */
	uint64_t interval_ns;
	double budget;       /* share of one core that we may use */
	uint64_t timeout_ns; /* 0: none */
	bool wait;           /* until the last descendant has gone */
	bool keep_stdout;    /* we will write there, after the program's end */
	/* What the program gets in place of our stdout and stderr; 0: ours. */
	int stdout_fd, stderr_fd;
	int keep_fd; /* stays open in this process, besides 0 to 2; 0: none */
	/* Called once the program has ended, before its marks are closed: what it wrote may still
	 * be on its way to us. NULL: nothing is. */
	void (*drain)(void *arg);
	void *drain_arg;
	const char *mark_path; /* of marks_create(): goes into $SONDE_MARK and is removed at the
				  end; NULL: no marks */
	struct now *now;       /* to be kept up to date while it runs; NULL: nobody looks */
};

struct run_end {
	int status;          /* of the program, as of wait(2) */
	int exec_errno;      /* it could not be started; 0: it was */
	struct err measured; /* measured.code: what could not be measured at all */
	struct err kept;     /* kept.code: why the recording is not complete; 0: it is */
};

/* `facts` comes with what is known before (id, name, tags) and gets all the rest. On an error the
 * program was not started at all; nothing of ours changed that it would inherit. */
int run_program(const struct run *run, struct facts *facts, struct run_end *ret, struct err *err);

/* Ends this process as the program ended: by the same signal, or with the same status. */
NORETURN void run_end_like(int status);

#endif
