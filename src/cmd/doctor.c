#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/examine.h"
#include "cmd/fill.h"
#include "cmd/prove.h"
#include "report/grid.h"
#include "report/words.h"
#include "source/capture.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct doctor_options {
	const char *capture;
	uint64_t pid;
	bool json, check;
};

static const struct opt doctor_opts[] = {
	{ .name = "capture",
	  .key = 'c',
	  .kind = OPT_TEXT,
	  .into = offsetof(struct doctor_options, capture),
	  .value = "DIR",
	  .help = "write the /proc and /sys files that sonde reads to DIR, secrets masked" },
	{ .name = "pid",
	  .key = 'p',
	  .kind = OPT_NUMBER,
	  .into = offsetof(struct doctor_options, pid),
	  .value = "PID",
	  .help = "of this process instead of sonde's own" },
	{ .name = "check",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct doctor_options, check),
	  .fallback = "yes",
	  .help = "run programs of known cost, and compare" },
	{ .name = "json",
	  .kind = OPT_BOOL,
	  .into = offsetof(struct doctor_options, json),
	  .help = "for scripts, in the format sonde.doctor/1" },
	{ 0 }
};

#define DETAIL_COLUMN 23

struct doctor {
	const struct doctor_options *options;
	const char *area; /* or the name of one finding; NULL: all of them */
	struct look look;
	struct json json;
	struct grid proofs;
	size_t right, wrong;
};

static bool is_wanted(const struct doctor *doctor, const struct finding *finding)
{
	return !doctor->area || strcmp(doctor->area, finding->area) == 0 ||
	       strcmp(doctor->area, finding->name) == 0;
}

/* A line behind the finding's name, or below it where `before` is empty. */
static void print_line(const struct doctor *doctor, const char *before, const char *text)
{
	CLEANUP(text_clear) struct text line = { 0 };

	words_clean(&line, text);
	fill(text_string(&line), printf("%s", before), DETAIL_COLUMN, doctor->look.columns, stdout);
}

static void print(const struct doctor *doctor, const struct finding *finding)
{
	CLEANUP(text_clear) struct text line = { 0 };
	const char *command = finding->command;

	text_add_format(&line, "  %-10s %-8s  ", finding->name, finding->state);
	print_line(doctor, line.data, finding->help);
	if (finding->detail && !(command && strstr(finding->detail, command)))
		print_line(doctor, "", finding->detail);
	if (!finding->needs)
		return;
	line.length = 0;
	text_add_format(&line, "needs %s; %s may open it: %s", finding->needs, finding->who,
			command);
	print_line(doctor, "", line.data);
}

static void json_word(struct json *json, const char *key, const char *word)
{
	if (word)
		json_string(json, key, word);
}

static void print_json(struct json *json, const struct finding *finding)
{
	bool works = strcmp(finding->state, "works") == 0;

	json_object_line(json, NULL);
	json_string(json, "source", finding->name);
	json_string(json, "area", finding->area);
	json_string(json, "state", finding->state);
	json_string(json, "help", finding->help);
	json_word(json, works ? "detail" : "why", finding->detail);
	json_word(json, "needs", finding->needs);
	json_word(json, "command", finding->command);
	json_word(json, "who", finding->who);
	json_object_end(json);
}

static void print_findings(struct doctor *doctor, const struct examination *examination)
{
	const char *area = "";

	for (size_t i = 0; i < examination->count; i++) {
		const struct finding *finding = &examination->findings[i];

		if (!is_wanted(doctor, finding))
			continue;
		if (doctor->options->json) {
			print_json(&doctor->json, finding);
			continue;
		}
		if (strcmp(area, finding->area) != 0)
			printf("%s", *area ? "\n" : "");
		if (strcmp(area, finding->area) != 0)
			look_heading(&doctor->look, finding->area, stdout);
		area = finding->area;
		print(doctor, finding);
	}
}

static const char *const verdicts[] = {
	[PROOF_RIGHT] = "right",
	[PROOF_WRONG] = "WRONG",
	[PROOF_OPEN] = "cannot tell",
};

static void tell_proof(void *arg, const struct proof *proof)
{
	struct doctor *doctor = arg;
	char done[HUMAN_BYTES], told[HUMAN_BYTES + 8];

	grid_add(&doctor->proofs, proof->what);
	grid_add(&doctor->proofs, words_number(proof->metric, proof->unit, proof->done, done));
	grid_add(&doctor->proofs, words_fact(&proof->told, told));
	grid_add(&doctor->proofs, verdicts[proof->verdict]);
	grid_add(&doctor->proofs, proof->tolerance);
	doctor->right += proof->verdict == PROOF_RIGHT;
	doctor->wrong += proof->verdict == PROOF_WRONG;
}

static void tell_proof_json(void *arg, const struct proof *proof)
{
	struct doctor *doctor = arg;
	struct json *json = &doctor->json;

	json_object_line(json, NULL);
	json_string(json, "check", proof->what);
	json_string(json, "metric", proof->metric);
	json_number(json, "done", proof->done);
	json_number(json, "told", value_is(proof->told.value) ? proof->told.value.number : NAN);
	json_number(json, "low", proof->low);
	json_number(json, "high", proof->high);
	json_string(json, "tolerance", proof->tolerance);
	json_string(json, "verdict",
		    proof->verdict == PROOF_WRONG ? "wrong" : verdicts[proof->verdict]);
	json_object_end(json);
	doctor->right += proof->verdict == PROOF_RIGHT;
	doctor->wrong += proof->verdict == PROOF_WRONG;
}

/* A figure that is wrong beside one that is known: nothing else that we print is worth much then.
 */
