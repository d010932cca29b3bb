// Package tabular makes a table of mixed columns into numbers that a network reads: an encoding that is fitted once and
// applied to further rows alike, and the principal components of its columns.
package tabular
