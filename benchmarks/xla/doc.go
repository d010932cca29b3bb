// Package xla holds the tests that need XLA: each kind of program that the project hands to a backend is compiled by
// XLA's CPU plugins, and must give the Go backend's numbers. Others count the programs that a run compiles.
// GFNCP_TEST_PLUGINS may name a CUDA plugin instead (benchmarks/gpu/first.sh).
//
// There is one case for each objective, network, model, policy and way to encode.
package xla
