package evaluation

import (
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/metrics"
)

// calibrated is what simulation-based calibration finds of one statistic.
type calibrated struct {
	ranks        []int     // [sets], of the true value among the draws
	uniform      []float64 // [sets], the ranks spread over [0, 1)
	truth, drawn float64   // means
}

// sequencesAtOnce is the number of copies of sets that one call of a sampler gets in simulation-based calibration.
const sequencesAtOnce = 1024

// calibrate ranks the true values of the statistics among those of the model's draws, set by set.
func (r *checkRun) calibrate() ([]calibrated, error) {
	s := r.settings
	batch := min(s.Sets, max(1, sequencesAtOnce/s.Draws))
	reader, err := r.law.reader("check/calibration", batch)
	if err != nil {
		return nil, err
	}
	found := make([]calibrated, len(checkStatistics))
	done := 0
	for sets, err := range reader.batches(r.ctx, s.Seed, 0, s.Sets) {
		if err == nil {
			err = r.rank(found, sets, done)
		}
		if err != nil {
			return nil, err
		}
		done += sets.B
		s.Progress("simulation-based calibration, sets", done, s.Sets)
	}
	for i := range found {
		found[i].truth /= float64(s.Sets)
		found[i].drawn /= float64(s.Sets * s.Draws)
	}
	return found, nil
}

// rank adds the sets of a batch, the first of which is set number first.
func (r *checkRun) rank(found []calibrated, sets embedded, first int) error {
	seed, draws := r.settings.Seed, r.settings.Draws
	var copies []float32
	for b := range sets.B {
		x, _ := sets.Set(b)
		copies = append(copies, slices.Repeat(x, draws)...)
	}
	drawn, err := r.sampler.Sample(data.Rand(seed, "check/calibration/draws", sets.step), copies, sets.B*draws, sets.N)
	if err != nil {
		return err
	}
	for b := range sets.B {
		x, truth := sets.Set(b)
		if err := r.rankSet(found, widen(x), truth, drawn[b*draws:(b+1)*draws], first+b); err != nil {
			return err
		}
	}
	return nil
}

// rankSet adds one set with its true labels and those that the model drew.
func (r *checkRun) rankSet(found []calibrated, x []float64, truth []int32, drawn [][]int32, set int) error {
	actual, err := r.law.statistics(truth, x)
	if err != nil {
		return err
	}
	values := make([][]float64, len(actual)) // by statistic, then by draw
	for _, labels := range drawn {
		one, err := r.law.statistics(labels, x)
		if err != nil {
			return err
		}
		for i, v := range one {
			values[i] = append(values[i], v)
			found[i].drawn += v
		}
	}
	rng := data.Rand(r.settings.Seed, "check/calibration/ties", set)
	for i, v := range actual {
		rank, err := metrics.SBCRank(rng, v, values[i])
		if err != nil {
			return err
		}
		found[i].truth += v
		found[i].ranks = append(found[i].ranks, rank)
		found[i].uniform = append(found[i].uniform, (float64(rank)+rng.Float64())/float64(len(drawn)+1))
	}
	return nil
}
