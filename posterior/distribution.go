package posterior

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/metrics"
)

// Distribution is a law on all partitions of N ≤ MaxEnumerated points.
type Distribution struct {
	Labels  [][]int32 // [P][N], the partitions in the order of Partitions(N), P = Bell(N)
	LogProb []float64 // [P] in nats; −Inf for probability 0
}

// massTolerance is how far the total probability of a Distribution may be from 1. Networks add up float32 logarithms;
// a missing partition that matters is far above it.
const massTolerance = 1e-3

// ErrMass marks probabilities that do not sum to 1.
var ErrMass = errors.New("probabilities do not sum to 1")

// NewDistribution returns the law on the partitions of n points with the given log-probabilities in nats, in the order of
// Partitions(n). logProb is kept, not copied. It returns an error unless 1 ≤ n ≤ MaxEnumerated, metrics.ErrLength for
// a wrong number, metrics.ErrNotFinite for NaN or +Inf, ErrMass if the sum is not within 1e-3 of 1 (see Normalize).
func NewDistribution(n int, logProb []float64) (*Distribution, error) {
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	if len(logProb) != len(parts) {
		return nil, fmt.Errorf("%d log-probabilities for %d partitions: %w", len(logProb), len(parts), metrics.ErrLength)
	}
	if err := checkMass(logProb); err != nil {
		return nil, err
	}
	return &Distribution{Labels: parts, LogProb: logProb}, nil
}

// FromSamples returns the fractions of samples [S][N] as a law on all partitions of N points. It returns
// metrics.ErrTooFew for no samples, metrics.ErrLength for unequal lengths, an error if N > MaxEnumerated.
func FromSamples(samples [][]int32) (*Distribution, error) {
	if len(samples) == 0 {
		return nil, fmt.Errorf("no samples to count: %w", metrics.ErrTooFew)
	}
	n := len(samples[0])
	if err := checkSamples(n, samples); err != nil {
		return nil, err
	}
	parts, err := Partitions(n)
	if err != nil {
		return nil, err
	}
	d := &Distribution{Labels: parts, LogProb: make([]float64, len(parts))}
	for _, labels := range samples {
		at, err := PartitionIndex(labels)
		if err != nil {
			return nil, err
		}
		d.LogProb[at]++
	}
	for i, count := range d.LogProb {
		d.LogProb[i] = math.Log(count / float64(len(samples)))
	}
	return d, nil
}

// Normalize subtracts the logarithm of the total probability from logProb in place and returns it. It returns
// metrics.ErrNotFinite, and changes nothing, if the total is 0, infinite or NaN.
func Normalize(logProb []float64) (logMass float64, err error) {
	if len(logProb) == 0 {
		return 0, fmt.Errorf("normalize no probabilities: %w", metrics.ErrTooFew)
	}
	logMass = floats.LogSumExp(logProb)
	if math.IsInf(logMass, 0) || math.IsNaN(logMass) {
		return 0, fmt.Errorf("log of the total probability is %v: %w", logMass, metrics.ErrNotFinite)
	}
	floats.AddConst(-logMass, logProb)
	return logMass, nil
}

func checkMass(logProb []float64) error {
	if len(logProb) == 0 {
		return fmt.Errorf("no probabilities: %w", metrics.ErrTooFew)
	}
	mass := 0.0
	for i, v := range logProb {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return fmt.Errorf("log-probability %d is %v: %w", i, v, metrics.ErrNotFinite)
		}
		mass += math.Exp(v)
	}
	if !(math.Abs(mass-1) <= massTolerance) {
		return fmt.Errorf("%d probabilities sum to %g: %w", len(logProb), mass, ErrMass)
	}
	return nil
}

// KPosterior returns the probability of each number of clusters K = 1..N.
func (d *Distribution) KPosterior() []KProb {
	out := make([]KProb, len(d.Labels[0]))
	for k := range out {
		out[k].K = k + 1
	}
	for i, labels := range d.Labels {
		out[metrics.Clusters(labels)-1].P += math.Exp(d.LogProb[i])
	}
	return out
}

// ExpectedK returns the expected number of clusters.
func (d *Distribution) ExpectedK() float64 { return ExpectedK(d.KPosterior()) }

// CoClustering returns the posterior similarity matrix [N, N]: entry (i, j) is the probability that points i and j share
// a cluster.
func (d *Distribution) CoClustering() *mat.SymDense {
	matrix := mat.NewSymDense(len(d.Labels[0]), nil)
	for i, labels := range d.Labels {
		addPairs(matrix, partition.New(labels), math.Exp(d.LogProb[i]))
	}
	return matrix
}

// ExpectedK returns Σ K·P(K), the expected number of clusters of a law such as that of KPosterior.
func ExpectedK(law []KProb) float64 {
	sum := 0.0
	for _, p := range law {
		sum += float64(p.K) * p.P
	}
	return sum
}
