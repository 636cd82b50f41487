/* Journals as they come, and journals whose records are whole but say anything: the first byte
 * chooses. In the second, the input is a row of type, length (16 bits) and payload, and gets its
 * CRCs here, since no fuzzer would guess them. */
#include "model/phase.h"
#include "series/harvest.h"
#include "series/series.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void records_add(struct text *out, struct cursor input)
{
	uint8_t version[4];

	put_u32(version, JOURNAL_VERSION);
	text_add(out, JOURNAL_MAGIC);
	text_add_bytes(out, version, sizeof(version));
	while (cursor_left(&input) > 3) {
		size_t start = record_begin(out, cursor_byte(&input));
		size_t length = cursor_byte(&input) | (size_t)cursor_byte(&input) << 8;

		length = length < cursor_left(&input) ? length : cursor_left(&input);
		text_add_bytes(out, cursor_bytes(&input, length), length);
		record_end(out, start);
	}
}

/* Whatever the marks, the lines and the processes say, they can be cut. */
static void phases_try(struct facts *facts)
{
	phases_add(facts, facts);
	for (size_t i = 0; i < facts->n_phases && i < 3; i++) {
		struct facts alone;

		if (phase_cut(facts, facts->phases[i].name, &alone, NULL) == 0)
			facts_clear(&alone);
	}
}

static void harvest_all(struct replay *replay, int fd)
{
	struct harvest *harvest;
	struct text buffer = { 0 };

	replay_seal(replay);
	harvest = harvest_new(&replay->facts, READ_LINES | READ_PROCESS_LINES, !replay->ended);
	harvest_estimated(harvest, replay->estimated);
	for (size_t i = 0; i < replay->n_chunks; i++) {
		const uint8_t *bytes;

		if (chunk_data(&replay->chunks[i], fd, &buffer, &bytes) == 0)
			harvest_add(harvest, &replay->chunks[i], bytes);
	}
	harvest_finish(harvest);
	harvest_free(harvest);
	text_clear(&buffer);
	phases_try(&replay->facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct replay replay = { 0 };
	struct text journal = { 0 };
	struct err err;
	int fd;

	if (size == 0)
		return 0;
	if (data[0] & 1)
		records_add(&journal, (struct cursor){ .at = data + 1, .end = data + size });
	else
		text_add_bytes(&journal, data + 1, size - 1);
	fd = memfd_create("journal", MFD_CLOEXEC);
	if (fd >= 0 &&
	    write(fd, text_string(&journal), journal.length) == (ssize_t)journal.length &&
	    replay_file(&replay, fd, "journal", &err) == 0)
		harvest_all(&replay, fd);
	replay_clear(&replay);
	text_clear(&journal);
	close(fd);
	return 0;
}
