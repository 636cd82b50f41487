/* The compiler extensions that we use, and nothing else of them anywhere. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#include <stddef.h>

/* Runs fn(&variable) when the variable goes out of scope: every exit is a plain `return`. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define PRINTF(string, first) __attribute__((format(printf, string, first)))
#define NORETURN __attribute__((noreturn))

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Moves a pointer out of its CLEANUP: `*ret = take(&thing);` */
#define take(pointer)                                                                              \
	({                                                                                         \
		__typeof__(*(pointer)) taken_ = *(pointer);                                        \
		*(pointer) = NULL;                                                                 \
		taken_;                                                                            \
	})

#endif
