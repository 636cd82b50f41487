/* sigabbrev_np(3) is younger than many clusters. */
#include "base/signals.h"

#include "base/compiler.h"

#include <signal.h>

static const char *const names[] = {
	[SIGHUP] = "SIGHUP",   [SIGINT] = "SIGINT",   [SIGQUIT] = "SIGQUIT",
	[SIGILL] = "SIGILL",   [SIGTRAP] = "SIGTRAP", [SIGABRT] = "SIGABRT",
	[SIGBUS] = "SIGBUS",   [SIGFPE] = "SIGFPE",   [SIGKILL] = "SIGKILL",
	[SIGUSR1] = "SIGUSR1", [SIGSEGV] = "SIGSEGV", [SIGUSR2] = "SIGUSR2",
	[SIGPIPE] = "SIGPIPE", [SIGALRM] = "SIGALRM", [SIGTERM] = "SIGTERM",
	[SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ", [SIGVTALRM] = "SIGVTALRM",
	[SIGPROF] = "SIGPROF", [SIGIO] = "SIGIO",     [SIGSYS] = "SIGSYS",
};

const char *signal_name(int number)
{
	return number > 0 && number < (int)COUNT(names) ? names[number] : NULL;
}
