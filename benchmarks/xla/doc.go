// Package xla holds the tests that need XLA's interface and no device: each kind of program that the project hands to
// a backend goes through go-xla to the plugin of internal/engine/pjrtstub, which checks and interprets it, and must
// give the Go backend's numbers. Others count the programs that a run compiles and the bytes that a step moves.
//
// What belongs here: one case for each objective, network, model, policy and way to encode. That XLA's own compiler
// takes the programs, and how fast they run, only a machine with a GPU tells (benchmarks/gpu).
package xla
