// Package gpu holds what runs gfncp on a bare machine with a GPU: bundle.sh makes a folder that needs no Go, no network
// and no checkout, run.sh runs a list of jobs there (README.md). The only Go code is the tests of the scripts.
package gpu
