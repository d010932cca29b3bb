package clustering

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// None is the label of a point that belongs to no cluster: a new point, or an outlying row of a table.
const None int32 = -1

// ColumnOf returns the index of a label's probability in a row of K+1 probabilities: k for None.
func ColumnOf(label int32, k int) int {
	if label == None {
		return k
	}
	return int(label)
}

// NetworkFit is a set that a network clustered, with everything that Predict needs.
type NetworkFit struct {
	X       []float32 // [N,D] the points given to Cluster, or the subset of a large set
	D       int
	Labels  []int32              // [N] the point estimate: 0..K−1, each of them at least once
	Samples []posterior.Distinct // the sampled partitions of the points; if empty, the estimate alone counts
	Center  []float32            // [D] and
	Factor  float64              // how the points are prepared: (x − Center) · Factor; images: empty and 1
}

// Check returns an error if parts do not fit together.
func (f *NetworkFit) Check() error {
	n := len(f.Labels)
	canonical, _ := metrics.Canonical(f.Labels)
	fits := f.D >= 1 && n >= 1 && len(f.X) == n*f.D && (len(f.Center) == 0 || len(f.Center) == f.D) && f.Factor > 0 &&
		slices.Equal(canonical, f.Labels)
	for _, s := range f.Samples {
		fits = fits && len(s.Labels) == n && s.Count >= 1 && s.Count <= mostSamples
	}
	if !fits {
		return fmt.Errorf("the parts of a clustering by a network: %w", metrics.ErrLength)
	}
	return nil
}

// Prediction says where M new points belong among K clusters. Scripts read its JSON form (SchemaVersion).
type Prediction struct {
	SchemaVersion int    `json:"schema_version"`
	Model         string `json:"model"` // names the weights; Predict's caller sets it
	K             int    `json:"k"`
	// Labels [M] are the most probable clusters, 0..K−1, or None for no cluster.
	Labels []int32 `json:"labels"`
	// Probabilities [M][K+1] of each cluster and, last, of no cluster. Rows sum to 1.
	Probabilities [][]float64 `json:"probabilities"`
	// NewCluster [M] is the part of the last column for a new cluster, without any clustered point; for a table the
	// whole column. The rest is for clusters of samples that match no cluster of the estimate.
	NewCluster []float64 `json:"new_cluster"`
	// Samples is the number of draws that were averaged over; 0: the point estimate alone.
	Samples int `json:"samples"`
	// Warnings tell why the prediction may be unreliable, one line each.
	Warnings []string `json:"warnings"`
}

// Predict returns the probability that each of n new points x [n,d], row-major, belongs to each cluster k:
//
//	p(k) = Σ_s w_s · Σ_{clusters j of c_s that are k} p(c_new = j | c_s, x, x_new)
//
// The sum is over at most o.Samples samples c_s of the clustering, with their frequencies w_s. The last factor is the
// network's last decision: the softmax of −E over joining each cluster or opening a new one (sampling.Predictor).
// Clusters of a sample are matched one-to-one with clusters of the point estimate so that they share the most points.
// The probability of an unmatched cluster, and of a new one, goes to the last column. Result.Probabilities counts the
// points of the clustering by the same rule (posterior.Assignments), so a new point very near an old one gets about the
// same row. Every point is predicted as if it were the only new one, so their order and number do not matter.
//
// known is as in Cluster. Faults of the points or options are *usererr.Error. Energies that are not finite give an
// error that wraps metrics.ErrNotFinite. Time O(S·n·K) network rows for S different samples.
func Predict(
	ctx context.Context, net *models.Network, known data.Config, f *NetworkFit, x []float32, n, d int, o Options,
) (*Prediction, error) {
	fresh := &prepared{input: input{net, known, x, n, d}, center: f.Center, factor: f.Factor}
	if err := cmp.Or(o.Validate(), f.checkNew(fresh.input)); err != nil {
		return nil, err
	}
	old := *fresh
	old.x = f.X
	const hint = "mend or leave out this point"
	if err := cmp.Or(old.units(hint), fresh.units(hint)); err != nil {
		return nil, err
	}
	samples, drawn := f.choose(o)
	k := metrics.Clusters(f.Labels)
	labels, partner := make([][]int32, len(samples)), make([][]int32, len(samples))
	for i, s := range samples {
		labels[i], partner[i] = s.Labels, posterior.Match(s.Labels, f.Labels, int32(k))
	}
	share := 1 / float64(max(1, drawn)) // of a draw
	predictor, err := sampling.NewPredictor(ctx, net, old.x, labels)
	if err != nil {
		return nil, overflow(err)
	}
	predictor.Progress = o.progress(fresh.noun() + "s predicted")
	p := &Prediction{
		SchemaVersion: SchemaVersion, K: k, Labels: make([]int32, n), Probabilities: make([][]float64, n),
		NewCluster: make([]float64, n), Samples: drawn, Warnings: []string{},
	}
	points := func(from, to int) []float32 { return fresh.x[from*d : to*d] }
	return p, overflow(predictor.Each(ctx, n, points, func(i int, probs [][]float64) { // for several i at a time
		row := make([]float64, k+1)
		for s, q := range probs {
			weight, last := share*float64(samples[s].Count), len(q)-1
			for j, v := range q[:last] {
				row[partner[s][j]] += weight * v
			}
			p.NewCluster[i] += weight * q[last]
		}
		row[k] += p.NewCluster[i]
		p.Probabilities[i] = row
		if p.Labels[i] = int32(floats.MaxIdx(row)); int(p.Labels[i]) == k {
			p.Labels[i] = None
		}
	}))
}

// checkNew returns an error for new points that do not fit the clustering or the network.
func (f *NetworkFit) checkNew(in input) error {
	if in.d != f.D {
		return usererr.New("give as many", "the new points have %s, but those of the clustering %d",
			text.Count(in.d, "coordinate"), f.D)
	}
	if len(f.Center) != in.d && !in.known.IsImages() {
		return fmt.Errorf("a clustering of points without a center: %w", metrics.ErrLength)
	}
	return in.checkCoordinates()
}

// choose returns at most o.Samples draws to average over, as distinct samples with counts, and their number. The seed
// chooses them at random. Without draws it returns the point estimate and 0.
func (f *NetworkFit) choose(o Options) (samples []posterior.Distinct, drawn int) {
	var draws []int // the sample of each
	for i, s := range f.Samples {
		draws = append(draws, slices.Repeat([]int{i}, s.Count)...)
	}
	if len(draws) > o.Samples {
		data.Rand(o.Seed, "predict/samples", 0).Shuffle(len(draws), func(i, j int) {
			draws[i], draws[j] = draws[j], draws[i]
		})
		draws = draws[:o.Samples]
	}
	if len(draws) == 0 {
		return []posterior.Distinct{{Labels: f.Labels, Count: 1}}, 0
	}
	counts := make([]int, len(f.Samples))
	for _, i := range draws {
		counts[i]++
	}
	for i, s := range f.Samples {
		if s.Count = counts[i]; s.Count > 0 {
			samples = append(samples, s)
		}
	}
	return samples, len(draws)
}
