package experiments

import (
	"fmt"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/posterior"
	"github.com/gfncp/gfncp/sampling"
)

// galleryPoints is the number of images in the sets that figures 3 and 4 show.
const galleryPoints = 20

// galleryData describes these sets: test images of a data set.
func (s Scale) galleryData(d dataset) data.Config {
	c := s.test(d, 0).Data
	c.NMin, c.NMax = galleryPoints, galleryPoints
	return c
}

// gallerySet is a set of test images, ready for decoding.
type gallerySet struct{ evaluation.Set }

// gallerySets visits the first sets of a stream of test images. There are few sets, so each batch is embedded
// separately.
func (s *sheet) gallerySets(w weights, c data.Config, sets int, visit func(g gallerySet) error) error {
	r, err := s.reader(w, c)
	if err != nil {
		return err
	}
	for set, err := range r.Sets(s.ctx, testSeed, sets) {
		if err != nil {
			return err
		}
		if err := visit(gallerySet{set}); err != nil {
			return fmt.Errorf("set %d: %w", set.Number, err)
		}
	}
	return nil
}

// samples draws labellings in one order (nil: the set's own).
func (g gallerySet) samples(order []int32, count int, stream string) (*sampling.Result, error) {
	return g.Run(order, count, sampling.NewAncestral(data.Rand(testSeed, stream, g.Number), count, g.N))
}

// along evaluates the decisions of given labellings in one order (nil: the set's own).
func (g gallerySet) along(order []int32, labels [][]int32) (*sampling.Result, error) {
	set, err := g.Decoding(len(labels))
	if err != nil {
		return nil, err
	}
	sequences := set.EachSet()
	for i := range sequences {
		sequences[i].Order = order
	}
	return set.Run(sequences, &sampling.Given{Labels: labels})
}

// undecided returns the entropy of the decisions that lead to a labelling in the set's own order, as a share of the
// largest possible: the mean over all decisions before the last, and the last.
func (g gallerySet) undecided(labels []int32) (others, last float64, err error) {
	r, err := g.along(nil, [][]int32{labels})
	if err != nil {
		return 0, 0, err
	}
	end := len(labels) - 1
	for n := 1; n <= end; n++ {
		share := r.Entropy[0][n] / math.Log(float64(metrics.Clusters(labels[:n])+1))
		if n == end {
			last = share
		} else {
			others += share / float64(end-1)
		}
	}
	return others, last, nil
}

// aligned renames the clusters of labels [N] by the clusters of a reference (posterior.Rename).
func aligned(reference, labels []int32) []int32 {
	return posterior.Rename(labels, reference, slices.Max(reference)+1)
}

// moved renames labels by the clusters of a reference, and returns the points whose cluster differs from it.
func moved(reference, labels []int32) (names []int32, points []int) {
	names = aligned(reference, labels)
	for i, name := range names {
		if name != reference[i] {
			points = append(points, i)
		}
	}
	return names, points
}

func galleryOf(c data.Config, index []int32) (*figure.Gallery, error) {
	pool, err := sources.PoolOf(c)
	if err != nil {
		return nil, err
	}
	g := &figure.Gallery{Height: pool.Height, Width: pool.Width, Columns: 1}
	for _, i := range index {
		g.Pixels = append(g.Pixels, pool.Point(int(i))...)
		g.Names = append(g.Names, pool.Classes[pool.Labels[i]])
	}
	return g, nil
}

// panel shows a clustering: a row for each cluster, whose images come in an order (nil: the set's own), framed where
// they move.
func panel(title string, names, order []int32, moved []int) figure.GalleryPanel {
	p := figure.GalleryPanel{Title: title}
	if order == nil {
		order = partition.Singletons(len(names))
	}
	for _, i := range order {
		p.Order = append(p.Order, int(i))
	}
	for k := range slices.Max(names) + 1 {
		row := figure.GalleryRow{Name: fmt.Sprintf("cluster %d", k+1), Color: int(k)}
		for _, i := range p.Order {
			if names[i] == k {
				row.Tiles = append(row.Tiles, figure.GalleryTile{Image: i, Framed: slices.Contains(moved, i)})
			}
		}
		if len(row.Tiles) > 0 {
			p.Rows = append(p.Rows, row)
		}
	}
	return p
}
