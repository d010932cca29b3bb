# The paper's runs of GFNCP and NCP on images, tables 3 and 2. Make one bundle with MNIST and one with Fashion-MNIST: the
# steps of a data set that is not there fail at once.
paper() { # NAME TABLE ONLY [OPTION…]
	step "$1" 10h "$GFNCP" reproduce "$2" --scale paper --train always --only "$3" --runs "$RUNS" --out "$RESULTS/$1" "${@:4}"
}
for set in mnist fmnist; do
	paper $set-table3-seed1 table3 "$set-gfncp*,$set-ncp*" --seeds 1
	paper $set-table2-seed1 table2 "$set-gfncp*,$set-ncp*" --seeds 1
	paper $set-table3 table3 "$set-gfncp*,$set-ncp*"
done
paper figure1 figure1 "mnist-gfncp*,mnist-ncp*"
paper mnist-table5 table5 "mnist-*"
