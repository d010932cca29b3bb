//go:build !goexperiment.simd

package engine

const simdBuild = false
