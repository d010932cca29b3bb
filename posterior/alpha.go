package posterior

import "math"

// alphaGrid is the number of values of α that stand for an interval of them.
const alphaGrid = 64

// unknown reports whether α is known only to lie in an interval.
func (c CRP) unknown() bool { return c.AlphaMax > c.Alpha }

// grid lists processes with known α, equally weighted, that stand for c: midpoints of the logarithmic interval.
func (c CRP) grid() []CRP {
	if !c.unknown() {
		return []CRP{c}
	}
	all := make([]CRP, alphaGrid)
	for i := range all {
		at := (float64(i) + 0.5) / alphaGrid
		all[i] = CRP{Alpha: c.Alpha * math.Pow(c.AlphaMax/c.Alpha, at), MinK: c.MinK, MaxK: c.MaxK}
	}
	return all
}

// mixture is Prior for an unknown α.
func (c CRP) mixture(n int) (Prior, error) {
	var priors []Prior
	for _, known := range c.grid() {
		p, err := known.Prior(n)
		if err != nil {
			return nil, err
		}
		priors = append(priors, p)
	}
	return func(sizes []int) float64 {
		values := make([]float64, len(priors))
		for i, p := range priors {
			values[i] = p(sizes)
		}
		return logMeanExp(values)
	}, nil
}

// logMeanExp is log of the mean of exp(values); −Inf if all are.
func logMeanExp(values []float64) float64 {
	highest, sum := math.Inf(-1), 0.0
	for _, v := range values {
		highest = math.Max(highest, v)
	}
	if math.IsInf(highest, -1) {
		return highest
	}
	for _, v := range values {
		sum += math.Exp(v - highest)
	}
	return highest + math.Log(sum/float64(len(values)))
}

// logOpening returns, for partitions of n points, by the number k = 0..n−1 of clusters of all points but one, the logarithm of the
// weight with which that point opens a new cluster, where joining a cluster of m points has weight m. It is log α if α is known.
// With an unknown one it is log M(k+1) − log M(k), M(k) being the mean over α of α^k Γ(α)/Γ(α+n) / P(K allowed | α).
func (c CRP) logOpening(n int) []float64 {
	grid := c.grid()
	mass := make([]float64, n+1)
	for k := range mass {
		values := make([]float64, len(grid))
		for i, known := range grid {
			rising, _ := math.Lgamma(known.Alpha + float64(n))
			start, _ := math.Lgamma(known.Alpha)
			values[i] = float64(k)*math.Log(known.Alpha) + start - rising - math.Log(known.acceptance(n))
		}
		mass[k] = logMeanExp(values)
	}
	opening := make([]float64, n)
	for k := range opening {
		opening[k] = mass[k+1] - mass[k]
	}
	return opening
}
