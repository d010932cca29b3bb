package clustering

import (
	"math"
	"slices"
	"testing"

	"github.com/janpfeifer/must"
	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/sampling"
)

// The first and the most probable partitions have the log-mean over four orders. The others have the log-probability in
// the first order. Both agree with the energy table, and the ten highest have four orders.
func TestRanking(t *testing.T) {
	const n, s = 20, 40
	x, _ := trainingSet(t, n)
	sets := must.M1(sampling.Encode(tinyNet(), x, 1, n))
	d := newDecoder(sets, 7)
	labels := must.M1(d.sample(s))
	got := must.M1(d.logProbs(labels))
	var whole []float64
	for i, l := range labels {
		var each []float64
		for o := range rankOrders {
			each = append(each, tableLogProb(t, tinyNet(), x, l, d.order(o)))
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
