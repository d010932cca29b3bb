package files

// maxValues is the largest number of values that a pool may hold: 4 GiB of float32.
const maxValues = 1 << 30

// product multiplies dimensions; ok is false if one is below 1 or the product exceeds maxValues.
func product(dims []int) (n int, ok bool) {
	n = 1
	for _, d := range dims {
		if d < 1 || d > maxValues/n {
			return 0, false
		}
		n *= d
	}
	return n, true
}
