package benchmarks

import (
	"fmt"

	"github.com/gfncp/gfncp"
	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/train"
)

// Shape is B sets of N points with K clusters each.
type Shape struct{ Sets, Points, Clusters int }

// String writes sets and points as 16x512, and the clusters of a single set.
func (s Shape) String() string {
	text := fmt.Sprintf("%dx%d", s.Sets, s.Points)
	if s.Sets == 1 {
		text += fmt.Sprintf("/K=%d", s.Clusters)
	}
	return text
}

// batches are the shapes of training steps and decoding; only energy networks meet the large one, which is for cards.
var (
	batches    = []Shape{{64, 75, 4}, {16, 300, 4}}
	largeBatch = Shape{64, 512, 4}
)

// Shipped returns the pretrained model for mixtures of a kind. If it is not on this machine, the error has the command
// that fetches it: the time of other weights depends on the number of clusters that they find.
func Shipped(kind string) (*train.Model, error) { return gfncp.Find("mog-" + kind) }

// Batch draws a batch of this shape from mixtures of Gaussians.
func (s Shape) Batch() (*data.Batch, error) {
	c := data.DefaultMoG()
	c.Batch, c.NMin, c.NMax, c.FixedK, c.Stream = s.Sets, s.Points, s.Points, s.Clusters, "bench"
	source, err := data.NewMoG(c)
	if err != nil {
		return nil, err
	}
	return source.Batch(1, 0)
}

// On returns a training configuration with batches of this shape. A peer of fixed K gets sets of that K.
func (s Shape) On(c train.Config) train.Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax, c.Data.FixedK = s.Sets, s.Points, s.Points, s.Clusters
	if train.KindOf(c.Model).FixedK > 0 {
		c.Data.FixedK = c.Peer.Clusters
	}
	c.Loss.Beta = 1 // every step of GFNCP draws a negative sample
	return c
}
