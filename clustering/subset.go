package clustering

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/sampleuv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// MaxWhole is the most points that a network clusters as one sequence.
const MaxWhole = 2000

const (
	networkSubset = 400     // points that are clustered of a larger set
	assignedRows  = 2e7     // most network rows when the other points are assigned by several samples
	mostRows      = 1 << 22 // most entries of Result.Probabilities
	manyInNone    = 0.01    // warn above this share of points in no cluster
)

// Subset describes the clustering of a large set: a random subset is sampled, and the other points are predicted from
// it. Samples, log-probabilities, P(K), expected losses and chains of a Result describe the subset.
type Subset struct {
	// Points [M] are the indices of the subset's points in the input, ascending.
	Points []int `json:"points"`
	// Samples is the number of a network's draws that predictions are averaged over; 0: the point estimate alone.
	Samples int `json:"samples"`
	// None is the number of a network's other points for which "no cluster" is more probable than each cluster. They
	// still get the label of the most probable cluster.
	None int `json:"none"`
}

// subsets reports whether only a subset of n points is sampled.
func (o Options) subsets(n int) bool { return o.subset > 0 && n > o.subset }

// noMatrix is the error for the co-clustering matrix of a set that is clustered by a subset.
func noMatrix(n int) error {
	return usererr.Option("CoClustering", "leave it out, or give fewer points",
		"is not to be had of %d points, of which only a part is sampled", n)
}

// drawSubset draws the places of a random subset of n points, rising, with the random numbers of a stream.
func (o Options) drawSubset(stream string, n int) []int {
	places := make([]int, o.subset)
	sampleuv.WithoutReplacement(places, n, data.Rand(o.Seed, stream, 0))
	slices.Sort(places)
	return places
}

// clusterSubset clusters a random subset of the n points x [n,d] in full, and assigns all other points.
func clusterSubset(ctx context.Context, in input, o Options) (*Result, error) {
	if err := in.checkPoints(); err != nil {
		return nil, err
	}
	if o.CoClustering {
		return nil, noMatrix(in.n)
	}
	places := o.drawSubset("cluster/subsets", in.n)
	points := in
	points.n, points.x = len(places), make([]float32, 0, len(places)*in.d)
	for _, i := range places {
		points.x = append(points.x, in.x[i*in.d:(i+1)*in.d]...)
	}
	r, err := clusterWhole(ctx, points, o)
	if err != nil {
		return nil, err
	}
	r.Subset = &Subset{Points: places}
	if err := r.assign(ctx, in, o); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	r.Network.Labels = make([]int32, len(places))
	for at, i := range places { // as the clusters are numbered now
		r.Network.Labels[at] = r.Labels[i]
	}
	if share := float64(r.Subset.None) / float64(in.n); share > manyInNone {
		r.warn("%d points (%.1f %%) are probably in none of the clusters of the %d that were sampled", r.Subset.None,
			100*share, len(places))
	}
	return r, nil
}

// assign gives all points labels and probabilities by the clustering of the subset.
func (r *Result) assign(ctx context.Context, in input, o Options) error {
	samples, drawn := r.Network.choose(Options{Samples: drawsFor(in.n, r.K), Seed: o.Seed})
	r.Subset.Samples = drawn
	labels, rows := make([]int32, in.n), make([][]float64, in.n)
	hear := o.progress(in.noun() + "s assigned to the clusters")
	err := r.Network.each(ctx, in, samples, hear, func(i int, row []float64, _ float64) {
		labels[i], rows[i] = int32(floats.MaxIdx(row[:r.K])), row
	})
	if err != nil {
		return err
	}
	for i, row := range rows {
		_, sampled := slices.BinarySearch(r.Subset.Points, i)
		if !sampled && row[r.K] > row[labels[i]] {
			r.Subset.None++
		}
	}
	r.adopt(labels, rows)
	r.renumber()
	return nil
}

// adopt takes over labels [N] and probabilities [N][K+1] of all points. Points of the subset keep their own.
func (r *Result) adopt(labels []int32, rows [][]float64) {
	for at, i := range r.Subset.Points {
		labels[i], rows[i] = r.Labels[at], r.Probabilities[at]
	}
	r.Labels, r.Probabilities, r.Uncertainty = labels, rows, nil
	r.Outlying, r.Probability = 0, make([]float32, len(labels))
	for i, label := range labels {
		r.Probability[i] = float32(rows[i][ColumnOf(label, r.K)])
		if label == None {
			r.Outlying++
		}
	}
	if len(labels)*(r.K+1) > mostRows {
		r.Probabilities = nil
	}
}

// drawsFor returns how many draws to average so that n points with K+1 candidates each take at most assignedRows
// network rows. It returns 0, for the point estimate alone, if that allows one draw or less.
func drawsFor(n, k int) int {
	if draws := int(assignedRows / (float64(n) * float64(k+1))); draws > 1 {
		return draws
	}
	return 0
}

// renumber numbers the clusters by first appearance in the whole input.
func (r *Result) renumber() {
	before := slices.Clone(r.Labels)
	partition.Renumber(r.Labels)
	names := make([]int32, r.K) // the new number of each old one
	for i, label := range r.Labels {
		names[before[i]] = label
	}
	for i, row := range r.Probabilities {
		r.Probabilities[i] = folded(row, names, r.K)
	}
}
