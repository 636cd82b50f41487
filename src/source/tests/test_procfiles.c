/* What the parsers make of good, cut off and hostile texts. */
#include "source/procfiles.h"
#include "source/stat.h"
#include "source/status.h"
#include "source/tests/helper.h"

#include <errno.h>

#define TAIL                                                                                       \
	" S 900 1000 901 34816 1000 4194304 5000 700 12 3 12345 678 100 50 20 0 4 0 99999 "        \
	"1200000000 51200 18446744073709551615 1 2 3 0 0 0 0 16781312 2 0 0 0 17 1 0 0 42 0 0\n"

static const struct {
	const char *text, *name;
	int result;
} stats[] = {
	{ "1000 (python3)" TAIL, "python3", 0 },
	{ "1000 () R 1 ()" TAIL, ") R 1 (", 0 },
	{ "1000 (a\nb) (c))" TAIL, "a\nb) (c)", 0 },
	{ "1000 (\x1b[2J\xff)" TAIL, "\x1b[2J\xff", 0 },
	{ "1000 ()" TAIL, "", 0 },
	{ "1000 (kworker/u16:1-events_unbound_and_much_more_than_sixty_three_bytes_of_it)" TAIL,
	  "kworker/u16:1-events_unbound_and_much_more_than_sixty_three_byt", 0 },
	{ "", NULL, -EINVAL },
	{ "1000", NULL, -EINVAL },
	{ "1000 (", NULL, -EINVAL },
	{ "1000 (x", NULL, -EINVAL },
	{ "1000 (x)", NULL, -EINVAL },
	{ "1000 (x) ", NULL, -EINVAL },
	{ "1000 (x) S", NULL, -EINVAL },
	{ "1000 (x) S 1 2 3", NULL, -EINVAL },
	{ ") 1000 (x" TAIL, NULL, -EINVAL },
	{ "x (x)" TAIL, NULL, -EINVAL },
	{ "1000 (x) S 900 1000 901 0 0 0 99999999999999999999 0 0 0 0 0 0 0 20 0 1 0 9 1 1\n", NULL,
	  -EINVAL },
};

static void stat_names_are_any_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(stats); i++) {
		struct proc_stat got = { 0 };

		assert_int_equal(proc_stat_parse(stats[i].text, strlen(stats[i].text), &got),
				 stats[i].result);
		if (stats[i].name)
			assert_string_equal(got.name, stats[i].name);
	}
}

static void stat_columns_are_right(void **state)
{
	static const char text[] = "1000 (x)" TAIL;
	static const char old[] = "1 (x) Z 0 -1 -1 0 -1 4 98 0 0 0 7 2 0 0 20 0 1 0 128980 31 3\n";
	struct proc_stat got;

	(void)state;
	assert_int_equal(proc_stat_parse(text, strlen(text), &got), 0);
	assert_int_equal(got.pid, 1000);
	assert_int_equal(got.state, 'S');
	assert_int_equal(got.ppid, 900);
	assert_int_equal(got.pgrp, 1000);
	assert_int_equal(got.session, 901);
	assert_int_equal(got.minflt, 5000);
	assert_int_equal(got.cminflt, 700);
	assert_int_equal(got.majflt, 12);
	assert_int_equal(got.cmajflt, 3);
	assert_int_equal(got.utime, 12345);
	assert_int_equal(got.stime, 678);
	assert_int_equal(got.cutime, 100);
	assert_int_equal(got.cstime, 50);
	assert_int_equal(got.threads, 4);
	assert_int_equal(got.starttime, 99999);
	assert_int_equal(got.blkio, 42);
	assert_int_equal(proc_stat_parse(old, strlen(old), &got), 0);
	assert_int_equal(got.session, -1);
	assert_int_equal(got.blkio, -1);
}

/* Every text that is cut somewhere is refused or gives the columns that it still has; it never
 * reads on. */
static void stat_cut_anywhere(void **state)
{
	static const char text[] = "1000 (x y)" TAIL;

	(void)state;
	for (size_t length = 0; length < sizeof(text) - 1; length++) {
		CLEANUP(freep) char *cut = strndup(text, length);
		struct proc_stat got;

		if (proc_stat_parse(cut, length, &got) == 0)
			assert_true(got.threads == 4);
	}
}

#define STATUS(uid, threads, ignored)                                                              \
	"Name:\tx\n" uid "NSpid:\t1000\t17\nVmHWM:\t    1720 kB\n" threads ignored                 \
	"Cpus_allowed_list:\t0-3,8\nvoluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n"
