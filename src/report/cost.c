#include "report/page.h"

#include "report/words.h"

#include <math.h>
#include <string.h>

static struct value value_of(const struct facts *facts, const struct process *process,
			     const char *name)
{
	int place = facts_metric(facts, SCOPE_PROCESS, name);

	return place < 0 ? value_absent() : process->values[place];
}

/* The kernel's own high-water mark was read less often than the size, so either may be the larger.
 */
struct cost page_cost(const struct facts *facts, const struct process *process)
{
	return (struct cost){
		.cpu_s = value_of(facts, process, "cpu_s"),
		.memory_bytes = value_larger(value_of(facts, process, "memory_bytes"),
					     value_of(facts, process, "memory_high_bytes")),
		.read_bytes = value_of(facts, process, "io_read_bytes"),
		.write_bytes = value_of(facts, process, "io_write_bytes"),
	};
}

void page_cost_add(struct cost *to, const struct cost *more)
{
	to->cpu_s = value_sum(to->cpu_s, more->cpu_s);
	to->memory_bytes = value_larger(to->memory_bytes, more->memory_bytes);
	to->read_bytes = value_sum(to->read_bytes, more->read_bytes);
	to->write_bytes = value_sum(to->write_bytes, more->write_bytes);
}

const char *page_value(const char *name, enum unit unit, struct value value, char *ret)
{
	if (!value_is(value))
		return strcpy(ret, "-");
	return words_number(name, unit, value.number, ret);
}
