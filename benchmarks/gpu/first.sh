# First call on a new machine: how long do compilation and a step take, and are the numbers right. A gradient compiled in
# 45 s alone on an H100 with 16 cores; XLA warned of slow compilations of matrix products, which autotuning tries.
step doctor 2m "$GFNCP" doctor || exit # nothing else starts where this fails
# Steps of the paper's batches at one N, one bucket of shapes, with nothing beside them: runs/NAME/metrics.jsonl has the
# seconds of each. The flags leave autotuning out, or the kernels that it tries most of.
timed() { # NAME FLAG…
	XLA_FLAGS="${XLA_FLAGS-} ${*:2}" step "$1" 4m "$GFNCP" train --model gfncp --out "$RUNS/$1" --set data.n_min=512 \
		--set data.n_max=512 --set train.steps=30 --set train.checkpoint_every=10 --set train.valid_every=30
}
timed train-512
timed train-512-no-triton --xla_gpu_enable_triton_gemm=false
timed train-512-no-autotuning --xla_gpu_autotune_level=0
# Side by side, because a compilation uses few cores: these seconds say nothing of speed.
parity() { # SUFFIX BACKEND CASE…
	for case in "${@:3}"; do
		step "parity$1-${case//[^a-z]/-}" 4m "$GFNCP" doctor --parity --case "$case" --backend "$2" &
	done
}
parity "" "$GOMLX_BACKEND" "energy table" "decode given labels" "train gfncp, data step" "train ncp" \
	"train gfncp, exploration step" "encoder conv" "augmentation"
parity -tf32 "$GOMLX_BACKEND,tf32=true" "energy table" "train gfncp, data step"
wait
step bench 5m "$GFNCP" bench --only step,decode --models gfncp --batches 64x512 --repeats 3
