/* Why a program ended as it did: one row a cause, the surest first, and the first that holds is
 * said. What a person wants to know stands first: what happened; behind it why we think so. Where
 * the evidence only fits, and does not prove, the sentence begins with "Likely". */
#include "advise/advise.h"
#include "advise/death.h"

#include <ctype.h>

extern const struct cause cause_timeout, cause_oom, cause_time, cause_cancel, cause_interrupt,
    cause_sent, cause_library, cause_cpu, cause_filesize, cause_disk, cause_files,
    cause_memory_words, cause_lack, cause_near_ulimit, cause_crashed, cause_near_limit,
    cause_machine_full, cause_killed_far, cause_not_found, cause_not_executable, cause_timeout_1,
    cause_followed, cause_passed_on;

static const struct cause *const causes[] = {
	&cause_timeout,      &cause_oom,         &cause_time,      &cause_cancel,
	&cause_interrupt,    &cause_sent,        &cause_library,   &cause_cpu,
	&cause_filesize,     &cause_disk,        &cause_files,     &cause_memory_words,
	&cause_lack,         &cause_near_ulimit, &cause_crashed,   &cause_near_limit,
	&cause_machine_full, &cause_killed_far,  &cause_not_found, &cause_not_executable,
	&cause_timeout_1,    &cause_followed,    &cause_passed_on,
};

static void add_reason(struct facts *facts, const struct death *death, const struct cause *cause,
		       bool sure)
{
	CLEANUP(text_clear) struct text body = { 0 }, reason = { 0 };

	cause->say(death, &body);
	if (cause != &cause_passed_on && death_failed(death))
		death_add_followers(death, &body);
	if (sure)
		body.data[0] = (char)toupper((unsigned char)body.data[0]);
	text_add_format(&reason, "%s%s.", sure ? "" : "Likely ", text_string(&body));
	facts_add_text(facts, "exit", "cause", cause->name ? cause->name : cause->name_of(death));
	facts_add_text(facts, "exit", "reason", text_string(&reason));
	facts_add_bool(facts, "exit", "sure", sure);
}

void died_add(struct facts *facts)
{
	struct death death = death_of(facts);

	if (facts->running)
		return;
	for (size_t i = 0; i < COUNT(causes); i++) {
		enum doubt doubt = causes[i]->is(&death);

		if (doubt == NO)
			continue;
		add_reason(facts, &death, causes[i], doubt == SURE);
		return;
	}
}
