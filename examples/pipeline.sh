#!/bin/sh
# An analysis as people write it: make data, fit it in parallel, sort, report. `make demo` measures it.
#
#	examples/pipeline.sh PATH-OF-FIT
set -eu
fit=${1:?'say where the program fit is: build/examples/fit'}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "writing measurements"
"$fit" data "$work/counts.bin" 4000000

echo "fitting with 4 workers"
"$fit" curve "$work/counts.bin" 4 8 >"$work/lifetimes"

sort -g "$work/lifetimes" | awk '
	{ lifetime[NR] = $1 }
	END { printf "lifetime %.4f us, 90 %% of %d resamples between %.4f and %.4f\n",
		lifetime[int((NR + 1) / 2)], NR, lifetime[int(NR * 0.05) + 1], lifetime[int(NR * 0.95)] }'
