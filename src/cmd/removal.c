#include "cmd/removal.h"

#include "base/human.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "report/page.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two ways to write one path are one. */
void removal_add(struct removal *removal, const char *path)
{
	char *whole = realpath(path, NULL);

	if (!whole)
		whole = mem_copy(path);
	for (size_t i = 0; i < removal->count; i++) {
		if (strcmp(removal->paths[i], whole) == 0) {
			free(whole);
			return;
		}
	}
	removal->paths = mem_grow(removal->paths, removal->count, &removal->room,
				  sizeof(*removal->paths));
	removal->paths[removal->count++] = whole;
}

struct done {
	struct grid grid;
	struct look look;
	size_t count;
	uint64_t bytes;
};

static int remove_one(const char *path, bool dry_run, struct done *done, struct err *err)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	int r = store_may_remove(path, &facts, err);
	uint64_t bytes = store_bytes(path);
	const char *id;

	if (r == 0 && !dry_run)
		r = store_remove(path, err);
	if (r < 0)
		return r;
	id = facts_text(&facts, "run", "id");
	page_size_row(&done->grid, &done->look, id ? id : path, &facts, bytes);
	done->bytes += bytes;
	done->count++;
	return 0;
}

static void tell(const struct done *done, bool dry_run)
{
	char count[HUMAN_BYTES], bytes[HUMAN_BYTES];

	if (done->count > 0)
		grid_print(&done->grid, 0, &done->look, stdout);
	printf("%s %s run%s, %s%s\n", dry_run ? "would remove" : "removed",
	       human_count((double)done->count, count), done->count == 1 ? "" : "s",
	       human_bytes((double)done->bytes, bytes), dry_run ? "; nothing was changed" : "");
}

int removal_run(const struct removal *removal, bool dry_run)
{
	struct done done = { .look = look_of(STDOUT_FILENO) };
	int status = EXIT_FINE;

	grid_init(&done.grid, page_size_columns, PAGE_SIZE_COLUMNS);
	for (size_t i = 0; i < removal->count; i++) {
		struct err err = { 0 };

		if (remove_one(removal->paths[i], dry_run, &done, &err) < 0)
			status = cmd_fail(&err, EXIT_PROBLEM);
	}
	tell(&done, dry_run);
	grid_clear(&done.grid);
	return status;
}

void removal_clear(struct removal *removal)
{
	for (size_t i = 0; i < removal->count; i++)
		free(removal->paths[i]);
	free(removal->paths);
	*removal = (struct removal){ 0 };
}
