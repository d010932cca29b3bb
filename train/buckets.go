package train

import (
	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/models"
)

// buckets are the rule by which a training pads its sets.
func (c Config) buckets(backend compute.Backend) models.Buckets {
	if engine.OnGo(backend) {
		return models.FineBuckets
	}
	return c.planned()
}

// planned are the buckets of a backend that compiles for seconds.
func (c Config) planned() models.Buckets {
	expected := c.clustersBefore(c.Data.NMax)
	return models.Planned(c.Data.NMax, func(n int) float64 { return expected[min(n, c.Data.NMax)] })
}
