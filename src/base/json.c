#include "base/json.h"

#include "base/text.h"

#include <math.h>

void json_init(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
}

static void json_begin(struct json *json, const char *key)
{
	CLEANUP(text_clear) struct text quoted = { 0 };

	if (json->filled)
		fputs(json->tight ? ", " : ",", json->out);
	if (json->depth > 0 && !json->tight)
		fprintf(json->out, "\n%*s", json->depth * 2, "");
	json->filled = true;
	if (!key)
		return;
	text_add_json(&quoted, key);
	fprintf(json->out, "%s: ", text_string(&quoted));
}

static void json_open(struct json *json, const char *key, char bracket)
{
	json_begin(json, key);
	fputc(bracket, json->out);
	json->depth++;
	json->filled = false;
}

static void json_close(struct json *json, char bracket)
{
	json->depth--;
	if (json->filled && !json->tight)
		fprintf(json->out, "\n%*s", json->depth * 2, "");
	fputc(bracket, json->out);
	json->filled = true;
	if (json->tight == json->depth + 1)
		json->tight = 0;
	if (json->depth == 0)
		fputc('\n', json->out);
}

void json_object(struct json *json, const char *key)
{
	json_open(json, key, '{');
}

void json_object_line(struct json *json, const char *key)
{
	json_object(json, key);
	if (!json->tight)
		json->tight = json->depth;
}

void json_object_end(struct json *json)
{
	json_close(json, '}');
}

void json_array(struct json *json, const char *key)
{
	json_open(json, key, '[');
}

void json_array_line(struct json *json, const char *key)
{
	json_array(json, key);
	if (!json->tight)
		json->tight = json->depth;
}

void json_array_end(struct json *json)
{
	json_close(json, ']');
}

void json_string(struct json *json, const char *key, const char *value)
{
	CLEANUP(text_clear) struct text quoted = { 0 };

	json_begin(json, key);
	if (value)
		text_add_json(&quoted, value);
	fputs(value ? text_string(&quoted) : "null", json->out);
}

void json_number(struct json *json, const char *key, double value)
{
	CLEANUP(text_clear) struct text digits = { 0 };

	json_begin(json, key);
	if (isfinite(value))
		text_add_number(&digits, value);
	fputs(isfinite(value) ? text_string(&digits) : "null", json->out);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	json_begin(json, key);
	fprintf(json->out, "%lld", (long long)value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_begin(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	json_begin(json, key);
	fputs("null", json->out);
}
