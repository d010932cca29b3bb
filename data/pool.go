package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
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
	// Labels [M] are classes 0..len(Classes)−1, or nil if classes are unknown.
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

// Check returns an error if the parts of a pool do not fit together; a loader calls it last.
func (p *Pool) Check() error {
	fits := p.D >= 1 && len(p.X)%p.D == 0 && (!p.IsImages() || p.Height*p.Width == p.D) &&
		(p.Labels == nil || len(p.Labels) == p.Len())
	for _, c := range p.Labels {
		fits = fits && c >= 0 && int(c) < len(p.Classes)
	}
	if !fits {
		return fmt.Errorf("%s: %d values, %d coordinates, %d×%d pixels, %d labels and %d classes do not fit together",
			p.Name, len(p.X), p.D, p.Height, p.Width, len(p.Labels), len(p.Classes))
	}
	return nil
}

// NearDistances returns the distance of each point to its m-th nearest other one, ascending; m is a share of the
// points, at least 1. Time O(n²·D).
func NearDistances[F float32 | float64](points [][]F, share float64) []float64 {
	n := len(points)
	m := min(max(1, int(math.Round(share*float64(n)))), n-1)
	distances, nearest := make([]float64, n), make([]float64, m+1)
	for i, p := range points {
		for k := range nearest {
			nearest[k] = math.Inf(1)
		}
		for _, q := range points {
			squared := 0.0
			for j, v := range p {
				diff := float64(v) - float64(q[j])
				squared += diff * diff
			}
			if squared < nearest[m] {
				at, _ := slices.BinarySearch(nearest, squared)
				copy(nearest[at+1:], nearest[at:])
				nearest[at] = squared
			}
		}
		distances[i] = math.Sqrt(nearest[m]) // nearest[0] is the point itself
	}
	slices.Sort(distances)
	return distances
}

// neighborRows is the number of points whose distances to all others are held at a time.
const neighborRows = 256

// neighbors returns the k nearest other points of each point, shape [M,k], the nearest first; k must be below M.
// Images are compared at half their size in both directions, so that a shift by a pixel counts little.
//
// The distance is Euclidean and the search exact: O(M²·D) on the Go backend, about 15 seconds for 60,000 images of
// 28×28 on two cores. The pool keeps the result.
func neighbors(pool *Pool, k int) ([]int32, error) {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if table, ok := pool.near[k]; ok {
		return table, nil
	}
	table, err := searchNeighbors(pool, k)
	if err != nil {
		return nil, fmt.Errorf("nearest neighbours in %s: %w", pool.Name, err)
	}
	if pool.near == nil {
		pool.near = map[int][]int32{}
	}
	pool.near[k] = table
	return table, nil
}

func searchNeighbors(pool *Pool, k int) ([]int32, error) {
	backend, err := engine.OpenGo()
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	products := engine.NewFunc(backend, "scalar products", func(in []*graph.Node) []*graph.Node {
		return []*graph.Node{engine.Outer(in[1], in[0])}
	})
	x, d := reduced(pool)
	m := len(x) / d
	halves := make([]float32, m)
	for i, v := range x {
		halves[i/d] += v * v / 2
	}
	all := tensors.FromFlatDataAndDimensions(x, m, d)
	defer engine.Free(all)
	table := make([]int32, m*k)
	for from := 0; from < m; from += neighborRows {
		to := min(from+neighborRows, m)
		queries := tensors.FromFlatDataAndDimensions(x[from*d:to*d], to-from, d)
		out, err := products.Values([]*tensors.Tensor{all}, queries)
		if err != nil {
			return nil, err
		}
		scores := out[0]
		inParts(to-from, func(first, last int) {
			best := make([]float32, k)
			for r := first; r < last; r++ {
				i := from + r
				selectNearest(table[i*k:(i+1)*k], best, scores[r*m:(r+1)*m], halves, i)
			}
		})
	}
	return table, nil
}

// reduced returns the points as they are compared, [M,d]: images averaged over 2×2 pixels, vectors as they are.
func reduced(pool *Pool) (x []float32, d int) {
	if !pool.IsImages() {
		return pool.X, pool.D
	}
	height, width := pool.Height/2, pool.Width/2
	d = height * width
	x = make([]float32, pool.Len()*d)
	for i := range pool.Len() {
		image := pool.Point(i)
		for row := range height {
			for column := range width {
				at := 2*row*pool.Width + 2*column
				sum := image[at] + image[at+1] + image[at+pool.Width] + image[at+pool.Width+1]
				x[i*d+row*width+column] = sum / 4
			}
		}
	}
	return x, d
}

// selectNearest puts the points y with the largest x·y − |y|²/2, and so the smallest |x−y|², into nearest [k]. The
// nearest comes first, and the lower index among equals; self is left out. best [k] is a buffer.
func selectNearest(nearest []int32, best, products, halves []float32, self int) {
	for i := range best {
		best[i] = float32(math.Inf(-1))
	}
	last := len(best) - 1
	for j, product := range products {
		s := product - halves[j]
		if s <= best[last] || j == self {
			continue
		}
		at := last
		for ; at > 0 && best[at-1] < s; at-- {
			best[at], nearest[at] = best[at-1], nearest[at-1]
		}
		best[at], nearest[at] = s, int32(j)
	}
}

// mutualNeighbors returns the mutual neighbours of each point. Two points are mutual neighbours if each is among the
// k nearest of the other; near is [M,k]. A point without one gets its nearest neighbour. Walks along these links stay
// in a class for longer.
func mutualNeighbors(near []int32, k int) [][]int32 {
	links := make([][]int32, len(near)/k)
	inParts(len(links), func(from, to int) {
		for i := from; i < to; i++ {
			own := near[i*k : (i+1)*k]
			for _, j := range own {
				if slices.Contains(near[int(j)*k:(int(j)+1)*k], int32(i)) {
					links[i] = append(links[i], j)
				}
			}
			if links[i] == nil {
				links[i] = own[:1]
			}
		}
	})
	return links
}

// walk goes some steps from a point along links, each time to one of the point's links or nowhere, all equally
// probable, and returns where it ends.
func walk(rng *rand.Rand, links [][]int32, at int32, steps int) int32 {
	for range steps {
		if j := rng.IntN(len(links[at]) + 1); j < len(links[at]) {
			at = links[at][j]
		}
	}
	return at
}
