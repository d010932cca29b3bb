package train

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/gomlx/compute"

	"github.com/gfncp/gfncp/internal/engine"
	"github.com/gfncp/gfncp/internal/memory"
	"github.com/gfncp/gfncp/models"
)

// Measured on the Go backend (docs/training.md): the bytes of a process before it trains, the floats of the hidden
// width that a row of the candidate table takes in a step with its gradient, and the floats of an encoder's image.
const (
	baseBytes      = 100e6
	widthsPerRow   = 24
	floatsPerImage = 140e3
)

const mostShards = 4096

// Memory estimates the bytes that the largest step of a run takes on the Go backend. Its sets have n_max points and the
// largest α. At most GOMAXPROCS of the train.shards parts of a batch are computed at a time. For a peer only the points
// and the weights are counted. Until garbage is collected, a process takes up to twice as much.
func (c Config) Memory() float64 {
	const float = 4
	batch, points := float64(c.Data.Batch), float64(c.Data.NMax)
	weights := float64(c.Layout().Size())
	bytes := baseBytes + float*(4*weights+ // with their gradient and Adam's moments
		(3*batch+float64(c.Train.ValidSets))*points*float64(c.Data.Dim))
	if c.IsPeer() {
		return bytes
	}
	setsAtOnce := batch * min(float64(runtime.GOMAXPROCS(0))/float64(c.Train.Shards), 1)
	if c.Net.Encoder == models.EncoderConv {
		d := c.Data.Descriptor()
		bytes += float * (floatsPerImage*points*setsAtOnce + float64(d.Train*d.Height*d.Width)) // the pool stays
	}
	return bytes + float*widthsPerRow*float64(c.Net.Hidden)*c.rowsPerSet()*setsAtOnce
}

const modestBytes = 2e9

// FitMemory raises train.shards until the largest step takes at most 2 GB, or memory.Limit if that is less, or until
// each set is a shard: shards take turns, so fewer sets are in memory at a time.
func (c Config) FitMemory() Config {
	most, shards := min(modestBytes, memory.Limit()), min(c.Data.Batch, mostShards)
	for c.Memory() > most && c.Train.Shards < shards {
		c.Train.Shards = min(2*c.Train.Shards, shards)
	}
	return c
}

// rowsPerSet is the mean of Σ_n (K_n + 1) over the largest sets with the largest α, for K_n clusters before point n. In
// a Chinese restaurant process point n, counted from 0, opens a cluster with probability α/(α + n).
func (c Config) rowsPerSet() (rows float64) {
	most := float64(cmp.Or(max(c.Data.FixedK, c.Data.MaxK), c.Data.NMax))
	clusters := 0.0
	for n := range c.Data.NMax {
		rows += clusters + 1
		if clusters = min(clusters+c.Data.AlphaMax/(c.Data.AlphaMax+float64(n)), most); c.Data.FixedK > 0 {
			clusters = most // at most: when they open is not known
		}
	}
	return rows
}

// checkMemory returns an error for a config whose largest step would need more memory than may be used. Other backends
// than Go's have memory of their own.
func (c Config) checkMemory(backend compute.Backend) error {
	if !engine.OnGo(backend) {
		return nil
	}
	what := fmt.Sprintf("a step of %d sets of %d points (data.batch, data.n_max)", c.Data.Batch, c.Data.NMax)
	return memory.Demand(c.Memory(), what, "lower data.batch or data.n_max, or raise train.shards")
}

// expectMemory tells the garbage collector how much memory the steps take, until end is called. Without that, GoMLX's
// pools of buffers grow. Steps on images would be several times slower; peers and other backends have no estimate.
func (c Config) expectMemory(backend compute.Backend) (end func()) {
	if !engine.OnGo(backend) || c.IsPeer() || c.Net.Encoder != models.EncoderMLP {
		return func() {}
	}
	return memory.Expect(c.Memory())
}
