#include "sample/marks.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MARKS_NAME "/sonde-mark-XXXXXX"

int marks_create(char **ret, struct err *err)
{
	const char *directory = getenv("TMPDIR");
	CLEANUP(freep) char *path = NULL;
	CLEANUP(closep) int fd = -1;

	if (!directory || *directory != '/') /* the program may go elsewhere */
		directory = "/tmp";
	path = mem_new(strlen(directory) + sizeof(MARKS_NAME));
	strcat(strcpy(path, directory), MARKS_NAME);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, -errno, "'%s'", path);
	*ret = path;
	path = NULL;
	return 0;
}
