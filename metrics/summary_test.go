package metrics

import (
	"math"
	"testing"
)

func TestSummary(t *testing.T) {
	// mean (2+4+9)/3 = 5; squares 9+1+16 = 26, divisor 2.
	if mean, std := Summary([]float64{2, 4, 9}); mean != 5 || !(math.Abs(std-math.Sqrt(13)) <= 1e-15) {
		t.Errorf("Summary = %v, %v, want 5, √13", mean, std)
	}
	if mean, std := Summary([]float64{7}); mean != 7 || std != 0 {
		t.Errorf("Summary of one value = %v, %v, want 7, 0", mean, std)
	}
	if mean, std := Summary(nil); !math.IsNaN(mean) || !math.IsNaN(std) {
		t.Errorf("Summary of nothing = %v, %v, want NaN", mean, std)
	}
}
