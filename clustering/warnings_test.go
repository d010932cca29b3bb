package clustering

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/sampling"
)

// A warning stands just outside of the range and not at its ends; the spread is compared after scaling, here by 2.
func TestWarningsAtTheBounds(t *testing.T) {
	ref := &reference{local: []float64{1, 2, 3}, global: []float64{10, 20, 30}, reach: []float64{100, 200, 300}}
	for _, c := range []struct {
		size spread
		want []string
	}{
		{spread{local: 0.5, global: 5, reach: 150}, nil},
		{spread{local: 1.5, global: 15, reach: 10}, nil},
		{spread{local: 0.45, global: 10, reach: 100}, []string{"near neighbours is 0.9 after scaling, but 1 to 3"}},
		{spread{local: 1.55, global: 10, reach: 100}, []string{"near neighbours is 3.1 after"}},
		{spread{local: 1, global: 4.5, reach: 100}, []string{"root mean square) is 9 after scaling, but 10 to 30"}},
		{spread{local: 1, global: 16, reach: 100}, []string{"root mean square) is 32 after"}},
		{
			spread{local: 1, global: 10, reach: 151},
			[]string{"farthest point is 302 from the center after scaling, but at most 300"},
		},
		{spread{}, []string{"all 7 points are equal"}},
	} {
		p := &prepared{input: input{n: 7}, factor: 2}
		p.warnSpread(c.size, ref)
		if len(p.warnings) != len(c.want) || len(c.want) == 1 && !strings.Contains(p.warnings[0], c.want[0]) {
			t.Errorf("%+v: warnings %q, want %q", c.size, p.warnings, c.want)
		}
	}
	few := known()
	few.NMin, few.NMax, few.MinK, few.MaxK = 10, 10, 2, 5
	for n, want := range map[int]bool{9: true, 10: false, 11: true} {
		p := &prepared{input: input{n: n, known: few}}
		if p.warnCount(); hasWarning(p.warnings, "sets of 10") != want {
			t.Errorf("%d points: warnings %q", n, p.warnings)
		}
	}
	for k, want := range map[int]bool{1: true, 2: false, 5: false, 6: true} {
		p := &prepared{input: input{known: few}}
		if p.warnClusters("the labels have", k); hasWarning(p.warnings, "sets of 2 to 5") != want {
			t.Errorf("%d clusters: warnings %q", k, p.warnings)
		}
	}
}

// Every number of a run is looked at.
func TestFiniteLooksAtEveryNumber(t *testing.T) {
	for _, c := range []struct {
		change func(r *sampling.Result)
		want   string // "" is a good run
	}{
		{func(*sampling.Result) {}, ""},
		{func(r *sampling.Result) { r.LogProb[1] = math.NaN() }, "log-probability NaN"},
		{func(r *sampling.Result) { r.Final[1] = math.Inf(-1) }, "last energy -Inf"},
		{func(r *sampling.Result) { r.Entropy[1][2] = math.Inf(1) }, "log-probability 0, last energy 0"},
	} {
		r := &sampling.Result{
			LogProb: make([]float64, 2), Final: make([]float64, 2), Entropy: [][]float64{{0, 0, 0}, {0, 0, 0}},
		}
		c.change(r)
		_, err := finite(r, nil)
		if c.want == "" {
			if err != nil {
				t.Errorf("a good run: error %v", err)
			}
			continue
		}
		if !errors.Is(err, metrics.ErrNotFinite) || !usererr.Is(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	fault := fmt.Errorf("another fault")
	if _, err := finite(nil, fault); !errors.Is(err, fault) {
		t.Errorf("error %v, want that of the run", err)
	}
}

// What a caller got wrong, not a user, is an error too.
func TestPointsOfAnotherSize(t *testing.T) {
	x, _ := trainingSet(t, 12)
	other := known()
	other.Dim = 3
	_, err := Cluster(t.Context(), tinyNet(), other, x, 12, 2, testOptions())
	if err == nil || !strings.Contains(err.Error(), "training range describes 3") {
		t.Errorf("a range of 3 coordinates: error %v", err)
	}
	_, err = Cluster(t.Context(), tinyNet(), known(), x, 13, 2, testOptions())
	if err == nil || !strings.Contains(err.Error(), "24 values for 13 points in 2 dimensions, want 26") {
		t.Errorf("24 values of 13 points: error %v", err)
	}
	r, err := Cluster(t.Context(), tinyNet(), known(), x[:4], 2, 2, testOptions())
	if err != nil || !slices.Contains([]int{1, 2}, r.K) {
		t.Errorf("two points: %v", err)
	}
}
