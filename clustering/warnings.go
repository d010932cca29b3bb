package clustering

import (
	"fmt"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/metrics"
)

// warn adds a warning. A warning names the value and the range that the model was trained on.
func (p *prepared) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// warnCount warns of a number of points outside the training range.
func (p *prepared) warnCount(known data.Config) {
	if p.n < known.NMin || p.n > known.NMax {
		p.warn("there are %s, but the model was trained on sets of %s", text.Count(p.n, p.noun), interval(known.NMin, known.NMax))
	}
}

// warnEqual warns of points that are all the same.
func (p *prepared) warnEqual() {
	p.warn("all %d points are equal, so no scale can be found and the clusters mean little", p.n)
}

// warnSpread warns of points that, once scaled, are tighter or wider than every training set that was measured, and of
// points farther out than any there.
func (p *prepared) warnSpread(size spread, ref *reference) {
	if size.reach == 0 {
		p.warnEqual()
		return
	}
	last := len(ref.local) - 1
	check := func(what string, value, low, high float64) {
		if value *= p.factor; value < low || value > high {
			p.warn("%s is %.3g after scaling, but %.3g to %.3g in the training sets", what, value, low, high)
		}
	}
	check("the distance to near neighbours", size.local, ref.local[0], ref.local[last])
	check("the spread of the coordinates (root mean square)", size.global, ref.global[0], ref.global[last])
	if far := size.reach * p.factor; far > ref.reach[last] {
		p.warn("the farthest point is %.3g from the center after scaling, but at most %.3g in the training sets",
			far, ref.reach[last])
	}
}

// warnClusters warns of a number of clusters that training hardly ever showed; whose says what has them.
func (p *prepared) warnClusters(whose string, k int, known data.Config) {
	low, high := clusterRange(known)
	if k < low || k > high {
		p.warn("%s %s, but the model was trained on sets of %s", whose, text.Count(k, "cluster"), interval(low, high))
	}
}

// clusterRange returns the numbers of clusters that training sets have. An open upper end is taken from 200 partitions at
// the largest N and α: the most clusters among them.
func clusterRange(known data.Config) (low, high int) {
	if known.FixedK > 0 {
		return known.FixedK, known.FixedK
	}
	if known.MaxK > 0 {
		return known.MinK, known.MaxK
	}
	const draws = 200
	high = known.MinK
	for i := range draws {
		rng := data.Rand(referenceSeed, "clusters", i)
		_, k := metrics.Canonical(data.CRP(rng, known.NMax, known.AlphaMax))
		high = max(high, k)
	}
	return known.MinK, high
}

// interval returns "3" or "3 to 5".
func interval(low, high int) string {
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}
