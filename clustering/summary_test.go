package clustering

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// drawn returns labels so often.
func drawn(count int, labels ...int32) [][]int32 { return slices.Repeat([][]int32{labels}, count) }

// twenty samples of four points: 12 are {01|23}; 4 and 2 split one of its pairs, one has all points apart, one
// together.
func twenty() [][]int32 {
	return slices.Concat(drawn(1, 0, 1, 2, 3), drawn(4, 0, 0, 1, 2), drawn(12, 0, 0, 1, 1), drawn(2, 0, 1, 2, 2),
		drawn(1, 0, 0, 0, 0))
}

// From {01|23} a split pair is ½·log 2 away, all apart and all together log 2; Binder's loss is 2/16, 4/16 and 8/16. So
// the mean VI is (6·½ + 2)·log 2/20 = ¼·log 2, the mean Binder loss (6·2 + 4 + 8)/16/20 = 0.075.
func TestExpectedLossesByHand(t *testing.T) {
	r := &Result{Labels: []int32{0, 0, 1, 1}}
	r.summarize(twenty(), nil, Options{Samples: 20})
	near(t, "expected VI", r.ExpectedVI, math.Ln2/4, 1e-15)
	near(t, "expected Binder loss", r.ExpectedBinder, 0.075, 1e-15)
}

// The labels are the sample with the least expected variation of information.
func TestPointEstimate(t *testing.T) {
	x, _ := trainingSet(t, 8)
	o := testOptions()
	o.Seed = 7
	r := must.M1(Cluster(t.Context(), tinyNet(), known(), x, 8, 2, o))
	var labels [][]int32
	for _, s := range r.Samples {
		labels = append(labels, slices.Repeat([][]int32{s.Labels}, s.Count)...)
	}
	for _, s := range labels {
		if e := posterior.LossVI.Expected(s, labels); e < r.ExpectedVI-1e-12 {
			t.Errorf("a sample has expected VI %v, the estimate %v", e, r.ExpectedVI)
		}
	}
}

// The first and the most probable partitions have the log-mean over four orders. The others have the log-probability in
// the first order. Both agree with the energy table, and the ten highest have four orders.
func TestRanking(t *testing.T) {
	const n, s = 20, 40
	x, _ := trainingSet(t, n)
	sets := must.M1(sampling.Encode(context.Background(), tinyNet(), x, 1, n))
	d := &decoder{Sets: sets, seed: 7, group: s}
	labels := must.M1(d.sample(s, s))
	got := must.M1(d.logProbs(labels))
	var whole []float64
	for i, l := range labels {
		var each []float64
		for o := range rankOrders {
			each = append(each, tableLogProb(tinyNet(), x, l, d.order(o)))
		}
		all := floats.LogSumExp(each) - math.Log(rankOrders)
		switch {
		case math.Abs(got[i]-all) < 1e-3:
			whole = append(whole, got[i])
		case i == 0:
			t.Errorf("the first partition has %v, but %v in four orders", got[i], all)
		case math.Abs(got[i]-each[0]) > 1e-3:
			t.Errorf("partition %d has %v, but %v in the first order", i, got[i], each[0])
		}
	}
	if len(whole) < rankTop || len(whole) == s {
		t.Fatalf("%d of %d partitions were read in four orders", len(whole), s)
	}
	slices.Sort(got)
	if least := got[s-rankTop]; !slices.ContainsFunc(whole, func(v float64) bool { return v == least }) {
		t.Errorf("the tenth has %v, read in one order only", least)
	}
}
