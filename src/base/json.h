/* Writes JSON, indented for people. Keys are NULL inside arrays. Numbers that are not finite are
 * written as null. Ends with a newline when the outermost value is closed. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int depth;
	bool filled; /* something stands before, at this depth */
	int tight;   /* what was opened at this depth stands on one line; 0: nothing */
};

void json_init(struct json *json, FILE *out);
void json_object(struct json *json, const char *key);      /* { */
void json_object_line(struct json *json, const char *key); /* { on one line, until its end */
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);      /* [ */
void json_array_line(struct json *json, const char *key); /* [ on one line, until its end */
void json_array_end(struct json *json);
void json_string(struct json *json, const char *key, const char *value); /* NULL: null */
void json_number(struct json *json, const char *key, double value);      /* shortest exact form */
void json_int(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
