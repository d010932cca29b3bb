package data

import (
	"math"
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/partition"
)

// MoG is the source of Gaussian mixtures (paper, Sec. "data generation"):
//
//	c ~ CRP(α) or CRP conditioned on K,   μ_k ~ N(0, σ_μ² I),   x_i ~ N(μ_{c_i}, σ_x² I)
//
// In mode "instance" a cluster is one base point b_k, drawn as above, and augmentations b_k + N(0, σ_x² I) that fill up
// its size. Points are shuffled, labels renumbered by first appearance, and each set's coordinate-wise median is
// subtracted (MedianCenter). Everything except N and a shared labelling is drawn anew for each set of a batch.
type MoG struct{ drawing }

// NewMoG returns the source that c describes, or the faults that c.Validate finds.
func NewMoG(c Config) (*MoG, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &MoG{drawing{c, c.prior()}}, nil
}

// Batch returns the batch of (seed, step): X [B,N,D] in data units, centred, and canonical Labels [B,N].
func (m *MoG) Batch(seed uint64, step int) (*Batch, error) {
	return m.generate(seed, step, nil)
}

// BatchWithOracle returns the same batch as Batch, and the canonical labels [B,N] of the Bayes oracle.
//
// The oracle knows every μ_k, σ_x and the sizes n_k of the clusters, and labels each point by itself:
//
//	argmax_k  log(n_k/N) − |x − μ_k|² / (2 σ_x²)
//
// (ties: the lowest k). In mode "instance" the base points take the place of the μ_k.
func (m *MoG) BatchWithOracle(seed uint64, step int) (*Batch, []int32, error) {
	var oracle []int32
	batch, err := m.generate(seed, step, func(s mogSet) {
		labels := s.oracle(m.config.SigmaX)
		partition.Renumber(labels)
		oracle = append(oracle, labels...)
	})
	return batch, oracle, err
}

// BatchUncentred returns the same batch as Batch, and its points [B,N,D] before their medians were subtracted: the
// points that the mixture's prior describes.
func (m *MoG) BatchUncentred(seed uint64, step int) (*Batch, []float32, error) {
	var original []float32
	batch, err := m.generate(seed, step, func(s mogSet) { original = append(original, s.X...) })
	return batch, original, err
}

// generate draws the batch of (seed, step). If visit is not nil, it is called with every set before the set is centred.
func (m *MoG) generate(seed uint64, step int, visit func(mogSet)) (*Batch, error) {
	c := m.config
	empty := func(n int) *Batch { return NewBatch(c.Batch, n, c.Dim) }
	return m.draw(seed, step, empty, func(rng *rand.Rand, set *Batch) error {
		s := mogSet{Batch: set}
		s.fill(rng, c)
		m.shuffle(rng, s.N, func(a, b int) {
			s.Labels[a], s.Labels[b] = s.Labels[b], s.Labels[a]
			for j := range s.D {
				s.X[a*s.D+j], s.X[b*s.D+j] = s.X[b*s.D+j], s.X[a*s.D+j]
			}
		})
		if visit != nil {
			visit(s)
		}
		MedianCenter(s.X, s.N, s.D)
		return nil
	})
}

// mogSet is a set that is being drawn, with its true centers; a label is a row of centers.
type mogSet struct {
	*Batch
	centers []float64 // [K,D] row-major: μ_k, or the base point in mode "instance"
}

func (s *mogSet) fill(rng *rand.Rand, c Config) {
	s.centers = make([]float64, len(clusterSizes(s.Labels))*s.D)
	for j := range s.centers {
		s.centers[j] = c.SigmaMu * rng.NormFloat64()
		if c.Mode == ModeInstance { // the base point is itself a point of the mixture
			s.centers[j] += float64(c.SigmaX * rng.NormFloat64())
		}
	}
	var opened int32 // labels are canonical here: the first point of cluster k comes when k clusters are open
	for i, k := range s.Labels {
		isBase := c.Mode == ModeInstance && k == opened
		if k == opened {
			opened++
		}
		for j := range s.D {
			v := s.centers[int(k)*s.D+j]
			if !isBase {
				// The conversion forbids a fused multiply-add, which would change last bits between machines.
				v += float64(c.SigmaX * rng.NormFloat64())
			}
			s.X[i*s.D+j] = float32(v)
		}
	}
}

// oracle returns for each point the row of centers with the highest posterior probability; see MoG.BatchWithOracle.
func (s *mogSet) oracle(sigma float64) []int32 {
	k := len(s.centers) / s.D
	logSize := make([]float64, k)
	for _, l := range s.Labels {
		logSize[l]++
	}
	for l, size := range logSize {
		logSize[l] = math.Log(size)
	}
	best := make([]int32, s.N)
	for i := range best {
		highest := math.Inf(-1)
		for l := range k {
			var squared float64
			for j := range s.D {
				diff := float64(s.X[i*s.D+j]) - s.centers[l*s.D+j]
				squared += diff * diff
			}
			if score := logSize[l] - squared/(2*sigma*sigma); score > highest {
				highest, best[i] = score, int32(l)
			}
		}
	}
	return best
}
