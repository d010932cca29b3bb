package data

import "slices"

// MedianCenter subtracts from each coordinate its median over the points and returns the medians, shape [D].
//
// x has shape [N,D] row-major and is changed in place; n is N and d is D. The median of an even number of values is the
// mean of the middle two. (The authors' code uses torch.median, which takes the lower of the two; the mean does not
// change when the axes are mirrored.) Needs O(N) memory beside x. For n = 0 the medians are 0. The values must be
// finite: the order of a NaN has no meaning.
func MedianCenter(x []float32, n, d int) (center []float32) {
	center = make([]float32, d)
	if n == 0 {
		return center
	}
	column := make([]float32, n)
	for j := range d {
		for i := range n {
			column[i] = x[i*d+j]
		}
		slices.Sort(column)
		lower, upper := column[(n-1)/2], column[n/2]
		center[j] = float32((float64(lower) + float64(upper)) / 2) // float64: the sum cannot overflow
		for i := range n {
			x[i*d+j] -= center[j]
		}
	}
	return center
}
