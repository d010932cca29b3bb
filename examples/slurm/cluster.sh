#!/bin/bash
# Clusters many tables on a Slurm cluster with the program of a release: one array job for each line of a list of paths.
#
#	tar xzf gfncp_0.1.0_linux_amd64.tar.gz       in a folder that all nodes see; no Go, no modules
#	ls tables/*.csv >list.txt
#	sbatch --array=1-$(wc -l <list.txt) examples/slurm/cluster.sh gfncp_0.1.0_linux_amd64/gfncp list.txt results
#
# A job that is submitted again leaves out what is done. Sweeps and tables write their own scripts: docs/training.md.
#SBATCH --job-name=gfncp --cpus-per-task=1 --mem=2G --time=00:30:00 --output=gfncp-%A_%a.log
set -euo pipefail
program=$1 list=$2 results=$3
table=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$list")
name=$results/$(basename "$table" .csv)
mkdir -p "$results"
[ -s "$name.json" ] || { "$program" cluster "$table" --out "$name.csv" --html "$name.html" --json >"$name.part" &&
  mv "$name.part" "$name.json"; }
