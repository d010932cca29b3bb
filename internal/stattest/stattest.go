// Package stattest has statistics that tests of several samplers need.
package stattest

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// GewekeZ returns the z-score of Geweke's joint distribution test (2004): the difference between the means of
// independent draws and of a chain, over its standard error. The chain's error is by batch means (Flegal & Jones 2010).
func GewekeZ(independent, chain []float64) float64 {
	length := int(math.Sqrt(float64(len(chain))))
	var batches []float64
	for start := len(chain) % length; start < len(chain); start += length {
		batches = append(batches, stat.Mean(chain[start:start+length], nil))
	}
	mean, variance := stat.MeanVariance(independent, nil)
	squared := variance/float64(len(independent)) + stat.Variance(batches, nil)/float64(len(batches))
	return (mean - stat.Mean(chain, nil)) / math.Sqrt(squared)
}
