//go:build goexperiment.simd && amd64

package stablehlo

import "simd/archsimd"

// multiplyFloats is multiply for float32, eight columns in a register and four registers at a time.
func multiplyFloats(out, a, b []float32, inner, columns int) {
	if !archsimd.X86.AVX2() || !archsimd.X86.FMA() || columns < 8 || inner == 0 {
		multiply(out, a, b, inner, columns, 0)
		return
	}
	done := columns / 8 * 8
	for row := range len(out) / columns {
		x, y := a[row*inner:(row+1)*inner], out[row*columns:(row+1)*columns]
		j := 0
		for ; j+32 <= columns; j += 32 {
			var s0, s1, s2, s3 archsimd.Float32x8
			for k, v := range x {
				w, r := archsimd.BroadcastFloat32x8(v), b[k*columns+j:][:32]
				s0 = w.MulAdd(archsimd.LoadFloat32x8Slice(r), s0)
				s1 = w.MulAdd(archsimd.LoadFloat32x8Slice(r[8:]), s1)
				s2 = w.MulAdd(archsimd.LoadFloat32x8Slice(r[16:]), s2)
				s3 = w.MulAdd(archsimd.LoadFloat32x8Slice(r[24:]), s3)
			}
			s0.StoreSlice(y[j:])
			s1.StoreSlice(y[j+8:])
			s2.StoreSlice(y[j+16:])
			s3.StoreSlice(y[j+24:])
		}
		for ; j < done; j += 8 {
			var s archsimd.Float32x8
			for k, v := range x {
				s = archsimd.BroadcastFloat32x8(v).MulAdd(archsimd.LoadFloat32x8Slice(b[k*columns+j:]), s)
			}
			s.StoreSlice(y[j:])
		}
	}
	archsimd.ClearAVXUpperBits() // or scalar code after it is slow
	multiply(out, a, b, inner, columns, done)
}
