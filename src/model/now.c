#include "model/now.h"

#include <math.h>

void now_init(struct now *now)
{
	_Atomic double *const numbers[] = {
		&now->cores,       &now->memory_bytes, &now->memory_peak_bytes,  &now->read_bytes,
		&now->write_bytes, &now->read_rate,    &now->write_rate,         &now->processes,
		&now->limit_cores, &now->limit_s,      &now->limit_memory_bytes,
	};

	atomic_store(&now->start_ns, 0);
	atomic_store(&now->shown_us, 0);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		atomic_store(numbers[i], NAN);
}
