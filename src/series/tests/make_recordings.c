/* Writes the recordings that are checked in as examples of this format, and seeds for the fuzzers:
 *	make_recordings tests/recordings src/series/tests
 * They are made once for each version of the format and never again. */
#include "base/file.h"
#include "series/record.h"
#include "series/tests/made.h"

#include <fcntl.h>
#include <sys/wait.h>

#define TICKS 250
#define SEED_TICKS 12

static void make(const char *path, uint32_t ticks, bool finish)
{
	struct facts facts = { 0 };
	struct series *series;
	struct err err = { 0 };

	made_facts(&facts);
	if (series_open(path, &facts, &series, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	made_ticks(series, 0, ticks);
	made_end(&facts);
	if (finish && series_finish(series, &facts, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	series_close(series);
	facts_clear(&facts);
}

static void file_make(const char *directory, const char *name, const void *bytes, size_t size)
{
	CLEANUP(closep) int fd = -1;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || file_write(fd, bytes, size) < 0)
		perror(path);
}

static void seed_make(const char *directory, const char *name, uint8_t mode, const void *bytes,
		      size_t size)
{
	struct text seed = { 0 };

	text_add_bytes(&seed, &mode, 1);
	text_add_bytes(&seed, bytes, size);
	file_make(directory, name, seed.data, seed.length);
	text_clear(&seed);
}

/* The journal in the form that fuzz_journal.c makes records of. */
static void seed_records(const char *directory, const char *journal, size_t size)
{
	struct text out = { 0 };
	struct record record;

	for (size_t at = JOURNAL_HEAD_BYTES;
	     at < size && record_parse(journal + at, size - at, &record) > 0; at += record.size) {
		size_t length = cursor_left(&record.payload);
		uint8_t head[3] = { (uint8_t)record.type, (uint8_t)length, (uint8_t)(length >> 8) };

		text_add_bytes(&out, head, sizeof(head));
		text_add_bytes(&out, record.payload.at, length);
	}
	seed_make(directory, "seeds_journal/records", 1, out.data, out.length);
	text_clear(&out);
}

static void seed_chunk(const char *directory, const char *journal, size_t size, unsigned stream)
{
	struct text out = { 0 };
	struct record record;
	uint8_t head[2] = { (uint8_t)(stream << 7), stream ? MADE_OWN : MADE_RUN };

	text_add_bytes(&out, head, sizeof(head));
	for (size_t at = JOURNAL_HEAD_BYTES;
	     at < size && record_parse(journal + at, size - at, &record) > 0; at += record.size) {
		if ((record.type == RECORD_FIRST || record.type == RECORD_TICK) &&
		    cursor_byte(&record.payload) == stream)
			text_add_bytes(&out, record.payload.at, cursor_left(&record.payload));
	}
	seed_make(directory, stream ? "seeds_recording/chunk_process" : "seeds_recording/chunk_run",
		  1, out.data, out.length);
	text_clear(&out);
}

/* Reads a journal, with a writer that nobody has. */
static void journal_take(const char *path, struct text *ret)
{
	static const struct origin nobody = { .pid = 4711,
					      .pid_started = 123456,
					      .pid_namespace = 4026531836,
					      .boot = "00000000-0000-0000-0000-000000000000",
					      .host = "node17" };
	CLEANUP(freep) char *bytes = NULL;
	size_t size = (size_t)file_read(".", path, &bytes, NULL);
	struct record record;

	record_parse(bytes + JOURNAL_HEAD_BYTES, size - JOURNAL_HEAD_BYTES, &record);
	text_add_bytes(ret, bytes, JOURNAL_HEAD_BYTES);
	record_writer(ret, &nobody);
	size -= JOURNAL_HEAD_BYTES + record.size;
	text_add_bytes(ret, bytes + JOURNAL_HEAD_BYTES + record.size, size);
	unlink(path);
}

int main(int argc, char **argv)
{
	CLEANUP(freep) char *recording = NULL;
	struct text journal = { 0 }, small = { 0 };
	ssize_t size;

	if (argc != 3 || chdir(argv[1]) < 0)
		return 2;
	unlink("v2.sonde");
	unlink("v2-dead.sonde.journal");
	make("v2.sonde", TICKS, true);
	make("v2-dead.sonde", TICKS, false);
	journal_take("v2-dead.sonde.journal", &journal);
	file_make(".", "v2-dead.sonde.journal", journal.data, journal.length);

	make("small.sonde", SEED_TICKS, false);
	journal_take("small.sonde.journal", &small);
	seed_make(argv[2], "seeds_journal/whole", 0, small.data, small.length);
	seed_records(argv[2], small.data, small.length);
	seed_chunk(argv[2], small.data, small.length, 0);
	seed_chunk(argv[2], small.data, small.length, 1);
	make("small.sonde", SEED_TICKS, true);
	size = file_read(".", "small.sonde", &recording, NULL);
	seed_make(argv[2], "seeds_recording/whole", 0, recording, (size_t)size);
	unlink("small.sonde");
	text_clear(&journal);
	text_clear(&small);
	return 0;
}
