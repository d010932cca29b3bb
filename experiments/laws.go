package experiments

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/models/peers"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
	"github.com/gfncp/gfncp/train"
)

// lawSets is the number of sets judged at N = 8 and at N = 100.
func (s Scale) lawSets() (small, large int) {
	if s == Smoke {
		return 3, 2
	}
	return 200, 50
}

// lawSamples is the number of samples behind a law that is not enumerated.
func (s Scale) lawSamples() int {
	if s == Smoke {
		return 20
	}
	return 200
}

// law judges one method in one part of the experiment, or reuses an earlier judgement. A method without a model is the reference
// itself.
func (l *Lab) law(ctx context.Context, part string, m method) (q lawQuality, where string, err error) {
	if m.Model == "" && l.plan != nil {
		return q, "", errNotTrained
	}
	dir := filepath.Join(l.Runs, "reference-"+m.Name)
	judge := lawJudge{ctx: ctx, lab: l, samples: l.Scale.lawSamples()}
	if m.Model != "" {
		model, from, err := l.weights(ctx, tableData[0], m, 0)
		if err != nil {
			return q, "", err
		}
		if judge.model, err = model.Clusterer(l.Backend); err != nil {
			return q, "", err
		}
		if !model.Config.IsPeer() {
			if judge.net, err = model.Network(l.Backend); err != nil {
				return q, "", err
			}
		}
		dir, where = from.dir, from.name
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return q, where, fmt.Errorf("keep an evaluation: %w", err)
	}
	small, large := l.Scale.lawSets()
	l.say("exactness, %s: %s", part, m.Name)
	if part == exactSets {
		t := Test{Data: exactData(exactPoints), Sets: small, Seed: testSeed}
		q, err = kept(dir, []any{"law", t, judge.samples}, func() (lawQuality, error) { return judge.all(t, judge.enumerated) })
		return q, where, err
	}
	t := Test{Data: exactData(gibbsPoints), Sets: large, Seed: testSeed}
	q, err = kept(dir, []any{"law", t, judge.samples}, func() (lawQuality, error) { return judge.all(t, judge.sampled) })
	return q, where, err
}

// lawJudge compares a model's law of partitions with a reference, set by set.
type lawJudge struct {
	ctx     context.Context
	lab     *Lab
	samples int
	model   peers.Clusterer // nil: the reference is judged
	net     *models.Network // of an energy network, whose law is enumerated
}

// oneLaw is a model's law beside the reference's, on one set.
type oneLaw struct {
	posterior.Comparison
	kTV    float64
	matrix mat.Symmetric // the model's co-clustering probabilities
}

// all judges every set of a test.
func (j lawJudge) all(t Test, one func(t Test, set int, x []float32, original []float64) (oneLaw, error)) (q lawQuality, err error) {
	source, err := data.NewMoG(t.Data)
	if err != nil {
		return q, err
	}
	var predicted []float64
	var together []bool
	for step := 0; q.Sets < t.Sets; step++ {
		batch, original, err := source.BatchUncentred(t.Seed, step)
		if err != nil {
			return q, err
		}
		for b := 0; b < batch.B && q.Sets < t.Sets; b++ {
			if j.ctx.Err() != nil {
				return q, train.ErrInterrupted
			}
			x, truth := batch.Set(b)
			law, err := one(t, q.Sets, x, widen(original[b*len(x):(b+1)*len(x)]))
			if err != nil {
				return q, fmt.Errorf("set %d: %w", q.Sets, err)
			}
			q.add(law)
			p, same := pairs(law.matrix, truth)
			predicted, together = append(predicted, p...), append(together, same...)
		}
	}
	if q.Reliability, err = metrics.Reliability(predicted, together, nil, 10); err != nil {
		return q, err
	}
	q.ECE = metrics.ECE(q.Reliability)
	for _, v := range []*float64{&q.KL, &q.TV, &q.KTV, &q.K, &q.TrueK, &q.CoClustering} {
		*v /= float64(q.Sets)
	}
	return q, nil
}

func (q *lawQuality) add(l oneLaw) {
	q.Sets++
	q.KL += l.KL
	q.TV += l.TotalVariation
	q.KTV += l.kTV
	q.K += l.ModelK
	q.TrueK += l.ExactK
	q.CoClustering += l.CoClustering
}

func widen(x []float32) []float64 {
	wide := make([]float64, len(x))
	for i, v := range x {
		wide[i] = float64(v)
	}
	return wide
}

