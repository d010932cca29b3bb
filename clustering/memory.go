package clustering

import (
	"fmt"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/text"
)

// checkMemory refuses more samples of n points than fit into memory: labels of 4 bytes, those of the network's samples,
// of the refined ones, of the different ones, and one copy of them.
func (o Options) checkMemory(n int) error {
	what := fmt.Sprintf("%s of %s", text.Count(o.Samples, "sample"), text.Count(n, "point"))
	return memory.Demand(16*float64(n)*float64(o.Samples), what, "lower Samples")
}
