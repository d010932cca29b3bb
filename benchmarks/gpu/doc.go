// Package gpu holds what runs gfncp on a bare machine with a GPU: bundle.sh makes a folder that needs no Go, no network
// and no checkout, run.sh runs a list of jobs there, *.toml are the lists. README.md tells how to use them. There
// is no Go code here but the tests of the scripts.
package gpu
