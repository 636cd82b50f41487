#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/recorded.h"
#include "report/report.h"
#include "series/series.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FINEST_STEP_NS 1000000u

struct export_options {
	const char *format, *output, *textfile;
	uint64_t step_ns;
	bool series;
};

static const struct opt export_opts[] = {
	{ .name = "format",
	  .key = 'f',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct export_options, format),
	  .value = "FORMAT",
	  .help = "json (everything), csv (totals, or with --series a row for each tick) or "
		  "openmetrics (all metrics over time, for Prometheus)" },
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
	{ .name = "step",
	  .kind = OPT_DURATION,
	  .into = offsetof(struct export_options, step_ns),
	  .value = "TIME",
	  .help = "of openmetrics: one sample for each step, 1s where nothing is said; 1ms for all "
		  "there are" },
	{ .name = "textfile",
	  .kind = OPT_TEXT,
	  .into = offsetof(struct export_options, textfile),
	  .value = "FILE.prom",
	  .help = "write the totals for node_exporter's textfile collector" },
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
	*ret = options->textfile || options->step_ns ? &report_openmetrics : &report_json;
	if (options->format) {
		*ret = report_find(options->format);
		return *ret ? 0 : unknown_format(options->format, err);
	}
	for (size_t i = 0; options->output && report_table[i]; i++) {
		if (ends_in(options->output, report_table[i]->suffix))
			*ret = report_table[i];
	}
	return 0;
}

/* What is only for OpenMetrics, and what node_exporter would not read. */
static int check(const struct export_options *options, const struct report *report, struct err *err)
{
	const char *only = options->textfile ? "textfile" : "step", *prom = options->textfile;

	if ((options->textfile || options->step_ns > 0) && report != &report_openmetrics)
		return err_say(err, -EINVAL, "--%s is for openmetrics, not for %s", only,
			       report->name);
	if (options->step_ns > 0 && options->step_ns < FINEST_STEP_NS) {
		err_say(err, -EINVAL, "--step is too short");
		return err_hint(err, "--step 1ms is the shortest that Prometheus keeps");
	}
	if (options->textfile && (options->output || options->step_ns > 0))
		return err_say(err, -EINVAL, "--textfile needs no --%s",
			       options->output ? "output" : "step");
	if (!prom && options->output && !options->format && ends_in(options->output, ".prom")) {
		err_say(err, -EINVAL, "'%s' would be a file for node_exporter", options->output);
		return err_hint(err, "write --textfile instead of -o, or choose a --format");
	}
	if (!prom || ends_in(prom, ".prom"))
		return 0;
	err_say(err, -EINVAL, "node_exporter does not read '%s': its name must end in .prom", prom);
	return err_hint(err, "write --textfile %.150s.prom", prom);
}

static int write_report(const struct export_options *options, const struct report *report,
			const struct facts *facts, FILE *out, struct err *err)
{
	const struct openmetrics how = { .step_ns = options->step_ns,
					 .textfile = options->textfile != NULL };

	if (how.textfile || how.step_ns > 0)
		return openmetrics_write(facts, &how, out, err);
	return report->write(facts, out, err);
}

static int write_file(const struct export_options *options, const struct report *report,
		      const struct facts *facts, struct err *err)
{
	FILE *out = fopen(options->output, "we");
	int r;

	if (!out)
		return err_set(err, -errno, "cannot write '%s'", options->output);
	r = write_report(options, report, facts, out, err);
	if (fclose(out) != 0 && r == 0)
		r = err_set(err, -errno, "cannot write");
	return r < 0 ? err_in(err, "'%s'", options->output) : 0;
}

/* All of it in memory, then into the place of the old file at once: the collector may read at any
 * moment. */
static int write_textfile(const struct export_options *options, const struct facts *facts,
			  struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int r;

	if (!out)
		mem_fail();
	r = write_report(options, &report_openmetrics, facts, out, err);
	fclose(out);
	if (r == 0)
		r = file_replace(options->textfile, text, length, 0644, err);
	return r;
}

static int export(const struct export_options *options, const struct report *report,
		  const char *run, struct err *err)
{
	CLEANUP(facts_clear) struct facts facts = { 0 };
	bool lines = options->series || report->needs_lines;
	int r = recorded_read(run, READ_PROCESSES | (lines ? READ_LINES : 0), &facts, err);

	if (r < 0)
		return r;
	if (options->textfile)
		return write_textfile(options, &facts, err);
	if (options->output && strcmp(options->output, "-") != 0)
		return write_file(options, report, &facts, err);
	r = write_report(options, report, &facts, stdout, err);
	return r < 0 && !ferror(stdout) ? r : 0; /* main() tells where stdout fails */
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
	if (choose(options, &report, &err) < 0 || check(options, report, &err) < 0)
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
		    "sonde export --format csv --series -o fit.csv @2\n"
		    "sonde export --format openmetrics -o fit.om fit\n"
		    "sonde export --textfile fit.prom fit",
	.details =
	    "RUN is named as for 'sonde show'. Without --format, the end of the file's name\n"
	    "decides, and JSON is written where that says nothing.\n\n"
	    "Prometheus learns of a run that is over by\n"
	    "  promtool tsdb create-blocks-from openmetrics fit.om DIRECTORY",
	.topic = "look",
	.opts = export_opts,
	.options_bytes = sizeof(struct export_options),
	.run = export_run,
};
