#include "base/mask.h"

#include "base/mem.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Arguments stand with | between them. */
static const struct {
	const char *given, *expected;
} commands[] = {
	/* options and variables */
	{ "x|--password=hunter2|y", "x --password=*** y" },
	{ "x|--password=two words|y", "x --password=*** y" },
	{ "x|--token|abc|y", "x --token *** y" },
	{ "x|--db-password|abc|--verbose", "x --db-password *** --verbose" },
	{ "x|-password|abc", "x -password ***" },
	{ "x|--api-key=1", "x --api-key=***" },
	{ "x|--apikey|1", "x --apikey ***" },
	{ "x|--apiKey=1", "x --apiKey=***" },
	{ "x|--ACCESS_KEY=1", "x --ACCESS_KEY=***" },
	{ "x|--private-key=1", "x --private-key=***" },
	{ "x|--auth=me:pw", "x --auth=***" },
	{ "env|PGPASSWORD=x|psql", "env PGPASSWORD=*** psql" },
	{ "env|MYSQL_PWD=x|mysql", "env MYSQL_PWD=*** mysql" },
	{ "env|AWS_SECRET_ACCESS_KEY=a/b+c=|aws", "env AWS_SECRET_ACCESS_KEY=*** aws" },
	{ "java|-Dspring.datasource.password=x|-jar|a.jar",
	  "java -Dspring.datasource.password=*** -jar a.jar" },
	{ "docker|run|--env=GITHUB_TOKEN=abc|image", "docker run --env=GITHUB_TOKEN=*** image" },
	{ "helm|--set|db.credentials=abc", "helm --set db.credentials=***" },
	{ "x|--passphrase|", "x --passphrase" },
	{ "x|--token||y", "x --token '' y" },
	{ "x|--token|-abcdef", "x --token ***" },
	/* texts with commands or data in them */
	{ "sh|-c|make TOKEN=abc all; ls", "sh -c 'make TOKEN=*** all; ls'" },
	{ "sh|-c|TOKEN=abc make all; ls", "sh -c TOKEN=***" }, /* or a secret with blanks */
	{ "sh|-c|tool --token abc --out f", "sh -c 'tool --token *** --out f'" },
	{ "sh|-c|tool --token \"a b\" f", "sh -c 'tool --token \"***\" f'" },
	{ "curl|-d|{\"user\": \"me\", \"password\": \"a b\"}",
	  "curl -d '{\"user\": \"me\", \"password\": \"***\"}'" },
	{ "curl|-d|{\"apiKey\":\"abc\"}", "curl -d '{\"apiKey\":\"***\"}'" },
	{ "curl|-H|Authorization: Bearer abc.def", "curl -H 'Authorization: ***'" },
	{ "curl|-H|authorization:Basic YWJj", "curl -H authorization:***" },
	{ "curl|-H|X-Api-Key: abc", "curl -H 'X-Api-Key: ***'" },
	{ "curl|-H|PRIVATE-TOKEN: abc", "curl -H 'PRIVATE-TOKEN: ***'" },
	{ "sh|-c|curl -H \"Authorization: Bearer a b\" http://h/",
	  "sh -c 'curl -H \"Authorization: ***\" http://h/'" },
	/* URLs */
	{ "git|clone|https://me:hunter2@host/x.git", "git clone https://me:***@host/x.git" },
	{ "x|postgresql://u:p@ss@db:5432/n", "x postgresql://u:***@db:5432/n" },
	{ "x|--dsn=mysql://u:p@h/d?a=1", "x --dsn=mysql://u:***@h/d?a=1" },
	{ "x|redis://:pw@h", "x redis://:***@h" },
	{ "wget|https://h/?a=1&token=abc&b=2", "wget https://h/?a=1&token=***&b=2" },
	/* keys by their looks */
	{ "x|AKIAIOSFODNN7EXAMPLE", "x ***" },
	{ "x|--id=AKIAIOSFODNN7EXAMPLE", "x --id=***" },
	{ "x|ghp_0123456789abcdefghij0123456789abcdef", "x ***" },
	{ "x|https://ghp_0123456789abcdefghij0123456789abcdef@github.com/a",
	  "x https://***@github.com/a" },
	{ "x|sk-proj-Abc0123456789abcdefghij", "x ***" },
	{ "x|glpat-0123456789abcdefghij", "x ***" },
	{ "x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijkl", "x ***" },
	/* what must stay */
	{ "x|--tokenize|file", "x --tokenize file" },
	{ "x|--tokenizer=bert|--max-tokens|100", "x --tokenizer=bert --max-tokens 100" },
	{ "x|--num-tokens=5|--token-limit=9", "x --num-tokens=5 --token-limit=9" },
	{ "x|author=me|--author|me", "x author=me --author me" },
	{ "x|keyboard|--keyboard=us|monkey=1", "x keyboard --keyboard=us monkey=1" },
	{ "git|clone|git@host:path", "git clone git@host:path" },
	{ "git|commit|-m|token: fix the parser", "git commit -m 'token: fix the parser'" },
	{ "ls|/run/secrets/x|password.txt", "ls /run/secrets/x password.txt" },
	{ "docker|login|--password-stdin|host", "docker login --password-stdin host" },
	{ "x|--password-file=/a|--no-password|db", "x --password-file=/a --no-password db" },
	{ "x|--token|--verbose|y", "x --token --verbose y" },
	{ "curl|https://host:8080/a@b|http://h/a:b", "curl https://host:8080/a@b http://h/a:b" },
	{ "x|ssh://me@host:22/|scheme://", "x ssh://me@host:22/ scheme://" },
	{ "pip|install|sk-learn-contrib-extras-package",
	  "pip install sk-learn-contrib-extras-package" },
	{ "env|PWD=/home/me|ls", "env PWD=/home/me ls" },
	{ "make|-j8|CC=gcc|KEY=1", "make -j8 CC=gcc KEY=1" },
	{ "python|-c|print('a b')", "python -c 'print('\\''a b'\\'')'" },
	{ "nginx: worker process", "nginx: worker process" },
	{ "x", "x" },
	{ "", "" },
};

