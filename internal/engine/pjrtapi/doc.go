// Package pjrtapi looks at a PJRT plugin before go-xla uses it: which version of the API it has, and whether it needs
// a shim. go-xla v0.4.2 is built for 0.104, does not look, and newer plugins refuse arguments whose structs are
// smaller than their own.
package pjrtapi
