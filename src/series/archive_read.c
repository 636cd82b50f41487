/* Nothing in the file is trusted: SQLite checks its own structure, triggers and views are off,
 *every number is checked here. It is opened as immutable, so no lock is taken and nothing is
 *written.
 *
 * The first 100 bytes tell what it is without SQLite:
 *	53 51 4c 69 74 65 20 66 6f 72 6d 61 74 20 33 00		"SQLite format 3"
 *	at 60: 00 00 00 01	user_version: our format
 *	at 68: 73 6e 64 65	application_id: "snde" */
#include "series/archive.h"

#include "base/file.h"
#include "base/mem.h"
#include "series/harvest.h"
#include "series/series.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES 100
#define FACTS_MOST ((size_t)1 << 20)
#define CELL_BYTES_MOST (16 << 20)

struct reading {
	const char *path;
	unsigned what;
	sqlite3 *db;
	sqlite3_stmt *row;
	struct facts *facts;
	struct harvest *harvest;
	bool has_marks;
	struct err *err;
};

static uint32_t big_endian(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int not_ours(const char *path, const char *why, struct err *err)
{
	err_say(err, -EINVAL, "'%s' is not a sonde recording: %s", path, why);
	return -EINVAL;
}

static int head_check(const char *path, struct err *err)
{
	/* Not to wait for the writer of a FIFO. */
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint8_t head[HEAD_BYTES] = { 0 };
	struct stat stat;
	ssize_t got;

	if (fd < 0 || fstat(fd, &stat) < 0)
		return err_set(err, -errno, "'%s'", path);
	if (S_ISDIR(stat.st_mode))
		return err_set(err, -EISDIR, "'%s'", path);
	if (!S_ISREG(stat.st_mode))
		return not_ours(path, "it is no regular file", err);
	got = pread(fd, head, sizeof(head), 0);
	if (got < 0)
		return err_set(err, -errno, "'%s'", path);
	if (got == 0)
		return not_ours(path, "it is empty", err);
	if (memcmp(head, "SQLite format 3", 16) != 0 || big_endian(head + 68) != ARCHIVE_ID)
		return not_ours(path, "it does not begin as one", err);
	if (big_endian(head + 60) > ARCHIVE_VERSION)
		return err_say(
		    err, -EPROTONOSUPPORT,
		    "'%s' was written by a newer sonde (format %u; this one reads up to %u)", path,
		    big_endian(head + 60), ARCHIVE_VERSION);
	return 0;
}

static int damaged(struct reading *reading, const char *what)
{
	err_say(reading->err, -EBADMSG, "'%s' is damaged: %s", reading->path, what);
	err_hint(reading->err, "what is left of it: sqlite3 FILE .recover");
	return -EBADMSG;
}

static int sqlite_failed(struct reading *reading, int status)
{
	int code = sqlite3_system_errno(reading->db);

	if (status == SQLITE_NOMEM)
		mem_fail();
	if ((status == SQLITE_IOERR || status == SQLITE_CANTOPEN) && code > 0)
		return err_set(reading->err, -code, "'%s'", reading->path);
	return damaged(reading, reading->db ? sqlite3_errmsg(reading->db) : "no database");
}

/* The path as SQLite's URI. */
static void uri_add(struct text *uri, const char *path)
{
	text_add(uri, *path == '/' ? "file://" : "file:./");
	for (; *path; path++) {
		if (strchr("%?#", *path))
			text_add_format(uri, "%%%02x", (unsigned)*path);
		else
			text_add_bytes(uri, path, 1);
	}
	text_add(uri, "?immutable=1");
}

static int db_open(struct reading *reading)
{
	static const int offs[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
				    SQLITE_DBCONFIG_TRUSTED_SCHEMA };
	struct text uri = { 0 };
	int status;

	uri_add(&uri, reading->path);
	status = sqlite3_open_v2(uri.data, &reading->db,
				 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
				     SQLITE_OPEN_PRIVATECACHE,
				 NULL);
	text_clear(&uri);
	if (status != SQLITE_OK)
		return sqlite_failed(reading, status);
	sqlite3_db_config(reading->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	for (size_t i = 0; i < COUNT(offs); i++)
		sqlite3_db_config(reading->db, offs[i], 0, NULL);
	sqlite3_limit(reading->db, SQLITE_LIMIT_LENGTH, CELL_BYTES_MOST);
	return 0;
}

/* Calls `use` for each row. */
static int rows_read(struct reading *reading, const char *sql, int (*use)(struct reading *))
{
	int status = sqlite3_prepare_v2(reading->db, sql, -1, &reading->row, NULL), r = 0;

	while (status == SQLITE_OK && r == 0) {
		status = sqlite3_step(reading->row);
		if (status == SQLITE_ROW) {
			r = use(reading);
			status = SQLITE_OK;
		}
	}
	if (r == 0 && status != SQLITE_DONE)
		r = sqlite_failed(reading, status);
	sqlite3_finalize(reading->row);
	reading->row = NULL;
	return r;
}

static const char *get_text(struct reading *reading, int column)
{
	int size = sqlite3_column_bytes(reading->row, column);
	const void *bytes = sqlite3_column_blob(reading->row, column);

	if (sqlite3_column_type(reading->row, column) == SQLITE_NULL)
		return NULL;
	return arena_copy_n(&reading->facts->arena, bytes, bytes ? (size_t)size : 0);
}

static const char *get_name(struct reading *reading, int column)
{
	const char *text = get_text(reading, column);

	return text ? text : "";
}

static double get_number(struct reading *reading, int column)
{
	return sqlite3_column_type(reading->row, column) == SQLITE_NULL
		   ? NAN
		   : sqlite3_column_double(reading->row, column);
}

/* Between 0 and `most`, or -1. */
static int64_t get_integer(struct reading *reading, int column, int64_t most)
{
	int64_t number = sqlite3_column_int64(reading->row, column);

	return number < 0 || number > most ? -1 : number;
}

static int kind_of(const char *name, enum fact_kind *ret)
{
	static const char *const names[] = { [FACT_FIGURE] = "figure",
					     [FACT_TEXT] = "text",
					     [FACT_NUMBER] = "number",
					     [FACT_BOOL] = "bool" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*ret = (enum fact_kind)i;
			return 0;
		}
	}
	return -EBADMSG;
}

static int fact_read(struct reading *reading)
{
	struct facts *facts = reading->facts;
	struct fact fact = { .section = get_name(reading, 0),
			     .name = get_name(reading, 1),
			     .text = get_text(reading, 3),
			     .low = get_number(reading, 6),
			     .high = get_number(reading, 7),
			     .source = get_text(reading, 8),
			     .why = get_text(reading, 9) };

	if (kind_of(get_name(reading, 2), &fact.kind) < 0 || facts->n_facts >= FACTS_MOST ||
	    (fact.kind != FACT_TEXT && unit_find(get_name(reading, 10), &fact.unit) < 0))
		return damaged(reading, "a fact makes no sense");
	fact.value.how = how_find(get_text(reading, 5));
	if (value_is(fact.value))
		fact.value.number = get_number(reading, 4);
	if (fact.kind == FACT_TEXT && !fact.text)
		fact.text = "";
	facts->facts = mem_grow(facts->facts, facts->n_facts, &facts->room_facts,
				sizeof(*facts->facts));
	facts->facts[facts->n_facts++] = fact;
	return 0;
}

/* The tables grow row by row; in the end they are owned by the arena. */
static int metric_read(struct reading *reading)
{
	struct facts *facts = reading->facts;
	bool run = strcmp(get_name(reading, 0), "run") == 0;
	size_t *count = run ? &facts->n_run_metrics : &facts->n_process_metrics;
	const struct metric **table = run ? &facts->run_metrics : &facts->process_metrics;
	struct metric *rows = (struct metric *)*table, *metric;

	if (!rows)
		*table = rows = arena_new(&facts->arena, METRICS_MOST * sizeof(*rows));
	if (*count >= METRICS_MOST || get_integer(reading, 1, INT_MAX) != (int64_t)*count)
		return damaged(reading, "its metrics are not in order");
	metric = &rows[*count];
	metric->scope = run ? SCOPE_RUN : SCOPE_PROCESS;
	metric->name = get_name(reading, 2);
	metric->source = get_text(reading, 5);
	metric->help = get_text(reading, 6);
	metric->with_children = get_integer(reading, 7, 1) == 1;
	if (unit_find(get_name(reading, 3), &metric->unit) < 0 ||
	    kind_find(get_name(reading, 4), &metric->kind) < 0)
		return damaged(reading, "a metric makes no sense");
	++*count;
	return 0;
}

static int process_values_read(struct reading *reading, struct process *process)
{
	const uint8_t *bytes = sqlite3_column_blob(reading->row, 9);
	int size = sqlite3_column_bytes(reading->row, 9);
	struct cursor cursor = { .at = bytes, .end = bytes ? bytes + size : NULL };

	values_unpack(&cursor, process->values, reading->facts->n_process_metrics);
	return cursor.bad ? -EBADMSG : 0;
}

static int process_read(struct reading *reading)
{
	struct process *process = facts_add_process(reading->facts);
	int64_t id = get_integer(reading, 0, UINT32_MAX);
	int64_t parent = get_integer(reading, 1, UINT32_MAX);
	int64_t pid = get_integer(reading, 2, INT_MAX);

	process->name = get_name(reading, 7);
	process->command = get_text(reading, 8);
	if (id < 0 || parent < 0 || pid < 0 || process_values_read(reading, process) < 0)
		return damaged(reading, "a process makes no sense");
	process->id = (uint32_t)id;
	process->parent = (uint32_t)parent;
	process->pid = (int)pid;
	process->count = (uint64_t)sqlite3_column_int64(reading->row, 3);
	process->started_ns = (uint64_t)sqlite3_column_int64(reading->row, 4);
	if (sqlite3_column_type(reading->row, 5) != SQLITE_NULL)
		process->ended_ns = (uint64_t)sqlite3_column_int64(reading->row, 5);
	if (sqlite3_column_type(reading->row, 6) != SQLITE_NULL)
		process->status = sqlite3_column_int(reading->row, 6);
	return 0;
}

static int mark_read(struct reading *reading)
{
	struct facts *facts = reading->facts;
	int64_t time_ns = get_integer(reading, 0, INT64_MAX);
	struct mark mark = { .time_ns = (uint64_t)time_ns, .name = get_name(reading, 2) };

	if (time_ns < 0 || mark_kind_find(get_name(reading, 1), &mark.kind) < 0 ||
	    (mark.kind != MARK_END && !*mark.name) || facts->n_marks >= MARKS_MOST ||
	    (facts->n_marks > 0 && mark.time_ns < facts->marks[facts->n_marks - 1].time_ns))
		return damaged(reading, "a mark makes no sense");
	facts_add_mark(facts, &mark);
	return 0;
}

static int marks_read(struct reading *reading)
{
	return rows_read(reading, "SELECT time_ns, kind, name FROM mark ORDER BY rowid", mark_read);
}

/* Recordings of before there were marks have no such table. */
static int marks_find(struct reading *reading)
{
	reading->has_marks = true;
	return 0;
}

static int chunk_read(struct reading *reading)
{
	int64_t tier = get_integer(reading, 1, TIER_COUNT - 1);
	int64_t ticks = get_integer(reading, 2, CHUNK_TICKS_MOST);
	struct chunk chunk = { .stream = (enum stream)sqlite3_column_int(reading->row, 0),
			       .tier = (unsigned)tier,
			       .ticks = (uint32_t)ticks };
	const void *data = sqlite3_column_blob(reading->row, 3);

	chunk.size = (size_t)sqlite3_column_bytes(reading->row, 3);
	if (tier < 0 || ticks < 0 || !data || harvest_add(reading->harvest, &chunk, data) < 0)
		return damaged(reading, "a chunk of its series makes no sense");
	return 0;
}

static int chunks_read(struct reading *reading, enum stream stream)
{
	char sql[120];

	if (!harvest_wants(reading->harvest, stream))
		return 0;
	snprintf(sql, sizeof(sql),
		 "SELECT stream, tier, ticks, data FROM chunk WHERE stream = %d"
		 " ORDER BY tier DESC, seq",
		 (int)stream);
	return rows_read(reading, sql, chunk_read);
}

static int tables_read(struct reading *reading)
{
	int r = rows_read(reading,
			  "SELECT scope, idx, name, unit, kind, source, help, with_children FROM "
			  "metric ORDER BY rowid",
			  metric_read);

	if (r == 0)
		r = rows_read(reading,
			      "SELECT section, name, kind, text, value, how, low, high, source, "
			      "why, unit FROM fact ORDER BY rowid",
			      fact_read);
	if (r == 0 && reading->what & (READ_PROCESSES | READ_PROCESS_LINES))
		r = rows_read(reading,
			      "SELECT id, parent, pid, count, started_ns, ended_ns, status, name, "
			      "command, \"values\" FROM process ORDER BY id",
			      process_read);
	if (r == 0)
		r = rows_read(reading,
			      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'mark'",
			      marks_find);
	if (r == 0 && reading->has_marks)
		r = marks_read(reading);
	if (r < 0)
		return r;
	reading->harvest = harvest_new(reading->facts, reading->what, false);
	for (int stream = 0; r == 0 && stream < STREAM_COUNT; stream++)
		r = chunks_read(reading, stream);
	if (r == 0)
		harvest_finish(reading->harvest);
	harvest_free(reading->harvest);
	return r;
}

int archive_read(const char *path, unsigned what, struct facts *ret, struct err *err)
{
	struct facts facts = { 0 };
	struct reading reading = { .path = path, .what = what, .facts = &facts, .err = err };
	int r = head_check(path, err);

	if (r < 0)
		return r;
	r = db_open(&reading);
	if (r == 0)
		r = tables_read(&reading);
	sqlite3_close(reading.db);
	if (r < 0)
		facts_clear(&facts);
	else
		*ret = facts;
	return r;
}
