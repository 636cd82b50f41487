#include "advise/advise.h"

void rules_add(struct facts *facts)
{
	(void)facts;
}
