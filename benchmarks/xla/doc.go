// Package xla holds the tests that need XLA and no card: each kind of program that the project hands to a backend is
// compiled by XLA's CPU plugins, and must give the Go backend's numbers. Others count the programs that a run compiles
// and the bytes that a step moves.
//
// There is one case for each objective, network, model, policy and way to encode.
package xla
