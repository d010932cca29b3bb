//go:build !(goexperiment.simd && amd64)

package stablehlo

// multiplyFloats is multiply for float32.
func multiplyFloats(out, a, b []float32, inner, columns int) { multiply(out, a, b, inner, columns, 0) }
