/* /dev/kmsg gives one record a read: priority, number, microseconds, flags; then the text.
 *	6,376,949577720,-;fit[13723]: segfault at 8 ip 0000557d635f1701 sp 00007ffd0a69f600 error 6
 *		in fit[1701,557d635f1000+1000] likely on CPU 0 (core 0, socket 0)
 *	3,901,2233445566,-;Memory cgroup out of memory: Killed process 4711 (python3) total-vm:...
 *	3,902,2233445567,-;Out of memory: Killed process 4711 (python3), UID 1000, total-vm:...
 * Root may read it, others where kernel.dmesg_restrict is 0. Names are any bytes (but the kernel
 * writes odd ones as \x1b), so they are looked for from behind. Of a signal that somebody sent
 *there is no line, and ARM's lines are others: nothing is said then. */
#include "source/kernlog.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_BYTES 8192
#define RECORDS_MOST 4096 /* a storm of other news is left unread */
#define NULL_BYTES 65536  /* fields of what is not there lie that far from 0 */
#define BELOW_STACK 65536
#define ABOVE_STACK 1048576 /* a function makes room for all its variables, then touches one */
#define FAULT_THERE 1u
#define FAULT_WRITE 2u
#define FAULT_CODE 16u

static void name_copy(char ret[16], const char *from, const char *end)
{
	size_t length = end > from ? (size_t)(end - from) : 0;

	length = length < 15 ? length : 15;
	memcpy(ret, from, length);
	ret[length] = '\0';
}

static bool hex_after(const char *text, const char *key, uint64_t *ret)
{
	const char *found = strstr(text, key);
	char *end;

	if (!found)
		return false;
	found += strlen(key);
	*ret = strtoull(found, &end, 16);
	return end > found;
}

static void object_parse(const char *text, char *ret, size_t size)
{
	const char *in = strstr(text, " in ");
	size_t length = in ? strcspn(in + 4, "[ \n") : 0;

	if (length == 0 || length >= size)
		return;
	memcpy(ret, in + 4, length);
	ret[length] = '\0';
}

/* "fit[13723]: segfault at 8 ip ... sp ... error 6 in fit[...]" */
static bool fault_parse(const char *text, struct kernlog_entry *ret)
{
	const char *at = strstr(text, "]: segfault at "), *open = at, *cursor;

	if (!at)
		return false;
	while (open > text && *open != '[')
		open--;
	cursor = open + 1;
	if (*open != '[' || scan_u64(&cursor, &ret->pid) < 0 || cursor != at ||
	    !hex_after(at, "segfault at ", &ret->address) || !hex_after(at, " sp ", &ret->stack) ||
	    !hex_after(at, " error ", &ret->error))
		return false;
	name_copy(ret->name, text, open);
	object_parse(at, ret->object, sizeof(ret->object));
	return true;
}

/* "... Killed process 4711 (python3) total-vm:..." */
static bool oom_parse(const char *text, struct kernlog_entry *ret)
{
	const char *cursor = strstr(text, "Killed process "), *end;

	if (!cursor)
		return false;
	cursor += strlen("Killed process ");
	if (scan_u64(&cursor, &ret->pid) < 0 || strncmp(cursor, " (", 2) != 0)
		return false;
	end = strstr(cursor, " total-vm");
	while (end && end > cursor && *end != ')')
		end--;
	if (!end || end <= cursor + 1)
		return false;
	name_copy(ret->name, cursor + 2, end);
	return true;
}

void kernlog_parse(const char *record, struct kernlog_entry *ret)
{
	const char *text = strchr(record, ';');
	struct kernlog_entry entry = { 0 };

	if (text && fault_parse(text + 1, &entry))
		entry.kind = KERNLOG_FAULT;
	else if (text && oom_parse(text + 1, &entry))
		entry.kind = KERNLOG_OOM;
	else
		entry = (struct kernlog_entry){ 0 };
	*ret = entry;
}

const char *kernlog_fault(const struct kernlog_entry *entry)
{
	uint64_t address = entry->address, stack = entry->stack;

	if (address < NULL_BYTES)
		return "null";
	if (entry->error & FAULT_CODE)
		return "code";
	if (address + BELOW_STACK >= stack && address < stack + ABOVE_STACK)
		return "stack";
	return (entry->error & FAULT_THERE) && (entry->error & FAULT_WRITE) ? "readonly" : "wild";
}

int kernlog_begin(const char *root)
{
	CLEANUP(freep) char *path = NULL;
	int fd;

	if (asprintf(&path, "%s/dev/kmsg", strcmp(root, "/") == 0 ? "" : root) < 0)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -ESPIPE;
	}
	return fd < 0 ? -errno : fd;
}

/* Ours, by its pid, or at least one of that name. */
static bool is_ours(const struct facts *facts, const struct kernlog_entry *entry, bool *ret_pid)
{
	bool named = false;

	for (size_t i = 0; i < facts->n_processes; i++) {
		const struct process *process = &facts->processes[i];
		bool same = process->name && strcmp(process->name, entry->name) == 0;

		*ret_pid = same && process->pid > 0 && (uint64_t)process->pid == entry->pid;
		if (*ret_pid)
			return true;
		named |= same;
	}
	return named;
}

static void entry_add(const struct kernlog_entry *entry, struct facts *facts)
{
	bool fault = entry->kind == KERNLOG_FAULT, pid;

	if (entry->kind == KERNLOG_OTHER || !is_ours(facts, entry, &pid) ||
	    facts_find(facts, "exit", fault ? "fault_name" : "oom_name"))
		return;
	facts_add_text(facts, "exit", fault ? "fault_name" : "oom_name", entry->name);
	if (pid)
		facts_add_number(facts, "exit", fault ? "fault_pid" : "oom_pid",
				 (double)entry->pid);
	if (!fault)
		return;
	facts_add_text(facts, "exit", "fault", kernlog_fault(entry));
	if (entry->object[0])
		facts_add_text(facts, "exit", "fault_in", entry->object);
}

void kernlog_end(int fd, struct facts *facts)
{
	char record[RECORD_BYTES];
	struct kernlog_entry entry;

	for (int i = 0; fd >= 0 && i < RECORDS_MOST; i++) {
		ssize_t got = read(fd, record, sizeof(record) - 1);

		if (got < 0 && (errno == EPIPE || errno == EINTR)) /* older ones are lost */
			continue;
		if (got <= 0)
			return;
		record[got] = '\0';
		kernlog_parse(record, &entry);
		entry_add(&entry, facts);
	}
}
