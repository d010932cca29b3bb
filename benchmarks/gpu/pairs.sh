# Pairs of GFNCP and NCP on mixtures and MNIST that differ in the objective alone: the data of examples/sweeps/pair-*.toml
# in batches of 64 sets. Each of SEEDS trains four at once.
train() { # DATA MODEL SEED
	local images=()
	[ "$1" = mog ] || images=(--set data.max_k=10 --set data.augment_base=true --set train.valid_sets=96)
	step "$1-$2-$3" 1h "$GFNCP" train --data "$1" --model "$2" --seed "$3" --out "$RUNS/$1-$2-$3" --set data.batch=64 \
		--set data.n_min=50 --set data.n_max=300 --set loss.explore=merge-blocks --set loss.reg_on_data=true \
		--set loss.mc_epsilon=1e-5 --set train.learning_rate=5e-4 --set train.steps=1700 --set train.valid_every=200 \
		--set train.keep_every=500 --set train.checkpoint_every=200 "${images[@]}"
}
for seed in ${SEEDS:-1 2}; do
	for data in mog mnist; do
		for model in gfncp ncp; do train "$data" "$model" "$seed" & done
	done
	wait
done
