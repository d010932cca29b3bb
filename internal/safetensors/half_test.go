package safetensors

import (
	"math"
	"strings"
	"testing"
)

// Half precision keeps numbers that it has, and rounds others by at most 1/2048 to the nearest, ties to even.
func TestHalves(t *testing.T) {
	values := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1 + 0x1p-11, 1 + 3*0x1p-11, 0.1, -3.3333333, 1e-3}
	want := []float32{0, 1, -2.5, 65504, 0x1p-14, 0x1p-24, 1, 1 + 0x1p-9, 0.1, -3.3333333, 1e-3}
	tensor, err := FromHalves("w", []int{len(values)}, values)
	if err != nil || tensor.DType != "F16" || len(tensor.Data) != 2*len(values) {
		t.Fatalf("%s of %d bytes: %v", tensor.DType, len(tensor.Data), err)
	}
	got, err := Float32s(tensor)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if off := math.Abs(float64(v - want[i])); off > math.Abs(float64(want[i]))/2048 || i < 8 && off > 0 {
			t.Errorf("%v became %v, want %v", values[i], v, want[i])
		}
	}
	again, err := FromHalves("w", tensor.Shape, got)
	if err != nil || string(again.Data) != string(tensor.Data) {
		t.Errorf("rounded numbers changed when they were rounded again: %v", err)
	}
}

func TestHalvesRefuse(t *testing.T) {
	for _, v := range []float32{65520, -1e30, float32(math.Inf(1)), float32(math.NaN())} {
		if _, err := FromHalves("w", []int{2}, []float32{0, v}); err == nil ||
			!strings.Contains(err.Error(), `value 1 of tensor "w"`) {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := FromHalves("w", []int{2}, []float32{0}); err == nil {
		t.Error("one value of shape [2] was taken")
	}
}
