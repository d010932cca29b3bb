package experiments

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/data/sources"
	"github.com/gfncp/gfncp/evaluation"
	"github.com/gfncp/gfncp/internal/partition"
	"github.com/gfncp/gfncp/internal/report/figure"
	"github.com/gfncp/gfncp/internal/text"
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

// samples draws labellings in one order (nil: the set's own).
func (g gallerySet) samples(order []int32, count int, stream string) (*sampling.Result, error) {
	return g.Run(order, count, sampling.Ancestral(data.Rand(testSeed, stream, g.Number), count, g.N))
}

// along evaluates the decisions of given labellings in one order (nil: the set's own).
func (g gallerySet) along(order []int32, labels [][]int32) (*sampling.Result, error) {
	return g.Run(order, len(labels), sampling.Given(labels))
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

// gallery is a picture of clusterings of images: a panel for each, in which every cluster has a bar, a name and rows of
// images. Its records have one row an image of a panel.
type gallery struct {
	*figure.Chart
	pool   *data.Pool
	index  []int32 // [N] places of the images in the pool
	across int     // images of a cluster beside each other
}

// nameUnits is the room of a bar and a name, in images.
const nameUnits = 2.5

func newGallery(c data.Config, index []int32, columns int, title string) (*gallery, error) {
	pool, err := sources.PoolOf(c)
	if err != nil {
		return nil, err
	}
	records := &figure.Records{Columns: []string{"panel", "cluster", "image", "name", "place", "framed"}}
	chart := &figure.Chart{Title: title, Columns: columns, Data: records}
	return &gallery{chart, pool, index, 14 / columns}, nil
}

// add adds a panel: a row for each cluster, whose images come in an order (nil: the set's own), framed where they move.
func (g *gallery) add(title string, names, order []int32, moved []int) {
	if order == nil {
		order = partition.Singletons(len(names))
	}
	images, words := figure.Series{Mark: figure.Images}, figure.Series{Mark: figure.Words}
	var lines []figure.Series
	y := 0.0
	for k := range slices.Max(names) + 1 {
		name, top, count := fmt.Sprintf("cluster %d", k+1), y, 0
		for place, i := range order {
			if names[i] != k {
				continue
			}
			x, framed := nameUnits+float64(count%g.across), slices.Contains(moved, int(i))
			if y = top - float64(count/g.across); framed {
				lines = append(lines, figure.Series{
					X: []float64{x, x + 1, x + 1, x, x}, Y: []float64{y, y, y - 1, y - 1, y}, Color: 5, Width: 2.5,
				})
			}
			images.X, images.Y = append(images.X, x), append(images.Y, y)
			images.Images = append(images.Images, g.picture(i))
			g.Data.Rows = append(g.Data.Rows, []any{
				title, name, int(i), g.pool.Classes[g.pool.Labels[g.index[i]]], place + 1, framed,
			})
			count++
		}
		if count == 0 {
			continue
		}
		y--
		lines = append(lines, figure.Series{
			X: []float64{0.1, 0.1}, Y: []float64{top - 0.05, y + 0.05}, Color: int(k), Width: 5,
		})
		words.X, words.Y = append(words.X, nameUnits/2), append(words.Y, top-0.5)
		words.Words = append(words.Words, name+"\n"+text.Count(count, "image"))
		y -= 0.3
	}
	g.Panels = append(g.Panels, figure.Panel{
		Title: title, Series: append([]figure.Series{images, words}, lines...),
		Bounds: &figure.Bounds{Right: nameUnits + float64(g.across), Bottom: y},
	})
}

// chart returns the picture, in which all panels have the same height and images are squares.
func (g *gallery) chart() *figure.Chart {
	lowest := 0.0
	for _, p := range g.Panels {
		lowest = min(lowest, p.Bounds.Bottom)
	}
	for _, p := range g.Panels {
		p.Bounds.Bottom = lowest
	}
	const width, heading = 7.7, 0.4 // in inches
	unit := width / float64(g.Columns) / (nameUnits + float64(g.across))
	lines := (len(g.Panels) + g.Columns - 1) / g.Columns
	g.Height = heading + float64(lines)*(heading-lowest*unit)
	return g.Chart
}

// enlarged is how many pixels of a picture show one of an image, so that it stays sharp.
const enlarged = 4

// picture returns the i-th image of the set.
func (g *gallery) picture(i int32) image.Image {
	img := image.NewGray(image.Rect(0, 0, enlarged*g.pool.Width, enlarged*g.pool.Height))
	pixels := g.pool.Point(int(g.index[i]))
	for y := range enlarged * g.pool.Height {
		for x := range enlarged * g.pool.Width {
			img.SetGray(x, y, figure.Grey(pixels[y/enlarged*g.pool.Width+x/enlarged]))
		}
	}
	return img
}
