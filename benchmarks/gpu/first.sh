# First call on a new machine: are the numbers right, and how long does a step take?
step doctor 2m "$GFNCP" doctor || exit # nothing else starts where this fails
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
step bench 5m "$GFNCP" bench --only step,decode --models gfncp,ncp --batches 64x512 --repeats 3