static int judge(const struct doctor *doctor)
{
	struct err err = { 0 };

	if (doctor->wrong == 0)
		return EXIT_FINE;
	err_say(&err, -ERANGE, "what sonde tells on this machine is not right: %zu of %zu checks",
		doctor->wrong, doctor->right + doctor->wrong);
	err_hint(&err, "once more, when the machine is calm; if it stays, please report it with "
		       "what 'sonde doctor --capture DIR' writes");
	return cmd_fail(&err, EXIT_PROBLEM);
}

static int check_text(struct doctor *doctor, struct err *err)
{
	static const struct grid_column columns[] = {
		{ .title = "work of known cost" },
		{ .title = "done", .right = true },
		{ .title = "told", .right = true },
		{ .title = "verdict" },
		{ .title = "may differ by", .gives_way = true },
	};
	int r;

	grid_init(&doctor->proofs, columns, COUNT(columns));
	r = prove(tell_proof, doctor, err);
	if (doctor->proofs.n_cells > 0) {
		printf("\n");
		look_heading(&doctor->look, "is sonde right on this machine?", stdout);
		grid_print(&doctor->proofs, 2, &doctor->look, stdout);
	}
	grid_clear(&doctor->proofs);
	return r;
}

static int check_json(struct doctor *doctor, struct err *err)
{
	int r;

	json_array(&doctor->json, "checks");
	r = prove(tell_proof_json, doctor, err);
	json_array_end(&doctor->json);
	return r;
}

static int tell_all(struct doctor *doctor, const struct examination *examination, bool check)
{
	struct err err = { 0 };
	int r = 0;

	if (doctor->options->json) {
		json_init(&doctor->json, stdout);
		json_object(&doctor->json, NULL);
		json_string(&doctor->json, "format", "sonde.doctor/1");
		json_array(&doctor->json, "sources");
	}
	print_findings(doctor, examination);
	if (doctor->options->json)
		json_array_end(&doctor->json);
	fflush(stdout); /* the checks take a second */
	if (check)
		r = doctor->options->json ? check_json(doctor, &err) : check_text(doctor, &err);
	if (doctor->options->json)
		json_object_end(&doctor->json);
	return r < 0 ? cmd_fail(&err, EXIT_PROBLEM) : judge(doctor);
}

static int unknown_area(const struct examination *examination, const char *area)
{
	CLEANUP(names_clear) struct names names = { 0 };
	CLEANUP(text_clear) struct text all = { 0 };
	struct err err = { 0 };
	const char *near;

	examine_areas(examination, &names);
	for (size_t i = 0; i < names.count; i++)
		text_add_format(&all, "%s%s", i > 0 ? ", " : "", names.items[i]);
	for (size_t i = 0; i < examination->count; i++)
		names_add(&names, examination->findings[i].name);
	near = names_nearest(&names, area);
	err_say(&err, -EINVAL, "'%s': no such area", area);
	if (near)
		err_hint(&err, "did you mean 'sonde doctor %s'?", near);
	else
		err_hint(&err, "areas are %s", text_string(&all));
	return cmd_fail(&err, EXIT_USAGE);
}

static int diagnose(const struct doctor_options *options, int pid, const char *area)
{
	CLEANUP(examination_clear) struct examination examination;
	struct doctor doctor = { .options = options, .area = area, .look = look_of(STDOUT_FILENO) };
	bool known = !area;

	examine(pid, &examination);
	for (size_t i = 0; i < examination.count; i++)
		known = known || is_wanted(&doctor, &examination.findings[i]);
	if (!known)
		return unknown_area(&examination, area);
	return tell_all(&doctor, &examination, options->check && !area && !options->pid);
}

static int capture(const struct doctor_options *options, int pid)
{
	struct err err = { 0 };

	if (source_capture("/", pid, options->capture, &err) < 0) {
		err_in(&err, "cannot capture to '%s'", options->capture);
		return cmd_fail(&err, EXIT_PROBLEM);
	}
	fprintf(
	    stderr,
	    "sonde: wrote '%s'; captured.txt in it lists every file: look before you share it\n",
	    options->capture);
	return EXIT_FINE;
}

static int doctor_run(void *arg, int argc, char **argv)
{
	const struct doctor_options *options = arg;
	int pid = options->pid ? (int)options->pid : getpid();
	struct err err = { 0 };

	if (argc > 1 || (argc > 0 && options->capture)) {
		err_say(&err, -EINVAL, "doctor takes one area, and '%s' is too many",
			argv[argc - 1]);
		return cmd_fail(&err, EXIT_USAGE);
	}
	if (options->capture)
		return capture(options, pid);
	return diagnose(options, pid, argc > 0 ? argv[0] : NULL);
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.arguments = "[options] [AREA]",
	.help = "what can be measured on this machine, and why not the rest",
	.examples = "sonde doctor\n"
		    "sonde doctor memory\n"
		    "sonde doctor --no-check --json\n"
		    "sonde doctor --capture for-a-bug-report",
	.details =
	    "Every source is asked once. What is closed says what it needs, the command that would "
	    "open it and who may give it; nothing of it is needed for 'sonde run' to be useful. "
	    "AREA is one heading, or one name, of the list.\n"
	    "\n"
	    "Then programs of known cost are run for about a second and compared with what sonde "
	    "tells of them. Exit status 1 says that a figure was wrong.\n"
	    "\n"
	    "A capture serves as a bug report, and as a fixture in sonde's own tests. Host and "
	    "user "
	    "names, and secrets in command lines, are masked; environments are never written.",
	.topic = "help",
	.opts = doctor_opts,
	.options_bytes = sizeof(struct doctor_options),
	.run = doctor_run,
};
