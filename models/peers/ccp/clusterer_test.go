package ccp

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/janpfeifer/must"

	"github.com/gfncp/gfncp/models/peers"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
)

// The estimated probabilities of all partitions of three points sum to one, and samples come that often.
func TestSampleFollowsLogProb(t *testing.T) {
	m := small()
	c := newClusterer(t, m, newWeights(m, 11, 2.2))
	c.Orders, c.Samples = 300, 32
	x := newPoints(12, 6)
	const draws = 4000
	copies := make([]float32, 0, draws*6)
	for range draws {
		copies = append(copies, x...)
	}
	counts := map[[3]int32]int{}
	for _, labels := range must.M1(c.Sample(rand.New(rand.NewPCG(1, 2)), copies, draws, 3)) {
		counts[[3]int32(labels)]++
	}
	sum := 0.0
	for _, labels := range posterior.Partitions(3) {
		p := math.Exp(must.M1(c.LogProb(rand.New(rand.NewPCG(3, 4)), x, labels, 1, 3))[0])
		sum += p
		share := float64(counts[[3]int32(labels)]) / draws
		t.Logf("%v: estimated %.4f, drawn %.4f", labels, p, share)
		// 4 standard errors of the draws, and as much as the sum is wrong for the estimate
		if !(math.Abs(share-p) <= 4*math.Sqrt(p*(1-p)/draws)+0.01) {
			t.Errorf("%v: estimated probability %.4f, drawn with frequency %.4f", labels, p, share)
		}
	}
	if !(math.Abs(sum-1) <= 0.02) {
		t.Errorf("the five probabilities sum to %.4f", sum)
	}
}

// Each decision of the sampler is that of plain loops in float64 on the state so far.
func TestDecisionsAgainstReference(t *testing.T) {
	m := small()
	weights := newWeights(m, 16, 2)
	c, ref := newClusterer(t, m, weights), newReference(m, weights)
	const b, n = 5, 12
	x := newPoints(17, b*n*2)
	group := must.M1(c.sequences(rand.New(rand.NewPCG(1, 1)), x, n, false))
	for set, s := range group {
		before, given := []int32{}, slices.Repeat([]int32{-1}, n)
		must.M1(peers.Rounds(1, n, n, func(left []peers.Left) ([][]bool, error) {
			s.start(left[0].Points)
			given[s.anchor] = int32(len(before))
			f := ref.factor(x[set*n*2:(set+1)*n*2], given, step{anchor: s.anchor, before: before})
			logits := must.M1(c.joins([]*sequence{s}))
			for j, i := range s.others {
				want := ref.apply("phi", slices.Concat(f.embed[i], f.prior.mean, f.row))[0]
				if !(math.Abs(float64(logits[j])-want) <= 1e-5*math.Max(1, math.Abs(want))) {
					t.Fatalf("set %d, cluster %d: logit %.7g of point %d, plain loops %.7g",
						set, len(before), logits[j], i, want)
				}
			}
			joins := must.M1(c.assign([]*sequence{s}, logits))
			for i, point := range left[0].Points {
				if joins[0][i] {
					given[point] = int32(len(before))
				}
			}
			before = append(before, int32(len(before)))
			return joins, nil
		}))
		if set == 0 && len(before) < 3 {
			t.Fatalf("only %d clusters, too few to test their sum", len(before))
		}
	}
}

