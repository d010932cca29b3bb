package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/janpfeifer/must"
)

func TestTensorsToTheHost(t *testing.T) {
	values := []float32{1, -2, 0.5, float32(math.Inf(1)), 3, 4}
	tensor := matrix(values, 2, 3)
	if got := must.M1(Float32s(tensor)); !slices.Equal(got, values) {
		t.Errorf("Float32s = %v, want %v", got, values)
	}
	integers := tensors.FromFlatDataAndDimensions([]int32{1}, 1)
	if _, err := Float32s(integers); err == nil || !strings.Contains(err.Error(), "Int32") {
		t.Errorf("Float32s of integers: %v", err)
	}
	Free(tensor, nil, tensor) // nil and twice are harmless
	if _, err := Float32s(tensor); err == nil {
		t.Error("a freed tensor was read")
	}
}
