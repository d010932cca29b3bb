// Package gpu holds scripts that run gfncp on a bare machine with a GPU: bundle.sh makes a folder that needs no Go, no
// network and no checkout, and run.sh runs a list of jobs there (README.md). The only Go code is tests of the scripts.
package gpu
