# First call on a new machine: are the numbers right, and how long does a step take?
step doctor 2m "$GFNCP" doctor || exit # nothing else starts where this fails
# The plugin beside the Go backend. Side by side, because a compilation uses few cores.
for test in TestPrecision TestDecoding TestHostLoops TestTraining TestTrainingOnImages TestPeersCluster; do
	step "$test" 8m "$XLA_TEST" -test.v -test.run "^$test\$" &
done
wait
step bench 5m "$GFNCP" bench '(gfncp|ncp)/64x512' --repeats 3
