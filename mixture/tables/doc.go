// Package tables encodes a table of numbers and categories as rows of a mixture (package em).
//
// Some columns are not used, such as row numbers and keys, columns with one hump that are independent of all others
// (reduce.go), and linear combinations of others (linear.go). Numbers such as −999, far from all others, count as
// missing (encoder.go). If the evidence favours it, a skewed column is replaced by its logarithm, and many zeros become
// a category (forms.go). Rounded numbers, and many equal values at an end of a scale, have bounds between which the
// sampler draws (rounded.go). More than forty columns are reduced to principal components (reduce.go).
package tables
