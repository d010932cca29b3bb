package parity

import (
	"math"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// The decoded sets. On an accelerator they run the compiled loop, and have more clusters than its first eight slots.
const (
	decodedSets   = 3
	decodedPoints = 24
)

func decodingCases() []Case {
	given := &sampling.Given{Labels: labelled(17, decodedSets, decodedPoints, 14)}
	return []Case{
		{"decode greedy", untrained(sampling.Greedy{}, decided)},
		{"decode ancestral", func(backend compute.Backend) (func() ([]Quantity, error), error) {
			u, err := uniforms()
			if err != nil {
				return nil, err
			}
			return untrained(sampling.Ancestral{Uniforms: u, Steps: decodedPoints}, decided)(backend)
		}},
		{"decode given labels", untrained(given, rounded)},
		{"decode shipped model", shipped},
	}
}

func decodedX() []float32 { return points(decodedStream, decodedSets*decodedPoints*2, 10) }

// decodedStream was chosen among sixty for greedy decisions with wide margins (see the tests).
const decodedStream = 128

// untrained runs a policy over three sets of 24 points in their own order. The network's decisions are close ones.
func untrained(policy sampling.Policy, of kind) opener {
	return func(backend compute.Backend) (func() ([]Quantity, error), error) {
		net, err := models.NewNetwork(backend, vectors, weights(vectors, 1))
		return decode(net, decodedX(), decodedSets, policy, of), err
	}
}

// shipped clusters six well separated groups of 25 points with trained weights: whatever the weights' version and the
// rounding, the labels are the groups.
func shipped(backend compute.Backend) (func() ([]Quantity, error), error) {
	const groups, each = 6, 25
	m, err := gfncp.Find("mog-ncp")
	if err != nil {
		return nil, err
	}
	net, err := models.NewNetwork(backend, m.Config.Net, m.Params)
	x := points(19, groups*each*2, 1)
	for i := range groups * each {
		angle := 2 * math.Pi * float64(i%groups) / groups
		x[2*i] += float32(15 * math.Cos(angle))
		x[2*i+1] += float32(15 * math.Sin(angle))
	}
	run := decode(net, x, 1, sampling.Greedy{}, exact)
	return func() ([]Quantity, error) {
		all, err := run()
		return all[:min(1, len(all))], err // the labels
	}, err
}

func decode(net *models.Network, x []float32, b int, policy sampling.Policy, of kind) func() ([]Quantity, error) {
	return func() ([]Quantity, error) {
		r, err := sampling.Decode(net, x, b, len(x)/2/b, policy)
		if err != nil {
			return nil, err
		}
		return []Quantity{
			{"labels", float32s(slices.Concat(r.Labels...)), of},
			{"log-probability", float32s(r.LogProb), of},
			{"final energy", float32s(r.Final), of},
			{"entropy", float32s(slices.Concat(r.Entropy...)), of},
		}, nil
	}
}

// uniforms returns the stored uniforms of the ancestral case [S,N]. Each lies in the middle of the interval of its
// label, which has at least a tenth of the probability, so that rounding does not change the decision.
func uniforms() ([]float64, error) {
	stored, err := load()
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, decodedSets*decodedPoints)
	for _, q := range stored[uniformsEntry] {
		for _, v := range q.Values {
			values = append(values, float64(v))
		}
	}
	return values, nil
}

const uniformsEntry = "input: uniforms"
