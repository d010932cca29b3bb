package parity

import (
	"math"
	"slices"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/models"
	"github.com/gfncp/gfncp/sampling"
)

// The decoded sets: on an accelerator this is the compiled loop, whose eight first slots the labels outgrow.
const (
	decodedSets   = 3
	decodedPoints = 24
)

func decodingCases() []Case {
	return []Case{
		{"decode greedy", func(b compute.Backend) (trial, error) { return decode(b, sampling.Greedy{}, decided) }},
		{"decode ancestral", func(b compute.Backend) (trial, error) {
			u, err := uniforms()
			if err != nil {
				return trial{}, err
			}
			return decode(b, sampling.Ancestral{Uniforms: u, Steps: decodedPoints}, decided)
		}},
		{"decode given labels", func(b compute.Backend) (trial, error) {
			return decode(b, &sampling.Given{Labels: labelled(17, decodedSets, decodedPoints, 14)}, rounded)
		}},
		{"decode shipped model", shipped},
	}
}

func decodedX() []float32 { return points(decodedStream, decodedSets*decodedPoints*2, 10) }

// decodedStream was chosen among sixty for greedy decisions with wide margins (see the tests).
const decodedStream = 128

// decode runs a policy over three sets of 24 points in their own order. The network is an untrained one: its decisions
// are close ones.
func decode(backend compute.Backend, policy sampling.Policy, of kind) (trial, error) {
	net, err := models.NewNetwork(backend, vectors, weights(vectors, 1))
	if err != nil {
		return trial{}, err
	}
	x := decodedX()
	return repeated(func() ([]Quantity, error) {
		sets, err := sampling.Encode(net, x, decodedSets, decodedPoints)
		if err != nil {
			return nil, err
		}
		r, err := sets.Run(sets.EachSet(), policy)
		if err != nil {
			return nil, err
		}
		return []Quantity{
			{"labels", numbers(r.Labels), of},
			{"log-probability", float32s(r.LogProb), of},
			{"final energy", float32s(r.Final), of},
			{"entropy", float32s(slices.Concat(r.Entropy...)), of},
		}, nil
	}), nil
}

// shipped clusters six well separated groups of 25 points with trained weights: whatever the weights' version and the
// rounding, the labels are the groups.
func shipped(backend compute.Backend) (trial, error) {
	const groups, each = 6, 25
	m, err := gfncp.Find("mog-ncp")
	if err != nil {
		return trial{}, err
	}
	net, err := models.NewNetwork(backend, m.Config.Net, m.Params)
	if err != nil {
		return trial{}, err
	}
	x := points(19, groups*each*2, 1)
	for i := range groups * each {
		angle := 2 * math.Pi * float64(i%groups) / groups
		x[2*i] += float32(15 * math.Cos(angle))
		x[2*i+1] += float32(15 * math.Sin(angle))
	}
	return repeated(func() ([]Quantity, error) {
		sets, err := sampling.Encode(net, x, 1, groups*each)
		if err != nil {
			return nil, err
		}
		r, err := sets.Run(sets.EachSet(), sampling.Greedy{})
		if err != nil {
			return nil, err
		}
		return []Quantity{{"labels", numbers(r.Labels), exact}}, nil
	}), nil
}

func numbers(labels [][]int32) []float32 {
	var out []float32
	for _, l := range slices.Concat(labels...) {
		out = append(out, float32(l))
	}
	return out
}

func float32s(values []float64) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
	}
	return out
}

// uniforms returns the stored uniforms of the ancestral case [S,N]. Each lies in the middle of the interval of its
// label, which has at least a tenth of the probability, so that no rounding turns the decision.
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

// uniformsEntry is the entry of values.json that is an input.
const uniformsEntry = "input: uniforms"