static char *masked(const char *arguments)
{
	CLEANUP(freep) char *joined = mem_copy(arguments);
	size_t length = strlen(joined);

	for (char *c = joined; *c; c++)
		*c = *c == '|' ? '\0' : *c;
	return mask_arguments(joined, length);
}

static void commands_are_masked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(commands); i++) {
		CLEANUP(freep) char *got = masked(commands[i].given);

		assert_string_equal(got, commands[i].expected);
	}
}

/* No final NUL, NULs of a rewritten title behind it, bytes that are no text. */
static void any_bytes_are_taken(void **state)
{
	static const char padded[] = "a\0--token\0s3cret\0\0\0\0";
	static const char hostile[] = "\xff\n\x1b[2J\0password=\xff\xfe";
	CLEANUP(freep) char *first = mask_arguments(padded, sizeof(padded));
	CLEANUP(freep) char *second = mask_arguments(hostile, sizeof(hostile) - 1);

	(void)state;
	assert_string_equal(first, "a --token ***");
	assert_string_equal(second, "'\xff\n\x1b[2J' password=***");
}

static void words_are_masked(void **state)
{
	CLEANUP(freep) char *url = mask_word("http://a:b@c");
	CLEANUP(freep) char *path = mask_word("/usr/bin:/opt/token/bin");

	(void)state;
	assert_string_equal(url, "http://a:***@c");
	assert_string_equal(path, "/usr/bin:/opt/token/bin");
}

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cost_s(const char *piece, size_t times)
{
	CLEANUP(text_clear) struct text text = { 0 };
	CLEANUP(freep) char *got = NULL;
	double start;

	for (size_t i = 0; i < times; i++)
		text_add(&text, piece);
	start = cpu_s();
	got = mask_arguments(text.data, text.length);
	assert_non_null(got);
	return cpu_s() - start;
}

/* Sixteen times the length may cost sixteen times as much; a square would be 256 times. */
static void time_grows_with_length(void **state)
{
	static const char *const pieces[] = { "token: a", "a://", "password", "\"token\":",
					      "://@:",    "a=",   "-",        "eyJ." };

	(void)state;
	for (size_t i = 0; i < COUNT(pieces); i++)
		assert_true(cost_s(pieces[i], 160000) < 64 * cost_s(pieces[i], 10000) + 0.01);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_masked),
		cmocka_unit_test(any_bytes_are_taken),
		cmocka_unit_test(words_are_masked),
		cmocka_unit_test(time_grows_with_length),
	};

	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
