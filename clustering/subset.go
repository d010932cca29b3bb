package clustering

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat/sampleuv"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
)

// MaxWhole is the most points that a network clusters as one sequence.
const MaxWhole = 2000

const (
	networkSubset = 400     // points that are clustered of a larger set
	assignedRows  = 2e7     // most network rows when the other points are assigned by several samples
	mostRows      = 1 << 22 // most entries of Result.Probabilities
)

// Subset describes the clustering of a large set: a random subset is sampled, and the other points are predicted from
// it. Samples, log-probabilities, P(K), expected losses and chains of a Result describe the subset.
type Subset struct {
	// Points [M] are the indices of the subset's points in the input, ascending.
	Points []int `json:"points"`
	// Samples is the number of a network's draws that predictions are averaged over; 0: the point estimate alone.
	Samples int `json:"samples"`
	// None is the number of a network's other points that are in no cluster.
	None int `json:"none"`
}

// takesPart reports whether only a part of n points is sampled. If they are more than whole, it makes that part, the
// subset, few points. It returns an error if the options demand a co-clustering matrix of such a part, or of more than
// MaxCoClustering points.
func (o *Options) takesPart(n, whole, few int) (part bool, err error) {
	if o.subset == 0 && n > whole {
		o.subset = few
	}
	part = o.subset > 0 && n > o.subset
	if o.CoClustering && (part || n > MaxCoClustering) {
		err = usererr.Option("CoClustering", "leave it out, or give fewer points",
			"is not to be had of %d points: the limit is %d rows of a table, and %d points of a network", n,
			MaxCoClustering, MaxWhole)
	}
	return part, err
}

// drawSubset draws the places of a random subset of n points, rising, with the random numbers of a stream.
func (o Options) drawSubset(stream string, n int) []int {
	places := make([]int, o.subset)
	sampleuv.WithoutReplacement(places, n, data.Rand(o.Seed, stream, 0))
	slices.Sort(places)
	return places
}

// clusterSubset clusters a random subset of the n points x [n,d] in full, and predicts the others.
func clusterSubset(ctx context.Context, in input, o Options) (*Result, error) {
	if err := in.checkPoints(); err != nil {
		return nil, err
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
	o.Samples = drawsFor(in.n, r.K)
	p, err := Predict(ctx, in.net, in.known, r.Network, in.x, in.n, in.d, o)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	r.extend(places, p)
	r.Subset.None = r.Outlying
	return r, nil
}

// extend gives the result labels and probabilities of all points. Points of the subset keep theirs; p has the rest.
func (r *Result) extend(places []int, p *Prediction) {
	labels, rows := p.Labels, p.Probabilities
	for at, i := range places {
		labels[i], rows[i] = r.Labels[at], r.Probabilities[at]
	}
	r.Subset = &Subset{Points: places, Samples: p.Samples}
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
