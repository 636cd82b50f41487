/* Speed matters, for a run of 10 ms waits for this: one transaction without a journal of SQLite's
 * own (a crash leaves the temporary file, which nobody reads), no locks (unix-none: nobody else
 * knows the name, and network file systems lock slowly or not at all), statements prepared once. */
#include "series/archive.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char schema[] =
    "PRAGMA page_size = 4096;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "PRAGMA application_id = 0x736e6465;"
    "PRAGMA user_version = 1;"
    "BEGIN;"
    "CREATE TABLE fact(section TEXT, name TEXT, kind TEXT, text BLOB, value REAL, how TEXT,"
    " low REAL, high REAL, source TEXT, why TEXT, unit TEXT);"
    "CREATE TABLE metric(scope TEXT, idx INTEGER, name TEXT, unit TEXT, kind TEXT, source TEXT,"
    " help TEXT, with_children INTEGER);"
    "CREATE TABLE process(id INTEGER PRIMARY KEY, parent INTEGER, pid INTEGER, count INTEGER,"
    " started_ns INTEGER, ended_ns INTEGER, status INTEGER, name BLOB, command BLOB,"
    " \"values\" BLOB);"
    "CREATE TABLE mark(time_ns INTEGER, kind TEXT, name BLOB);"
    "CREATE TABLE chunk(stream INTEGER, tier INTEGER, seq INTEGER, start_ns INTEGER,"
    " end_ns INTEGER, ticks INTEGER, data BLOB, PRIMARY KEY(stream, tier, seq));";

struct archive {
	sqlite3 *db;
	sqlite3_stmt *row; /* of the table that is being filled */
	const struct replay *replay;
	int fd;
	int status; /* the first error of SQLite */
	int system; /* and of ours */
};

static bool archive_ok(const struct archive *archive)
{
	return archive->status == SQLITE_OK && archive->system == 0;
}

static void archive_do(struct archive *archive, const char *sql)
{
	if (archive_ok(archive))
		archive->status = sqlite3_exec(archive->db, sql, NULL, NULL, NULL);
}

static void rows_begin(struct archive *archive, const char *sql)
{
	if (archive_ok(archive))
		archive->status = sqlite3_prepare_v2(archive->db, sql, -1, &archive->row, NULL);
}

static void row_done(struct archive *archive)
{
	int status;

	if (!archive_ok(archive))
		return;
	status = sqlite3_step(archive->row);
	archive->status = status == SQLITE_DONE ? sqlite3_reset(archive->row) : status;
	sqlite3_clear_bindings(archive->row);
}

static void rows_end(struct archive *archive)
{
	sqlite3_finalize(archive->row);
	archive->row = NULL;
}

static void put_text(struct archive *archive, int column, const char *text)
{
	if (archive_ok(archive) && text)
		sqlite3_bind_text(archive->row, column, text, -1, SQLITE_STATIC);
}

static void put_blob(struct archive *archive, int column, const void *bytes, size_t size)
{
	if (archive_ok(archive) && bytes)
		sqlite3_bind_blob64(archive->row, column, bytes, size, SQLITE_STATIC);
}

static bool is_utf8(const char *text)
{
	size_t left = strlen(text), length;

	for (; left > 0; text += length, left -= length) {
		length = utf8_length(text, left);
		if (length == 0)
			return false;
	}
	return true;
}

/* What came from outside may be any bytes. As text they would stop other readers of the file. */
static void put_foreign(struct archive *archive, int column, const char *text)
{
	if (!text || is_utf8(text))
		put_text(archive, column, text);
	else
		put_blob(archive, column, text, strlen(text));
}

static void put_number(struct archive *archive, int column, double number)
{
	if (archive_ok(archive) && !isnan(number))
		sqlite3_bind_double(archive->row, column, number);
}

static void put_integer(struct archive *archive, int column, int64_t number)
{
	if (archive_ok(archive))
		sqlite3_bind_int64(archive->row, column, number);
}

static const char *const fact_kinds[] = { [FACT_FIGURE] = "figure",
					  [FACT_TEXT] = "text",
					  [FACT_NUMBER] = "number",
					  [FACT_BOOL] = "bool" };

static void fact_write(struct archive *archive, const struct fact *fact)
{
	put_text(archive, 1, fact->section);
	put_text(archive, 2, fact->name);
	put_text(archive, 3, fact_kinds[fact->kind]);
	put_foreign(archive, 4, fact->text);
	if (value_is(fact->value))
		put_number(archive, 5, fact->value.number);
	if (fact->kind != FACT_TEXT)
		put_text(archive, 6, how_name(fact->value.how));
	put_number(archive, 7, fact->low);
	put_number(archive, 8, fact->high);
	put_text(archive, 9, fact->source);
	put_text(archive, 10, fact->why);
	if (fact->kind != FACT_TEXT)
		put_text(archive, 11, unit_name(fact->unit));
	row_done(archive);
}

static void facts_write(struct archive *archive)
{
	const struct facts *facts = &archive->replay->facts;

	rows_begin(archive, "INSERT INTO fact VALUES(?,?,?,?,?,?,?,?,?,?,?)");
	for (size_t i = 0; i < facts->n_facts; i++)
		fact_write(archive, &facts->facts[i]);
	rows_end(archive);
}

static void table_write(struct archive *archive, const char *scope, const struct metric *metrics,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_text(archive, 1, scope);
		put_integer(archive, 2, (int64_t)i);
		put_text(archive, 3, metrics[i].name);
		put_text(archive, 4, unit_name(metrics[i].unit));
		put_text(archive, 5, kind_name(metrics[i].kind));
		put_text(archive, 6, metrics[i].source);
		put_text(archive, 7, metrics[i].help);
		put_integer(archive, 8, metrics[i].with_children);
		row_done(archive);
	}
}

