package data

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/gfncp/gfncp/internal/engine"
)

// neighborRows is the number of points whose distances to all others are held at a time.
const neighborRows = 256

// neighbors returns the k nearest other points of each point, shape [M,k], the nearest first; k must be below M.
// Images are compared at half their size in both directions, so that a shift by a pixel counts little.
//
// The distance is Euclidean and the search exact: O(M²·D) on the Go backend, about a quarter of a minute for 60,000
// images of 28×28 on two cores. The pool keeps the result.
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
	choice, err := engine.Choose("go")
	if err != nil {
		return nil, err
	}
	backend, err := choice.Open()
	if err != nil {
		return nil, err
	}
	defer backend.Finalize()
	products, err := engine.NewFunc(backend, "scalar products", func(in []*Node) []*Node {
		return []*Node{DotGeneral(in[0], []int{1}, nil, in[1], []int{1}, nil)}
	})
	if err != nil {
		return nil, err
	}
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
		out, err := products.Call(queries, all)
		engine.Free(queries)
		if err != nil {
			return nil, err
		}
		scores, err := engine.Float32s(out[0])
		engine.Free(out...)
		if err != nil {
			return nil, err
		}
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
	if d == 0 {
		return pool.X, pool.D
	}
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

// selectNearest puts the points y with the largest x·y − |y|²/2, which are those with the smallest |x−y|², into
// nearest [k], the nearest first and the lower index first among equals, leaving self out; best [k] is a buffer.
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
