// Package hlo counts what an optimized program of XLA does on a GPU: kernels, operations of products, bytes of memory.
// It reads the HLO proto that a compiler returns beside its executable.
package hlo
