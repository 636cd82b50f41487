#include "cmd/recorded.h"

#include "advise/advise.h"
#include "base/human.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/text.h"
#include "model/phase.h"
#include "series/series.h"
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recorded_tell(const struct facts *facts)
{
	CLEANUP(text_clear) struct text run = { 0 };
	const char *id = facts_text(facts, "run", "id");
	struct value wall = facts_value(facts, "totals", "wall_s");
	char time[HUMAN_BYTES] = "its last tick";

	if (value_is(wall))
		human_duration(wall.number, time);
	if (id)
		text_add_clean(&run, id, strlen(id));
	if (facts->repaired)
		fprintf(stderr,
			"sonde: run %s did not end properly; its recording was repaired and stops "
			"at %s\n",
			text_string(&run), time);
	else if (facts->running)
		fprintf(stderr, "sonde: run %s is still running; this is what is known so far\n",
			text_string(&run));
}

int recorded_read(const char *run, unsigned what, struct facts *ret, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	int r = store_find(run, &path, err);

	if (r < 0)
		return r;
	r = recording_read(path, what | (what & READ_PROCESSES ? READ_MARKED_LINES : 0), ret, err);
	if (r < 0)
		return r;
	phases_add(ret, ret);
	if (!(what & (READ_LINES | READ_PROCESS_LINES)))
		facts_drop_lines(ret);
	advise(ret);
	recorded_tell(ret);
	return 0;
}

bool recorded_last(struct facts *ret)
{
	CLEANUP(freep) char *path = NULL;

	if (store_find(NULL, &path, NULL) < 0 || recording_read(path, 0, ret, NULL) < 0)
		return false;
	advise(ret);
	return true;
}

static int no_such(const struct facts *facts, const char *metric, struct err *err)
{
	CLEANUP(freep) const char **names = mem_new((facts->n_run_metrics + 1) * sizeof(*names));
	CLEANUP(text_clear) struct text all = { 0 };
	const char *near;

	for (size_t i = 0; i < facts->n_run_metrics; i++) {
		names[i] = facts->run_metrics[i].name;
		text_add_format(&all, "%s%s", i > 0 ? " " : "", names[i]);
	}
	near = nearest(metric, names);
	err_say(err, -ENOENT, "this run has no series '%s'; it has: %s", metric, text_string(&all));
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	return -ENOENT;
}

int recorded_keep_series(struct facts *facts, const char *metric, struct err *err)
{
	size_t kept = 0;

	if (strcmp(metric, "all") == 0)
		return 0;
	if (facts_metric(facts, SCOPE_RUN, metric) < 0)
		return no_such(facts, metric, err);
	for (size_t i = 0; i < facts->n_lines; i++) {
		if (strcmp(facts->lines[i].metric->name, metric) == 0)
			facts->lines[kept++] = facts->lines[i];
		else
			free(facts->lines[i].points);
	}
	facts->n_lines = kept;
	return 0;
}
