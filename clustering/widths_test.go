package clustering

import (
	"math"
	"reflect"
	"testing"

	"github.com/janpfeifer/must"
)

// The likely factors are those near the best one, 4 % apart, weighed by the evidence of their own greedy labels.
func TestWeighByEvidence(t *testing.T) {
	const n = 60
	x, _ := trainingSet(t, n)
	z := (&prepared{x: x, n: n, d: 2}).centre()
	for _, best := range []float64{0.4, 1, 3} {
		var factors []float64
		for i := range 13 {
			factors = append(factors, best*math.Pow(2, float64(i-6)/16))
		}
		evidence := must.M1(evidenceOf(t.Context(), tinyNet(), known(), z, n, 2, n, factors))
		most, total := math.Inf(-1), 0.0
		for _, e := range evidence {
			most = max(most, e)
		}
		found := must.M1(weigh(t.Context(), tinyNet(), known(), z, n, 2, best))
		weights := map[float64]float64{}
		for _, s := range found {
			weights[s.Factor] = s.Weight
			total += s.Weight
		}
		near(t, "sum of the weights", total, 1, 1e-12)
		for i, f := range factors {
			share := math.Exp(evidence[i] - most)
			if w, kept := weights[f]; kept != (share >= leastWeight) {
				t.Errorf("factor %g with a share of %g of the likeliest: kept is %v", f, share, kept)
			} else if kept {
				near(t, "ratio of weights", w/found[0].Weight, share, 1e-9)
			}
		}
		if len(found) > 1 && found[0].Weight < found[1].Weight {
			t.Errorf("the first factor of %v is not the likeliest", found)
		}
	}
}

// Samples are shared out in proportion to the weights.
func TestSamplesAreSharedOut(t *testing.T) {
	w := widths{{2, 0.5}, {1, 0.3}, {4, 0.2}}
	counts := make([]int, 3)
	for i := range 100 {
		counts[w.of(i, 100)]++
	}
	if !reflect.DeepEqual(counts, []int{50, 30, 20}) {
		t.Errorf("%v of 100 samples, want 50, 30 and 20", counts)
	}
	if at := widths(nil).of(3, 10); at != 0 {
		t.Errorf("without widths a sample belongs to set %d", at)
	}
	got := w.scaled([]float32{6, -2})
	if want := []float32{6, -2, 3, -1, 12, -4}; !reflect.DeepEqual(got, want) {
		t.Errorf("the points at all factors are %v, want %v", got, want)
	}
}

// A scale that is found has its uncertainty in the result, one that is given has none.
func TestResultTellsItsFactors(t *testing.T) {
	const n = 12
	x, _ := trainingSet(t, n)
	x = scaled(x, 30, 0)
	o := DefaultOptions()
	o.Samples, o.Refine = 20, "none"
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, n, 2, o))
	p := must.M1(prepare(t.Context(), tinyNet(), known(), x, n, 2, "auto"))
	if len(p.widths) < 2 || !reflect.DeepEqual(r.ScaleFactors, []ScaleWeight(p.widths)) ||
		r.ScaleFactor != p.widths[0].Factor {
		t.Errorf("factors %v and %g, want %v", r.ScaleFactors, r.ScaleFactor, p.widths)
	}
	o.Scale = "0.03"
	if r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, n, 2, o)); r.ScaleFactors != nil {
		t.Errorf("a given scale came out as %v", r.ScaleFactors)
	}
}
