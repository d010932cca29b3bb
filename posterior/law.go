package posterior

import (
	"encoding/json"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// lawJSON is a Likelihood in a file.
type lawJSON struct {
	Kind string `json:"kind"` // names the type
	// Of a NIW, whose Psi is the upper triangle, row by row, and of a Diagonal.
	Mean  []float64 `json:"mean,omitempty"`
	Kappa float64   `json:"kappa,omitempty"`
	Nu    float64   `json:"nu,omitempty"`
	Psi   []float64 `json:"psi,omitempty"`
	// Of a Gaussian.
	Dim   int     `json:"dim,omitempty"`
	Tau   float64 `json:"tau,omitempty"`
	Sigma float64 `json:"sigma,omitempty"`
}

const (
	kindNIW      = "niw"
	kindDiagonal = "diagonal"
	kindGaussian = "gaussian"
)

// EncodeLaw writes a likelihood of this package as a JSON object; numbers come back to the last bit. It is an error for
// other types.
func EncodeLaw(model Likelihood) ([]byte, error) {
	switch l := model.(type) {
	case NIW:
		out := lawJSON{Kind: kindNIW, Mean: l.Mean, Kappa: l.Kappa, Nu: l.Nu}
		for i := range l.Mean {
			for j := i; j < len(l.Mean); j++ {
				out.Psi = append(out.Psi, l.Psi.At(i, j))
			}
		}
		return json.Marshal(out)
	case Diagonal:
		return json.Marshal(lawJSON{Kind: kindDiagonal, Mean: l.Mean, Kappa: l.Kappa, Nu: l.Nu, Psi: l.Psi})
	case Gaussian:
		return json.Marshal(lawJSON{Kind: kindGaussian, Dim: l.Dim, Tau: l.Tau, Sigma: l.Sigma})
	}
	return nil, fmt.Errorf("a likelihood of type %T has no form in a file", model)
}

// DecodeLaw reads what EncodeLaw wrote. It is an error if that is none, of a type that is not known, or if its settings
// are out of range.
func DecodeLaw(text []byte) (Likelihood, error) {
	var in lawJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, fmt.Errorf("read a likelihood: %w", err)
	}
	switch in.Kind {
	case kindNIW:
		d := len(in.Mean)
		if d == 0 || len(in.Psi) != d*(d+1)/2 {
			return nil, fmt.Errorf("a likelihood in %d dimensions with %d entries of psi", d, len(in.Psi))
		}
		w := NIW{Mean: in.Mean, Kappa: in.Kappa, Nu: in.Nu, Psi: mat.NewSymDense(d, nil)}
		at := 0
		for i := range d {
			for j := i; j < d; j++ {
				w.Psi.SetSym(i, j, in.Psi[at])
				at++
			}
		}
		return w, w.Validate()
	case kindDiagonal:
		w := Diagonal{Mean: in.Mean, Kappa: in.Kappa, Nu: in.Nu, Psi: in.Psi}
		return w, w.Validate()
	case kindGaussian:
		g := Gaussian{Dim: in.Dim, Tau: in.Tau, Sigma: in.Sigma}
		return g, g.Validate()
	}
	return nil, errors.New("a likelihood of an unknown kind, " + in.Kind)
}
