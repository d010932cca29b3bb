package posterior

import (
	"errors"
	"math"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Prior is the log-probability in nats of a partition of N points that has clusters of the given sizes, each at least 1,
// in any order. A law that depends on the sizes alone is exchangeable: the order of the points does not matter. −Inf
// excludes a partition. The callee keeps and changes nothing of sizes.
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

// Validate returns nil, or all faults at once, joined: one *usererr.Error each.
func (c CRP) Validate() error {
	var faults usererr.Faults
	faults.Demand(c.Alpha > 0 && !math.IsInf(c.Alpha, 0), "alpha", c.Alpha, "a finite number above 0")
	faults.Demand(c.AlphaMax == 0 || c.AlphaMax >= c.Alpha && !math.IsInf(c.AlphaMax, 0), "alpha_max", c.AlphaMax, "0 (α is known) or at least alpha")
	faults.Demand(c.MinK >= 0, "min_k", c.MinK, "at least 0")
	faults.Demand(c.MaxK == 0 || c.MaxK >= max(1, c.MinK), "max_k", c.MaxK, "0 (no bound) or at least min_k")
	return errors.Join(faults...)
}

// allows reports whether a partition may have k clusters.
func (c CRP) allows(k int) bool { return k >= c.MinK && (c.MaxK == 0 || k <= c.MaxK) }

// Prior returns the law for partitions of n points, normalized over them. It returns the faults of c, and an error if
// n points cannot have as few or as many clusters as c demands. Time O(n²).
func (c CRP) Prior(n int) (Prior, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.unknown() {
		return c.mixture(n)
	}
	mass := c.acceptance(n)
	if n < 1 || mass == 0 {
		return nil, usererr.New("widen min_k and max_k", "%d points at alpha %g never have %d to %d clusters", n, c.Alpha, c.MinK, c.MaxK)
	}
	logFactorial := make([]float64, n+1) // log (m−1)!
	for m := 2; m <= n; m++ {
		logFactorial[m] = logFactorial[m-1] + math.Log(float64(m-1))
	}
	constant := -math.Log(mass)
	for i := range n {
		constant -= math.Log(c.Alpha + float64(i))
	}
	logAlpha := math.Log(c.Alpha)
	return func(sizes []int) float64 {
		if !c.allows(len(sizes)) {
			return math.Inf(-1)
		}
		sum := constant + float64(len(sizes))*logAlpha
		for _, size := range sizes {
			sum += logFactorial[size]
		}
		return sum
	}, nil
}

// acceptance returns P(MinK ≤ K ≤ MaxK) for n points: K is a sum of independent indicators "point i opens a cluster"
// with probabilities α/(α+i). Adding up what is in range, not what is outside, keeps small probabilities exact.
func (c CRP) acceptance(n int) float64 {
	if c.allows(1) && c.MaxK == 0 {
		return 1
	}
	law := make([]float64, n+1)
	law[0] = 1
	for i := range n {
		opens := c.Alpha / (c.Alpha + float64(i))
		for k := i + 1; k >= 1; k-- {
			law[k] = law[k]*(1-opens) + law[k-1]*opens
		}
		law[0] *= 1 - opens
	}
	sum := 0.0
	for k, p := range law {
		if c.allows(k) {
			sum += p
		}
	}
	return sum
}
