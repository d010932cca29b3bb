package evaluation

import "github.com/gfncp/gfncp/data"

// BlobSeparation is the least distance of the means of balanced blobs, in widths of a cluster.
const BlobSeparation = 6

// PriorSets are sets of n points under the prior that a model of mixtures was trained on: its α and least K. With
// blobs > 0 each set has so many clusters of equal size, BlobSeparation apart, and is judged under that prior still.
func PriorSets(trained data.Config, seed uint64, n, blobs, sets int) Test {
	c := data.DefaultMoG().HeldOut(1, n, blobs)
	c.AlphaMin, c.AlphaMax, c.MinK = trained.AlphaMin, trained.AlphaMax, trained.MinK
	if blobs > 0 {
		c.Balanced, c.Separation = true, BlobSeparation
	}
	return Test{Data: c, Sets: sets, Seed: seed}
}
