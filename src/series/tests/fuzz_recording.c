/* The first byte chooses: a whole file, or the frames of one chunk, as they are before compression,
 * of a tier and a number of metrics that the next two bytes choose. */
#include "series/archive.h"
#include "series/fold.h"
#include "series/harvest.h"
#include "series/series.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int keep_none(void *arg, const struct raw *raw)
{
	(void)arg;
	(void)raw;
	return 0;
}

static void whole_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct facts facts = { 0 };
	struct err err;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd >= 0 && write(fd, data, size) == (ssize_t)size &&
	    archive_read(path, READ_PROCESSES | READ_LINES | READ_PROCESS_LINES, &facts, &err) == 0)
		facts_clear(&facts);
	close(fd);
}

static void one_chunk(const uint8_t *data, size_t size)
{
	struct metric metrics[20] = { 0 };
	unsigned tier = data[0] % (TIER_COUNT - 1);
	size_t count = data[1] % COUNT(metrics);
	struct chunk chunk = { .tier = tier, .stream = data[0] >> 7, .ticks = CHUNK_TICKS_MOST };
	struct facts facts = { 0 };
	struct text sealed = { 0 };
	struct harvest *harvest;
	struct fold *fold;

	for (size_t i = 0; i < count; i++)
		metrics[i] = (struct metric){ .name = "m", .kind = i % 2, .unit = i % 6 };
	facts_set_metrics(&facts, SCOPE_RUN, metrics, count);
	facts_set_metrics(&facts, SCOPE_PROCESS, metrics, count);
	facts_add_process(&facts)->id = 1;
	chunk_seal(data + 2, size - 2, &sealed);
	chunk.size = sealed.length;
	harvest = harvest_new(&facts, READ_LINES | READ_PROCESS_LINES, true);
	harvest_add(harvest, &chunk, sealed.data);
	harvest_finish(harvest);
	harvest_free(harvest);
	fold = fold_new(metrics, count, tier + 1, keep_none, NULL);
	if (fold_add(fold, tier, data + 2, size - 2) == 0)
		fold_finish(fold);
	fold_free(fold);
	text_clear(&sealed);
	facts_clear(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 3 && data[0] & 1)
		one_chunk(data + 1, size - 1);
	else if (size > 0)
		whole_file(data + 1, size - 1);
	return 0;
}
