//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package pjrtapi

import (
	"testing"

	"github.com/janpfeifer/must"
)

const loop = `module @decoding_loop_12 {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<64x8xi32>) -> (tensor<9x2xf32>, tensor<i32>, tensor<4xi1>) {
    "stablehlo.return"(%arg0) : (tensor<i32>) -> ()
  }
}
`

// A hollow program has the signature of the real one, returns zeros, and for the first result what it is told.
func TestHollow(t *testing.T) {
	const head = `module @decoding_loop_12 {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<64x8xi32>) -> (tensor<9x2xf32>, tensor<i32>, tensor<4xi1>) {
    `
	const rest = `
    %r1 = stablehlo.constant dense<0> : tensor<i32>
    %r2 = stablehlo.constant dense<false> : tensor<4xi1>
    "stablehlo.return"(%r0, %r1, %r2) : (tensor<9x2xf32>, tensor<i32>, tensor<4xi1>) -> ()
  }
}
`
	for first, want := range map[string]string{
		"":           "%r0 = stablehlo.constant dense<0.0> : tensor<9x2xf32>",
		"%r0 = some": "%r0 = some",
	} {
		if got := must.M1(hollow(loop, first)); got != head+want+rest {
			t.Errorf("%q: got %s, want %s", first, got, head+want+rest)
		}
	}
	for _, code := range []string{
		"", "module @empty {\n}\n", "func.func @main() -> tensor<f32> {\n}\n", "bytes \x00\xff",
	} {
		if got, err := hollow(code, ""); err == nil {
			t.Errorf("%q: got %s", code, got)
		}
	}
}

// A program is told by its module's name without the number, and by the argument that tells sizes apart.
func TestNameAndInput(t *testing.T) {
	for _, test := range []struct{ code, name, input string }{
		{loop, "decoding loop", "64x8xi32"},
		{"module @a_b {\n func.func @main(%x: tensor<90xf32>, %y: tensor<2x3x4xf32>) -> () {", "a b", "2x3x4xf32"},
		{"module @a {\n func.func @main(%x: tensor<f32>, %y: tensor<5xf32>) -> tensor<7x7xi32> {", "a", "5xf32"},
		{"module @a {\n func.func @main() -> tensor<f32> {", "a", ""},
		{"nothing", "?", ""},
	} {
		p := Program{Code: test.code}
		if p.Name() != test.name || p.Input() != test.input {
			t.Errorf("%s: %q, %q, want %q, %q", test.code, p.Name(), p.Input(), test.name, test.input)
		}
	}
}
