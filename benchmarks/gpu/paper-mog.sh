# The paper's runs of GFNCP and NCP on mixtures of Gaussians, tables 3 and 2, 5,000 steps each. Seed 1 of both tables
# first, then all three: a finished run is reused. The peers, whose authors train for 20,000 and 50,000 steps, come
# after. From the runs above: samples instead of greedy decoding, and the online mode, a training of its own.
paper() { # NAME TABLE ONLY [OPTION…]
	step "$1" 10h "$GFNCP" reproduce "$2" --scale paper --train always --only "$3" --runs "$RUNS" --out "$RESULTS/$1" "${@:4}"
}
paper table3-seed1 table3 "mog-gfncp*,mog-ncp" --seeds 1
paper table2-seed1 table2 "mog-gfncp*,mog-ncp" --seeds 1
paper table3 table3 "mog-gfncp*,mog-ncp"
paper table2 table2 "mog-gfncp*,mog-ncp"
paper table2-peers table2 "mog-dac*,mog-st" --seeds 1
paper table5 table5 "mog-*"
paper table6 table6 "mog-*" --seeds 1
# The same training twice gives the same losses, digit by digit, unless XLA chose other kernels or another order of sums.
for run in 1 2; do
	step same-$run 20m "$GFNCP" train --model gfncp --out "$RUNS/same-$run" --set data.n_min=512 --set data.n_max=512 \
		--set train.steps=20 --set train.valid_every=20
done
step same-bytes 1m cmp <(sed 's/"seconds":[^,}]*//' "$RUNS/same-1/metrics.jsonl") \
	<(sed 's/"seconds":[^,}]*//' "$RUNS/same-2/metrics.jsonl")
