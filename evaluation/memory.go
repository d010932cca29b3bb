package evaluation

import (
	"fmt"

	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/train"
)

// peerBytes is what a peer (ST, DAC, CCP) is taken to hold of a point; its attention's shape is not counted.
const peerBytes = 4096

// Demand refuses to call a model with so many sets, or copies of them, of so many points at a time when that would need
// more memory than may be used (memory.Limit): h' and u' of every point, twice while they are gathered.
func Demand(c train.Config, sets, points int) error {
	bytes := 8 * float64(c.Net.Width()+c.Net.StateWidth()+c.Data.Dim)
	if c.IsPeer() {
		bytes = peerBytes
	}
	what := fmt.Sprintf("%d sets of %d points at a time", sets, points)
	return memory.Demand(bytes*float64(sets)*float64(points), what, "lower the number of points")
}
