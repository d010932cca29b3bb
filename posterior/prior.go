package posterior

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/usererr"
)

// Prior is the log-probability in nats of a partition of N points that has clusters of the given sizes, in any order.
// −Inf excludes a partition.
type Prior func(sizes []int) float64

// CRP is the Chinese restaurant process (Aldous 1985), conditioned on MinK ≤ K ≤ MaxK clusters if these are set:
//
//	p(sizes) = α^K · Π_k (n_k − 1)! · Γ(α)/Γ(α+N) / P(MinK ≤ K ≤ MaxK)
//
// Drawing from the process until K is in range gives this law. With MinK = MaxK = K it is the process given K, and α
// does not matter.
type CRP struct {
	Alpha float64 // α, the concentration; above 0
	// AlphaMax, if set, makes α unknown: log-uniform between Alpha and AlphaMax. The bounds on K hold given α.
	AlphaMax float64
	MinK     int // smallest K; 0 and 1 are no bound
	MaxK     int // largest K; 0 is no bound
}

func (c CRP) allows(k int) bool { return k >= c.MinK && (c.MaxK == 0 || k <= c.MaxK) }

// Prior returns the law for partitions of n points, normalized over them. It returns an error if n points cannot have
// as few or as many clusters as c demands. Time O(n²).
func (c CRP) Prior(n int) (Prior, error) {
	weight, err := c.logWeight(n)
	if err != nil {
		return nil, err
	}
	logFactorial := make([]float64, n+1) // log (m−1)!
	for m := 2; m <= n; m++ {
		logFactorial[m] = logFactorial[m-1] + math.Log(float64(m-1))
	}
	return func(sizes []int) float64 {
		if !c.allows(len(sizes)) {
			return math.Inf(-1)
		}
		sum := weight[len(sizes)]
		for _, size := range sizes {
			sum += logFactorial[size]
		}
		return sum
	}, nil
}

// logWeight returns, for K = 0..n, the log-probability of a partition of n points into K allowed clusters, but for its
// factors (n_k − 1)!: log of α^K · Γ(α)/Γ(α+n) / P(MinK ≤ K ≤ MaxK | α), or of its mean over α. The difference of two
// neighbours is the log weight with which a point opens a new cluster.
func (c CRP) logWeight(n int) ([]float64, error) {
	grid := c.grid()
	constant := make([]float64, len(grid))
	for i, known := range grid {
		mass := known.acceptance(n)
		if n < 1 || mass == 0 {
			return nil, known.never(n)
		}
		constant[i] = -math.Log(mass)
		for m := range n {
			constant[i] -= math.Log(known.Alpha + float64(m))
		}
	}
	weight, values := make([]float64, n+1), make([]float64, len(grid))
	for k := range weight {
		for i, known := range grid {
			values[i] = constant[i] + float64(k)*math.Log(known.Alpha)
		}
		weight[k] = floats.LogSumExp(values) - math.Log(float64(len(grid)))
	}
	return weight, nil
}

// never is the fault of a process that gives n points no allowed number of clusters.
func (c CRP) never(n int) error {
	return usererr.New("widen min_k and max_k", "%d points at alpha %g never have %d to %d clusters",
		n, c.Alpha, c.MinK, c.MaxK)
}

// acceptance returns P(MinK ≤ K ≤ MaxK) for n points. It sums the probabilities in range, not outside, which keeps
// small results exact.
func (c CRP) acceptance(n int) float64 {
	if c.allows(1) && c.MaxK == 0 {
		return 1
	}
	sum := 0.0
	for k, p := range partition.CountLaw(n, c.Alpha, n) {
		if c.allows(k) {
			sum += p
		}
	}
	return sum
}

// KLaw returns the distribution of the number of clusters of n ≥ 1 points, in increasing K, without values of K less
// likely than 1e-9. It returns an error if the process never has an allowed number of clusters.
func (c CRP) KLaw(n int) ([]KProb, error) {
	highest := max(c.Alpha, c.AlphaMax)
	mean := highest * (1 + math.Log1p(float64(n)/highest)) // at least the mean of K
	most := min(n, int(mean+10*math.Sqrt(mean)+30), cmp.Or(c.MaxK, n))
	law := make([]float64, most+1)
	grid := c.grid()
	for _, known := range grid {
		given := partition.CountLaw(n, known.Alpha, most)
		for k := range given {
			if !c.allows(k) {
				given[k] = 0
			}
		}
		mass := floats.Sum(given)
		if n < 1 || mass == 0 {
			return nil, known.never(n)
		}
		floats.AddScaled(law, 1/(mass*float64(len(grid))), given)
	}
	var all []KProb
	for k, p := range law {
		if p >= 1e-9 {
			all = append(all, KProb{K: k, P: p})
		}
	}
	return all, nil
}

// alphaGrid is the number of values of α that stand for an interval of them.
const alphaGrid = 64

// grid lists processes with known α, equally weighted, that stand for c: midpoints of the logarithmic interval.
func (c CRP) grid() []CRP {
	if c.AlphaMax <= c.Alpha {
		return []CRP{c}
	}
	all := make([]CRP, alphaGrid)
	for i := range all {
		at := (float64(i) + 0.5) / alphaGrid
		all[i] = CRP{Alpha: c.Alpha * math.Pow(c.AlphaMax/c.Alpha, at), MinK: c.MinK, MaxK: c.MaxK}
	}
	return all
}
