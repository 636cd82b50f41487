/* Fits a decay curve to measured counts and asks, by resampling, how sure the result is: a small
 * version of what many people run for hours.
 *
 *	fit data FILE ROWS            writes ROWS made-up measurements (time, counts)
 *	fit curve FILE WORKERS TIMES  WORKERS processes read FILE and fit TIMES resamples each;
 *	                              prints the lifetime of each resample
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIFETIME 2.2 /* of a muon at rest, in microseconds */

struct row {
	double time, counts;
};

struct table {
	struct row *rows;
	size_t count;
};

static uint64_t seed = 88172645463325252u;

/* xorshift64: fast, and good enough to draw rows. */
static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static double random_share(void)
{
	return (double)(random_next() >> 11) / 9007199254740992.0;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void data_write(const char *path, size_t count)
{
	FILE *file = fopen(path, "wb");

	if (!file)
		die(path);
	for (size_t i = 0; i < count; i++) {
		double time = 10 * random_share();
		struct row row = { time,
				   1000 * exp(-time / LIFETIME) * (0.9 + 0.2 * random_share()) };

		fwrite(&row, sizeof(row), 1, file);
	}
	if (fclose(file) != 0)
		die(path);
}

static struct table data_read(const char *path)
{
	struct table table = { NULL, 0 };
	size_t room = 0;
	FILE *file = fopen(path, "rb");

	if (!file)
		die(path);
	do {
		if (table.count == room) {
			room = room ? room * 2 : 1024;
			table.rows = realloc(table.rows, room * sizeof(*table.rows));
			if (!table.rows)
				die("no memory");
		}
		table.count += fread(table.rows + table.count, sizeof(*table.rows),
				     room - table.count, file);
	} while (table.count == room);
	fclose(file);
	return table;
}

/* The lifetime by a straight line through the logarithms, over as many rows drawn with return. */
static double lifetime_of_resample(const struct table *table)
{
	double n = (double)table->count, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct row *row = &table->rows[random_next() % table->count];
		double x = row->time, y = log(row->counts);

		sum_x += x;
		sum_y += y;
		sum_xx += x * x;
		sum_xy += x * y;
	}
	return -(n * sum_xx - sum_x * sum_x) / (n * sum_xy - sum_x * sum_y);
}

static void work(const char *path, int worker, int times)
{
	struct table table = data_read(path);

	seed += (uint64_t)worker * 0x9e3779b97f4a7c15u;
	for (int i = 0; i < times; i++)
		printf("%.6f\n", lifetime_of_resample(&table));
	free(table.rows);
}

static int curve_fit(const char *path, int workers, int times)
{
	int status, bad = 0;

	for (int worker = 1; worker <= workers; worker++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			work(path, worker, times);
			exit(0);
		}
	}
	while (wait(&status) > 0)
		bad |= status != 0;
	return bad;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "data") == 0) {
		data_write(argv[2], strtoul(argv[3], NULL, 10));
		return 0;
	}
	if (argc == 5 && strcmp(argv[1], "curve") == 0)
		return curve_fit(argv[2], atoi(argv[3]), atoi(argv[4]));
	fprintf(stderr, "fit data FILE ROWS | fit curve FILE WORKERS TIMES\n");
	return 2;
}
