#include "report/page.h"

void page_phases(const struct facts *facts, const struct look *look, FILE *out)
{
	(void)facts;
	(void)look;
	(void)out;
}
