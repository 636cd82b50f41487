/* What a pidfd says of a child, against what wait(2) says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/file.h"
#include "model/facts.h"
#include "sample/exits.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child_of(int status)
{
	const struct rlimit no_core = { 0 };
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	setrlimit(RLIMIT_CORE, &no_core);
	pause(); /* until the test has a descriptor, and lets it go */
	_exit(status);
}

static void only_return(int signal)
{
	(void)signal;
}

static void it_says_what_wait_says(void **state)
{
	static const struct {
		int status, signal;
	} cases[] = { { 0, 0 }, { 3, 0 }, { 255, 0 }, { 0, SIGKILL }, { 0, SIGTERM } };

	(void)state;
	signal(SIGUSR1, only_return); /* the children have it, too */
	for (size_t i = 0; i < COUNT(cases); i++) {
		pid_t pid = child_of(cases[i].status);
		int fd = exit_watch(pid), waited, told;

		usleep(20000);
		assert_int_equal(exit_status(fd), PROCESS_STATUS_UNKNOWN);
		do {
			kill(pid, cases[i].signal ? cases[i].signal : SIGUSR1);
			usleep(1000);
		} while (waitpid(pid, &waited, WNOHANG) == 0);
		told = exit_status(fd);
		exit_forget(fd);
		if (told == PROCESS_STATUS_UNKNOWN) {
			print_message("skipped: this kernel does not tell (before Linux 6.15)\n");
			skip();
		}
		assert_int_equal(told, waited);
	}
}

static void it_keeps_to_the_limit_of_descriptors(void **state)
{
	int fd;

	(void)state;
	kept_limit(0);
	fd = exit_watch(getpid());
	assert_int_equal(fd, -1);
	assert_int_equal(exit_status(fd), PROCESS_STATUS_UNKNOWN);
	exit_forget(fd);
	kept_limit(256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_what_wait_says),
		cmocka_unit_test(it_keeps_to_the_limit_of_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
