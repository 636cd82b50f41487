#include "base/err.h"
#include "base/mem.h"
#include "base/opt.h"
#include "cmd/cmd.h"
#include "cmd/recorded.h"
#include "report/report.h"
#include "series/series.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct export_options {
	const char *format, *output;
	bool series;
};

static const struct opt export_opts[] = {
	{ .name = "format",
	  .key = 'f',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct export_options, format),
	  .value = "FORMAT",
	  .help = "json (everything) or csv (totals, or with --series a row for each tick)" },
	{ .name = "output",
	  .key = 'o',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct export_options, output),
	  .value = "FILE",
	  .help = "write there instead of to stdout" },
	{ .name = "series",
	  .key = 's',
	  .kind = OPT_BOOL,
	  .into = offsetof(struct export_options, series),
	  .help = "all metrics over time, too" },
	{ 0 }
};

static int unknown_format(const char *name, struct err *err)
{
	const char *names[16] = { NULL };
	const char *near;

	for (size_t i = 0; report_table[i] && i + 1 < COUNT(names); i++)
		names[i] = report_table[i]->name;
	near = nearest(name, names);
	err_say(err, -EINVAL, "there is no format '%s'", name);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'sonde export --help' lists the formats");
	return -EINVAL;
}

/* The format asked for, else the one that the file's name asks for, else JSON. */
static int choose(const struct export_options *options, const struct report **ret, struct err *err)
{
	size_t length = options->output ? strlen(options->output) : 0;

	*ret = &report_json;
	if (options->format) {
		*ret = report_find(options->format);
		return *ret ? 0 : unknown_format(options->format, err);
	}
	for (size_t i = 0; report_table[i]; i++) {
		size_t tail = strlen(report_table[i]->suffix);

		if (length > tail &&
		    strcmp(options->output + length - tail, report_table[i]->suffix) == 0)
			*ret = report_table[i];
	}
	return 0;
}

static int write_file(const struct report *report, const struct facts *facts, const char *path,
		      struct err *err)
{
	FILE *out = fopen(path, "we");
	int r;

	if (!out)
		return err_set(err, -errno, "cannot write '%s'", path);
	r = report->write(facts, out, err);
	if (fclose(out) != 0 && r == 0)
		r = err_set(err, -errno, "cannot write");
	return r < 0 ? err_in(err, "'%s'", path) : 0;
}

static int export(const struct export_options *options, const struct report *report,
		  const char *run, struct err *err)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	unsigned what = READ_PROCESSES | (options->series ? READ_LINES : 0);
	int r = recorded_read(run, what, &facts, err);

	if (r < 0)
		return r;
	if (options->output && strcmp(options->output, "-") != 0)
		return write_file(report, &facts, options->output, err);
	report->write(&facts, stdout, NULL); /* main() tells where stdout fails */
	return 0;
}

static int export_run(void *into, int argc, char **argv)
{
	const struct export_options *options = into;
	const struct report *report;
	struct err err = { 0 };

	if (argc > 1) {
		err_say(&err, -EINVAL, "export takes one run, and '%s' is one too many", argv[1]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (choose(options, &report, &err) < 0)
		return cmd_fail(&err, EXIT_USAGE);
	if (export(options, report, argc > 0 ? argv[0] : NULL, &err) < 0)
		return cmd_fail(&err, EXIT_PROBLEM);
	return EXIT_FINE;
}

const struct cmd cmd_export = {
	.name = "export",
	.arguments = "[options] [RUN]",
	.help = "a run in another format",
	.examples = "sonde export --format csv\n"
		    "sonde export --format json -o fit.json fit\n"
		    "sonde export --format csv --series -o fit.csv @2",
	.details =
	    "RUN is named as for 'sonde show'. Without --format, the end of the file's name\n"
	    "decides, and JSON is written where that says nothing.",
	.topic = "look",
	.opts = export_opts,
	.options_bytes = sizeof(struct export_options),
	.run = export_run,
};
