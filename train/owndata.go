package train

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/gfncp/gfncp/data"
	"github.com/gfncp/gfncp/internal/usererr"
	"github.com/gfncp/gfncp/metrics"
	"github.com/gfncp/gfncp/models"
)

const (
	leastOwnPoints = 10   // fewer show nothing that training could find
	noisePoints    = 1000 // most points whose distances are measured
	noiseShare     = 0.05 // the neighbour that is measured: the nearest 5 % count as the same cluster
	noiseRadius    = 0.7  // the noise's reach over that neighbour's distance
	dropoutFrom    = 32   // D from which features are dropped: below, each one may matter
	ownDropout     = 0.2  // paper, ImageNet features

	ownNeighbors  = 8  // most neighbours of a base point that count as the same cluster,
	neighborsFrom = 20 // and how many points there must be for each of them
)

// OwnData returns a complete config to train a model ("gfncp" or "ncp") on two CPU cores, on a pool of the user's
// images or vectors without labels. path, best absolute, is where the run finds the pool again.
//
// The numbers that depend on the data are computed here, so that they stand in the config. For vectors:
//
//	data.factor          = 1/r,  r the root mean square of the coordinates around their columns' medians
//	data.vectors.noise   = 0.7·q/√(2D)·data.factor,  q the median distance to the m-th nearest neighbour
//	data.vectors.dropout = 0.2 for D ≥ 32, else 0
//
// q is measured among up to 1,000 different points, a fixed random choice, m being 5 % of them. Two noisy copies of a
// point are √(2D)·noise apart (root mean square): 0.7 of the way to that neighbour still counts as the same cluster.
//
// In all cases data.neighbors is 8, or a twentieth of the number of points if that is less (docs/training.md).
//
// Faults of the data are *usererr.Error: fewer than 10 points, points that are all equal, values that are not finite.
func OwnData(model string, pool *data.Pool, path string) (Config, error) {
	if err := pool.Check(); err != nil {
		return Config{}, err
	}
	if err := checkOwnPoints(pool); err != nil {
		return Config{}, err
	}
	var c Config
	if pool.IsImages() {
		c = DefaultOn(model, data.SourceFile)
		c.Data.Path, c.Data.Split = path, ""
	} else {
		c = Default(model)
		c.Net, c.Data = models.Default(pool.D), data.DefaultVectors(path, pool.D)
		c.peerDefaults()
		centred := slices.Clone(pool.X)
		data.MedianCenter(centred, pool.Len(), pool.D)
		c.Data.Factor = 1 / rootMeanSquare(centred)
		c.Data.Vectors.Noise = noiseRadius * neighbourDistance(pool) / math.Sqrt(2*float64(pool.D)) * c.Data.Factor
		c.Data.Vectors.Dropout = 0
		if pool.D >= dropoutFrom {
			c.Data.Vectors.Dropout = ownDropout
		}
	}
	c.Data.Neighbors = min(ownNeighbors, pool.Len()/neighborsFrom)
	return c.forTwoCores(), nil
}

// forTwoCores sets the loop so that a run on two CPU cores ends in minutes, not days.
func (c Config) forTwoCores() Config {
	c.Data.Batch, c.Data.NMin, c.Data.NMax = 16, 20, 120
	c.Data.AlphaMin, c.Data.AlphaMax = 0.7, 2
	c.Train.Steps, c.Train.ValidEvery = 1500, 100
	if c.Model == GFNCP {
		c.Train.Steps, c.Train.WarmupSteps, c.Loss.NLLWeight = 1800, 1000, 1
	}
	return c
}

func checkOwnPoints(pool *data.Pool) error {
	m := pool.Len()
	if m < leastOwnPoints {
		return usererr.File(pool.Name, 0, "give more data",
			"%d points are too few to train on: at least %d are needed", m, leastOwnPoints)
	}
	for i, v := range pool.X {
		if !metrics.IsFinite(v) {
			return usererr.File(pool.Name, 0, "mend or leave out this point",
				"coordinate %d of point %d is %v", i%pool.D+1, i/pool.D+1, v)
		}
	}
	for i := range m {
		if !slices.Equal(pool.Point(i), pool.Point(0)) {
			return nil
		}
	}
	return usererr.File(pool.Name, 0, "give points that differ", "all %d points are equal", m)
}

// rootMeanSquare returns √(Σx²/n) of n values, which are not all 0.
func rootMeanSquare(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// neighbourDistance returns the median over the measured points of the distance to the m-th nearest of the others, m
// being 5 % of them, at least 1.
func neighbourDistance(pool *data.Pool) float64 {
	near := data.NearDistances(measuredPoints(pool), noiseShare)
	n := len(near)
	return (near[(n-1)/2] + near[n/2]) / 2
}

// measuredPoints returns up to noisePoints different points of the pool, a fixed random choice.
func measuredPoints(pool *data.Pool) (points [][]float32) {
	seen := map[string]bool{}
	for _, i := range data.Rand(0, "owndata", 0).Perm(pool.Len()) {
		var bits []byte
		for _, v := range pool.Point(i) {
			bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(v))
		}
		if key := string(bits); !seen[key] {
			seen[key] = true
			points = append(points, pool.Point(i))
		}
		if len(points) == noisePoints {
			break
		}
	}
	return points
}
