#include "advise/advise.h"

void advise(struct facts *facts)
{
	died_add(facts);
	rules_add(facts);
}
