package sources

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/gfncp/gfncp/data"
)

// classHalf returns the points of the first half of a pool's classes (training), or of the second (test); an odd one
// out is in the second. Classes count in the order of classOrder, and those of the half are numbered anew.
func classHalf(pool *data.Pool, split string) *data.Pool {
	order := classOrder(pool)
	from, to := 0, len(order)/2
	if split == data.SplitTest {
		from, to = to, len(order)
	}
	half := &data.Pool{Name: pool.Name, D: pool.D}
	place := make([]int32, len(pool.Classes)) // 1 + the new number, 0 for a class of the other half
	for i, class := range order[from:to] {
		place[class] = int32(i) + 1
		half.Classes = append(half.Classes, pool.Classes[class])
	}
	for i, class := range pool.Labels {
		if place[class] > 0 {
			half.X = append(half.X, pool.Point(i)...)
			half.Labels = append(half.Labels, place[class]-1)
		}
	}
	return half
}

// classOrder lists the classes that have points: by their numbers if all are called by one, else as the pool numbers
// them. So a file whose points are shuffled gives the same halves, whatever its kind.
func classOrder(pool *data.Pool) []int {
	used := make([]bool, len(pool.Classes))
	for _, class := range pool.Labels {
		used[class] = true
	}
	numbers := make([]int, len(pool.Classes))
	var order []int
	numbered := true
	for class, name := range pool.Classes {
		if !used[class] {
			continue
		}
		order = append(order, class)
		n, err := strconv.Atoi(name)
		numbers[class] = n
		numbered = numbered && err == nil
	}
	if numbered {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(numbers[a], numbers[b]) })
	}
	return order
}

// usedClasses counts the classes that have points.
func usedClasses(pool *data.Pool) int { return len(classOrder(pool)) }
