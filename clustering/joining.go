package clustering

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
)

// mostJoining is the most directions in which Gaussian pieces are joined: beyond, the distances of neighbours say
// little about density.
const mostJoining = 3

// Joined says that Gaussian clusters did not describe the points, so that those between which points lie as densely as
// within them were taken for pieces of one cluster (posterior.Crowding), in every sample.
type Joined struct {
	Pieces float64 `json:"pieces"` // Gaussian pieces of a sample, on average
	Share  float64 `json:"share"`  // of the points, in clusters of several pieces, on average
	// Clusters is their number in the point estimate.
	Clusters int `json:"clusters"`
	// Rest are p-values of the clusters of one piece being Gaussian (Refinement.Gaussian).
	Rest *posterior.GaussianFit `json:"rest"`
}

// pieces are samples of Gaussian clusters, and the clusters that these are pieces of.
type pieces struct {
	*posterior.Draws
	labels [][]int32 // [S][N] of the clusters, canonical
	groups [][]int32 // [S][pieces] the cluster of each piece, in order of first appearance; nil if nothing was joined
}

// join joins pieces of the samples if asked for and if fit says that Gaussian clusters do not describe the points;
// where these lie dense is seen in the directions of the sample of least expected VI. The result is nil if nothing was
// joined.
func (t target) join(rng *rand.Rand, draws *posterior.Draws, fit *posterior.GaussianFit) (*pieces, *Joined, error) {
	p := &pieces{Draws: draws, labels: labelsOf(draws.Samples)}
	if !(fit.Any() < gaussianBelow) {
		return p, nil, nil
	}
	at, _, err := posterior.LossVI.PointEstimate(p.labels, p.labels)
	if err != nil {
		return nil, nil, err
	}
	y := draws.States[at].Seen(t.x)
	dim := len(y) / len(p.labels[at])
	if dim > mostJoining {
		return p, nil, nil
	}
	crowding, err := posterior.NewCrowding(y, dim, p.labels[at])
	if err != nil {
		return nil, nil, err
	}
	joined := &pieces{Draws: draws}
	j := &Joined{}
	var rest []posterior.State
	for i, s := range draws.States {
		groups := crowding.Join(p.labels[i])
		labels, apart, share := joinedLabels(p.labels[i], groups)
		joined.labels, joined.groups = append(joined.labels, labels), append(joined.groups, groups)
		j.Pieces += float64(len(groups)) / float64(len(draws.States))
		j.Share += share / float64(len(draws.States))
		s.Labels = apart
		rest = append(rest, s)
	}
	if j.Share == 0 {
		return p, nil, nil
	}
	j.Rest, err = checkGaussian(rng, t.x, t.dimension(), rest)
	return joined, j, err
}

// joinedLabels are the labels of clusters that pieces are joined to; apart are those of the pieces, but that every
// point of a cluster of several is alone; share is the share of these points.
func joinedLabels(labels, groups []int32) (joined, apart []int32, share float64) {
	of := make([]int, len(groups)) // pieces of each cluster
	for _, g := range groups {
		of[g]++
	}
	joined, apart = make([]int32, len(labels)), make([]int32, len(labels))
	canonical, k := metrics.Canonical(labels)
	for i, piece := range canonical {
		joined[i], apart[i] = groups[piece], piece
		if of[groups[piece]] > 1 {
			apart[i] = int32(k + i)
			share += 1 / float64(len(labels))
		}
	}
	return joined, apart, share
}

// samples are the partitions into clusters, each with the log-posterior of its pieces, the most probable first.
func (p *pieces) samples() (all []posterior.Sample) {
	for i, labels := range p.labels {
		all = append(all, posterior.Sample{Labels: labels, LogProb: p.Draws.Samples[i].LogProb})
	}
	if p.groups != nil { // equal ones may have different pieces
		slices.SortStableFunc(all, func(a, b posterior.Sample) int { return cmp.Compare(b.LogProb, a.LogProb) })
	}
	return all
}

// law is P(K), over all sweeps if pieces are clusters.
func (p *pieces) law() []posterior.KProb {
	if p.groups == nil {
		return p.KPosterior()
	}
	return posterior.KPosterior(p.labels)
}

// spread is the mean VI in nats of samples of different chains, and of different samples of the same chain.
func (p *pieces) spread(chains int) (between, within float64, err error) {
	n := len(p.labels)
	var of [2]float64 // pairs, of different chains and of the same
	var total [2]float64
	for i, labels := range p.labels {
		for b := range chains {
			others := p.labels[n*b/chains : n*(b+1)/chains]
			if len(others) == 0 {
				continue
			}
			mean, err := posterior.LossVI.Expected(labels, others)
			if err != nil {
				return 0, 0, err
			}
			same, pairs := 0, float64(len(others))
			if i >= n*b/chains && i < n*(b+1)/chains {
				same, pairs = 1, pairs-1 // the sample itself is at distance 0
			}
			total[same] += mean * float64(len(others))
			of[same] += pairs
		}
	}
	return total[0] / max(1, of[0]), total[1] / max(1, of[1]), nil
}
