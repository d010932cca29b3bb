package augment

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gfncp/gfncp/internal/usererr"
)

// Vectors holds the settings of the augmentation of feature vectors: Gaussian noise, then feature dropout.
type Vectors struct {
	// Noise is the standard deviation of the noise added to every feature, in the features' unit, at least 0.
	Noise float64 `toml:"noise" json:"noise"`
	// Dropout is the probability with which a feature is set to 0, from 0 to below 1. The features that stay are not
	// rescaled: the published description says "feature dropout p=0.2" and no more, and what is dropped are inputs, not
	// activations whose mean has to be kept.
	Dropout float64 `toml:"dropout" json:"dropout"`
}

// DefaultVectors returns the paper's settings for ImageNet features: noise of standard deviation 0.05, dropout 0.2.
func DefaultVectors() Vectors { return Vectors{Noise: 0.05, Dropout: 0.2} }

// String returns every setting in one line, under the keys of a configuration file.
func (o Vectors) String() string {
	return fmt.Sprintf("vectors noise=%g dropout=%g", o.Noise, o.Dropout)
}

// Validate returns nil, or all faults at once, joined: one *usererr.Error each, with key, value and bound.
func (o Vectors) Validate() error {
	var faults usererr.Faults
	faults.Demand(o.Noise >= 0 && finite(o.Noise), "noise", o.Noise, "a finite number of at least 0")
	faults.Demand(o.Dropout >= 0 && o.Dropout < 1, "dropout", o.Dropout, "a probability of at least 0 and below 1")
	return errors.Join(faults...)
}

// Apply writes an augmentation of src [D] to dst [D], which may be src itself:
//
//	dst_d = (src_d + Noise·ε_d)·m_d,   ε_d ~ N(0,1),   m_d ~ Bernoulli(1 − Dropout)
//
// It takes the noise first and the dropout second from rng for each feature, whatever the settings. A dst shorter than
// src panics, as indexing does.
func (o Vectors) Apply(rng *rand.Rand, dst, src []float32) {
	dst = dst[:len(src)]
	for d, x := range src {
		noisy := x + float32(o.Noise*rng.NormFloat64())
		if rng.Float64() < o.Dropout {
			noisy = 0
		}
		dst[d] = noisy
	}
}
