package parity

import (
	"math"
	"strings"

	"github.com/gfncp/gfncp/models"
)

// noise is the i-th number of a fixed sequence in [−1,1), MurmurHash3's finalizer of stream and i, exact in float32.
func noise(stream, i int) float32 {
	x := uint32(stream)*0x9e3779b9 + uint32(i)*0x85ebca6b + 0x5bd1e995
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	x ^= x >> 16
	return float32(int32(x)>>8) / (1 << 23)
}

// points returns n values of ±scale.
func points(stream, n int, scale float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = scale * noise(stream, i)
	}
	return x
}

// weights fills a layout: matrices U(±√(6/in)), which keeps the magnitude through ReLU layers, and small biases. The
// last layer of f is scaled so that decisions are neither certain nor even.
func weights(c models.Config, stream int) models.Params {
	ps := c.Layout()
	for i := range ps {
		p := &ps[i]
		size, scale := ps[i:i+1].Size(), float32(0.1)
		if len(p.Shape) > 1 {
			fanIn := size / p.Shape[len(p.Shape)-1]
			scale = float32(math.Sqrt(6 / float64(fanIn)))
		}
		if strings.HasPrefix(p.Name, "f.5.") {
			scale *= lastGain
		}
		p.Data = points(stream*100+i, size, scale)
	}
	return ps
}

// lastGain scales the energies to a few units.
const lastGain = 0.3

// The networks.
var (
	vectors    = models.Default(2)      // the paper's, for points of the plane
	images     = models.DefaultImages() // the paper's, for Fashion-MNIST
	seeing     = withContext(false)     // for points of the plane that see the others of their set
	foreseeing = withContext(true)      // its energy is a sum over the clusters, and what f looks ahead
)

func withContext(additive bool) models.Config {
	c := models.Default(2)
	c.Moments, c.MeanShift, c.Alpha, c.Additive = true, true, true, additive
	return c
}

// labelled returns b labellings of n points, numbered by first appearance, with up to k clusters each.
func labelled(stream, b, n, k int) [][]int32 {
	sets := make([][]int32, b)
	for set := range sets {
		var clusters int32
		sets[set] = make([]int32, n)
		for i := range sets[set] {
			l := int32((noise(stream, set*n+i) + 1) / 2 * float32(k))
			if l >= clusters { // the next new one
				l = clusters
				clusters++
			}
			sets[set][i] = l
		}
	}
	return sets
}

// thin keeps every step-th value: enough to find a fault, and few enough to store.
func thin(values []float32, step int) []float32 {
	var kept []float32
	for i := 0; i < len(values); i += step {
		kept = append(kept, values[i])
	}
	return kept
}
