/* Asks every rule, and decides which numbers are good enough for it: a measured one as it is, an
 * estimate only where the rule says the same at both ends of its bracket. An end that nobody knows
 * is infinite, so an estimate with a lower end alone can only carry "at least". One without any
 * bracket is as good as absent. */
#include "advise/advise.h"

#include "advise/rule.h"
#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define NAME_BYTES 64

/* Copies the next of "limits.a|limits.b?" to `ret`, cut at its dot. NULL after the last. */
static const char *alternative(const char *need, char ret[NAME_BYTES], const char **ret_name)
{
	size_t length = strcspn(need, "|?");
	char *dot;

	if (length == 0)
		return NULL;
	assert(length < NAME_BYTES);
	memcpy(ret, need, length);
	ret[length] = '\0';
	dot = strchr(ret, '.');
	assert(dot);
	*dot = '\0';
	*ret_name = dot + 1;
	return need[length] == '|' ? need + length + 1 : need + length + strlen(need + length);
}

static bool is_good(const struct fact *fact)
{
	if (!fact)
		return false;
	if (fact->kind == FACT_TEXT)
		return fact->text;
	return fact->value.how == HOW_MEASURED ||
	       (fact->value.how == HOW_ESTIMATED && (isfinite(fact->low) || isfinite(fact->high)));
}

static const struct fact *need_find(const struct facts *facts, const char *need)
{
	char section[NAME_BYTES];
	const char *name;

	while ((need = alternative(need, section, &name))) {
		const struct fact *fact = facts_find(facts, section, name);

		if (is_good(fact))
			return fact;
	}
	return NULL;
}

static void view_set(struct rule_view *view, size_t i, const struct fact *fact)
{
	bool is_number = fact && fact->kind != FACT_TEXT;
	double number = is_number ? fact->value.number : NAN;
	bool estimated = is_number && fact->value.how == HOW_ESTIMATED;

	view->numbers[i] = view->lows[i] = view->highs[i] = number;
	if (!is_number)
		return;
	if (estimated || isfinite(fact->low))
		view->lows[i] = isfinite(fact->low) ? fact->low : -INFINITY;
	if (estimated || isfinite(fact->high))
		view->highs[i] = isfinite(fact->high) ? fact->high : INFINITY;
}

static bool view_fill(const struct rule *rule, struct rule_view *view)
{
	for (size_t i = 0; rule->needs[i]; i++) {
		const char *need = rule->needs[i];
		const struct fact *fact = need_find(view->facts, need);

		if (!fact && need[strlen(need) - 1] != '?')
			return false;
		view_set(view, i, fact);
	}
	return true;
}

/* Does it fire wherever in their brackets the figures from the i-th on are? */
static bool fires_at(const struct rule *rule, const struct rule_view *view, size_t i)
{
	struct rule_view corner = *view;

	while (rule->needs[i] && !(view->lows[i] < view->highs[i]))
		i++;
	if (!rule->needs[i])
		return rule->fires(view);
	corner.numbers[i] = view->lows[i];
	if (!fires_at(rule, &corner, i + 1))
		return false;
	corner.numbers[i] = view->highs[i];
	return fires_at(rule, &corner, i + 1);
}

static bool went_to_end(const struct facts *facts)
{
	struct value status = facts_value(facts, "exit", "status");

	return !facts->repaired && value_is(status) && status.number == 0 &&
	       !facts_text(facts, "exit", "cause");
}

static bool rule_fires(const struct rule *rule, struct rule_view *view)
{
	return (!rule->whole || went_to_end(view->facts)) && view_fill(rule, view) &&
	       rule->fires(view) && fires_at(rule, view, 0);
}

static bool is_silenced(const char *id, const bool *fired)
{
	for (size_t i = 0; rule_table[i]; i++) {
		for (const char *const *other = rule_table[i]->silences; fired[i] && *other;
		     other++) {
			if (strcmp(*other, id) == 0)
				return true;
		}
	}
	return false;
}

static void speak(const struct rule *rule, const struct rule_view *view, struct facts *facts)
{
	CLEANUP(text_clear) struct text say = { 0 };
	CLEANUP(text_clear) struct text evidence = { 0 };
	CLEANUP(text_clear) struct text next = { 0 };

	rule->say(view, &say);
	rule->evidence(view, &evidence);
	if (rule->next)
		rule->next(view, &next);
	facts_add_advice(facts, &(struct advice){ .rule = rule->id,
						  .text = text_string(&say),
						  .evidence = text_string(&evidence),
						  .next = next.length ? next.data : NULL });
}

static size_t rules_count(void)
{
	size_t count = 0;

	while (rule_table[count])
		count++;
	return count;
}

void rules_add(struct facts *facts)
{
	size_t count = rules_count();
	CLEANUP(freep) struct rule_view *views = mem_new(count * sizeof(*views));
	CLEANUP(freep) bool *fired = mem_new(count * sizeof(*fired));

	if (facts->running) /* it may still do something else */
		return;
	for (size_t i = 0; i < count; i++) {
		views[i].facts = facts;
		fired[i] = rule_fires(rule_table[i], &views[i]);
	}
	for (size_t i = 0; i < count; i++) {
		if (fired[i] && !is_silenced(rule_table[i]->id, fired))
			speak(rule_table[i], &views[i], facts);
	}
}
