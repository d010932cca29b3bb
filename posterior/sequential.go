package posterior

import (
	"math"
	"slices"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Sequential labels points x [N·D] (row-major) one by one: each joins the cluster, or opens the one, that is most
// probable given the points and labels before it, and is never asked again (sequential updating and greedy search:
// Wang and Dunson, JCGS 20, 2011). Greedy decoding of a network without a view of the points to come does the same, so
// this is what it reaches if its probabilities are exact. Labels [N] are canonical; of equals the first cluster wins.
//
// The prior must have a known α and must not bound K, for the number of points to come is not known. It returns the
// faults of the prior and the errors of model.Check. Time O(N·K).
func Sequential(model Gaussian, prior CRP, x []float64) ([]int32, error) {
	if err := prior.Validate(); err != nil {
		return nil, err
	}
	if prior.AlphaMax > prior.Alpha || prior.MinK > 1 || prior.MaxK > 0 {
		return nil, usererr.New("give one alpha and any number of clusters",
			"points one by one under alpha %g..%g and %d to %d clusters",
			prior.Alpha, prior.AlphaMax, prior.MinK, prior.MaxK)
	}
	n, err := model.Check(x)
	if err != nil {
		return nil, err
	}
	open := model.components(n)
	clusters, weights := []*component{open()}, []float64{prior.Alpha} // the last one is empty
	labels := make([]int32, 0, n)
	for point := range slices.Chunk(x, model.Dim) {
		best, most := 0, math.Inf(-1)
		for k, c := range clusters {
			if log := math.Log(weights[k]) + c.logPredictive(point); log > most {
				best, most = k, log
			}
		}
		clusters[best].add(point)
		if best == len(clusters)-1 {
			weights[best] = 0
			clusters, weights = append(clusters, open()), append(weights, prior.Alpha)
		}
		weights[best]++
		labels = append(labels, int32(best))
	}
	return labels, nil
}
