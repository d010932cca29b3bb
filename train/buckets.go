package train

import (
	"math"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/losses"
	"github.com/gfncp/gfncp/models"
)

// buckets returns the rule by which a training pads its sets.
func (c Config) buckets(backend compute.Backend) models.Buckets {
	if engine.OnGo(backend) {
		return models.FineBuckets
	}
	return c.planned()
}

// planned returns the buckets for a backend that compiles for seconds.
func (c Config) planned() models.Buckets { return models.Planned(c.law()) }

// law returns the law of the sets and their labels. A given K, or a bound that α would exceed, is replaced by the α
// that leads to so many clusters.
func (c Config) law() models.Law {
	most := c.Data.NMax
	l := models.Law{Least: c.Data.NMin, Most: most, Alpha: c.Data.AlphaMax, Bound: max(c.Data.FixedK, c.Data.MaxK)}
	l.Fixed = c.Data.FixedK > 0
	if c.Data.IsTables() {
		l.Bound = c.Data.Tables.MaxK
	}
	if l.Bound > 0 {
		if alpha := alphaOf(float64(l.Bound), most); l.Fixed || alpha < l.Alpha {
			l.Alpha = alpha
		}
	}
	if c.Model == GFNCP && c.Loss.Beta < 1 && c.Loss.Explore == losses.UniformActions {
		for n := range most { // K_n is near √(2n)
			l.Explored += math.Sqrt(2*float64(n)) + 1
		}
	}
	return l
}

// alphaOf returns the α of the Chinese restaurant process with so many clusters of n points on average.
func alphaOf(clusters float64, n int) float64 {
	low, high := math.Log(1e-6), math.Log(1e9)
	for range 60 {
		middle, sum := (low+high)/2, 0.0
		alpha := math.Exp(middle)
		for i := range n {
			sum += alpha / (alpha + float64(i))
		}
		if sum < clusters {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(low)
}
