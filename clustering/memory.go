package clustering

import (
	"fmt"
	"math"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/internal/text"
	"github.com/gfncp/gfncp/models"
)

// mostStates returns how many sequences of k clusters may be decoded at a time. The states of their clusters and the
// rows of their candidates then take at most an eighth of the memory.
func mostStates(net *models.Network, k int) int {
	bytes := float64(max(k, 1)) * float64(20*net.Config.Width()+12*net.Config.StateWidth())
	return max(1, int(min(memory.Limit()/8/bytes, math.MaxInt32)))
}

// checkMemory returns an error for more samples of n points than fit into memory. A sample takes 4 bytes a point and is
// held four times: as drawn, among the different ones, and in two copies.
func (o Options) checkMemory(n int) error {
	what := fmt.Sprintf("%s of %s", text.Count(o.Samples, "sample"), text.Count(n, "point"))
	return memory.Demand(16*float64(n)*float64(o.Samples), what, "draw fewer samples")
}
