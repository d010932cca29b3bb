package metrics

import (
	"math"
	"slices"
	"testing"
)

func TestCanonical(t *testing.T) {
	cases := []struct {
		in, want []int32
		k        int
	}{
		{nil, []int32{}, 0},
		{[]int32{0}, []int32{0}, 1},
		{[]int32{2, 2, 0, 1, 0}, []int32{0, 0, 1, 2, 1}, 3},                         // all below N: table
		{[]int32{7, -3, 7, math.MaxInt32, -3}, []int32{0, 1, 0, 2, 1}, 3},           // map
		{[]int32{math.MinInt32, 5, math.MinInt32, 5, 5}, []int32{0, 1, 0, 1, 1}, 2}, // map
		{[]int32{4, 3, 2, 1, 0}, []int32{0, 1, 2, 3, 4}, 5},                         // largest label that fits
		{[]int32{5, 3, 2, 1, 0}, []int32{0, 1, 2, 3, 4}, 5},                         // smallest that does not
		{[]int32{-1, -1, -1}, []int32{0, 0, 0}, 1},
	}
	for _, c := range cases {
		in := slices.Clone(c.in)
		got, k := Canonical(c.in)
		if !slices.Equal(got, c.want) || k != c.k {
			t.Errorf("Canonical(%v) = %v, %d, want %v, %d", c.in, got, k, c.want, c.k)
		}
		if !slices.Equal(c.in, in) {
			t.Errorf("Canonical changed its input %v to %v", in, c.in)
		}
		if again, _ := Canonical(got); !slices.Equal(again, got) {
			t.Errorf("Canonical(%v) = %v, not idempotent", got, again)
		}
	}
}
