// Package stablehlo reads, checks and interprets programs in the textual generic form of StableHLO, which is what
// go-xla hands to a PJRT plugin. It exists for tests: the plugin beside it lets the XLA path run where there is no
// accelerator and no XLA.
//
// Source: the StableHLO specification, https://openxla.org/stablehlo/spec. Only what the project's programs use is
// here; everything else is an error that names the operation, never a guess. The check is strict: operand and result
// types, attributes, regions and the scope of names, as the specification's constraints have them.
//
// What it cannot say: whether XLA's compiler accepts a program, how long it compiles, how fast the program runs.
// Random bits are the Go backend's, not Philox's, so that dropout can be compared.
package stablehlo
