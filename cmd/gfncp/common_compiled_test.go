package main

import (
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/engine"
)

// Long compilations alone are worth a line.
func TestCompilationsAreTold(t *testing.T) {
	var out strings.Builder
	writeCompilation(&out, engine.Compilation{Program: "gradient of data_1", Seconds: 12.34, Number: 4})
	writeCompilation(&out, engine.Compilation{Program: "optimizer_1", Seconds: 0.9, Number: 5})
	if got, want := out.String(), "compiled program 4, gradient of data_1, in 12.3 s\n"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