// Equal generators give equal results, and a set's result does not depend on the sets beside it.
func TestBatchOfOneEqualsBatchOfMany(t *testing.T) {
	m := small()
	c := newClusterer(t, m, newWeights(m, 13, 2.2))
	c.Orders, c.Samples = 3, 5
	const b, n = 4, 9
	x := newPoints(14, b*n*2)
	labels := []int32{
		0, 1, 1, 2, 0, 0, 3, 1, 2, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 1, 1, 1, 1, 1,
	}
	for name, run := range map[string]func(rng *rand.Rand, x []float32, labels []int32, b int) any{
		"Cluster": func(rng *rand.Rand, x []float32, _ []int32, b int) any { return must.M1(c.Cluster(rng, x, b, n)) },
		"Sample":  func(rng *rand.Rand, x []float32, _ []int32, b int) any { return must.M1(c.Sample(rng, x, b, n)) },
		"LogProb": func(rng *rand.Rand, x []float32, labels []int32, b int) any {
			rounded := must.M1(c.LogProb(rng, x, labels, b, n))
			for i, p := range rounded {
				rounded[i] = math.Round(p*1e4) / 1e4
			}
			return rounded
		},
	} {
		all := reflect.ValueOf(run(rand.New(rand.NewPCG(5, 6)), x, labels, b))
		again := reflect.ValueOf(run(rand.New(rand.NewPCG(5, 6)), x, labels, b))
		if !reflect.DeepEqual(all.Interface(), again.Interface()) {
			t.Errorf("%s is not repeatable", name)
		}
		rng := rand.New(rand.NewPCG(5, 6))
		for i := range b {
			one := reflect.ValueOf(run(rng, x[i*n*2:(i+1)*n*2], labels[i*n:(i+1)*n], 1))
			if !reflect.DeepEqual(one.Index(0).Interface(), all.Index(i).Interface()) {
				t.Errorf("%s of set %d: %v alone, %v in the batch", name, i, one.Index(0), all.Index(i))
			}
		}
	}
}

// Steps are those of the process: each labels' cluster once, its anchor and the others unassigned, and the weights of
// the kept steps add up to the number of all.
func TestSteps(t *testing.T) {
	labels := []int32{0, 1, 0, 2, 1, 1, 3}
	firsts := make([]float64, 4)
	const draws = 7000
	rng := rand.New(rand.NewPCG(1, 1))
	for range draws {
		left := 7
		steps := drawSteps(rng, labels)
		firsts[labels[steps[0].anchor]]++
		for _, s := range steps {
			if s.others() != left-1 || slices.Contains(s.before, labels[s.anchor]) || slices.Contains(s.in, s.anchor) {
				t.Fatalf("wrong step %+v with %d points left", s, left)
			}
			left -= len(s.in) + 1
		}
		if last := steps[len(steps)-1]; left > 1 || left == 1 && len(last.out) != 1 {
			t.Fatalf("%d points are left after the steps %+v", left, steps)
		}
		set := newSet(rng, nil, labels)
		set.choose(2)
		if all := float32(len(set.steps)) * set.weight; len(set.steps) != 2 || all != 3 && all != 4 {
			t.Fatalf("2 steps of 3 or 4 have weight %g each", set.weight)
		}
	}
	for c, want := range []float64{2, 3, 1, 1} { // the size of the cluster over 7
		if !(math.Abs(firsts[c]/draws-want/7) <= 0.025) { // 4 standard errors: 4·√(¼/7000) = 0.024
			t.Errorf("cluster %d comes first with frequency %.3f, want %.3f", c, firsts[c]/draws, want/7)
		}
	}
}

// A set of one point has one cluster with probability one; sizes that do not fit are errors.
func TestEdges(t *testing.T) {
	m := small()
	weights := newWeights(m, 1, 1)
	c := newClusterer(t, m, weights)
	rng := rand.New(rand.NewPCG(1, 1))
	if labels := must.M1(c.Cluster(rng, []float32{1, 2}, 1, 1)); !reflect.DeepEqual(labels, [][]int32{{0}}) {
		t.Errorf("one point was labelled %v", labels)
	}
	if p := must.M1(c.LogProb(rng, []float32{1, 2}, []int32{5}, 1, 1)); p[0] != 0 {
		t.Errorf("one point has log-probability %g", p[0])
	}
	batch := data.NewBatch(2, 1, 2)
	if loss, _ := lossFunc(t, m, true)(weights, 1, must.M1(m.Inputs(rng, batch, models.FineBuckets))); loss != 0 {
		t.Errorf("sets of one point have loss %g", loss)
	}
	far := []float32{float32(math.Inf(1)), 0, 1, 1}
	if _, err := c.Cluster(rng, far, 1, 2); err == nil {
		t.Error("a point at infinity was clustered")
	}
}
