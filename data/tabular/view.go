package tabular

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// viewNorm is the root mean square length of a table's rows as networks see them.
const viewNorm = 8

// View is how a network sees the rows of a table that is encoded: its principal components, at most Dim, times Factor,
// which makes rows about 8 long, and zeros where the table has fewer.
type View struct {
	Rotation Rotation `json:"rotation"`
	Factor   float64  `json:"factor"`
	Dim      int      `json:"dim"`
}

// NewView finds the view of n rows of d columns x, whose standard deviations mean something (PrincipalCentred). The
// errors are those of PrincipalCentred.
func NewView(x []float64, n, d, dim int) (View, error) {
	r, err := PrincipalCentred(x, n, d, dim)
	return viewOf(r, dim), err
}

// NewStandardizedView is NewView of columns in any units, each of which is standardized (Principal).
func NewStandardizedView(x []float64, n, d, dim int) (View, error) {
	r, err := Principal(x, n, d, dim)
	return viewOf(r, dim), err
}

func viewOf(r Rotation, dim int) View {
	return View{Rotation: r, Factor: viewNorm / math.Sqrt(floats.Sum(r.Variance)), Dim: dim}
}

// Check returns an error unless the view is one of rows of d columns.
func (v View) Check(d int) error {
	r := v.Rotation
	fits := len(r.Mean) == d && len(r.Scale) == d && len(r.Components) > 0 && len(r.Components) <= v.Dim
	for _, c := range r.Components {
		fits = fits && len(c) == d
	}
	if !fits {
		return fmt.Errorf("a view of %d columns has %d means, %d scales and %d components for %d dimensions", d,
			len(r.Mean), len(r.Scale), len(r.Components), v.Dim)
	}
	return nil
}

// Apply shows rows x [n,d]: [n,Dim].
func (v View) Apply(x []float64) []float32 {
	y := v.Rotation.Apply(x)
	kept := len(v.Rotation.Components)
	seen := make([]float32, len(y)/kept*v.Dim)
	for i, value := range y {
		seen[i/kept*v.Dim+i%kept] = float32(value * v.Factor)
	}
	return seen
}