#define UID "Uid:\t1000\t1001\t1000\t1000\n"
#define THREADS "Threads:\t3\n"
#define IGNORED "SigIgn:\t0000000000010000\n"

static void status_is_parsed(void **state)
{
	struct proc_status got;

	(void)state;
	assert_int_equal(proc_status_parse(STATUS(UID, THREADS, IGNORED), &got), 0);
	assert_int_equal(got.uid, 1001);
	assert_int_equal(got.threads, 3);
	assert_true(got.has_high);
	assert_int_equal(got.high_bytes, 1720 * 1024);
	assert_int_equal(got.n_pids, 2);
	assert_int_equal(got.pids[1], 17);
	assert_int_equal(got.cores, 5);
	assert_int_equal(got.switches_voluntary, 5);
	assert_int_equal(got.switches_involuntary, 6);
	assert_true(proc_status_reaps_itself(&got)); /* SIGCHLD is 17: bit 16 */
	assert_int_equal(proc_status_parse(STATUS(UID, THREADS, "SigIgn:\t1\n"), &got), 0);
	assert_false(proc_status_reaps_itself(&got));
}

static void status_needs_its_lines(void **state)
{
	static const char *const texts[] = {
		"",
		STATUS("", THREADS, IGNORED),
		STATUS(UID, "", IGNORED),
		STATUS(UID, THREADS, ""),
		STATUS("Uid:\t1\n", THREADS, IGNORED),
		STATUS(UID, "Threads:\t-1\n", IGNORED),
		STATUS(UID, THREADS, "SigIgn:\t00000000000000000\n"),
		STATUS(UID, THREADS, "SigIgn:\tzz\n"),
	};
	struct proc_status got;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(proc_status_parse(texts[i], &got), -EINVAL);
}

static int parse_statm(const char *text, uint64_t *ret)
{
	struct proc_statm statm;
	int r = proc_statm_parse(text, &statm);

	if (r == 0)
		*ret = statm.resident_pages * 1000 + statm.shared_pages;
	return r;
}

static int parse_io(const char *text, uint64_t *ret)
{
	struct proc_io io;
	int r = proc_io_parse(text, &io);

	if (r == 0)
		*ret = io.storage_write_bytes;
	return r;
}

static int parse_schedstat(const char *text, uint64_t *ret)
{
	struct proc_schedstat s;
	int r = proc_schedstat_parse(text, &s);

	if (r == 0)
		*ret = s.wait_ns;
	return r;
}

static int parse_smaps(const char *text, uint64_t *ret)
{
	struct proc_smaps smaps;
	int r = proc_smaps_parse(text, &smaps);

	if (r == 0)
		*ret = smaps.pss_bytes;
	return r;
}

static int parse_machine(const char *text, uint64_t *ret)
{
	struct machine_stat stat;
	int r = machine_stat_parse(text, &stat);

	if (r == 0)
		*ret = stat.busy * 1000000 + stat.iowait * 10000 + stat.steal * 100 + stat.cores;
	return r;
}

static int parse_load(const char *text, uint64_t *ret)
{
	struct loadavg load;
	int r = loadavg_parse(text, &load);

	if (r == 0)
		*ret = (uint64_t)(load.one_minute * 100 + 0.5) * 1000 + load.runnable;
	return r;
}

static int parse_meminfo(const char *text, uint64_t *ret)
{
	struct meminfo info;
	int r = meminfo_parse(text, &info);

	if (r == 0)
		*ret = info.has_available ? info.available_bytes : info.total_bytes;
	return r;
}

#define IO(last) "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n" last
#define HUGE_NUMBER "18446744073709551616"

