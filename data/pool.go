package data

import (
	"fmt"
	"math"
	"sync"
)

// Pool is a collection of points from which sets are drawn: the images of a data set, or feature vectors.
type Pool struct {
	// Name identifies the collection in messages and reports, e.g. "mnist/train" or a path.
	Name string
	// X holds the points [M,D], row by row. Images have D = Height·Width pixels in 0..1, 0 for the background.
	X []float32
	D int
	// Height and Width are an image's size in pixels; both are 0 for vectors.
	Height, Width int
	// Labels [M] are classes 0..len(Classes)−1, or nil where none are known.
	Labels  []int32
	Classes []string

	mu   sync.Mutex
	near map[int][]int32 // the k nearest neighbours [M,k] by k: training and validation share them
}

// Len is M, the number of points.
func (p *Pool) Len() int {
	if p.D == 0 {
		return 0
	}
	return len(p.X) / p.D
}

// Point returns point i, shape [D]: a view into X. An index out of range panics, as indexing a slice does.
func (p *Pool) Point(i int) []float32 { return p.X[i*p.D : (i+1)*p.D : (i+1)*p.D] }

// IsImages reports whether the points are images.
func (p *Pool) IsImages() bool { return p.Height > 0 }

// Normalize divides each vector by its Euclidean norm. Vectors of zeros stay; zeros lists them.
func (p *Pool) Normalize() (zeros []int) {
	for i := range p.Len() {
		point, sum := p.Point(i), 0.0
		for _, v := range point {
			sum += float64(v) * float64(v)
		}
		if sum == 0 {
			zeros = append(zeros, i)
			continue
		}
		length := math.Sqrt(sum)
		for j, v := range point {
			point[j] = float32(float64(v) / length)
		}
	}
	return zeros
}

// Check reports a pool whose parts do not fit together; a loader calls it last.
func (p *Pool) Check() error {
	switch m := p.Len(); {
	case p.D < 1 || len(p.X)%p.D != 0:
		return fmt.Errorf("%s: %d values do not make points of %d coordinates", p.Name, len(p.X), p.D)
	case p.IsImages() && p.Height*p.Width != p.D:
		return fmt.Errorf("%s: images of %d×%d pixels have %d coordinates, not %d", p.Name, p.Height, p.Width, p.Height*p.Width, p.D)
	case p.Labels != nil && len(p.Labels) != m:
		return fmt.Errorf("%s: %d labels for %d points", p.Name, len(p.Labels), m)
	}
	for i, c := range p.Labels {
		if c < 0 || int(c) >= len(p.Classes) {
			return fmt.Errorf("%s: label %d of point %d is not one of the %d classes", p.Name, c, i, len(p.Classes))
		}
	}
	return nil
}