static void metrics_write(struct archive *archive)
{
	const struct facts *facts = &archive->replay->facts;

	rows_begin(archive, "INSERT INTO metric VALUES(?,?,?,?,?,?,?,?)");
	table_write(archive, "run", facts->run_metrics, facts->n_run_metrics);
	table_write(archive, "process", facts->process_metrics, facts->n_process_metrics);
	rows_end(archive);
}

static void process_write(struct archive *archive, const struct process *process)
{
	struct text values = { 0 };

	values_pack(&values, process->values, archive->replay->facts.n_process_metrics);
	put_integer(archive, 1, process->id);
	put_integer(archive, 2, process->parent);
	put_integer(archive, 3, process->pid);
	put_integer(archive, 4, (int64_t)process->count);
	put_integer(archive, 5, (int64_t)process->started_ns);
	if (process->ended_ns != PROCESS_ALIVE)
		put_integer(archive, 6, (int64_t)process->ended_ns);
	if (process->status != PROCESS_STATUS_UNKNOWN)
		put_integer(archive, 7, process->status);
	put_foreign(archive, 8, process->name);
	put_foreign(archive, 9, process->command);
	put_blob(archive, 10, values.data ? values.data : "", values.length);
	row_done(archive);
	text_clear(&values);
}

static void processes_write(struct archive *archive)
{
	const struct facts *facts = &archive->replay->facts;

	rows_begin(archive, "INSERT INTO process VALUES(?,?,?,?,?,?,?,?,?,?)");
	for (size_t i = 0; i < facts->n_processes; i++)
		process_write(archive, &facts->processes[i]);
	rows_end(archive);
}

static void marks_write(struct archive *archive)
{
	const struct facts *facts = &archive->replay->facts;

	rows_begin(archive, "INSERT INTO mark VALUES(?,?,?)");
	for (size_t i = 0; i < facts->n_marks; i++) {
		put_integer(archive, 1, (int64_t)facts->marks[i].time_ns);
		put_text(archive, 2, mark_kind_name(facts->marks[i].kind));
		put_foreign(archive, 3, facts->marks[i].name);
		row_done(archive);
	}
	rows_end(archive);
}

static void chunk_write(struct archive *archive, const struct chunk *chunk, struct text *buffer)
{
	const uint8_t *data;

	archive->system = chunk_data(chunk, archive->fd, buffer, &data);
	put_integer(archive, 1, chunk->stream);
	put_integer(archive, 2, chunk->tier);
	put_integer(archive, 3, chunk->seq);
	put_integer(archive, 4, (int64_t)chunk->start_ns);
	put_integer(archive, 5, (int64_t)chunk->end_ns);
	put_integer(archive, 6, chunk->ticks);
	if (archive_ok(archive))
		put_blob(archive, 7, data, chunk->size);
	row_done(archive);
}

static void chunks_write(struct archive *archive, enum portion portion)
{
	const struct replay *replay = archive->replay;
	struct text buffer = { 0 };

	rows_begin(archive, "INSERT INTO chunk VALUES(?,?,?,?,?,?,?)");
	for (size_t i = 0; i < replay->n_chunks && archive_ok(archive); i++) {
		bool wanted = portion == PORTION_ALL ||
			      (portion == PORTION_RUN && replay->chunks[i].stream == STREAM_RUN);

		if (wanted)
			chunk_write(archive, &replay->chunks[i], &buffer);
	}
	rows_end(archive);
	text_clear(&buffer);
}

static int status_errno(sqlite3 *db, int status)
{
	int code = db ? sqlite3_system_errno(db) : 0;

	if (status == SQLITE_FULL)
		return -ENOSPC;
	if (status == SQLITE_NOMEM)
		return -ENOMEM;
	return code > 0 ? -code : -EIO;
}

static int archive_fill(struct archive *archive, const char *path, enum portion portion)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
		    SQLITE_OPEN_PRIVATECACHE;
	int r;

	archive->status = sqlite3_open_v2(path, &archive->db, flags, "unix-none");
	archive_do(archive, schema);
	facts_write(archive);
	metrics_write(archive);
	processes_write(archive);
	marks_write(archive);
	if (portion != PORTION_FACTS)
		chunks_write(archive, portion);
	archive_do(archive, "COMMIT");
	r = archive->system;
	if (archive->status != SQLITE_OK)
		r = status_errno(archive->db, archive->status);
	if (sqlite3_close(archive->db) != SQLITE_OK && r == 0)
		r = -EIO;
	return r;
}

static int file_sync(const char *path)
{
	CLEANUP(closep) int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

char *archive_temporary(const char *path, uint32_t pid)
{
	/* SQLite takes a path that begins so for a setting, whatever the flags say. */
	const char *before = strncmp(path, "file:", 5) == 0 || *path == ':' ? "./" : "";
	char *name;

	if (asprintf(&name, "%s%s.%u.new", before, path, pid) < 0)
		mem_fail();
	return name;
}

int archive_write(const char *path, const struct replay *replay, int fd, enum portion portion,
		  bool sync, struct err *err)
{
	CLEANUP(freep) char *temporary = archive_temporary(path, (uint32_t)getpid());
	struct archive archive = { .replay = replay, .fd = fd };
	int r;

	unlink(temporary);
	r = archive_fill(&archive, temporary, portion);
	/* Without it a power cut in the next half minute may leave the new name on an empty file,
	 * after the journal has gone. For a run of seconds it would cost more than it saves. */
	if (r == 0 && sync)
		r = file_sync(temporary);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r == 0)
		return 0;
	unlink(temporary);
	return err_set(err, r, "cannot write '%s'", path);
}