// pairs lists the co-clustering probabilities of all pairs of points with what the true labels say.
func pairs(matrix mat.Symmetric, truth []int32) (predicted []float64, together []bool) {
	for i := range truth {
		for k := i + 1; k < len(truth); k++ {
			predicted = append(predicted, matrix.At(i, k))
			together = append(together, truth[i] == truth[k])
		}
	}
	return predicted, together
}

// enumerated compares with the exact law of all partitions.
func (j lawJudge) enumerated(t Test, set int, x []float32, original []float64) (law oneLaw, err error) {
	prior, err := crpOf(t.Data).Prior(t.Data.NMin)
	if err != nil {
		return law, err
	}
	exact, err := posterior.EnumerateCentred(gaussianOf(t.Data), prior, original)
	if err != nil {
		return law, err
	}
	switch {
	case j.net != nil:
		logProbs, err := allPartitions(j.net, x, t.Data.NMin)
		if err != nil {
			return law, err
		}
		if law.Comparison, err = exact.Compare(logProbs); err != nil {
			return law, err
		}
		model, err := posterior.NewDistribution(t.Data.NMin, logProbs)
		if err != nil {
			return law, err
		}
		law.matrix = model.CoClustering()
		return law, nil
	case j.model == nil:
		law.matrix = exact.CoClustering()
		law.Comparison = posterior.Comparison{ExactK: exact.ExpectedK(), ModelK: exact.ExpectedK()}
		return law, nil
	}
	return j.estimated(exact, set, x)
}

// allPartitions returns an energy network's log p of every partition of n points, in the order of posterior.Partitions: a beam that
// drops nothing.
func allPartitions(net *models.Network, x []float32, n int) ([]float64, error) {
	sets, err := sampling.Encode(net, x, 1, n)
	if err != nil {
		return nil, err
	}
	parts, err := posterior.Partitions(n)
	if err != nil {
		return nil, err
	}
	r, err := sets.Beam(sampling.Sequence{}, len(parts))
	if err != nil {
		return nil, err
	}
	logProbs := make([]float64, len(parts))
	for i, labels := range r.Labels {
		at, err := posterior.PartitionIndex(labels)
		if err != nil {
			return nil, err
		}
		logProbs[at] = r.LogProb[i]
	}
	return logProbs, nil
}

// exactShare is the exact probability of the partitions for which a model that only estimates its probabilities is asked.
const exactShare = 0.999

// estimated compares with a model whose probabilities are estimates.
func (j lawJudge) estimated(exact *posterior.Distribution, set int, x []float32) (law oneLaw, err error) {
	n := len(exact.Labels[0])
	top := mostProbable(exact.LogProb, exactShare)
	var many []float32
	var labels []int32
	for _, at := range top {
		many, labels = append(many, x...), append(labels, exact.Labels[at]...)
	}
	prober, ok := j.model.(peers.LogProber)
	if !ok {
		return law, fmt.Errorf("the model gives no probabilities")
	}
	logProbs, err := prober.LogProb(data.Rand(testSeed, "law/prob", set), many, labels, len(top), n)
	if err != nil {
		return law, err
	}
	restExact, restModel := 1.0, 1.0
	for i, at := range top {
		p, q := math.Exp(exact.LogProb[at]), math.Exp(logProbs[i])
		law.KL += p * (exact.LogProb[at] - logProbs[i])
		law.TotalVariation += math.Abs(p-q) / 2
		restExact, restModel = restExact-p, restModel-q
	}
	law.TotalVariation += math.Abs(restExact-restModel) / 2
	samples, err := j.draw(set, x, n)
	if err != nil {
		return law, err
	}
	return law, law.compareSamples(exact.CoClustering(), exact.KPosterior(), samples)
}

// mostProbable lists the partitions with the highest probabilities, until they hold the given share.
func mostProbable(logProb []float64, share float64) (top []int) {
	order := descending(logProb)
	var mass float64
	for _, at := range order {
		top = append(top, at)
		if mass += math.Exp(logProb[at]); mass >= share {
			break
		}
	}
	return top
}

// compareSamples fills in what follows from a model's samples and a reference's co-clustering and law of K.
func (l *oneLaw) compareSamples(matrix mat.Symmetric, k []posterior.KProb, samples [][]int32) error {
	mine, err := posterior.CoClustering(samples)
	if err != nil {
		return err
	}
	law := posterior.KPosterior(samples)
	l.matrix, l.ExactK, l.ModelK = mine, posterior.ExpectedK(k), posterior.ExpectedK(law)
	l.kTV = posterior.KTotalVariation(k, law)
	l.CoClustering, _, err = posterior.CoClusteringError(matrix, mine)
	return err
}
