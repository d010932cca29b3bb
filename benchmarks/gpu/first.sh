# First call on a new machine: are the numbers right, how long does compilation take, how fast is a step. XLA compiles a
# program for 5 to 40 seconds, so shapes are few and each parity case is a step of its own: 59 programs and
# 12 more for the flags. At 26 seconds each that is 31 minutes.
step doctor 2m "$GFNCP" doctor || exit # nothing else starts where this fails
parity() { # SUFFIX BACKEND CASE…
	for case in "${@:3}"; do step "parity$1-${case//[^a-z]/-}" 4m "$GFNCP" doctor --parity --case "$case" --backend "$2"; done
}
parity "" "$GOMLX_BACKEND" "energy table" "decode given labels" "train gfncp, data step" "train ncp" \
	"train gfncp, exploration step" "decode shipped model" "encoder conv" "augmentation"
# Steps of the paper's batches at one N, one bucket of shapes: runs/first/metrics.jsonl has the seconds of each.
step train-512 5m "$GFNCP" train --model gfncp --out "$RUNS/first" --set data.n_min=512 --set data.n_max=512 \
	--set train.steps=50 --set train.checkpoint_every=10 --set train.valid_every=50
parity -tf32 "$GOMLX_BACKEND,tf32=true" "energy table" "train gfncp, data step"
step bench 5m "$GFNCP" bench --only step,decode --models gfncp --batches 64x512 --repeats 3
# Which of XLA's caches and CUDA graphs the plugin takes and computes right numbers with: those steps that are done. A
# plugin that does not know a flag ends its process.
flags() { # NAME FLAG…
	XLA_FLAGS="${XLA_FLAGS-} ${*:2}" step "xla-$1" 4m "$GFNCP" doctor --parity --case "decode given labels"
}
flags autotune --xla_gpu_per_fusion_autotune_cache_dir="$RUNS/autotune"
flags kernels --xla_gpu_kernel_cache_file="$RUNS/kernels" --xla_gpu_enable_llvm_module_compilation_parallelism=true
flags graphs --xla_gpu_enable_command_buffer=+WHILE,+CONDITIONAL
flags cublaslt --xla_gpu_enable_cublaslt=true