static const struct {
	int (*parse)(const char *text, uint64_t *ret);
	const char *text;
	int result;
	uint64_t number;
} cases[] = {
	{ parse_statm, "765 356 282 5 0 90 0\n", 0, 356282 },
	{ parse_statm, "765", -EINVAL, 0 },
	{ parse_statm, "765 ", -EINVAL, 0 },
	{ parse_statm, "765 356", -EINVAL, 0 },
	{ parse_statm, "765 -1", -EINVAL, 0 },
	{ parse_statm, "1 " HUGE_NUMBER, -ERANGE, 0 },
	{ parse_statm, "", -EINVAL, 0 },
	{ parse_io, IO("write_bytes: 6\ncancelled_write_bytes: 7\n"), 0, 6 },
	{ parse_io, IO("cancelled_write_bytes: 7\n"), -ENOENT, 0 },
	{ parse_io, IO("write_bytes: " HUGE_NUMBER "\n"), -ERANGE, 0 },
	{ parse_io, IO("write_bytes:"), -EINVAL, 0 },
	{ parse_io, "", -ENOENT, 0 },
	{ parse_schedstat, "173840124 2216094 318\n", 0, 2216094 },
	{ parse_schedstat, "173840124 2216094", -EINVAL, 0 },
	{ parse_schedstat, "1 2 x", -EINVAL, 0 },
	{ parse_schedstat, "", -EINVAL, 0 },
	{ parse_smaps, "x [rollup]\nRss: 9 kB\nPss: 4 kB\nSwapPss: 1 kB\n", 0, 4096 },
	{ parse_smaps, "x [rollup]\nPss: 4 kB\n", 0, 4096 },
	{ parse_smaps, "Pss_Anon: 4 kB\n", -ENOENT, 0 },
	{ parse_smaps, "Pss: 18446744073709551615 kB\n", -ERANGE, 0 },
	{ parse_smaps, "", -ENOENT, 0 },
	/* busy 1+2+4+32+64, iowait 16, steal 7; guests are inside user; 2 cores */
	{ parse_machine, "cpu  1 2 4 8 16 32 64 7 1 1\ncpu0 1 2\ncpu1 1 2\nintr 5\nbtime 9\n", 0,
	  103160702 },
	{ parse_machine, "cpu  1 2 4 8\n", 0, 7000000 },
	{ parse_machine, "cpu  1 2 4\n", -EINVAL, 0 },
	{ parse_machine, "cpu0 1 2 4 8\n", -EINVAL, 0 },
	{ parse_machine, "", -EINVAL, 0 },
	{ parse_load, "12.57 0.17 0.05 1/88 5451\n", 0, 1257001 },
	{ parse_load, "0.57 0.17 0.05 1", -EINVAL, 0 },
	{ parse_load, "0.57 0.17", -EINVAL, 0 },
	{ parse_load, "0,57 0,17 0,05 1/88 5451\n", -EINVAL, 0 },
	{ parse_load, "nan 0.17 0.05 1/88 5451\n", -EINVAL, 0 },
	{ parse_load, "", -EINVAL, 0 },
	{ pressure_parse, "some avg10=0.70 avg60=0.89 avg300=0.28 total=6818006\nfull total=1\n", 0,
	  6818006 },
	{ pressure_parse, "some avg10=0.70\nfull avg10=0.00 total=1\n", -EINVAL, 0 },
	{ pressure_parse, "full avg10=0.00 total=1\n", -EINVAL, 0 },
	{ pressure_parse, "some total=", -EINVAL, 0 },
	{ pressure_parse, "", -EINVAL, 0 },
	{ parse_meminfo, "MemTotal: 4 kB\nMemAvailable: 3 kB\nSwapTotal: 2 kB\nSwapFree: 1 kB\n", 0,
	  3072 },
	{ parse_meminfo, "MemTotal: 4 kB\nSwapTotal: 2 kB\nSwapFree: 1 kB\n", 0, 4096 },
	{ parse_meminfo, "MemTotal: 4 kB\nSwapTotal: 2 kB\n", -ENOENT, 0 },
	{ parse_meminfo, "MemTotal: 18446744073709551615 kB\n", -ERANGE, 0 },
	{ parse_meminfo, "", -ENOENT, 0 },
	{ cpulist_parse, "0-3,8,10-11\n", 0, 7 },
	{ cpulist_parse, "5", 0, 1 },
	{ cpulist_parse, "", -EINVAL, 0 },
	{ cpulist_parse, "1,", -EINVAL, 0 },
	{ cpulist_parse, "3-1", -ERANGE, 0 },
	{ cpulist_parse, "0-18446744073709551615", -ERANGE, 0 },
	{ cpulist_parse, "-1", -EINVAL, 0 },
};

static void texts_are_parsed(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t number = 0;

		if (cases[i].parse(cases[i].text, &number) != cases[i].result ||
		    number != cases[i].number)
			fail_msg("case %zu: '%s': %llu", i, cases[i].text,
				 (unsigned long long)number);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_names_are_any_bytes),
		cmocka_unit_test(stat_columns_are_right),
		cmocka_unit_test(stat_cut_anywhere),
		cmocka_unit_test(status_is_parsed),
		cmocka_unit_test(status_needs_its_lines),
		cmocka_unit_test(texts_are_parsed),
	};

	return cmocka_run_group_tests_name("procfiles", tests, NULL, NULL);
}
