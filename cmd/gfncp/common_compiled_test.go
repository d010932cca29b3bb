package main

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/engine/pjrtapi"
)

// Long compilations alone are worth a line.
func TestCompilationsAreTold(t *testing.T) {
	var out strings.Builder
	program := pjrtapi.Program{Code: "module @gradient_of_data_1 {"}
	writeCompilation(&out, pjrtapi.Made{Program: program, Seconds: 12.34, Counts: pjrtapi.Counts{Compiled: 4}})
	writeCompilation(&out, pjrtapi.Made{Program: program, Seconds: 0.9, Counts: pjrtapi.Counts{Compiled: 5}})
	if got, want := out.String(), "compiled program 4, gradient of data, in 12.3 s\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
